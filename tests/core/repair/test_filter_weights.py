# SPDX-License-Identifier: GPL-3.0-or-later
"""Weights of filtered joints relative to examples that contain the motion, and to others that do not."""

import numpy as np
import pytest
from numpy.typing import NDArray

from genmm_addon.core.repair.denoising import filter_weights

JOINTS, INDEPENDENT = 20, 8
"""Number of joints of a body, and of a filtered joint's independent errors, since remaining noise lasts for frames."""


def filtered_noise(generator: np.random.Generator) -> NDArray[np.float64]:
    """Return the squared error of each joint `(JOINTS,)`, whose expected value is one."""
    return np.asarray(np.square(generator.normal(size=(JOINTS, INDEPENDENT))).mean(axis=1))


@pytest.mark.parametrize("seed", range(5))
def test_examples_that_know_the_motion_are_taken_on_all_joints(seed: int) -> None:
    generator = np.random.default_rng(seed)
    # Alone, each joint would keep at least 0.15 of its noise on average, since chance looks like unknown motion.
    distances = filtered_noise(generator)
    alone = np.clip(1.0 - 1.0 / distances, 0.0, 1.0)
    shares = filter_weights(distances, np.ones(JOINTS))
    assert shares.mean() < 0.6 * alone.mean()


def test_examples_that_do_not_know_the_motion_are_hardly_taken() -> None:
    distances = 20.0 + filtered_noise(np.random.default_rng(0))
    assert filter_weights(distances, np.ones(JOINTS)).min() > 0.9


def test_joints_that_the_examples_do_not_know_have_the_largest_weights() -> None:
    distances = np.ones(JOINTS)
    distances[:4] += 20.0
    shares = filter_weights(distances, np.ones(JOINTS))
    assert shares[:4].min() > shares[4:].max() + 0.05


def test_a_joint_without_noise_stays_as_it_is() -> None:
    errors = np.ones(JOINTS)
    errors[:4] = 0.0
    shares = filter_weights(np.ones(JOINTS), errors)
    assert (shares[:4] == 1.0).all() and (shares[4:] < 0.01).all()


def test_zero_spread_and_zero_noise_give_finite_weights() -> None:
    assert np.isfinite(filter_weights(np.zeros(JOINTS), np.zeros(JOINTS))).all()


@pytest.mark.parametrize("unit", [1e-6, 1e6])
def test_units_do_not_count(unit: float) -> None:
    generator = np.random.default_rng(1)
    distances, errors = filtered_noise(generator) + 0.5, filtered_noise(generator)
    shares = filter_weights(unit**2 * distances, unit**2 * errors)
    np.testing.assert_allclose(shares, filter_weights(distances, errors), atol=1e-12)
