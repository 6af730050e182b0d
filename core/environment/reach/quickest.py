# SPDX-License-Identifier: GPL-3.0-or-later
"""Quickest joint of a motion that was brought to places, and a note if its acceleration is visible."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...feet.calm_paths import NOTICED
from ...motion.motion import Motion
from .reach import Reach


@dataclass(frozen=True)
class Quickest:
    """The joint with the largest acceleration, the frame at which it occurs, and its value, units per frame squared."""

    joint: int
    frame: int
    acceleration: float


def quickest_in(motion: Motion, first: int = 0, end: int | None = None) -> Quickest | None:
    """Return the quickest joint of the frames from `first` up to `end`; None if there are fewer than three.

    >>> quickest_in(swing).joint
    1
    """
    positions = motion.slice(first, motion.frames if end is None else min(end, motion.frames)).pose()[1]
    if len(positions) < 3:
        return None
    accelerations = np.linalg.norm(np.diff(positions, 2, axis=0), axis=2)
    frame, joint = (int(place) for place in np.unravel_index(int(np.argmax(accelerations)), accelerations.shape))
    return Quickest(joint, first + frame + 1, float(accelerations[frame, joint]))


def note_on_acceleration(
    quickest: Quickest | None, motion: Motion, reaches: Sequence[Reach], acceleration: float, first: float = 1.0
) -> tuple[str, ...]:
    """Return a sentence if a place makes a joint quicker than the examples, which shows as a jerk.

    acceleration: the largest of the examples, in units per frame squared. first: the number of the motion's first
    frame.

    >>> note_on_acceleration(None, swing, [], 0.1)
    ()
    """
    if quickest is None or quickest.acceleration <= NOTICED * max(acceleration, 1e-12):
        return ()
    edges = [(min(abs(quickest.frame - frame) for frame in np.flatnonzero(reach.active)), reach) for reach in reaches]
    place = min(edges, key=lambda pair: pair[0])[1].said
    times = quickest.acceleration / max(acceleration, 1e-12)
    name = motion.skeleton.names[quickest.joint]
    return (
        f'At frame {first + quickest.frame:g} "{name}" is {times:.1f} times as quick as anything in the examples: '
        f"{place} may jerk visibly; choose other frames, or move it closer to the bone's path.",
    )
