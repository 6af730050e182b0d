# SPDX-License-Identifier: GPL-3.0-or-later
"""Flights in gaps: filled by clips that play faster or slower, bodies fall as beside the gap."""

import numpy as np
import pytest
from jumps import FLIGHT_FRAMES, FRAMES, GRAVITY, TAKE_OFF, jumper

from genmm_addon.core.evaluation import center_of_mass, find_body_model, find_flights
from genmm_addon.core.feet import standing_of
from genmm_addon.core.infill import fill_gap
from genmm_addon.core.library import index_motions
from genmm_addon.core.motion import Gap, sample

FIRST, LAST = TAKE_OFF - 8, TAKE_OFF + FLIGHT_FRAMES + 8


@pytest.mark.parametrize("rate", [0.9, 1.15, 1.3])
def test_a_jump_played_at_another_rate_falls_as_gravity_takes_it(rate: float) -> None:
    truth = jumper()
    gap = Gap(truth.slice(0, FIRST + 1), truth.slice(LAST, FRAMES))
    frames = LAST - FIRST
    played = sample(truth, np.arange(0.0, FRAMES - 1.0, rate), truth.frames_per_second)
    made = fill_gap(index_motions([played]), gap, frames)[0].motion
    (flight,) = find_flights(made, center_of_mass(made, find_body_model(made.skeleton)), standing_of(truth))
    assert abs(flight.gravity / GRAVITY - 1.0) < 0.1
    assert all(np.array_equal(made.rotations[end], truth.rotations[at]) for end, at in ((0, FIRST), (-1, LAST)))
