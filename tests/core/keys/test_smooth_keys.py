# SPDX-License-Identifier: GPL-3.0-or-later
"""Keys with one slope on both sides, wherever the curves then stay within their precision."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from genmm_addon.core.keys import Curves, Keys, own_keys, shared_keys


def played(keys: Keys, frames: int) -> NDArray[np.float64]:
    """Return the values of the keys' cubic segments at every frame."""
    found = np.empty((frames, keys.values.shape[1]))
    for row in range(len(keys.frames) - 1):
        first, last = int(keys.frames[row]), int(keys.frames[row + 1])
        at = (np.arange(first, last + 1) - first)[:, None] / (last - first)
        slopes = (keys.leaving[row] * (last - first), keys.arriving[row + 1] * (last - first))
        found[first : last + 1] = (
            keys.values[row] * (1 - 3 * at**2 + 2 * at**3)
            + keys.values[row + 1] * (3 * at**2 - 2 * at**3)
            + slopes[0] * at * (1 - at) ** 2
            + slopes[1] * at**2 * (at - 1)
        )
    return found


@pytest.mark.parametrize("bound", [0.002, 0.01, 0.05])
@pytest.mark.parametrize("simplify", [own_keys, shared_keys])
def test_keys_have_one_slope_where_the_curve_stays_within_its_precision(
    simplify: Callable[[list[Curves]], list[Keys]], bound: float
) -> None:
    time = np.arange(300.0)[:, None]
    curves = [
        Curves(np.sin(time * np.array([0.05, 0.11, 0.23]) + phase) * np.array([1.0, 0.5, 0.2]), bound)
        for phase in (0.0, 1.0)
    ]
    smooth = 0
    for curve, keys in zip(curves, simplify(curves), strict=True):
        smooth += int((keys.arriving == keys.leaving)[1:-1].all(axis=1).sum())
        assert np.linalg.norm(played(keys, 300) - curve.values, axis=1).max() <= bound * (1 + 1e-6)
    assert smooth > 0 or simplify is own_keys


def test_a_bounce_keeps_its_corner() -> None:
    values = np.abs(np.arange(-40.0, 41.0))[:, None]
    keys = own_keys([Curves(values, 0.05)])[0]
    corner = int(np.flatnonzero(keys.frames == 40)[0])
    assert keys.arriving[corner, 0] < 0 < keys.leaving[corner, 0]
