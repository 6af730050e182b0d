# SPDX-License-Identifier: GPL-3.0-or-later
"""Cubic segments fitted between two frames of sampled curves.

A segment passes through the values at both of its frames, and its slopes there are fitted to the frames between. With
handles at a third of its length it is a segment of a Bezier F-curve, cubic in time as well as in its values.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from ..arrays import Float64, Int64, Mask

Rows = Float64

SLOPE_WEIGHTS = (0.3, 0.03, 0.003, 1e-6)
"""Weights of the curves' own slopes relative to squared errors, the strongest first. A few frames hardly determine the
slopes, and a segment that fits them exactly may swing out between them."""
EVENED = 1.8
"""Largest error of the least squares, in bounds, that is evened out until the largest error is within the bounds."""
ROUNDS = 6
"""Number of rounds of evening out. It saves 4 to 5 % of the keys of a walk and of a dance; more rounds save none."""
BETWEEN_FRAMES = 2.0
"""Allowed error of a segment halfway between two frames, where nothing is recorded, in bounds; BETWEEN_STEPS is added.
"""
BETWEEN_STEPS = 0.1
"""Allowed error halfway between two frames, as a share of the step between them. Without it, a dash (30 frames per
second, 22 bones, half a degree) kept a key on every frame."""


@dataclass(frozen=True, eq=False)
class SampledCurves:
    """Curves at every frame, in G groups whose errors are measured together.

    values: `(T, C)`. slopes: `(T, C)` per frame. middles: `(T - 1, C)` values halfway between frames. firsts: `(G,)`
    the first column of each group. bounds: `(G,)` the largest error, as the length of the difference of a group's
    columns. bounds_between: `(T - 1, G)` the same halfway between frames.
    """

    values: Rows
    slopes: Rows
    middles: Rows
    firsts: Int64
    bounds: Rows
    bounds_between: Rows

    def lengths(self, differences: Rows) -> Rows:
        """Return the error `(L, G)` of each group from the differences `(L, C)` of its columns."""
        return lengths_of_groups(differences, self.firsts)


def sampled(values: Rows, firsts: Int64, bounds: Rows) -> SampledCurves:
    """Return curves `(T, C)` prepared for fitting; T is at least 2.

    Halfway between two frames they are the cubic through the four around them (Catmull and Rom 1974).
    """
    before, after = 2 * values[:1] - values[1:2], 2 * values[-1:] - values[-2:-1]
    around = np.concatenate((before, values, after))
    middles = (9.0 * (around[1:-2] + around[2:-1]) - around[:-3] - around[3:]) / 16.0
    steps = lengths_of_groups(np.diff(values, axis=0), firsts)
    between = BETWEEN_FRAMES * bounds + BETWEEN_STEPS * steps
    return SampledCurves(values, np.gradient(values, axis=0), middles, firsts, bounds, between)


def lengths_of_groups(rows: Rows, firsts: Int64) -> Rows:
    """Return the length `(L, G)` of each group's columns in `rows` `(L, C)`; firsts `(G,)`: where groups begin."""
    return np.asarray(np.sqrt(np.add.reduceat(rows**2, firsts, axis=1)))


@dataclass(frozen=True, eq=False)
class _Basis:
    """The cubic Hermite basis over L frames (Hermite 1878).

    rise: `(L + 1,)` weight of the end's value at each frame. reach: `(L + 1, 2)` weights of the slopes at both ends.
    rise_between, reach_between: the same halfway between frames.
    """

    rise: Rows
    reach: Rows
    rise_between: Rows
    reach_between: Rows
    fits: tuple[tuple[Rows, Rows], ...]
    """For each slope weight, matrices `(2, L + 1)` from the frames and `(2, 2)` from the own slopes to the slopes."""


@cache
def _basis(length: int) -> _Basis:
    rise, reach = _hermite(np.arange(length + 1) / length, length)
    rise_between, reach_between = _hermite((np.arange(length) + 0.5) / length, length)
    fits: list[tuple[Rows, Rows]] = []
    for weight in SLOPE_WEIGHTS:
        inverse = np.asarray(np.linalg.inv(reach.T @ reach + weight * np.eye(2)), np.float64)
        fits.append((inverse @ reach.T, weight * inverse))
    return _Basis(rise, reach, rise_between, reach_between, tuple(fits))


