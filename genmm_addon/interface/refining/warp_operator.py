# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion Warp: a range of the action that a character plays, fitted to an object that stands elsewhere."""

import bpy
from bpy.props import EnumProperty, IntProperty, StringProperty
from bpy.types import Action, Context, Event, Object, Operator

from ...control_rigs.warp_in_action import warp_in_action
from ...core import InputError
from ...state.filling_properties import RANGES
from ...state.properties import scene_properties
from ..common.blender_bases import Outcome
from ..common.drawing import draw_frames, in_columns
from ..common.progress_display import busy
from ..common.refusals import report_done
from ..timeline.stretch_operator import ActionOperator, frames_of, show_frames


class GENMM_OT_warp_motion(ActionOperator, Operator):
    bl_idname = "genmm.warp_motion"
    bl_label = "Motion Warp"
    bl_description = (
        "Fit a range of the action, such as a vault or sitting down, to an object elsewhere: hands, feet and hips "
        "rest on it as they did on the object that the motion was made for; the rest stays"
    )

    original: StringProperty(name="Made For", description="The object where it stood when the motion was made")
    target: StringProperty(name="Target", description="The object to fit the motion to")
    range_choice: EnumProperty(name="Range", description="The frames to warp", items=RANGES)
    first_frame: IntProperty(name="From", description="The last frame before the warp", default=1)
    last_frame: IntProperty(name="To", description="The first frame after the warp", default=31)

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Set the range from the panel, and ask for the objects."""
        self.take_panel(scene_properties(context.scene).filling, ("range_choice", "first_frame", "last_frame"))
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, context: Context) -> None:
        """Draw the objects and the range."""
        layout = in_columns(self.layout)
        layout.prop_search(self, "original", context.scene, "objects")
        layout.prop_search(self, "target", context.scene, "objects")
        draw_frames(layout, self, "range_choice")

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> None:
        """Warp the range, and report its frames."""
        original, target = _object(self.original, "Made For"), _object(self.target, "Target")
        frames = frames_of(self, context.scene, character, action, slot)
        with busy(context):
            warped = warp_in_action(character, context.scene, action, slot, original, target, frames)
        show_frames(self, *frames)
        joints = ", ".join(f'"{name}"' for name in warped.joints)
        where = f"Frames {warped.first:g} to {warped.last:g}"
        report_done(self, warped.notes, f'{where} fit "{target.name}" with {joints}.')


def _object(name: str, label: str) -> Object:
    """Return an object by name. Raises InputError without one."""
    chosen = bpy.data.objects.get(name) if name else None
    if chosen is None:
        missing = f'Object "{name}" was not found' if name else f"{label} has no object"
        raise InputError(f"{missing}; choose one in Adjust Last Operation or in the dialog.")
    return chosen
