# SPDX-License-Identifier: GPL-3.0-or-later
"""Regression adjustment of a filling: it is moved for what its windows' surroundings still differ from the gap's.

The inside of windows depends on the motion around them. For each gap, this dependence is learned from the windows of
the library that fit best, by ridge regression, and predicts the move (regression adjustment after matching: Abadie and
Imbens 2011; locally weighted regression: Cleveland and Devlin 1988).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from ..arrays import Float32, Float64, Indices
from ..features.pyramid import PLANNING_RATE
from ..library.pose_index import PoseIndex, ground_and_turns, rows_of, still_row, still_rows
from ..motion import rotations
from ..motion.filters import wrap_angle
from ..motion.gap import Gap
from ..motion.interpolation import monotone_cubic
from ..motion.motion import Motion, joined
from ..motion.piecewise import pieces
from ..motion.root_motion import RootPlan, apply_root, encode_root, place_and_heading
from .agreement import Agreement
from .easing import Ease, Side, bend, decay, ease_of
from .gap_search import CONTEXT
from .laying import with_ends_of


@dataclass(frozen=True, eq=False)
class SharedWindows:
    """Windows of motions, and their shares.

    firsts: `(W,)` their first frames in the index, ascending. shares: `(W,)`, which sum to zero.
    """

    motions: Sequence[Motion]
    index: PoseIndex
    firsts: Indices
    shares: Float64


@dataclass(frozen=True, eq=False)
class PredictedMoves:
    """Moves at K frames, J joints, A anchored ones.

    joints: `(K, J, 3)` and body: `(K, A, 3)` rotation vectors, in radians. offset: `(K, A, 3)`, in units. ground:
    `(K, 2)` along the ground, in sizes, seen from the heading at the start. turn: `(K, 1)` of the heading, in radians.
    """

    joints: Float64
    body: Float64
    offset: Float64
    ground: Float64
    turn: Float64


def predicted_moves(windows: SharedWindows, reference: Motion, at: Indices) -> PredictedMoves:
    """Return the moves that windows predict for K frames of a motion.

    at: `(K,)` frames after the windows begin, also before them and after their ends. reference: K frames, from which
    rotations are measured.
    """
    plan = windows.index.space.plan
    track, blocks = encode_root(reference, plan), list[tuple[Float64, Float64, Float64]]()
    frames, places = np.unique(_frames_at(windows, at), return_inverse=True)
    together, places = _frames_of(windows, frames), places.reshape(-1, len(at))
    for block in pieces(len(at), len(windows.firsts) * reference.rotations[0].size):
        poses = together.take(places[:, block].ravel())
        root = encode_root(poses, plan)
        blocks.append(
            (
                _summed_turns(windows.shares, poses.rotations, reference.rotations[block]),
                _summed_turns(windows.shares, root.body, track.body[block]),
                _summed(windows.shares, root.offset),
            )
        )
    joints, body, offset = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return PredictedMoves(joints, body, offset, *_summed_travel(windows, at))


def _frames_at(windows: SharedWindows, at: Indices) -> Indices:
    """Return the frames `(W, K)` of the index that are `at` `(K,)` frames after windows begin, within their motions."""
    index, clips = windows.index, windows.index.clips[windows.firsts]
    first, last = index.starts[clips][:, None], index.stops[clips][:, None] - 1
    return np.asarray(np.clip(windows.firsts[:, None] + at, first, last))


def _frames_of(windows: SharedWindows, frames: Indices) -> Motion:
    """Return frames of the index, ascending, as one motion; each motion is read once."""
    index = windows.index
    clips = index.clips[frames]
    borders = np.flatnonzero(np.diff(clips, prepend=-1, append=-1))
    return joined(
        [
            windows.motions[clips[first]].take(frames[first:end] - index.starts[clips[first]])
            for first, end in pairwise(borders.tolist())
        ]
    )


def _summed_travel(windows: SharedWindows, at: Indices) -> tuple[Float64, Float64]:
    """Return the sums `(K, 2)` of the places of windows, seen from where they begin, and `(K, 1)` of their turns."""
    index, firsts, frames = windows.index, windows.firsts, _frames_at(windows, at)
    headings = index.turns[firsts].astype(np.float64)[:, None]
    places = rotations.turn_on_ground(
        index.ground[frames] - index.ground[firsts].astype(np.float64)[:, None], -headings
    )
    turns = windows.shares @ (index.turns[frames] - headings)
    return np.asarray(np.tensordot(windows.shares, places, 1)), turns[:, None]


def _summed_turns(shares: Float64, seen: Float32, reference: Float32) -> Float64:
    """Return the sums `(K, J, 3)` of rotations `(W K, J, 4)`, as vectors from the reference `(K, J, 4)`.

    Near the reference, a rotation vector is twice the vector part of its quaternion.
    """
    quaternions = seen.reshape(len(shares), *reference.shape)
    signs = np.where(np.einsum("wkjc,kjc->wkj", quaternions, reference) < 0, np.float32(-1.0), np.float32(1.0))
    total = np.tensordot(shares, quaternions * signs[..., None], 1)
    return np.asarray(2.0 * rotations.multiply(rotations.inverse(reference.astype(np.float64)), total)[..., 1:])


def _summed(shares: Float64, seen: Float32) -> Float64:
    """Return the sums `(K, ...)` of values `(W K, ...)`."""
    return np.asarray(np.tensordot(shares, seen.reshape(len(shares), -1, *seen.shape[1:]), 1))


LEAST_STRETCHES = 40
"""Smallest number of stretches, of half a gap each, from which is learned. With 40 to 80 of them, out of 3 to 20 random
clips, fillings came 7 % nearer to captured motion; with 10 to 20 no nearer, and in single clips of 4 to 11 s farther
away."""
RIDGE = 0.1
"""Penalty of the regression, as a share of the mean variance of a column of the surroundings. With 0.03 and 0.3, gaps
of 30 captured frames were as near, to 0.01 of the interpolation."""
MOST_SHARES = 8.0
"""Largest sum of the shares of windows, without their signs; larger shares are scaled down. The fifth of the gaps that
need more are so unlike all windows that their whole moves bring them no nearer."""


def adjusted(motions: Sequence[Motion], index: PoseIndex, gap: Gap, agreement: Agreement, learned: Indices) -> Motion:
    """Return the mean `(T + 1)` of windows that agree, moved for what their surroundings differ from the gap's.

    learned: `(W,)` first frames, ascending, in the index of the motions, of windows of T frames from which is learned.
    The poses at both ends stay, and so do the speeds there. A few short motions are too little to learn from; the mean
    is then returned as it is.
    """
    mean = agreement.motion
    if _stretches(index, learned, mean.frames - 1) < LEAST_STRETCHES:
        return mean
    firsts = np.array([window.start for window in agreement.windows])
    lasts = firsts + [window.length for window in agreement.windows]
    weights = agreement.weights / agreement.weights.sum()
    averaged = weights @ window_surroundings(index, gap, firsts, lasts)
    around = window_surroundings(index, gap, learned, learned + mean.frames - 1)
    shares = predicting_shares(around, gap_surroundings(index, gap) - averaged)
    shares *= min(1.0, MOST_SHARES / max(float(np.abs(shares).sum()), 1e-9))
    windows = SharedWindows(motions, index, learned, shares)
    return _moved(mean, _eased_moves(mean, windows, gap), index.space.plan)


def _stretches(index: PoseIndex, learned: Indices, frames: int) -> int:
    """Return the number of stretches of half a window, counted in each motion, in which windows begin."""
    clips = index.clips[learned]
    places = (learned - index.starts[clips]) // max(frames // 2, 1)
    return int(np.count_nonzero((np.diff(clips, prepend=-1) != 0) | (np.diff(places, prepend=-1) != 0)))


def predicting_shares(around: Float64, difference: Float64) -> Float64:
    """Return the share `(W,)` of each window's inside in the move that a difference of surroundings `(D,)` predicts.

    around: `(W, D)`. These are the coefficients of ridge regression, times the difference; the shares sum to zero.
    """
    centered = around - around.mean(axis=0)
    products = centered.T @ centered
    penalty = RIDGE * np.trace(products) / len(products)
    # Surroundings have single precision; with less, all windows are the same.
    if penalty < np.finfo(np.float32).eps ** 2:
        return np.zeros(len(around))
    products[np.diag_indices_from(products)] += penalty
    return np.asarray(centered @ np.linalg.solve(products, difference))


def _eased_moves(mean: Motion, windows: SharedWindows, gap: Gap) -> PredictedMoves:
    """Return the moves that windows predict for all frames of a mean, level and zero at both ends."""
    last, rate = mean.frames - 1, mean.frames_per_second
    # Moves are predicted at key frames, as often as paths are planned; 0.08 and 0.2 s between them are no better.
    count = max(round(last * PLANNING_RATE / rate), 2)
    keys = np.unique(np.round(np.linspace(0, last, count + 1)).astype(np.int64))
    # Frames outside the gap show the speeds at its ends; a lone pose has none.
    outside = (int(gap.before.frames > 1), int(gap.after.frames > 1))
    at = np.concatenate(([-outside[0]], keys, [last + outside[1]]))
    predicted = predicted_moves(windows, mean.take(np.clip(at, 0, last)), at)
    ease = ease_of(rate)
    return PredictedMoves(
        joints=_eased(predicted.joints, keys, ease, decay),
        body=_eased(predicted.body, keys, ease, decay),
        offset=_eased(predicted.offset, keys, ease, decay),
        ground=_eased(predicted.ground, keys, ease, bend),
        turn=_eased(predicted.turn, keys, ease, bend),
    )


def _eased(moves: Float64, keys: Indices, ease: Ease, easing: Callable[..., Float64]) -> Float64:
    """Return moves `(T + 1, ...)` of key frames and one frame outside each end, without those of the ends, eased."""
    last = int(keys[-1])
    sides = (Side(moves[1], moves[1] - moves[0]), Side(moves[-2], moves[-1] - moves[-2]))
    inside = moves[1:-1] - easing(sides, last, ease)[keys]
    return monotone_cubic(keys.astype(np.float64), inside, np.arange(last + 1.0))


def _moved(mean: Motion, moves: PredictedMoves, plan: RootPlan) -> Motion:
    """Return a mean with moves; its poses at both ends stay to the bit."""
    up = np.array(mean.skeleton.up)
    track, (_, headings) = encode_root(mean, plan), place_and_heading(mean, plan)
    ground = (
        rotations.turn_on_ground(moves.ground, headings[0])
        @ rotations.ground_axes(mean.skeleton.up)
        * mean.skeleton.size
    )
    track = replace(
        track,
        heading=rotations.from_axis_angle(up, headings + moves.turn[:, 0]).astype(np.float32),
        ground=(track.ground + ground).astype(np.float32),
        body=_turned(track.body, moves.body),
        offset=(track.offset + moves.offset).astype(np.float32),
    )
    moved = apply_root(replace(mean, rotations=_turned(mean.rotations, moves.joints)), plan, track, in_place=True)
    return with_ends_of(moved, mean.slice(0, 1), mean.slice(mean.frames - 1, mean.frames))


def _turned(joints: Float32, moves: Float64) -> Float32:
    return np.asarray(rotations.multiply(joints.astype(np.float64), rotations.from_vector(moves)), np.float32)


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
