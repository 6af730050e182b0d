# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel Fill Range in the dope sheet's sidebar, and the base of the panels in its tab."""

from bpy.types import Context, Panel

from ...editing.filling.record import FilledRange, record_of, why_not_again
from ...state.properties import scene_properties
from ...state.registration import registration_of
from ..common.drawing import draw_frames, draw_sentence
from ..common.sidebar import CharacterPanel
from .fill_operators import GENMM_OT_blocking_to_spline, GENMM_OT_fill_range, draw_steps, draw_timing
from .stretch_operator import edited_action
from .unchanged_keys import shown_fingerprint


class TimelinePanel(CharacterPanel):
    """Mixin for a panel in the tab, shown when a character is selected."""

    bl_space_type = "DOPESHEET_EDITOR"  # type: ignore[assignment]  # the others are in the viewport
    bl_options = set()


class GENMM_PT_fill(TimelinePanel, Panel):
    bl_idname = "GENMM_PT_fill"
    bl_label = "Fill Range"
    help_page = "fill"

    def draw(self, context: Context) -> None:
        """Draw the range and the timing, the button, and the alternative that is shown."""
        self.shown(context)
        layout = self.layout
        settings = scene_properties(context.scene).filling
        column = layout.column()
        draw_frames(column, settings, "range_choice")
        draw_timing(column, settings)
        layout.operator(GENMM_OT_fill_range.bl_idname, icon="KEYFRAME_HLT")
        layout.operator("genmm.choose_trajectory", icon="CURVE_PATH")
        edited = edited_action(context)
        record = None if edited is None else record_of(edited[1])
        if edited is not None and record is not None:
            self.draw_record(record, why_not_again(edited[1], edited[2], shown_fingerprint))
            layout.prop(scene_properties(context.scene), "show_durations")
        layout.separator()
        layout.operator(GENMM_OT_blocking_to_spline.bl_idname, icon="IPO_BEZIER")

    def draw_record(self, record: FilledRange, reason: str) -> None:
        """Draw the alternative that fills the range, and the buttons for others; reason: why there are none."""
        if reason:
            draw_sentence(self.layout, f"{reason}.", "INFO")
            draw_steps(self.layout.column(align=True))
            return
        column = self.layout.column(align=True)
        column.label(text=f"{record.first:g} to {record.last:g}: {record.number} of {record.count}", translate=False)
        column.label(text=record.source, icon="ACTION", translate=False)
        draw_steps(self.layout.column(align=True))


register, unregister = registration_of((GENMM_PT_fill,))
