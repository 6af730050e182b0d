# SPDX-License-Identifier: GPL-3.0-or-later
"""Go to Source Frame: from a frame of a result to the frame of the example that it came from."""

from bpy.props import IntProperty
from bpy.types import Context, Object, Operator

from ...animation.reading.example_spec import ExampleSpec, used_examples
from ...core import InputError
from ...generation.recipe import recipe_of, request_from_recipe
from ...generation.results import select_alone
from ...generation.sources import played_result
from ...state.selection import character_of
from ..common.character_operator import ResultOperator
from ..library.operators import open_clip, play_kept


class GENMM_OT_go_to_source(ResultOperator, Operator):
    bl_idname = "genmm.go_to_source"
    bl_label = "Go to Source Frame"
    bl_description = "Show the example's character and action, at the frame that the current frame came from"

    part: IntProperty(
        name="Part",
        description="The part of the body to follow, from 1, where parts come from different moments",
        default=1,
        min=1,
        options={"SKIP_SAVE"},
    )

    def act(self, context: Context, _character: Object) -> None:
        """Select the source, have it play the example, and set the scene's frame."""
        source, spec, frame = self._found(context)
        if spec.clip:
            kept = open_clip(context, source, spec.clip)
        else:
            select_alone(context, source)
            kept = play_kept(source, spec.action, spec.slot) if spec.action is not None else ""
        full_frame = int(frame // 1)
        context.scene.frame_set(full_frame, subframe=frame - full_frame)
        if kept:
            self.report({"INFO"}, f'Action "{kept}" is kept in the file.')

    def _found(self, context: Context) -> tuple[Object, ExampleSpec, float]:
        """Return the source character, the example, and its frame."""
        played = played_result(character_of(context))
        if played is None or self.part > len(played.sources.parts):
            raise InputError(f"The motion has no part {self.part}; choose a smaller number.")
        sources = played.sources
        at = sources.of_frame(context.scene.frame_current - played.offset, self.part - 1)
        if at is None:
            first = sources.frame_start + played.offset
            last = first + sources.frames - 1
            raise InputError(f"The motion lasts from frame {first:g} to {last:g}; go to one of these.")
        recipe = recipe_of(played.action)
        request = None if recipe is None else request_from_recipe(recipe)
        used = () if request is None else used_examples(request.examples)
        if request is not None and request.library is not None:
            clip = sources.examples[at[0]]
            # Once opened, a clip has the scene's rate.
            return request.armature, ExampleSpec(None, clip=clip.name), clip.first + (at[1] - clip.first) / clip.step
        if request is None or at[0] >= len(used):
            raise InputError("The motion's recipe is lost; generate it again.")
        return request.armature, used[at[0]].spec, at[1]
