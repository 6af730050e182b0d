# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds of stepped animation, as on twos, kept in the new motion of a stretch."""

import numpy as np
from bpy.types import Action, FCurve

from ...core import Indices, Motion
from ...core.motion import is_stepped, pose_starts, with_repeated_poses
from ..actions import MOVING, fcurves_of, is_muted
from ..sampling import CONSTANT
from .key_tables import KEY, read_mark, read_place
from .replacing import Stretch

ON_FOURS = 4
"""Longest hold of stepped animation, in frames, as animators count them at 24 a second; what is held longer is a rest,
or a pose of a blocking, to which motion is added."""
FILM = 24.0
"""Frames per second of film."""


def stepped_as_around(action: Action, slot: str, stretch: Stretch, motion: Motion, source: Motion) -> Motion:
    """Return a stretch's new motion with the holds of the action there, or else in the rhythm of those beside it.

    source: the example that the motion comes from, whose rhythm counts where the action has single poses only. The
    motion is returned unchanged if it leads through an action that is not stepped.
    """
    first, last = round(stretch.first), round(stretch.last)
    longest = ON_FOURS * max(motion.frames_per_second / FILM, 1.0)
    changes = _changes(action, slot)
    begins = changes[(changes > first) & (changes < last)]
    if not len(_rhythm(begins, first, last, longest)):
        lengths = _rhythm_beside(changes, first, last, source, longest)
        steps = np.cumsum(np.resize(lengths, last - first if len(lengths) else 0))
        begins = first + steps if stretch.keeps_first else last - steps
    # A single hold is not a rhythm: it is filled with motion.
    if not ((begins > first) & (begins < last)).any():
        return motion
    times = np.linspace(stretch.first, stretch.last, motion.frames) if stretch.times is None else stretch.times
    repeats = ~np.isin(np.round(times), begins)
    repeats[[0, -1]] = False
    return with_repeated_poses(motion, repeats)


def _rhythm_beside(changes: Indices, first: int, last: int, source: Motion, longest: float) -> Indices:
    """Return the rhythm beside a stretch, or else of its source; none where the motion beside it is not stepped."""
    sides = [side for side in (changes[changes <= first], changes[changes >= last]) if len(side) > 1]
    rhythms = [_rhythm(side, int(side[0]), int(side[-1]) + 1, longest) for side in sides]
    if any(map(len, rhythms)) or any(np.median(np.diff(side)) == 1 for side in sides):
        return next(filter(len, rhythms), np.empty(0, np.int64))
    return _rhythm(np.unique(pose_starts(source)), 0, source.frames, longest)


def _rhythm(begins: Indices, first: int, last: int, longest: float) -> Indices:
    """Return the lengths of the holds that begin at frames of a stretch; none where it is not stepped, but moves at
    every frame or rests in poses.
    """
    lengths = np.diff(begins)
    if not is_stepped(np.isin(np.arange(first, last), begins)) or not len(lengths) or np.median(lengths) > longest:
        return np.empty(0, np.int64)
    return lengths[lengths <= longest]


def _changes(action: Action, slot: str) -> Indices:
    """Return the whole frames `(N,)`, ascending, at which the pose differs from the one a frame before."""
    curves = [curve for curve in fcurves_of(action, slot) if curve.data_path.endswith(MOVING) and not is_muted(curve)]
    return np.unique(np.concatenate([np.empty(0, np.int64), *map(_changes_of, curves)]))


def _changes_of(curve: FCurve) -> Indices:
    times, values = read_place(curve, KEY).T
    frames, jumps = np.round(times).astype(np.int64), read_mark(curve, "interpolation")[:-1] == CONSTANT
    differs = values[1:] != values[:-1]
    moves = np.repeat(differs & ~jumps, np.diff(frames))
    return np.concatenate([frames[1:][differs & jumps], frames[:1] + 1 + np.flatnonzero(moves)])
