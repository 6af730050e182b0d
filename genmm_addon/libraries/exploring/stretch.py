# SPDX-License-Identifier: GPL-3.0-or-later
"""The stretch of a character's motion to search for: a range of frames of what it plays."""

import math
from dataclasses import dataclass, replace

from bpy.types import Object, Scene

from ...animation.reading.example_spec import ExampleSpec
from ...animation.reading.examples import example_range, read_examples
from ...animation.rig import OBJECT_JOINT, read_skeleton
from ...animation.scene_time import scene_rate
from ...animation.stretches.key_times import key_times, selected_times
from ...core import InputError, Motion
from ...core.infill import CONTEXT_SECONDS

FEWEST_FRAMES = 3
"""Fewest frames of a stretch; fewer do not show how the body moves."""
MARGIN = 2
"""Frames read before and after the stretch, for its velocities."""


@dataclass(frozen=True)
class FrameRange:
    """Scene frames from `first` to `last`, and a description of the choice for a sentence."""

    first: int
    last: int
    chosen_by: str


@dataclass(frozen=True, eq=False)
class SearchedStretch:
    """Frames `first` to `last` of what a character plays, on its own bones.

    motion: includes `before` frames before the first and `after` frames after the last, if the action has them; if the
    object is animated, it is joint 0.
    """

    first: int
    last: int
    motion: Motion
    before: int
    after: int

    @property
    def inside(self) -> slice:
        """Return the frames of the motion that are searched for."""
        return slice(self.before, self.motion.frames - self.after)


def range_to_find(armature: Object, spec: ExampleSpec, scene: Scene) -> FrameRange:
    """Return the frames of the selected keys, otherwise of the preview range, otherwise around the playhead."""
    selected = _selected(armature, spec)
    if selected is not None:
        return FrameRange(*selected, "the selected keys")
    if scene.use_preview_range:
        return FrameRange(scene.frame_preview_start, scene.frame_preview_end, "the preview range")
    reach = max(round(CONTEXT_SECONDS * scene_rate(scene)), 1)
    return FrameRange(scene.frame_current - reach, scene.frame_current + reach, "around the playhead")


def read_stretch(armature: Object, spec: ExampleSpec, asked: FrameRange, scene: Scene) -> SearchedStretch:
    """Return the requested frames of what the character plays, as far as it has them. Raises InputError without any."""
    whole = example_range(armature, spec, scene)
    start, end = math.ceil(whole[0]), math.floor(whole[1])
    first, last = max(asked.first, start), min(asked.last, end)
    if last - first + 1 < FEWEST_FRAMES:
        raise InputError(
            f"{spec.name} lasts from frame {start} to {end}, of which {max(last - first + 1, 0)} are in "
            f"{asked.first} to {asked.last} ({asked.chosen_by}); choose {FEWEST_FRAMES} frames or more."
        )
    before, after = min(MARGIN, first - start), min(MARGIN, end - last)
    wide = replace(
        spec, frame_start=float(first - before), frame_end=float(last + after), frames_per_second=scene_rate(scene)
    )
    reading = read_examples(armature, [wide], scene=scene)
    reading.motions[0].check_values(spec.name)
    return SearchedStretch(first, last, reading.motions[0], before, after)


def _selected(armature: Object, spec: ExampleSpec) -> tuple[int, int] | None:
    """Return the frames from the first to the last selected key; None if they are at one frame or there are none.

    Also returns None if keys are selected at every keyed frame, which is not a choice: newly written keys are all
    selected.
    """
    if spec.action is None:
        return None
    times = selected_times(armature, spec.action, spec.slot)
    if len(times) < 2 or len(times) == len(key_times(armature, spec.action, spec.slot)):
        return None
    return math.floor(times[0] + 0.5), math.floor(times[-1] + 0.5)


def bones_alone(motion: Motion, armature: Object) -> Motion:
    """Return the motion of the character's bones in the space of the object that contains them."""
    if motion.skeleton.names[0] != OBJECT_JOINT:
        return motion
    moved, scaled = motion.translated > 0, motion.scaled > 0
    return replace(
        motion,
        skeleton=read_skeleton(armature),
        rotations=motion.rotations[:, 1:],
        translated=motion.translated[moved] - 1,
        translations=motion.translations[:, moved],
        scaled=motion.scaled[scaled] - 1,
        scales=motion.scales[:, scaled],
    )
