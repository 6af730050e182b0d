# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip of a library as an action of a character."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from bpy.types import Object, Scene

from ..animation.reading.clips_on_character import clips_on_character
from ..animation.reading.example_spec import ExampleSpec
from ..animation.reading.examples import example_range, read_examples
from ..animation.rig import read_skeleton
from ..animation.scene_time import scene_rate
from ..animation.writing import Written, write_action
from ..core import InputError, Motion, resample
from ..core.motion import begin_at
from .choosing import FIRST_OF_CLIP, LibraryChoice, clip_called
from .exploring.stretch import bones_alone


def first_pose(armature: Object, spec: ExampleSpec, scene: Scene) -> Motion:
    """Return the first pose `(1)` of a character's action; without an action, the pose at rest."""
    try:
        first = example_range(armature, spec, scene)[0]
        begun = replace(spec, frame_start=first, frame_end=first + 1.0, frames_per_second=scene_rate(scene))
        return bones_alone(read_examples(armature, [begun], scene=scene).motions[0], armature).slice(0, 1)
    except InputError:
        skeleton = read_skeleton(armature)
        still = np.tile(np.array([1.0, 0.0, 0.0, 0.0], np.float32), (1, len(skeleton.names), 1))
        return Motion(skeleton, scene_rate(scene), still)


def clip_as_action(
    armature: Object,
    choice: LibraryChoice,
    name: str,
    bone_names: Sequence[tuple[str, str]],
    scene: Scene,
    pose: Motion | None = None,
) -> Written:
    """Return a new action with the clip of a name on the character's skeleton, at the scene's rate.

    choice: of the result that was made from the clip. pose: the clip begins at its location and facing; None: as it was
    recorded. Raises InputError if the library does not have the clip any more.
    """
    reading = clips_on_character(armature, [clip_called(choice, name)], bone_names)
    motion = resample(reading.motions[0], scene_rate(scene))[0]
    motion = motion if pose is None else begin_at(motion, pose)
    return write_action(motion, reading.keyed, armature, name=name, frame_start=FIRST_OF_CLIP)
