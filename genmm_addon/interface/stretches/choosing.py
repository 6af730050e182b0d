# SPDX-License-Identifier: GPL-3.0-or-later
"""Operation of a stretch on the ribbon by dragging or clicking, followed by a menu of its operators."""

import bpy
from bpy.types import Context, Event, Menu, Operator, Region

from ...generation.sources import PlayedResult, played_result
from ...state.properties import scene_properties
from ...state.registration import Shortcut
from ...state.selection import character_of
from ..common.blender_bases import Outcome
from ..common.line_drawing import frames_on_screen
from ..common.progress_display import show_status
from ..common.user_input import cancels, confirms
from ..ribbon.bands import GAP, plan_places
from ..timeline.menus import STRETCH, draw_entries

STATUS = "Drag over the frames to choose, Esc to cancel"


class GENMM_OT_choose_stretch(Operator):
    bl_idname = "genmm.choose_stretch"
    bl_label = "Choose Stretch"
    bl_description = "Choose frames of a result by dragging over the ribbon, or click to choose one segment"
    bl_options = {"UNDO", "INTERNAL"}

    _from = 0
    _begun = 0
    _before = (0, -1)

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether a ribbon is shown."""
        return (
            context.area is not None
            and context.area.type == "DOPESHEET_EDITOR"
            and scene_properties(context.scene).show_ribbon
            and played_result(character_of(context)) is not None
        )

    def invoke(self, context: Context, event: Event) -> Outcome:
        """Begin if the mouse is on the ribbon; pass any other click on to Blender."""
        played, region = played_result(character_of(context)), context.region
        if played is None or region is None or not _is_on_ribbon(context, region, event, played):
            return {"PASS_THROUGH"}
        chosen = scene_properties(context.scene)
        self._before = chosen.stretch_first, chosen.stretch_last
        self._begun, self._from = event.mouse_region_x, _frame_at(region, event)
        chosen.stretch_first = chosen.stretch_last = self._from
        show_status(context, STATUS)
        context.window_manager.modal_handler_add(self)
        context.area.tag_redraw()
        return {"RUNNING_MODAL"}

    def modal(self, context: Context, event: Event) -> Outcome:
        """Follow the mouse until its button is released."""
        region, chosen = context.region, scene_properties(context.scene)
        if region is None or cancels(event):
            chosen.stretch_first, chosen.stretch_last = self._before
            return self._ended(context, {"CANCELLED"})
        if event.type == "MOUSEMOVE":
            self._choose(context, region, event)
        if confirms(event) or (event.type == "LEFTMOUSE" and event.value == "RELEASE"):
            self._choose(context, region, event)
            bpy.ops.wm.call_menu(name=GENMM_MT_stretch.bl_idname)
            return self._ended(context, {"FINISHED"})
        return {"RUNNING_MODAL"}

    def cancel(self, context: Context) -> None:
        """Restore the choice; Blender calls this when it quits or loads another file."""
        show_status(context, None)

    def _choose(self, context: Context, region: Region, event: Event) -> None:
        chosen, played = scene_properties(context.scene), played_result(character_of(context))
        if played is None:
            return
        first = played.sources.frame_start + played.offset
        last = first + played.sources.frames - 1
        # A click, rather than a drag, chooses a stretch of one example.
        if abs(event.mouse_region_x - self._begun) < context.preferences.inputs.drag_threshold_mouse:
            begin, end = _clicked(played, self._from)
        else:
            begin, end = sorted((self._from, _frame_at(region, event)))
        chosen.stretch_first = round(min(max(begin, first), last))
        chosen.stretch_last = round(max(min(end, last), first))
        context.area.tag_redraw()

    def _ended(self, context: Context, outcome: Outcome) -> Outcome:
        show_status(context, None)
        context.area.tag_redraw()
        return outcome


class GENMM_MT_stretch(Menu):
    bl_idname = "GENMM_MT_stretch"
    bl_label = "Stretch"

    def draw(self, context: Context) -> None:
        """Draw the operators on the chosen stretch."""
        chosen = scene_properties(context.scene)
        self.layout.label(text=f"Frames {chosen.stretch_first} to {chosen.stretch_last}")
        draw_entries(self.layout, STRETCH)


def _is_on_ribbon(context: Context, region: Region, event: Event, played: PlayedResult) -> bool:
    places = plan_places(region.height, context.preferences.system.ui_scale, len(played.sources.parts))
    if region.type != "WINDOW" or places is None:
        return False
    return places.rows[-1][0] - GAP <= event.mouse_region_y <= places.top + GAP


def _frame_at(region: Region, event: Event) -> int:
    begin, unit = frames_on_screen(region)
    return round((event.mouse_region_x - begin) / unit)


def _clicked(played: PlayedResult, frame: int) -> tuple[float, float]:
    """Return the first and last frame of the segment around a frame."""
    start = played.sources.frame_start + played.offset
    for first, length, *_ in played.sources.parts[0].stretches.tolist():
        if first <= frame - start < first + length:
            return start + first, start + first + length - 1
    return frame, frame


SHORTCUTS = (Shortcut("Dopesheet", "DOPESHEET_EDITOR", GENMM_OT_choose_stretch.bl_idname, "LEFTMOUSE"),)
