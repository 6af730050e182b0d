# SPDX-License-Identifier: GPL-3.0-or-later
"""Jumps onto higher or lower ground fly as on flat ground, apart from the straight line between both heights."""

from itertools import pairwise

import numpy as np
import pytest
from jumps import FLIGHT_FRAMES, FRAMES, GRAVITY, TAKE_OFF, jumper
from motions import FORWARD, UP
from numpy.typing import NDArray

from genmm_addon.core import Motion
from genmm_addon.core.environment import Surface, make_surface, put_on_ground, standing_of
from genmm_addon.core.evaluation import center_of_mass, find_body_model, gravity_error
from genmm_addon.core.feet import move_root

FLOWN = 0.9
"""Length of the jump, in meters."""


def leap() -> Motion:
    """Return the jumper, which flies forward as well."""
    motion = jumper()
    share = np.clip((np.arange(FRAMES) - TAKE_OFF) / FLIGHT_FRAMES, 0.0, 1.0)
    return move_root(motion, 0, FLOWN * share[:, None] * FORWARD)


def ground(rise: float, *, sloped: bool) -> Surface:
    """Return ground that is higher where the jump lands, after a step or along a slope."""
    half, far = FLOWN / 2, 9.0
    before, after = (half - 0.01, half + 0.01) if not sloped else (0.2, FLOWN - 0.2)
    profile = [(-far, 0.0), (before, 0.0), (after, rise), (far, rise)]
    triangles = []
    for (first, low), (last, high) in pairwise(profile):
        a, b, c, d = ((x, y, z) for y, z in ((first, low), (last, high)) for x in (-far, far))
        triangles += [(a, b, d), (a, d, c)]
    return make_surface(np.array(triangles), UP)


def heights(motion: Motion) -> NDArray[np.float64]:
    return np.asarray(center_of_mass(motion, find_body_model(motion.skeleton))[:, 2])


@pytest.mark.parametrize("rise", [-0.2, -0.15, 0.15, 0.2])
@pytest.mark.parametrize("sloped", [False, True])
def test_a_leap_onto_other_ground_follows_gravity(rise: float, sloped: bool) -> None:
    motion = leap()
    made = put_on_ground(motion, ground(rise, sloped=sloped), standing_of(motion), 0, shorten=False).motion
    flown = slice(TAKE_OFF + 1, TAKE_OFF + FLIGHT_FRAMES)
    before, after = heights(motion), heights(made)
    assert after[-1] - before[-1] == pytest.approx(rise, abs=0.01)
    assert gravity_error(after[flown], GRAVITY, motion.frames_per_second) < 0.03
