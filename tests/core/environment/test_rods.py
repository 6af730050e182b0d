# SPDX-License-Identifier: GPL-3.0-or-later
"""Rods over obstacles: never too low, and moved only where they touch."""

import numpy as np
import pytest

from genmm_addon.core.environment.ground.swings import _above, raised


@pytest.mark.parametrize("seed", range(4))
def test_rod_clears_obstacles_and_is_pushed_only_where_it_touches_them(seed: int) -> None:
    rng = np.random.default_rng(seed)
    second = np.diff(np.eye(32), 2, axis=0)[:, 1:-1]
    stiffness = second.T @ second + 1e-6 * np.eye(30)
    needed = rng.uniform(-1.0, 1.0, 30)
    lift = raised(np.asarray(np.linalg.inv(stiffness), np.float64), needed)
    assert (lift >= needed - 1e-6).all()
    pushes = stiffness @ lift
    assert (pushes > -1e-6 * np.abs(pushes).max()).all(), "nothing pulls it down"
    assert (np.abs(pushes * (lift - needed)) < 1e-4 * np.abs(pushes).max()).all(), "nothing pushes where it is free"


def test_a_rod_with_nothing_in_its_way_stays() -> None:
    assert not raised(np.eye(5), np.full(5, -0.1)).any()


@pytest.mark.parametrize("mirrored", [False, True])
def test_what_a_foot_meets_just_before_it_lands_does_not_raise_the_whole_swing(mirrored: bool) -> None:
    size, needed = 1.7, np.full(30, -0.05)
    needed[-1] = 0.01 * size
    above = _above(needed[::-1] if mirrored else needed, 30.0, size, from_stance=True, to_stance=True)
    assert 0.0 < above.max() < 0.03 * size
