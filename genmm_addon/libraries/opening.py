# SPDX-License-Identifier: GPL-3.0-or-later
"""A clip of a library as an action of a character."""

from collections.abc import Sequence

from bpy.types import Object, Scene

from ..animation.reading.clips_on_character import clips_on_character
from ..animation.scene_time import scene_rate
from ..animation.writing import Written, write_action
from ..core import resample
from .choosing import FIRST_OF_CLIP, LibraryChoice, clip_called


def clip_as_action(
    armature: Object, choice: LibraryChoice, name: str, bone_names: Sequence[tuple[str, str]], scene: Scene
) -> Written:
    """Return a new action with the clip of a name, as it is on the character's skeleton, at the scene's rate.

    choice: that of the result which was made of it. Raises InputError where the library no longer has it.
    """
    reading = clips_on_character(armature, [clip_called(choice, name)], bone_names)
    motion = resample(reading.motions[0], scene_rate(scene))[0]
    return write_action(motion, reading.keyed, armature, name=name, frame_start=FIRST_OF_CLIP)
