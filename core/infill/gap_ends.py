# SPDX-License-Identifier: GPL-3.0-or-later
"""Surroundings of windows and gaps: the poses at both ends, the motion beside them, and the travel and turn between.

Windows and gaps have the same columns, so that one can be predicted from others.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Float32, Float64, Indices
from ..library.pose_index import PoseIndex, ground_and_turns, rows_of, still_row, still_rows
from ..motion import rotations
from ..motion.filters import wrap_angle
from ..motion.gap import Gap
from ..motion.motion import Motion
from .gap_search import CONTEXT


@dataclass(frozen=True, eq=False)
class _Ends:
    """Frames around W windows or gaps: S of them at and before the first pose, then E at and after the last one.

    rows: `(W, S + E, C)` of the index. places: `(W, S + E, 2)` along the ground, in sizes, and turns: `(W, S + E)`
    headings, in radians. before: S.
    """

    rows: Float64
    places: Float64
    turns: Float64
    before: int


def window_surroundings(index: PoseIndex, gap: Gap, firsts: Indices, lasts: Indices) -> Float64:
    """Return the surroundings `(W, D)` of windows, as far as the motion around a gap is known.

    firsts, lasts: `(W,)` the first and the last frame of each window, in the index.
    """
    before, after = _lags(index, gap.before), _lags(index, gap.after)
    clips = index.clips[firsts]
    at_start = np.maximum(firsts[:, None] - before, index.starts[clips][:, None])
    at_end = np.minimum(lasts[:, None] + after, index.stops[clips][:, None] - 1)
    rows = [
        index.rows[frames] if side.frames > 1 else still_rows(index.space, index.rows[frames])
        for side, frames in ((gap.before, at_start), (gap.after, at_end))
    ]
    at = np.concatenate((at_start, at_end), axis=1)
    return _columns(
        _Ends(
            np.concatenate(rows, axis=1).astype(np.float64),
            index.ground[at].astype(np.float64),
            index.turns[at].astype(np.float64),
            len(before),
        )
    )


def gap_surroundings(index: PoseIndex, gap: Gap) -> Float64:
    """Return the surroundings `(D,)` of a gap; a lone pose may have any velocity."""
    before, after = _lags(index, gap.before), _lags(index, gap.after)
    sides = ((gap.before, gap.before.frames - 1 - before), (gap.after, after))
    rows, places, turns = (
        np.concatenate(parts) for parts in zip(*(_seen(index, *side) for side in sides), strict=True)
    )
    ends = _Ends(rows[None].astype(np.float64), places[None], turns[None], len(before))
    return np.asarray(_columns(ends)[0])


def _seen(index: PoseIndex, side: Motion, at: Indices) -> tuple[Float32, Float64, Float64]:
    """Return rows `(S, C)`, places `(S, 2)` and headings `(S,)` of frames `at` `(S,)` of a side of a gap."""
    alone = side.frames == 1
    rows = still_row(index.space, side)[None] if alone else rows_of(index.space, side)
    places, turns = ground_and_turns(index.space, side)
    return rows[at], places[at], turns[at]


def _lags(index: PoseIndex, side: Motion) -> Indices:
    """Return the distances, in frames from the pose at an end, of the frames of its context that are known."""
    lags = [round(seconds * index.frames_per_second) for seconds, _ in CONTEXT]
    return np.array([lag for lag in lags if lag < side.frames])


def _columns(ends: _Ends) -> Float64:
    """Return the surroundings `(W, D)`; contexts are relative to the pose at their end."""
    rows, last = ends.rows.copy(), ends.before
    places = rotations.turn_on_ground(ends.places - ends.places[:, :1], -ends.turns[:, :1])
    for columns in (rows, places):
        columns[:, 1:last] -= columns[:, :1]
        columns[:, last + 1 :] -= columns[:, last : last + 1]
    turn = wrap_angle(ends.turns[:, last] - ends.turns[:, 0])
    windows = len(turn)
    return np.concatenate((rows.reshape(windows, -1), places[:, 1:].reshape(windows, -1), turn[:, None]), axis=1)
