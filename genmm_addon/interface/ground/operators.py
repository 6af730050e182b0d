# SPDX-License-Identifier: GPL-3.0-or-later
"""Put Feet on Ground: the action that a character plays, fitted to its ground."""

import bpy
from bpy.props import EnumProperty, FloatProperty, StringProperty
from bpy.types import Action, Context, Object, Operator

from ...control_rigs.ground_in_action import ActionForGround, put_action_on_ground
from ...core import InputError
from ...editing.filling.ranges import RangeChoice
from ...state.bone_lists import feet_of
from ...state.properties import readable_settings
from ..common.drawing import draw_frames, in_columns
from ..common.refusals import report_done
from ..timeline.stretch_operator import ActionOperator, frames_of

WHOLE = "WHOLE"


class GENMM_OT_put_feet_on_ground(ActionOperator, Operator):
    bl_idname = "genmm.put_feet_on_ground"
    bl_label = "Put Feet on Ground"
    bl_description = (
        "Fit an action made on flat ground to the character's ground, such as stairs, slopes or terrain: the feet "
        "stand on it, and the body goes up and down with them"
    )

    ground: StringProperty(
        name="Ground", description="The object to stand on; empty means the one in the character's panel"
    )
    range_choice: EnumProperty(
        name="Range",
        description="The frames to put on the ground",
        items=(
            (WHOLE, "Whole Action", "All frames with keys"),
            (RangeChoice.SELECTED.value, "Selected Keys", "From the first selected key to the last; both poses stay"),
            (RangeChoice.PREVIEW.value, "Preview Range", "The timeline's preview range; the poses at its ends stay"),
            (RangeChoice.FRAMES.value, "Frames", "From one frame to another; both poses stay"),
        ),
    )
    first_frame: FloatProperty(name="First", description="The first frame of the range", default=1.0)
    last_frame: FloatProperty(name="Last", description="The last frame of the range", default=250.0)

    def edit(self, context: Context, character: Object, action: Action, slot: str) -> None:
        """Put the feet on the ground, and report the frames."""
        settings = readable_settings(character, context.scene)
        ground = bpy.data.objects.get(self.ground) if self.ground else settings.ground_object
        if ground is None:
            missing = f'Object "{self.ground}" was not found' if self.ground else "No ground is set"
            raise InputError(f"{missing}; choose an object in the Ground panel.")
        frames = None
        if self.range_choice != WHOLE:
            frames = frames_of(self, context.scene, character, action, slot)
        feet = feet_of(settings.feet) if settings.feet_choice == "CHOSEN" else None
        asked = ActionForGround(character, context.scene, action, slot, ground, feet, settings.root_bone)
        done = put_action_on_ground(asked, frames)
        context.view_layer.update()
        report_done(self, done.notes, f'Frames {done.first:g} to {done.last:g} stand on "{ground.name}".')

    def draw(self, _context: Context) -> None:
        """Draw the range."""
        draw_frames(in_columns(self.layout), self, "range_choice")
