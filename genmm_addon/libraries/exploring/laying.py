# SPDX-License-Identifier: GPL-3.0-or-later
"""A place of a library on a character, at the stretch that it resembles or where the clip was recorded."""

from collections.abc import Sequence
from dataclasses import dataclass

from bpy.types import Object, Scene

from ...animation.channels import KeyedChannels
from ...animation.reading.clips_on_character import clips_on_character
from ...animation.scene_time import scene_rate
from ...animation.writing import Written, write_action
from ...core import Motion, resample
from ...core.motion import begin_at
from .finding import FoundPlace, clip_of
from .stretch import SearchedStretch, bones_alone

CONTEXT_SECONDS = 5.0
"""Time of the clip before and after a place that helps to find the ground below it, in seconds."""


@dataclass(frozen=True, eq=False)
class LaidPlace:
    """A place on a character's bones, at the scene's rate. first: the scene frame at which it begins.

    moved: the bones that it moves.
    """

    name: str
    motion: Motion
    keyed: KeyedChannels
    first: int
    moved: frozenset[str]


def lay_place(
    armature: Object,
    place: FoundPlace,
    bone_names: Sequence[tuple[str, str]],
    scene: Scene,
    stretch: SearchedStretch | None = None,
) -> LaidPlace:
    """Return the place on the character, beginning where and when `stretch` does; None: where the clip was recorded.

    Raises InputError if the library has changed, or if no bone of the character is a counterpart of the traveling one.
    """
    library, clip = clip_of(place)
    reach = round(CONTEXT_SECONDS * library.frames_per_second)
    start, stop = max(place.first - reach, 0), min(place.first + place.frames + reach, clip.frames)
    reading = clips_on_character(armature, [library.motion(place.clip).slice(start, stop)], bone_names)
    inside = reading.motions[0].slice(place.first - start, place.first - start + place.frames)
    motion = resample(inside, scene_rate(scene))[0]
    if stretch is not None:
        own_motion = bones_alone(stretch.motion, armature)
        motion = begin_at(motion, own_motion.slice(stretch.before, stretch.before + 1))
    name = f"{clip.name} mirrored" if clip.mirrored and "mirrored" not in clip.name else clip.name
    known = reading.known[0] or frozenset()
    return LaidPlace(name, motion, reading.keyed, scene.frame_start if stretch is None else stretch.first, known)


def action_of(laid: LaidPlace, armature: Object) -> Written:
    """Return a new action of the character with the place."""
    return write_action(laid.motion, laid.keyed, armature, name=laid.name, frame_start=float(laid.first))
