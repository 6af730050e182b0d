# SPDX-License-Identifier: GPL-3.0-or-later
"""Regression adjustment of a filling: it is moved for what its windows' surroundings still differ from the gap's.

The inside of windows depends on the motion around them. For each gap, this dependence is learned from the windows of
the library that fit best, by ridge regression, and predicts the move (regression adjustment after matching: Abadie and
Imbens 2011; locally weighted regression: Cleveland and Devlin 1988).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from ..arrays import Float32, Float64, Indices
from ..features.pyramid import PLANNING_RATE
from ..library.pose_index import PoseIndex
from ..motion import rotations
from ..motion.gap import Gap
from ..motion.interpolation import monotone_cubic
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, apply_root, encode_root, place_and_heading
from .agreement import Agreement
from .easing import Ease, Side, bend, decay, ease_of
from .gap_ends import gap_surroundings, window_surroundings
from .laying import with_ends_of
from .predicted_moves import PredictedMoves, SharedWindows, predicted_moves

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
    axes = np.broadcast_to(up, (mean.frames, 3))
    track = replace(
        track,
        heading=rotations.from_axis_angle(axes, headings + moves.turn[:, 0]).astype(np.float32),
        ground=(track.ground + ground).astype(np.float32),
        body=_turned(track.body, moves.body),
        offset=(track.offset + moves.offset).astype(np.float32),
    )
    moved = apply_root(replace(mean, rotations=_turned(mean.rotations, moves.joints)), plan, track, in_place=True)
    return with_ends_of(moved, mean.slice(0, 1), mean.slice(mean.frames - 1, mean.frames))


def _turned(joints: Float32, moves: Float64) -> Float32:
    return np.asarray(rotations.multiply(joints.astype(np.float64), rotations.from_vector(moves)), np.float32)
