# SPDX-License-Identifier: GPL-3.0-or-later
"""Mark as Asset: the action that a character plays, with catalog, tags and a preview of its poses."""

from pathlib import Path

import bpy
from bpy.props import StringProperty
from bpy.types import Context, Event, Object, Operator

from ...animation.actions import assigned
from ...animation.layers.edit_layer import why_on_layer
from ...animation.stretches.linked import why_no_own_action
from ...core import InputError
from ...files.asset_catalogs import catalog_path, ensure_catalog
from ...libraries.assets import mark_as_asset, preview_of_action
from ..common.blender_bases import Outcome
from ..common.character_operator import CharacterOperator


class GENMM_OT_mark_asset(CharacterOperator, Operator):
    bl_idname = "genmm.mark_asset"
    bl_label = "Mark Action as Asset"
    bl_description = (
        "Make an asset of the action that the character plays, with a preview of four of its poses; "
        "its catalog is stored beside the file, which undo does not change"
    )

    catalog: StringProperty(
        name="Catalog",
        description="The asset's catalog, such as Walks/Tired; empty keeps the present one",
        options={"SKIP_SAVE"},
    )
    tags: StringProperty(
        name="Tags", description="Tags, separated by commas, such as style=tired, action=walk", options={"SKIP_SAVE"}
    )

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the character plays no action that belongs to this file."""
        return why_on_layer(character) or why_no_own_action(character)

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Ask for catalog and tags."""
        return context.window_manager.invoke_props_dialog(self)

    def act(self, context: Context, character: Object) -> Outcome:
        """Mark the action, and report its catalog."""
        playing = assigned(character)
        if playing is None:
            return {"CANCELLED"}
        action, slot = playing
        if self.catalog and not bpy.data.filepath:
            raise InputError("Save the file first: catalogs are stored beside it.")
        preview = preview_of_action(character, action, slot, context.scene)
        catalog = ensure_catalog(Path(bpy.data.filepath), self.catalog) if self.catalog else ""
        tags = [tag.strip() for tag in self.tags.split(",") if tag.strip()]
        mark_as_asset(action, preview, catalog=catalog, tags=tags)
        where = f' in the catalog "{catalog_path(self.catalog)}"' if self.catalog else ""
        self.report({"INFO"}, f'"{action.name}" is an asset{where}; save the file to keep it.')
        return {"FINISHED"}
