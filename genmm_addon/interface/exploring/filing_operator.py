# SPDX-License-Identifier: GPL-3.0-or-later
"""File Into Catalog: clips of a cluster, made assets of this file in a catalog with the cluster's name."""

from pathlib import Path

import bpy
from bpy.props import IntProperty
from bpy.types import Action, Context, Event, Object, Operator

from ...core import InputError, counted
from ...files.asset_catalogs import ensure_catalog
from ...libraries.assets import mark_as_asset, preview_of
from ...libraries.choosing import library_in
from ...libraries.exploring.clusters import NamedCluster, named_clusters
from ...libraries.exploring.finding import FoundPlace, action_of, clip_of, lay_place
from ...requests.direction_values import bone_names_of
from ...state.exploring_properties import active_cluster, listed_clusters
from ...state.properties import readable_settings
from ..common.blender_bases import Outcome
from .cluster_operators import SELECT_ONE, ClusterOperator
from .typical_clips import listed_library


class GENMM_OT_file_cluster(ClusterOperator, Operator):
    bl_idname = "genmm.file_cluster"
    bl_label = "File Into Catalog"
    bl_description = (
        "Make action assets of the most typical clips of the cluster, in a catalog with the cluster's name; "
        "catalogs are stored beside the file, and undo does not change them"
    )

    count: IntProperty(
        name="Clips", description="Maximum number of clips to mark as assets", default=8, min=1, max=1000
    )

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where no cluster is selected or the file is not saved; else ""."""
        saved = "" if bpy.data.filepath else "Save the file first: catalogs are stored beside it"
        return super().why_not(context, character) or saved

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Ask for the number of clips."""
        return context.window_manager.invoke_props_dialog(self)

    def act(self, context: Context, character: Object) -> None:
        """Make the assets, all or none."""
        actions: list[Action] = []
        try:
            named = _chosen(context)
            places = self._places(context, named)
            for place in places:
                names = bone_names_of(readable_settings(character, context.scene))
                actions.append(action_of(lay_place(character, place, names, context.scene), character).action)
            catalog = ensure_catalog(Path(bpy.data.filepath), named.full_name)
        except InputError:
            for action in actions:
                bpy.data.actions.remove(action)
            raise
        for action, place in zip(actions, places, strict=True):
            _mark(action, place, catalog)
        self.report(
            {"INFO"},
            f'{counted(len(actions), "asset")} in the catalog "{named.full_name}"; save the file to keep them.',
        )

    def _places(self, context: Context, named: NamedCluster) -> list[FoundPlace]:
        kept, library = listed_clusters(context), library_in(listed_clusters(context).file)
        numbers = named.cluster.clips[: self.count]
        return [FoundPlace(kept.file, kept.fingerprint, number, 0, library.clips[number].frames) for number in numbers]


def _chosen(context: Context) -> NamedCluster:
    """Return the selected cluster. Raises InputError where the library has changed since it was listed."""
    row, library = active_cluster(context), listed_library(context)
    if row is None:
        raise InputError(f"{SELECT_ONE}.")
    return next(named for named in named_clusters(library) if named.number == row.number)


def _mark(action: Action, place: FoundPlace, catalog: str) -> None:
    """Make an asset of an action, with the clip's tags and a preview of its poses."""
    library, clip = clip_of(place)
    tags = [f"{key}={value}" if value else key for key, value in clip.tags.items()]
    preview = preview_of(library.motion(place.clip))
    mark_as_asset(action, preview, catalog=catalog, tags=tags, description=clip.source)
