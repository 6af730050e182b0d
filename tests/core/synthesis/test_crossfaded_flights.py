# SPDX-License-Identifier: GPL-3.0-or-later
"""A flight within a crossfade accelerates as both of its sides do, and feet, take-off and landing stay."""

from functools import cache

import numpy as np
import pytest
from jumps import FLIGHT_FRAMES, GRAVITY, TAKE_OFF, jumper
from motions import in_other_units, walker
from numpy.typing import NDArray

from genmm_addon.core import Motion, Prepared, prepare
from genmm_addon.core.constraints.constraint import Task
from genmm_addon.core.evaluation import Flight, center_of_mass, find_body_model, find_flights, gravity_error
from genmm_addon.core.feet import standing_of
from genmm_addon.core.planning.segments import Segments
from genmm_addon.core.synthesis import compose, crossfaded_flights

FRAMES, CUT = 110, TAKE_OFF + FLIGHT_FRAMES // 2


@cache
def jumps() -> Prepared:
    return prepare([jumper()])


def skipping(prepared: Prepared, skipped: int) -> Motion:
    """Return the jump that skips frames in the air, or repeats some."""
    segments = Segments(np.array([0, CUT]), np.array([0, CUT + skipped]), FRAMES)
    return compose.compose(Task(prepared, FRAMES), [segments]).motion


def heights(motion: Motion) -> NDArray[np.float64]:
    return np.asarray(center_of_mass(motion, find_body_model(motion.skeleton))[:, 2])


def flight_of(motion: Motion) -> Flight:
    """Return the only flight of a jump."""
    center = center_of_mass(motion, find_body_model(motion.skeleton))
    (flight,) = find_flights(motion, center, standing_of(jumper()))
    return flight


@pytest.mark.parametrize("skipped", [-3, -2])
def test_a_flight_across_a_cut_follows_gravity(skipped: int) -> None:
    motion = skipping(jumps(), skipped)
    flight = flight_of(motion)
    assert abs(flight.gravity / GRAVITY - 1.0) < 0.04
    assert gravity_error(heights(motion)[flight.first : flight.last + 1], GRAVITY, motion.frames_per_second) < 0.15


@pytest.mark.parametrize("skipped", [2, 3])
def test_take_off_and_landing_stay_calm_where_a_shorter_flight_nears_gravity(
    skipped: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    lifted, largest = skipping(jumps(), skipped), jumps().example_feet.footing.body
    near = np.diff(heights(lifted), 2)[TAKE_OFF - 3 : TAKE_OFF + FLIGHT_FRAMES]
    monkeypatch.setattr(compose, "lifts_in_flights", lambda motion, *_: np.zeros((motion.frames, 3)))
    unlifted = flight_of(skipping(jumps(), skipped)).gravity
    assert GRAVITY < flight_of(lifted).gravity < 0.85 * unlifted
    assert np.abs(near).max() <= 1.05 * largest


def test_units_do_not_matter() -> None:
    larger = skipping(prepare([in_other_units(jumper(), 100.0)]), 3)
    assert np.allclose(heights(larger), 100.0 * heights(skipping(jumps(), 3)), atol=0.02)


def test_only_flights_within_crossfades_change(monkeypatch: pytest.MonkeyPatch) -> None:
    moved = []

    def noted(*given: object) -> NDArray[np.float64]:
        lifts = crossfaded_flights.lifts_in_flights(*given)  # type: ignore[arg-type]
        moved.append(lifts)
        return lifts

    monkeypatch.setattr(compose, "lifts_in_flights", noted)
    skipping(jumps(), 3)
    walk = prepare([walker(120)])
    compose.compose(Task(walk, 100), [Segments(np.array([0, 50]), np.array([0, 70]), 100)])
    whole = Segments(np.array([0]), np.array([0]), FRAMES)
    compose.compose(Task(jumps(), FRAMES), [whole])
    flown, walked, copied = moved
    assert np.abs(flown[:, 2]).max() > 0.001 and not flown[:, :2].any()
    changed = np.flatnonzero(flown.any(axis=1))
    assert changed[0] > TAKE_OFF - 3 and changed[-1] < TAKE_OFF + FLIGHT_FRAMES + 3
    assert not walked.any() and not copied.any()


def test_a_fixed_root_stays_where_it_is() -> None:
    motion, segments = jumper(), Segments(np.array([0, CUT]), np.array([0, CUT + 3]), FRAMES)
    prepared = jumps()
    crossfades = compose._composition(Task(prepared, FRAMES), [segments]).crossfades[0]
    in_air = np.zeros(FRAMES, bool)
    in_air[TAKE_OFF : TAKE_OFF + FLIGHT_FRAMES] = True
    part, fixed = motion.slice(0, FRAMES), np.zeros(FRAMES, bool)
    lifted = crossfaded_flights.lifts_in_flights(part, prepared.examples, crossfades, in_air, fixed, np.inf)
    fixed[CUT] = True
    assert lifted.any()
    assert not crossfaded_flights.lifts_in_flights(part, prepared.examples, crossfades, in_air, fixed, np.inf).any()


def test_a_body_that_lies_or_hangs_is_not_lifted() -> None:
    walk = prepare([walker(120)])
    segments = Segments(np.array([0, 50]), np.array([0, 70]), 100)
    crossfades = compose._composition(Task(walk, 100), [segments]).crossfades[0]
    # No foot is planted between the third frame and the last but two.
    off_feet = np.zeros(100, bool)
    off_feet[3:-3] = True
    part = compose.compose(Task(walk, 100), [segments]).motion
    assert not crossfaded_flights.lifts_in_flights(
        part, walk.examples, crossfades, off_feet, np.zeros(100, bool), np.inf
    ).any()