def _hermite(at: Rows, length: int) -> tuple[Rows, Rows]:
    rise = at**2 * (3.0 - 2.0 * at)
    return rise, length * np.stack((at * (1.0 - at) ** 2, at**2 * (at - 1.0)), axis=1)


def fitted_slopes(curves: SampledCurves, first: int, last: int, start: Rows | None = None) -> Rows | None:
    """Return the slopes `(2, C)`, per frame, of the segments from one frame to another; None if none is near enough.

    start: `(C,)` the values that the segments begin with; None: the curves' own.

    The slopes are the nearest to the curves' own that stay within the bounds at every frame. Neighboring frames always
    have a segment.
    """
    length = last - first
    basis = _basis(length)
    start, end = curves.values[first] if start is None else start, curves.values[last]
    sampled_slopes = curves.slopes[[first, last]]
    if length == 1:
        return sampled_slopes
    target = curves.values[first : last + 1] - start - basis.rise[:, None] * (end - start)
    for by_frames, by_slopes in basis.fits:
        slopes = by_frames @ target + by_slopes @ sampled_slopes
        off = curves.lengths(basis.reach @ slopes - target) / curves.bounds
        if np.all(off <= 1.0):
            break
    else:
        evened = _evened(curves, basis.reach, target, off)
        if evened is None:
            return None
        slopes = evened
    between = start + basis.rise_between[:, None] * (end - start) + basis.reach_between @ slopes
    off = curves.lengths(between - curves.middles[first:last])
    return slopes if np.all(off <= curves.bounds_between[first:last]) else None


def segment(start: Rows, end: Rows, slopes: Rows, length: int) -> Rows:
    """Return the values `(length + 1, C)` of segments between values `(C,)` with slopes `(2, C)` at both ends."""
    basis = _basis(length)
    return np.asarray(start + basis.rise[:, None] * (end - start) + basis.reach @ slopes)


def segment_fits(curves: SampledCurves, first: int, last: int, slopes: Rows, start: Rows) -> Mask:
    """Return `(G,)` whether the segments from `start` `(C,)` with slopes `(2, C)` stay within each group's bounds."""
    basis = _basis(last - first)
    end = curves.values[last]
    at_frames = segment(start, end, slopes, last - first)
    between = start + basis.rise_between[:, None] * (end - start) + basis.reach_between @ slopes
    fits = curves.lengths(at_frames - curves.values[first : last + 1]) <= curves.bounds
    fits_between = curves.lengths(between - curves.middles[first:last]) <= curves.bounds_between[first:last]
    return np.asarray(fits.all(axis=0) & fits_between.all(axis=0))


def _evened(curves: SampledCurves, reach: Rows, target: Rows, off: Rows) -> Rows | None:
    """Return slopes `(2, C)` with the largest error evened out to the bounds (Lawson 1961); None if that fails.

    reach: of the basis. target: `(L + 1, C)` without the part given by the end values. off: `(L + 1, G)` the errors of
    the least squares, in bounds.
    """
    if off.max() > EVENED:
        return None
    widths = np.diff(np.append(curves.firsts, target.shape[1]))
    weights = np.ones_like(off)
    for _ in range(ROUNDS):
        weights = weights * (off + 1e-6)
        weights /= weights.sum(axis=0)
        squares = np.einsum("la,lg,lb->gab", reach, weights, reach) + SLOPE_WEIGHTS[-1] * np.eye(2)
        inverses = np.repeat(np.linalg.inv(squares), widths, axis=0)
        slopes = np.einsum("cab,bc->ac", inverses, reach.T @ (np.repeat(weights, widths, axis=1) * target))
        off = curves.lengths(reach @ slopes - target) / curves.bounds
        if np.all(off <= 1.0):
            return np.asarray(slopes, np.float64)
    return None
