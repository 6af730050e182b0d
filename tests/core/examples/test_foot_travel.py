# SPDX-License-Identifier: GPL-3.0-or-later
"""Travel taken from the feet of examples that walk in place; all others stay where they are."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from legged import TOED, carried, compass, marcher, places_of
from motions import RATE, build_skeleton, with_channel

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import (
    Constraints,
    Facing,
    InputError,
    Motion,
    Prepared,
    RootPath,
    Settings,
    prepare,
    synthesize,
)
from genmm_addon.core.constraints import OnGround, Waypoint, Waypoints
from genmm_addon.core.environment import make_surface
from genmm_addon.core.examples import Repetition, with_foot_travel
from genmm_addon.core.examples.cycles import unrolled
from genmm_addon.core.feet import find_feet, ground_heights, label_contacts
from genmm_addon.core.motion import find_root

LINE = np.array([[0.0, 0.0, 0.0], [0.0, 60.0, 0.0]])
FREE = Settings(facing=Facing.FREE)
FLOOR = np.array([[[-99, -99, 0], [99, -99, 0], [99, 99, 0]], [[-99, -99, 0], [99, 99, 0], [-99, 99, 0]]], np.float64)


def in_place(motion: Motion) -> Motion:
    """Return the motion without the straight travel of its hips, which keep their sway."""
    moved = motion.translations.astype(np.float64)
    share = np.linspace(0.0, 1.0, motion.frames)[:, None, None]
    moved[..., :2] -= share * (moved[-1:] - moved[:1])[..., :2]
    return with_channel(motion, "translations", moved.astype(np.float32))


@cache
def stride() -> Motion:
    """Return one stride in place."""
    return in_place(compass().slice(20, 20 + landings()[2] - landings()[0]))


def landings() -> list[int]:
    stands = contacts_of(compass())[:, 0]
    return np.flatnonzero(stands[1:] & ~stands[:-1]).tolist()


def contacts_of(motion: Motion) -> np.ndarray:
    feet = find_feet([motion])
    return label_contacts(motion, feet, ground_heights([motion], feet))


def traveling(motion: Motion, repetition: Repetition = Repetition.TAKE) -> Motion:
    return with_foot_travel(*unrolled([motion], [repetition]))[0]


def skate(motion: Motion, stands: np.ndarray) -> float:
    """Return the mean speed of standing toes along the ground, in units per second."""
    steps = np.linalg.norm(np.diff(places_of(motion)[..., :2], axis=0), axis=2) * motion.frames_per_second
    return float(steps[stands[1:] & stands[:-1]].mean())


@pytest.mark.parametrize("name", ["GenMM Walk", "GenMM Walk Tired", "GenMM Walk Proud"])
def test_a_walk_in_place_travels_as_it_did(name: str) -> None:
    walk = sample_motions(RATE)[name]
    found = traveling(in_place(walk))
    carrier = int(walk.translated[0])
    was, now = (motion.pose()[1][:, carrier].astype(np.float64) for motion in (walk, found))
    assert now[-1] - now[0] == pytest.approx(was[-1] - was[0], abs=float(0.1 * np.linalg.norm(was[-1] - was[0])))
    assert np.abs(found.rotations - walk.rotations).max() < 1e-5


def test_feet_that_slid_back_rest_on_the_ground() -> None:
    walk = compass()
    stands = contacts_of(walk)
    found = traveling(in_place(walk))
    assert skate(found, stands) < 0.1 * skate(in_place(walk), stands)


def test_each_round_of_a_cycle_travels_as_far() -> None:
    rounds, [count] = unrolled([stride()], [Repetition.CYCLE])
    found = with_foot_travel(rounds, np.array([count]))[0]
    ends = found.pose()[1][:: int(count), 0]
    steps = np.diff(ends, axis=0)
    assert len(steps) > 2 and np.abs(steps - steps[0]).max() < 1e-3 * np.abs(steps[0]).max()
    assert steps[0, 1] > 0.5


def with_swaying_spine(motion: Motion) -> Motion:
    """Return the motion with hips above one place, and a spine that its own location keys move a little."""
    hips = motion.translations.copy()
    hips[..., :2] = 0.0
    sway = np.zeros_like(hips)
    sway[:, 0, 0] = 0.02 * np.sin(np.arange(motion.frames) / 7)
    spine = motion.skeleton.names.index("spine")
    return replace(motion, translated=np.array([0, spine]), translations=np.concatenate((hips, sway), axis=1))


def test_a_spine_that_moves_more_than_the_hips_does_not_keep_the_feet_from_taking_it_along() -> None:
    walk = with_swaying_spine(compass())
    assert walk.skeleton.names[find_root([walk])] == "spine"
    stands = contacts_of(compass())
    assert skate(traveling(walk), stands) < 0.1 * skate(walk, stands)


def with_pole(motion: Motion) -> Motion:
    """Return the motion with a joint of its own before the knees, such as those at which inverse kinematics aims."""
    skeleton = build_skeleton({**TOED, "pole": ("", (0.0, 0.6, 0.5))})
    at = [motion.skeleton.names.index(name) if name in motion.skeleton.names else 0 for name in skeleton.names]
    pole, turns = skeleton.names.index("pole"), motion.rotations[:, at].copy()
    turns[:, pole] = (1.0, 0.0, 0.0, 0.0)
    moves = np.concatenate((motion.translations, np.zeros_like(motion.translations)), axis=1)
    return replace(motion, skeleton=skeleton, rotations=turns, translated=np.array([0, pole]), translations=moves)


def test_what_stands_beside_the_body_is_not_left_behind() -> None:
    walk = with_pole(in_place(compass()))
    pole = walk.skeleton.names.index("pole")
    was, now = (motion.pose()[1][:, pole] - motion.pose()[1][:, 0] for motion in (walk, traveling(walk)))
    assert np.linalg.norm(np.ptp(traveling(walk).pose()[1][:, 0], axis=0)) > 2.0
    assert np.abs(now - was).max() < 1e-4


def slid() -> Motion:
    """Return a body whose feet slide to and fro along the ground with it."""
    away = 0.3 * np.sin(2 * np.pi * np.arange(120) / RATE)
    return carried(np.stack([0 * away, away, 0 * away], axis=1))


@pytest.mark.parametrize(
    "motion",
    [
        compass(),
        marcher()[0],
        slid(),
        carried(np.zeros((90, 3))),
        sample_motions(RATE)["GenMM Wave"],
        sample_motions(RATE)["GenMM Dance"],
        in_place(compass()).slice(0, 1),
    ],
    ids=["travels", "marches", "slides", "stands", "waves", "dances", "one frame"],
)
def test_what_does_not_walk_in_place_stays_as_it_is(motion: Motion) -> None:
    assert with_foot_travel([motion], np.array([np.inf]))[0] is motion


@cache
def walk_of_a_game() -> Prepared:
    return prepare([stride()], names=["Walk"], repetitions=[Repetition.CYCLE], settings=FREE, travels=True)


@pytest.mark.parametrize(
    "directed",
    [
        Constraints(path=RootPath(LINE)),
        Constraints(others=(Waypoints((Waypoint(0, (0.0, 0.0, 0.0)), Waypoint(119, (1.0, 3.0, 0.0)))),)),
        Constraints(others=(OnGround(make_surface(FLOOR, (0.0, 0.0, 1.0))),)),
    ],
    ids=["path", "waypoints", "ground"],
)
def test_a_result_that_goes_somewhere_walks_there_and_says_so(directed: Constraints) -> None:
    result = synthesize(walk_of_a_game(), 120, constraints=directed)
    assert "Walk is in place: its travel is taken from its feet." in result.notes
    places = result.motion.pose()[1][:, 0].astype(np.float64)
    assert np.linalg.norm(places[-1] - places[0]) > 2.0
    assert skate(result.motion, contacts_of(result.motion)) < 0.1


def test_a_result_without_a_direction_stays_in_place() -> None:
    ready = prepare([stride()], repetitions=[Repetition.CYCLE])
    result = synthesize(ready, 120)
    assert ready.root.in_place and np.ptp(result.motion.pose()[1][:, 0, 1]) < 0.5
    assert not any("taken from" in note for note in result.notes)


def test_an_example_that_stands_cannot_follow_a_path_at_its_own_speed() -> None:
    ready = prepare([carried(np.zeros((90, 3)))], settings=FREE, travels=True)
    with pytest.raises(InputError, match="stay in place and cannot follow a path"):
        synthesize(ready, 60, constraints=Constraints(path=RootPath(LINE)))


def test_a_value_that_is_not_finite_is_named() -> None:
    broken = stride().translations.copy()
    broken[3] = np.nan
    with pytest.raises(InputError, match="Walk"):
        prepare([with_channel(stride(), "translations", broken)], names=["Walk"], travels=True)
