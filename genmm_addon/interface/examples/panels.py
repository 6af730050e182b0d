# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's list of examples, and the details of the selected one."""

from bpy.types import Context, Object, Panel, Scene, UILayout, UIList

from ...animation.actions import armature_slots
from ...requests.choices import choice_of
from ...requests.library_values import learns_from_library
from ...requests.played_examples import played_rows
from ...state.properties import GENMM_PG_character, GENMM_PG_example, readable_settings
from ...state.selection import character_or_reason
from ..common.choice_operator import draw_choice
from ..common.drawing import draw_sentence
from ..common.drawn_rows import DrawnRows
from ..common.sidebar import GenerateSubPanel
from ..library.drawing import draw_chosen_clips
from .remarks import is_taken_as_cycle, panel_remarks, why_nothing_learned
from .sides import has_sides


class GENMM_UL_examples(DrawnRows, UIList):
    def draw_row(self, context: Context, layout: UILayout, item: GENMM_PG_example, _index: int) -> None:
        """Draw one example: its checkbox, its action, its frames."""
        row = layout.row(align=True)
        row.prop(item, "enabled", text="")
        if item.action is None:
            row.label(text="This action was deleted", icon="ERROR")
            return
        name = item.action.name if item.armature is None else f"{item.action.name} ({item.armature.name})"
        row.label(text=name, icon="ACTION" if item.armature is None else "ARMATURE_DATA", translate=False)
        if item.mirrored != "AS_RECORDED":
            row.label(text="", icon="MOD_MIRROR")
        character, _ = character_or_reason(context)
        if character is not None and is_taken_as_cycle(character, choice_of(item).spec, context.scene):
            row.label(text="", icon="FILE_REFRESH")
        frames = row.row()
        frames.alignment = "RIGHT"
        frames.active = item.enabled
        first, last = (item.frame_start, item.frame_end) if item.use_range else item.action.frame_range
        frames.label(text=_range_text(first, last))


class GENMM_PT_example(GenerateSubPanel, Panel):
    bl_label = "Example"
    help_page = "example"
    bl_order = 0

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether the character learns from actions rather than libraries."""
        character, _ = character_or_reason(context)
        return character is not None and not learns_from_library(readable_settings(character, context.scene))

    def draw(self, context: Context) -> None:
        """Draw the frames of the selected example that are learned from, its rate and its tags."""
        character, settings = self.shown(context)
        if not settings.examples:
            self.layout.label(text="The active action, all of it")
            self.layout.operator("genmm.add_example", text="Choose Frames, Rate and Mirror").played = True
            return
        item = settings.examples[min(settings.active_example, len(settings.examples) - 1)]
        _draw_example(self.layout, character, item, context.scene)


def draw_examples(layout: UILayout, character: Object, settings: GENMM_PG_character) -> None:
    """Draw the list of examples with its buttons; for an empty list, the examples that the character plays."""
    layout.prop(settings, "learn_from")
    if learns_from_library(settings):
        draw_chosen_clips(layout, settings)
        return
    row = layout.row()
    if settings.examples:
        row.template_list("GENMM_UL_examples", "", settings, "examples", settings, "active_example", rows=3)
    else:
        _draw_played(row.box(), character)
    buttons = row.column(align=True)
    buttons.operator("genmm.add_example", text="", icon="ADD")
    if settings.examples:
        draw_choice(buttons, "genmm.remove_row", "examples", text="", icon="REMOVE")
    layout.operator("genmm.add_fitting_examples", icon="ADD")


def draw_remarks(layout: UILayout, character: Object, settings: GENMM_PG_character, scene: Scene) -> None:
    """Draw why nothing can be learned, or else stray keys, with a button to leave them out, and too little motion."""
    if learns_from_library(settings):
        return
    reason = why_nothing_learned(character, settings, scene)
    if reason:
        draw_sentence(layout, reason, "ERROR")
        return
    strays, short = panel_remarks(character, settings, scene)
    if strays:
        column = layout.column(align=True)
        sentence = strays[0].where
        column.label(text=sentence[0].upper() + sentence[1:], icon="ERROR", translate=False)
        column.operator("genmm.leave_out_stray_keys", text=f"Learn From {strays[0].range}", translate=False)
    elif short:
        layout.label(text=short, icon="INFO", translate=False)


def _draw_played(layout: UILayout, character: Object) -> None:
    """Draw the examples that are used while the list is empty."""
    for text, frames, icon in played_rows(character):
        row = layout.row()
        row.label(text=text, icon=icon, translate=False)
        if frames is not None:
            right = row.row()
            right.alignment = "RIGHT"
            right.label(text=_range_text(*frames))


def _draw_example(layout: UILayout, character: Object, item: GENMM_PG_example, scene: Scene) -> None:
    if item.action is not None and len(armature_slots(item.action)) > 1:
        layout.prop_search(item, "slot", item.action, "slots")
    layout.prop(item, "use_range")
    if item.use_range:
        frames = layout.column(align=True)
        frames.prop(item, "frame_start")
        frames.prop(item, "frame_end")
    layout.prop(item, "use_rate")
    if item.use_rate:
        layout.prop(item, "frames_per_second", text="Rate")
    layout.prop(item, "tags")
    layout.prop(item, "mirrored")
    if not has_sides(character, item, scene):
        layout.label(text="Cannot be mirrored: no left and right", icon="INFO")
    layout.prop(item, "repetition")
    if item.repetition == "AUTOMATIC" and is_taken_as_cycle(character, choice_of(item).spec, scene):
        layout.label(text="A cycle: its end leads to its beginning", icon="INFO")
    if item.has_rest_start and item.first_frame == "AUTO":
        layout.label(text="The rest pose at its start is left out", icon="INFO")


def _range_text(first: float, last: float) -> str:
    """Return a range in whole frames, since keys may lie between them."""
    return f"{round(first):,}\N{EN DASH}{round(last):,}"
