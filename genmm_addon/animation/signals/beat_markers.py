# SPDX-License-Identifier: GPL-3.0-or-later
"""Beats found in a sound, and timeline markers that replace them."""

import math
import re

import numpy as np
from bpy.types import Scene

from ...core import Float64, InputError
from ...core.features import find_beats
from ..scene_time import scene_rate
from .sound import read_sound

BEAT_MARKER = "beat"
"""Name of a beat's marker, or its beginning."""


def is_beat(marker: str) -> bool:
    """Return whether a timeline marker of this name is a beat.

    >>> is_beat("beat"), is_beat("Beat.012"), is_beat("style=beat")
    (True, True, False)
    """
    return re.fullmatch(rf"{BEAT_MARKER}(\.\d+)?", marker, re.IGNORECASE) is not None


def beats_of(scene: Scene) -> set[int]:
    """Return the frames of a scene that are marked as beats."""
    return {marker.frame for marker in scene.timeline_markers if is_beat(marker.name)}


def marked_beats(scene: Scene, start: float, frames: int) -> Float64:
    """Return the marked beats `(B,)` in a result of `frames` frames from scene frame `start` on, in its frames."""
    inside = [frame for frame in sorted(beats_of(scene)) if start <= frame <= start + frames - 1]
    return np.array(inside, np.float64) - start


def beats_in_sound(scene: Scene, sound: str, start: float, frames: int) -> Float64:
    """Return the beats `(B,)` of a sound over `frames` scene frames from `start` on, in these frames.

    sound: as for `read_sound`. Raises InputError as it does.
    """
    samples, rate = read_sound(sound, scene, start, frames)
    return np.asarray(find_beats(samples, rate) * scene_rate(scene))


def clear_beats(scene: Scene) -> None:
    """Remove the markers of beats."""
    for marker in [marker for marker in scene.timeline_markers if is_beat(marker.name)]:
        scene.timeline_markers.remove(marker)


def mark_found_beats(scene: Scene, sound: str, start: float, frames: int) -> int:
    """Mark the beats of a sound in place of those that are marked, and return their number.

    They are marked over `frames` frames from scene frame `start` on, and further to the scene's last one. sound: as for
    `read_sound`. Raises InputError where no beat is found.
    """
    beats = beats_in_sound(scene, sound, start, max(math.ceil(scene.frame_end - start) + 1, frames)) + start
    if not len(beats):
        raise InputError("No beat was found in the sound; tap the beats instead.")
    clear_beats(scene)
    for frame in dict.fromkeys(beats.round().astype(int).tolist()):
        scene.timeline_markers.new(BEAT_MARKER, frame=frame)
    return len(beats)
