# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds of stepped animation, as on twos, kept in the new motion of a stretch."""

import numpy as np
from bpy.types import Action, FCurve
from numpy.typing import NDArray

from ...core import Motion
from ...core.synthesis import is_stepped, pose_starts, with_repeated_poses
from ..actions import MOVING, fcurves_of
from ..sampling import CONSTANT
from .key_tables import read_keys
from .replacing import Stretch

Frames = NDArray[np.int64]
Mask = NDArray[np.bool_]

RESTING = 2
"""Least length of a hold, in multiples of the median one, that is a rest and no part of the rhythm."""


def stepped_as_around(action: Action, slot: str, stretch: Stretch, motion: Motion, source: Motion) -> Motion:
    """Return a stretch's new motion with the holds of the action there, or else in the rhythm of those beside it.

    source: the example that the motion comes from, whose rhythm counts where the action has single poses only. The
    motion is returned unchanged if it leads through an action that is not stepped.
    """
    first, last = round(stretch.first), round(stretch.last)
    changes = _changes(action, slot)
    begins = changes[(changes > first) & (changes < last)]
    if not is_stepped(_mask(begins, first, last)):
        lengths = _rhythm(changes, first, last, source)
        steps = np.cumsum(np.resize(lengths, last - first if len(lengths) else 0))
        begins = first + steps if stretch.keeps_first else last - steps
    if not len(begins):
        return motion
    times = np.linspace(stretch.first, stretch.last, motion.frames) if stretch.times is None else stretch.times
    repeats = ~np.isin(np.round(times), begins)
    repeats[[0, -1]] = False
    return with_repeated_poses(motion, repeats)


def _rhythm(changes: Frames, first: int, last: int, source: Motion) -> Frames:
    """Return lengths of holds beside a stretch, or of its source; none where the motion beside it is not stepped."""
    sides = changes[changes <= first], changes[changes >= last]
    for side in sides:
        if len(side) > 1 and is_stepped(_mask(side, int(side[0]), int(side[-1]) + 1)):
            return _lengths(side)
    moves_on = any(len(side) > 1 and np.median(np.diff(side)) == 1 for side in sides)
    return np.empty(0, np.int64) if moves_on else _lengths(np.unique(pose_starts(source)))


def _lengths(begins: Frames) -> Frames:
    lengths = np.diff(begins)
    return lengths[lengths < RESTING * np.median(lengths)] if len(lengths) else lengths


def _mask(frames: Frames, first: int, last: int) -> Mask:
    return np.isin(np.arange(first, last), frames)


def _changes(action: Action, slot: str) -> Frames:
    """Return the whole frames `(N,)`, ascending, at which the pose differs from the one a frame before."""
    curves = [curve for curve in fcurves_of(action, slot) if curve.data_path.endswith(MOVING) and not curve.mute]
    return np.unique(np.concatenate([np.empty(0, np.int64), *map(_changes_of, curves)]))


def _changes_of(curve: FCurve) -> Frames:
    keys = read_keys(curve)
    times, jumps = np.round(keys.times).astype(np.int64), keys.marks["interpolation"][:-1] == CONSTANT
    differs = keys.values[1:] != keys.values[:-1]
    spans = zip(times[:-1][differs & ~jumps], times[1:][differs & ~jumps], strict=True)
    return np.concatenate([times[1:][differs & jumps], *(np.arange(start, end) + 1 for start, end in spans)])
