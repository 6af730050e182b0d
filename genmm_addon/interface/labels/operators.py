# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of labels: add and remove its stretches."""

from collections.abc import Iterable

from bpy.props import EnumProperty, IntProperty
from bpy.types import Context, Event, Object, Operator

from ...animation.labels import TagStretch, labels_text
from ...state.properties import readable_settings
from ...state.registration import registration_of
from ...state.selection import character_or_reason
from ..common.blender_bases import Outcome
from ..common.list_rows import AddRow, RemoveRow
from .shown import known_tags, listed_stretches, next_stretch

# Blender does not copy the texts of a computed enumeration: they are kept alive here while a menu shows them.
_choices: list[tuple[str, str, str]] = []


def _tags(_operator: Operator, context: Context | None) -> Iterable[tuple[str, str, str]]:
    character = character_or_reason(context)[0] if context is not None else None
    if character is None:
        return []
    tags = known_tags(character, readable_settings(character, context.scene))
    _choices[:] = [(tag, tag, "") for tag in tags]
    return _choices


class GENMM_OT_add_label(AddRow, Operator):
    bl_idname = "genmm.add_label"
    bl_label = "Add Label"
    bl_description = "Show examples with a tag from one frame to another"

    tag: EnumProperty(name="Tag", description="The tag of the examples to show", items=_tags, options={"SKIP_SAVE"})
    first: IntProperty(name="First Frame", description="The first frame that shows them", options={"SKIP_SAVE"})
    last: IntProperty(name="Last Frame", description="The last frame that shows them", options={"SKIP_SAVE"})
    text_property = "labels"
    rows_of = staticmethod(listed_stretches)
    text_of = staticmethod(labels_text)

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        known = known_tags(character, readable_settings(character, context.scene))
        return "" if known else "Add examples first; a label says which of them are shown"

    def invoke(self, context: Context, _event: Event) -> Outcome:
        character, _ = character_or_reason(context)
        settings = readable_settings(character, context.scene)
        self.first, self.last = next_stretch(character, settings, context.scene)
        return context.window_manager.invoke_props_dialog(self)

    def new_row(self, _context: Context, _character: Object) -> TagStretch:
        return TagStretch(self.tag, self.first, self.last)


class GENMM_OT_remove_label(RemoveRow, Operator):
    bl_idname = "genmm.remove_label"
    bl_label = "Remove Label"
    bl_description = "Remove this label from the list"

    number: IntProperty(name="Number", description="The place of the label in the list", options={"SKIP_SAVE"})
    text_property = "labels"
    rows_of = staticmethod(listed_stretches)
    text_of = staticmethod(labels_text)


CLASSES = (GENMM_OT_add_label, GENMM_OT_remove_label)
register, unregister = registration_of(CLASSES)
