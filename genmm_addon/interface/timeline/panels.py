# SPDX-License-Identifier: GPL-3.0-or-later
"""Edit This Action, in the viewport's sidebar and in the dope sheet's."""

from bpy.types import Action, Context, Object, Panel, UILayout

from ...animation.layers.edit_layer import layer_of
from ...editing.coarse_record import coarse_of, coarse_record
from ...editing.filling.record import FilledRange, record_of, why_not_again
from ...generation.sources import played_result
from ...state.properties import scene_properties
from ..common.choice_operator import draw_choice
from ..common.drawing import draw_end, draw_frames, draw_sentence
from ..common.sidebar import CharacterPanel
from .fill_operators import draw_steps, draw_timing, why_no_spline
from .stretch_operator import edited_action, last_frame_played
from .unchanged_keys import shown_fingerprint


class EditPanel(CharacterPanel):
    """Mixin for the panel of edits in place, the same in both editors."""

    bl_label = "Edit This Action"
    help_page = "edit"

    def draw(self, context: Context) -> None:
        """Draw the edits: between poses, after the end, of a stretch, and of the keys."""
        character, _ = self.shown(context)
        layout, edited = self.layout, edited_action(context)
        layout.operator_context = "INVOKE_REGION_WIN"
        _draw_filling(layout, context, edited)
        _draw_continuing(layout, context, character)
        if played_result(character) is not None:
            _draw_stretch(layout)
        _draw_keys(layout, edited)


class GENMM_PT_edit(EditPanel, Panel):
    bl_idname = "GENMM_PT_edit"
    bl_order = 3


class GENMM_PT_fill(EditPanel, Panel):
    bl_idname = "GENMM_PT_fill"
    bl_space_type = "DOPESHEET_EDITOR"  # type: ignore[assignment]  # the others are in the viewport
    bl_options = set()


def _draw_filling(layout: UILayout, context: Context, edited: tuple[Object, Action, str] | None) -> None:
    settings = scene_properties(context.scene).filling
    layer = None if edited is None else layer_of(edited[0])
    if layer is None:
        layout.row().prop(settings, "edits", expand=True)
    else:
        draw_sentence(layout, "Edits go onto a layer; its influence and mute are in the NLA editor.", "INFO")
    draw_frames(layout, settings, "range_choice")
    draw_timing(layout, settings)
    column = layout.column(align=True)
    column.operator("genmm.fill_range", icon="KEYFRAME_HLT")
    record = None if edited is None else record_of(edited[1])
    if edited is not None and record is not None:
        _draw_record(layout, record, why_not_again(edited[1], edited[2], shown_fingerprint))
    column = layout.column(align=True)
    column.operator("genmm.choose_trajectory", icon="CURVE_PATH")
    reason = "" if edited is None else why_no_spline(*edited, context.scene)
    spline = column.row()
    spline.enabled = not reason
    spline.operator("genmm.blocking_to_spline", icon="IPO_BEZIER")
    if reason:
        draw_sentence(layout, reason, "INFO")


def _draw_record(layout: UILayout, record: FilledRange, reason: str) -> None:
    """Draw the alternative that fills the range, and the buttons for others; reason: why there are none."""
    if reason:
        draw_sentence(layout, f"{reason}.", "INFO")
    else:
        text = f"{record.first:g} to {record.last:g}: {record.number} of {record.count}"
        layout.label(text=text, translate=False)
        layout.label(text=record.source, icon="ACTION", translate=False)
    draw_steps(layout.row(align=True))


def _draw_continuing(layout: UILayout, context: Context, character: Object) -> None:
    row = layout.row(align=True)
    row.operator("genmm.continue_action", icon="FORWARD")
    row.operator("genmm.connect_action", text="Connect...", icon="LINKED")
    last = last_frame_played(character)
    if last > context.scene.frame_end:
        draw_end(layout, last, context.scene)


def _draw_stretch(layout: UILayout) -> None:
    """Draw the operators on the stretch that is chosen on the ribbon."""
    row = layout.row(align=True)
    draw_choice(row, "genmm.edit_stretch", "REGENERATE", by="action", text="Regenerate Stretch", icon="FILE_REFRESH")
    draw_choice(row, "genmm.edit_stretch", "LOCK", by="action", text="", icon="LOCKED")


def _draw_keys(layout: UILayout, edited: tuple[Object, Action, str] | None) -> None:
    """Draw the edits of keys, and between coarse keys and the full motion the button that leads to the other."""
    column = layout.column(align=True)
    record = None if edited is None else coarse_record(edited[1])
    if record is not None:
        draw_choice(column, "genmm.switch_keys", "FULL", by="action", text="Restore Full Motion", icon="IPO_BEZIER")
        original = "Its original is gone" if record.original is None else f"Original: {record.original.name}"
        layout.label(text=original, icon="ACTION", translate=False)
    else:
        column.operator("genmm.coarse_keys", icon="KEYFRAME")
    if edited is not None and coarse_of(edited[1]) is not None:
        draw_choice(column, "genmm.switch_keys", "COARSE", by="action", text="Back to Coarse Keys", icon="LOOP_BACK")
    column.operator("genmm.make_natural", icon="MOD_SMOOTH")
    column.operator("genmm.simplify_keys", icon="NORMALIZE_FCURVES")
