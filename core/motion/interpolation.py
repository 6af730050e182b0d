# SPDX-License-Identifier: GPL-3.0-or-later
"""Interpolation that does not overshoot its values."""

import numpy as np

from ..arrays import Array, Float64


def monotone_cubic(knots: Array, values: Array, at: Array, *, level_ends: bool = True) -> Float64:
    """Return the values `(T, ...)`, at places `at` `(T,)`, of smooth curves through `values` `(K, ...)` at `knots`.

    knots: `(K,)`, ascending. Between two knots a curve stays between their values and never overshoots, and a change
    at one knot reaches no farther than two knots away (Fritsch and Butland 1984). level_ends: the end values continue
    beyond the ends; otherwise the curve is as steep at an end as from there to the next knot, and continues so.

    >>> monotone_cubic(np.array([0.0, 1.0, 2.0]), np.array([0.0, 1.0, 1.0]), np.array([-1.0, 1.0, 1.5])).tolist()
    [0.0, 1.0, 1.0]
    """
    rows = values.reshape(len(knots), -1).astype(np.float64)
    if len(knots) == 1:
        return np.repeat(values.astype(np.float64), len(at), axis=0)
    spans = np.diff(knots)
    rises = np.diff(rows, axis=0) / spans[:, None]
    slopes = np.zeros_like(rows)
    slopes[1:-1] = _inner_slopes(spans, rises)
    slopes[[0, -1]] = 0.0 if level_ends else rises[[0, -1]]
    inside = np.clip(at, knots[0], knots[-1])
    segment = np.clip(np.searchsorted(knots, inside, side="right") - 1, 0, len(spans) - 1)
    span, share = spans[segment][:, None], ((inside - knots[segment]) / spans[segment])[:, None]
    start, end = rows[segment], rows[segment + 1]
    steered = share * (1 - share) ** 2 * slopes[segment] - share**2 * (1 - share) * slopes[segment + 1]
    curve = start + share * share * (3 - 2 * share) * (end - start) + span * steered
    curve += (at - inside)[:, None] * np.where((at < inside)[:, None], slopes[0], slopes[-1])
    return np.asarray(curve.reshape(len(at), *values.shape[1:]))


def _inner_slopes(spans: Array, rises: Array) -> Array:
    """Return the slopes `(K - 2, C)` at inner knots: 0 at extremes, else a weighted harmonic mean of both rises."""
    before, after = rises[:-1], rises[1:]
    first, second = (2 * spans[1:] + spans[:-1])[:, None], (spans[1:] + 2 * spans[:-1])[:, None]
    same = before * after > 0
    safe = np.where(same, first * after + second * before, 1.0)
    return np.where(same, (first + second) * before * after / safe, 0.0)
