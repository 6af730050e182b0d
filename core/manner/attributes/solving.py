# SPDX-License-Identifier: GPL-3.0-or-later
"""Solver for the amount of a change at which a value is reached."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np

Made = TypeVar("Made")

ATTEMPTS = 5
"""Largest number of amounts that are tried, each from the two before it (secant method)."""
MISSED = 0.1
"""Error of a value, as a share of the requested change, above which it counts as missed."""
NEAR = 0.01
"""Largest error of a value that counts as reached, as a share of the requested change."""


def solve(
    apply: Callable[[float], Made],
    amounts: tuple[float, float],
    values: tuple[float, float],
    measure: Callable[[Made], float | None],
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> Made:
    """Return the result whose value is nearest to the target.

    apply: function from an amount to a result. amounts: the amount that changes nothing, and the first one to try.
    values: the present value, and the target. measure: function from a result to its value, None if it has none.
    bounds: of amounts.
    """
    now, target = values
    tried, got = [amounts[0], amounts[1]], [now]
    best, least = apply(amounts[1]), np.inf
    for attempt in range(ATTEMPTS):
        result = best if attempt == 0 else apply(tried[-1])
        value = measure(result)
        if value is None:
            break
        got.append(value)
        if abs(value - target) < least:
            best, least = result, abs(value - target)
        if least <= NEAR * abs(target - now) or abs(got[-1] - got[-2]) < 1e-9:
            break
        slope = (tried[-1] - tried[-2]) / (got[-1] - got[-2])
        tried.append(float(np.clip(tried[-1] + slope * (target - got[-1]), *bounds)))
        if tried[-1] == tried[-2]:
            break
    return best
