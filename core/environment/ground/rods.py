# SPDX-License-Identifier: GPL-3.0-or-later
"""Elastic rods over obstacles: curves that are raised to clear a given height, and bend as little as possible."""

import numpy as np

from ...arrays import Float64

LONGEST_ROD = 400
"""Largest number of places of a rod; solving this many takes about 0.05 s."""


def raised(compliance: Float64, needed: Float64) -> Float64:
    """Return the heights `(T,)` of a rod raised by pushes from below until it is nowhere below `needed` `(T,)`.

    compliance: `(T, T)` height by which a push at each place raises each place, symmetric and positive definite.

    >>> raised(np.eye(2), np.array([0.5, -1.0])).tolist()
    [0.5, 0.0]
    """
    return np.asarray(compliance @ _pushes(compliance, needed))


def _pushes(compliance: Float64, needed: Float64) -> Float64:
    """Return nonnegative pushes `(T,)` that raise a rod to `needed`, acting only at places that would be below it.

    The linear complementarity problem is solved by active sets (Lawson, Hanson 1974).
    """
    pushes, pushing = np.zeros(len(needed)), np.zeros(len(needed), bool)
    near = 1e-9 * float(np.abs(needed).max())
    for _ in range(3 * len(needed)):
        lacking = np.where(pushing, -np.inf, needed - compliance @ pushes)
        lowest = int(np.argmax(lacking))
        if lacking[lowest] <= near:
            break
        pushing[lowest] = True
        while True:
            at = np.flatnonzero(pushing)
            asked = np.linalg.solve(compliance[np.ix_(at, at)], needed[at])
            too_high = asked <= 0
            if not too_high.any():
                break
            now = pushes[at]
            share = float((now[too_high] / np.maximum(now[too_high] - asked[too_high], 1e-300)).min())
            pushes[at] = now + share * (asked - now)
            pushing[at[pushes[at] <= 1e-12 * max(float(np.abs(asked).max()), 1e-300)]] = False
            pushes[~pushing] = 0.0
        pushes = np.zeros(len(needed))
        pushes[at] = asked
    return pushes
