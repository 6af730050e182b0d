# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of a result across its transitions, and the root that they lead."""

from functools import cache

import numpy as np
import pytest
from legged import compass, places_of
from numpy.typing import NDArray

from genmm_addon.core import Motion, Prepared, Settings, prepare
from genmm_addon.core.constraints.constraint import Span, Task
from genmm_addon.core.planning.crossfades import plan_crossfades
from genmm_addon.core.planning.segments import Segments
from genmm_addon.core.synthesis import compose, foot_plan
from genmm_addon.core.synthesis.foot_plan import Steps, closed_movements, plan_steps

pytestmark = pytest.mark.filterwarnings("error")

CUT = 60
RUNS = Segments(np.array([0, CUT]), np.array([20, 136]), 120)
"""Segments from one step to another, a little later in the example."""


@cache
def prepared(settings: Settings = Settings()) -> Prepared:
    return prepare([compass()], settings=settings)


def steps_of(segments: Segments = RUNS) -> tuple[Steps, NDArray[np.int64]]:
    """Return the steps, and the frames that are in a crossfade."""
    ready = prepared()
    crossfades = plan_crossfades(
        segments, ready.bounds, ready.examples.channels, ready.examples.speeds, ready.frames_per_second
    )
    return plan_steps(ready.example_feet, ready.planning, ready.examples, [segments], [crossfades]), crossfades.frames


def composed(segments: Segments = RUNS) -> Motion:
    return compose.compose(Task(prepared(), segments.frames), [segments]).motion


def test_feet_stand_when_they_do_in_the_shown_frames() -> None:
    steps, _ = steps_of()
    assert np.array_equal(steps.contacts, prepared().example_feet.contacts[RUNS.source_frames()])


def test_outside_of_fades_the_heights_are_the_examples() -> None:
    steps, crossfaded = steps_of()
    calm = np.setdiff1d(np.arange(RUNS.frames), crossfaded)
    source = RUNS.source_frames()[calm]
    assert len(calm) and len(crossfaded)
    assert np.allclose(steps.heights[calm], prepared().example_feet.heights[source])
    assert np.array_equal(steps.shares[calm], prepared().example_feet.contacts[source])
    assert np.array_equal(np.flatnonzero(steps.crossfaded), np.sort(crossfaded))


def test_across_a_fade_heights_and_shares_change_gradually() -> None:
    steps, crossfaded = steps_of()
    edge = steps.contacts[crossfaded[0]] | steps.contacts[crossfaded[-1]]
    partly = (steps.shares[crossfaded] > 0) & (steps.shares[crossfaded] < 1)
    assert edge.any() and partly.any()
    assert np.all((steps.shares >= 0) & (steps.shares <= 1))
    fastest = np.abs(np.diff(prepared().example_feet.heights, axis=0)).max()
    assert np.abs(np.diff(steps.heights, axis=0)).max() < 1.5 * fastest


def test_motion_without_cuts_is_not_steered_by_its_feet(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Segments(np.array([0]), np.array([10]), 120)
    led = composed(whole)
    monkeypatch.setattr(foot_plan, "root_from_feet", lambda motion, examples, feet, track, steps: track)
    assert np.array_equal(led.translations, composed(whole).translations)


def test_a_standing_foot_leads_the_root_across_a_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without inverse kinematics, planted feet slide less if they lead the root than if they do not."""
    monkeypatch.setattr(compose, "lock_feet", lambda motion, *rest, **options: motion)
    steps, crossfaded = steps_of()
    inner = crossfaded[:-1]
    stands = steps.contacts[inner] & steps.contacts[inner + 1]

    def slid() -> float:
        places = places_of(composed())
        return float(np.linalg.norm(places[inner + 1] - places[inner], axis=2)[stands].sum())

    led = slid()
    monkeypatch.setattr(foot_plan, "root_from_feet", lambda motion, examples, feet, track, steps: track)
    assert led < 0.7 * slid()


def test_the_root_is_led_without_a_jerk() -> None:
    def hardest(motion: Motion) -> float:
        path = places_of(motion, ("hips",))[:, 0, :2]
        return float(np.linalg.norm(np.diff(path, 2, axis=0), axis=1).max())

    for source in (*range(130, 138), *range(165, 173), *range(200, 207)):
        segments = Segments(np.array([0, CUT]), np.array([20, source]), 100)
        assert hardest(composed(segments)) < 1.5 * hardest(compass())


@pytest.mark.parametrize(("cut", "source"), [(60, 84), (90, 60), (90, 114)])
def test_feet_never_drive_the_root_beyond_its_highest_speed(cut: int, source: int) -> None:
    segments = Segments(np.array([0, cut]), np.array([20, source]), cut + 50)
    hips = places_of(composed(segments), ("hips",))[:, 0, :2]
    assert np.linalg.norm(np.diff(hips, axis=0), axis=1).max() < 1.1 * prepared().examples.highest_root_speed


@pytest.mark.parametrize("source", [136, 114, 121, 149])
def test_walk_continues_across_a_cut_even_out_of_step(source: int) -> None:
    walk = places_of(composed(Segments(np.array([0, CUT]), np.array([20, source]), 100)), ("hips",))[:, 0, 1]
    slowest = np.diff(places_of(compass(), ("hips",))[:, 0, 1]).min()
    assert np.diff(walk).min() > 0.3 * slowest


def test_on_both_sides_of_a_loop_the_steps_are_the_same() -> None:
    steps, _ = steps_of()
    around = steps.repeated(Span(80, 20))
    for one in (around.contacts, around.heights, around.drifts, around.shares, around.crossfaded):
        assert np.array_equal(one[:40], one[80:])
        assert len(one) == 120
    assert np.array_equal(around.contacts[30:110], steps.contacts[30:110])


def test_foot_that_never_lifts_returns_after_each_round_and_others_move_on() -> None:
    movements = np.cumsum(np.ones((120, 2, 3)), axis=0)
    contacts = np.ones((120, 2), bool)
    contacts[50, 1] = False
    closed = closed_movements(movements, contacts, Span(80, 20))
    assert np.allclose(closed[100, 0], closed[20, 0])
    assert np.array_equal(closed[:, 1], movements[:, 1])
