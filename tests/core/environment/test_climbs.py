# SPDX-License-Identifier: GPL-3.0-or-later
"""Climbs on a given way: one step for each stair, with the legs stretched, and a sentence where steps cannot fit."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from motions import styled_walks
from numpy.typing import NDArray

from genmm_addon.core import Constraints, Facing, Motion, Prepared, Settings, Synthesis, Waypoint, prepare, synthesize
from genmm_addon.core.constraints import Constraint, Labels, LabelStretch, OnGround, RootPath, Waypoints
from genmm_addon.core.environment import Surface, make_surface, standing_of
from genmm_addon.core.environment.ground.steps import step_lengths
from genmm_addon.core.examples.transition_costs import Bounds
from genmm_addon.core.motion import joint_accelerations
from genmm_addon.core.planning.segments import Segments
from genmm_addon.core.synthesis.synthesize import played

Array = NDArray[np.float64]
STAIRS = 8


@cache
def walk() -> Prepared:
    return prepare([styled_walks()["neutral"].slice(0, 200)], settings=Settings(facing=Facing.FREE))


def unit() -> float:
    """Return the length of a meter at human size."""
    return walk().motions[0].skeleton.size / 1.75


def stairs(rise: float, tread: float) -> Surface:
    """Return eight stairs along -y, the first a meter away, between level ground."""
    edges = [-30.0, *(1.0 + tread * np.arange(STAIRS)), 60.0]
    pieces = []
    for number, (first, last) in enumerate(pairwise(edges)):
        corners = [
            (side, -along, rise * number) for side, along in ((-20, first), (-20, last), (20, last), (20, first))
        ]
        pieces += [[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]]
    return make_surface(unit() * np.array(pieces, float), walk().motions[0].skeleton.up)


def way(tread: float, pace: float) -> tuple[float, int]:
    """Return the length of the way over the stairs, and its frames at a share of the examples' speed."""
    length = (2.0 + STAIRS * tread) * unit()
    return length, round(length / (pace * walk().examples.mean_root_speed))


def climbed(rise: float, tread: float = 0.45, pace: float = 0.85, by_path: bool = False) -> Synthesis:
    length, frames = way(tread, pace)
    route: Constraint
    if by_path:
        route = RootPath(np.array([[0.0, 0.0, 0.0], [0.0, -length, 0.0]]), arrives=True)
    else:
        at = (0, frames // 2, frames)
        route = Waypoints(tuple(Waypoint(frame, (0.0, -length * frame / frames, 0.0)) for frame in at))
    ground = OnGround(stairs(rise, tread))
    return synthesize(walk(), frames + 1, seed=1, constraints=Constraints(others=(route, ground)))


def floors_of_stances(motion: Motion, surface: Surface) -> Array:
    """Return the heights of the stairs on which feet stand, one after another."""
    found = []
    for foot in standing_of(walk().motions[0]).feet:
        places = surface.to_ground(motion.pose()[1][:, foot.joint])
        still = np.linalg.norm(np.diff(places, axis=0), axis=1) < 0.006 * unit()
        floors = surface.heights(places[:, :2], np.full(len(places), np.inf))
        found += [(frame, floors[frame]) for frame in np.flatnonzero(still)]
    return np.array([height for _, height in sorted(found)])


def thighs(motion: Motion) -> Array:
    """Return the angles of both thighs from the vertical, in degrees."""
    places, up = motion.pose()[1].astype(np.float64), np.array(motion.skeleton.up)
    angles = []
    for foot in standing_of(walk().motions[0]).feet:
        thigh = places[:, foot.leg[1]] - places[:, foot.leg[0]]
        angles.append(np.degrees(np.arccos(-(thigh @ up) / np.linalg.norm(thigh, axis=1))))
    return np.array(angles)


@pytest.mark.every_case
@pytest.mark.parametrize("by_path", [False, True])
@pytest.mark.parametrize("rise", [0.17, -0.17])
def test_no_step_leaves_out_a_stair_and_no_thigh_is_level(rise: float, by_path: bool) -> None:
    made = climbed(rise, by_path=by_path)
    floors = floors_of_stances(made.motion, stairs(rise, 0.45))
    assert np.abs(np.diff(floors)).max() < 1.5 * abs(rise) * unit()
    assert thighs(made.motion).max() < 80.0
    knees = [foot.leg[1] for foot in standing_of(walk().motions[0]).feet]
    assert joint_accelerations(made.motion, knees).max() < 1.2 * joint_accelerations(walk().motions[0], knees).max()
    assert not made.notes


def test_the_examples_are_played_faster_on_the_stairs_alone() -> None:
    made = climbed(0.17)
    assert made.source_rates is not None
    along = -made.motion.pose()[1][:, walk().root.joint, 1] / unit()
    on_stairs = (along > 1.5) & (along < 4.0)
    assert made.source_rates[on_stairs].min() > 1.05
    assert abs(made.source_rates[along < 0.3].mean() - 1.0) < 0.05


def test_stairs_too_small_for_the_steps_are_said() -> None:
    (note, *_) = climbed(0.15, tread=0.3, pace=1.0).notes
    assert "some steps go over two stairs; add" in note
    assert not any("two stairs" in note for note in climbed(0.15, tread=0.3, pace=0.5).notes)


def test_ground_that_fits_the_steps_changes_no_rate() -> None:
    assert climbed(0.0).source_rates is None
    assert climbed(0.05).source_rates is None


def test_a_route_beyond_the_ground_and_one_far_too_fast_are_examined_in_bounded_time() -> None:
    surface, size = stairs(0.17, 0.45), walk().motions[0].skeleton.size
    lengths = []
    for far in (100.0, 1e5):
        places = surface.to_ground(np.linspace(0.0, 1.0, 300)[:, None] * np.array([[0.0, -far, 0.0]]))[:, :2]
        lengths.append(step_lengths(surface, places, 0.0, size, size))
    near, _ = lengths
    assert near is not None and near.min() < 0.6 * size and near[-1] == size


def test_labels_hold_at_their_frames_beside_stairs() -> None:
    styles = styled_walks()
    prepared = prepare([styles["neutral"], styles["neutral"].slice(40, 200)], settings=Settings(facing=Facing.FREE))
    length, frames = way(0.45, 1.0)
    labels = Labels((("a",), ("b",)), (LabelStretch("a", 0, frames // 2), LabelStretch("b", frames // 2 + 1, frames)))
    points = tuple(Waypoint(frame, (0.0, -length * frame / frames, 0.0)) for frame in (0, frames))
    others = (labels, Waypoints(points), OnGround(stairs(0.17, 0.45)))
    made = synthesize(prepared, frames + 1, seed=1, constraints=Constraints(others=others))
    assert made.source_rates is not None and made.source_rates.max() > 1.05
    shown = made.source_examples[:, 0]
    assert (shown[: frames // 2 - 2] == 0).all() and (shown[frames // 2 + 3 :] == 1).all()


@pytest.mark.parametrize("seed", range(20))
def test_segments_played_faster_stay_in_their_examples(seed: int) -> None:
    random = np.random.default_rng(seed)
    bounds = Bounds.of_lengths(random.integers(1, 40, 6))
    segments = Segments(bounds.starts, bounds.starts, bounds.frames)
    passed = np.concatenate(([0.0], np.cumsum(random.uniform(1.0, 1.7, bounds.frames))))
    passed = passed[passed < bounds.frames - 1]
    played(segments, passed * ((bounds.frames - 1) / passed[-1]), bounds).check(bounds)
