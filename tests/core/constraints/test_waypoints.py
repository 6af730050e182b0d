# SPDX-License-Identifier: GPL-3.0-or-later
"""A root that passes waypoints: places and facings are met, the gait is kept, and impossible ones are refused."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from measures import root_path
from motions import walker, waver

from genmm_addon.core import (
    Constraints,
    Facing,
    InputError,
    Loop,
    Motion,
    PoseConstraint,
    Prepared,
    RootPath,
    Settings,
    Synthesis,
    Waypoint,
    Waypoints,
    metrics,
    prepare,
    synthesize,
)
from genmm_addon.core.constraints import highest_ground_speed, paths_between
from genmm_addon.core.constraints.constraint import Constraint
from genmm_addon.core.constraints.waypoints.reach import RouteLeg
from genmm_addon.core.constraints.waypoints.route import Route, distances_along
from genmm_addon.core.motion.root_motion import place_and_heading

pytestmark = pytest.mark.filterwarnings("error")

FRAMES = 120
TOLERANCE = 0.005
"""Largest distance from a place, in sizes of the skeleton; locked feet move the hips a little."""


@cache
def walking() -> Prepared:
    return prepare([walker(240)], settings=Settings(facing=Facing.FREE))


def through(*points: Waypoint, examples: Prepared | None = None, **more: Any) -> Synthesis:
    others: tuple[Constraint, ...] = (Waypoints(points),)
    return synthesize(examples or walking(), FRAMES, constraints=Constraints(others=others, **more), seed=1)


def pace() -> float:
    """Return the distance that the example walks in a frame."""
    return walking().examples.mean_root_speed


def facing_of(motion: Motion, frame: int) -> np.ndarray:
    turn = place_and_heading(motion, walking().root)[1][frame]
    return np.array([-np.sin(turn), np.cos(turn)])  # the biped faces along +Y


def test_the_root_is_at_each_place_at_its_frame_and_walks_as_the_example() -> None:
    length = 50 * pace()
    points = (
        Waypoint(10, (1.0, 0.0, 0.0)),
        Waypoint(60, (1.0 + length, 0.2 * length, 5.0)),
        Waypoint(110, (1.0 + 1.7 * length, -0.2 * length, 0.0)),
    )
    result = through(*points)
    motion, size = result.motion, walking().motions[0].skeleton.size
    for point in points:
        assert point.place is not None
        assert np.linalg.norm(root_path(motion)[point.frame] - point.place[:2]) < TOLERANCE * size
    assert metrics.acceleration_ratios(motion, walking().motions[0])[1] < 1.3
    assert result.notes == ()


def test_a_way_in_other_units_is_said() -> None:
    length = 80 * pace()
    for scale in (0.01, 0.3, 1.0):
        result = through(Waypoint(10, (0.0, 0.0, 0.0)), Waypoint(90, (0.0, scale * length, 0.0)))
        assert any("its units" in note for note in result.notes) == (scale < 0.1)
    for scale, arrives in ((0.01, True), (0.01, False), (100.0, False), (1.0, True), (1.0, False)):
        line = np.array([[0.0, 0.0, 0.0], [0.0, scale * FRAMES * pace(), 0.0]])
        path = Constraints(path=RootPath(line, arrives=arrives))
        notes = synthesize(walking(), FRAMES, constraints=path, seed=1).notes
        assert any("its units" in note for note in notes) == (scale != 1.0)
    long = np.array([[0.0, 0.0, 0.0], [0.0, 50.0 * FRAMES * pace(), 0.0]])
    for share in (0.02, 1.0):
        path = Constraints(path=RootPath(long, progress=np.linspace(0.5, 0.5 + share / 2, FRAMES)))
        notes = synthesize(walking(), FRAMES, constraints=path, seed=1).notes
        assert any("its units" in note for note in notes) == (share == 1.0), "only what the progress shows counts"


def test_facings_are_met_with_and_without_a_place() -> None:
    motion = through(
        Waypoint(0, (0.0, 0.0, 0.0)), Waypoint(60, facing=(1.0, 0.0, 0.0)), Waypoint(119, facing=(0.0, 1.0, 0.0))
    ).motion
    assert facing_of(motion, 60) @ (1.0, 0.0) > 0.999
    assert facing_of(motion, 119) @ (0.0, 1.0) > 0.999


def test_a_moved_waypoint_is_another_way_and_the_same_one_the_same() -> None:
    start = Waypoint(0, (0.0, 0.0, 0.0))
    there, elsewhere = (Waypoint(100, (x * pace(), 80 * pace(), 0.0)) for x in (0.0, 30.0))
    first, again, moved = through(start, there), through(start, there), through(start, elsewhere)
    assert (first.motion.translations == again.motion.translations).all()
    assert np.abs(first.motion.translations - moved.motion.translations).max() > 0.1


def test_a_pinned_place_is_a_waypoint_as_well() -> None:
    free = synthesize(walking(), FRAMES, seed=3).motion
    joints, place = np.zeros((FRAMES, len(free.skeleton.names)), bool), np.zeros(FRAMES, bool)
    joints[20], place[20] = True, True
    start = root_path(free)[20]
    there = Waypoint(90, (float(start[0]), float(start[1]) + 60 * pace(), 0.0))
    motion = through(there, poses=PoseConstraint(free, joints, place)).motion
    assert np.allclose(motion.pose()[1][20], free.pose()[1][20], atol=1e-4)
    assert np.linalg.norm(root_path(motion)[90] - start - (0.0, 60 * pace())) < 0.01


def test_who_stays_in_place_is_led_there_too() -> None:
    standing = prepare([waver(200)], settings=Settings(facing=Facing.FREE))
    drift = highest_ground_speed([waver(200)], 0, 1.0) / 30
    point = Waypoint(100, (20 * drift, 0.0, 0.0))
    motion = through(Waypoint(0, (0.0, 0.0, 0.0)), point, examples=standing).motion
    assert np.linalg.norm(root_path(motion)[100] - (20 * drift, 0.0)) < 0.01


@pytest.mark.parametrize(
    ("points", "more", "sentence"),
    [
        ((Waypoint(0, (0.0, 0.0, 0.0)), Waypoint(30, (99.0, 0.0, 0.0), name="Door")), {}, 'Out of reach.*"Door"'),
        ((Waypoint(120, (0.0, 0.0, 0.0)),), {}, "outside of the motion's 120 frames"),
        ((Waypoint(5, (0.0, 0.0, 0.0)), Waypoint(5, facing=(1.0, 0.0, 0.0))), {}, "same frame"),
        ((Waypoint(5, (np.nan, 0.0, 0.0)),), {}, "infinite or undefined location"),
        ((Waypoint(5, (0.0, 0.0, 0.0)),), {"path": RootPath(np.eye(3)[:2])}, "Both the path"),
        ((Waypoint(5, (0.0, 0.0, 0.0)),), {"loop": Loop.TRAVEL}, "A loop returns"),
    ],
)
def test_impossible_waypoints_are_rejected_with_one_sentence(
    points: tuple[Waypoint, ...], more: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        through(*points, **more)


def test_waypoint_facing_is_rejected_when_facing_is_kept() -> None:
    kept = prepare([walker(240)], settings=Settings(facing=Facing.KEEP))
    with pytest.raises(InputError, match="The character keeps its facing"):
        through(Waypoint(5, facing=(1.0, 0.0, 0.0)), examples=kept)


def test_distances_meet_the_places_and_never_go_back() -> None:
    route = Route(np.zeros((2, 3)), np.array([0.0, 3.0, 3.0, 4.0]))
    frames = np.array([10, 40, 60, 90])
    covered = np.cumsum(np.random.default_rng(2).uniform(0.5, 1.5, 100))
    along = distances_along(route, frames, covered)
    assert np.allclose(along[frames], route.lengths)
    assert np.diff(along).min() > -1e-9


def test_a_way_leads_as_asked_at_each_place_and_back_along_a_bow() -> None:
    places = np.array([[0.0, 0.0, 1.0], [2.0, 0.0, 0.0], [2.0, 0.0, 0.0], [0.0, 0.0, 0.0]])
    there, wait, back = paths_between(places, [(0.0, 1.0, 0.0), None, None, None], 1.7)
    start = there[1] - there[0]
    assert start[1] > 10 * abs(start[0])
    assert len(wait) == 2
    assert back[:, 1].max() > 0.1 and np.allclose(back[[0, -1], :2], places[2:, :2])


@pytest.mark.parametrize("unit", [1.0, 100.0])
def test_the_sentence_on_a_place_out_of_reach_is_the_same_in_centimeters(unit: float) -> None:
    leg = RouteLeg(('waypoint "Start"', 'waypoint "Door"'), 0, 60, 3.0 * unit, 0.05 * unit, 0.02 * unit)
    assert leg.sentence == (
        'Out of reach: from waypoint "Start" to waypoint "Door" the character would have to go 2.5 times as fast as '
        "the examples ever do; give it 120 frames, or move them nearer."
    )
    standing = RouteLeg(("A", "B"), 0, 60, 3.0 * unit, 0.05 * unit, 0.0)
    assert "the examples stay in place" in standing.sentence
