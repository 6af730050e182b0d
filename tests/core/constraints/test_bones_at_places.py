# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands and feet at places: results meet them at any place, and impossible requests are refused before computing."""

from functools import cache

import numpy as np
import pytest
from motions import styled_walks

from genmm_addon.core import (
    Constraints,
    InputError,
    Loop,
    Motion,
    Places,
    PoseConstraint,
    Prepared,
    Reach,
    RootPath,
    metrics,
    prepare,
    synthesize,
)
from genmm_addon.core.constraints import OnGround
from genmm_addon.core.environment import make_surface

FRAMES = 90
MET, ALLOWED = 1e-3, 1.2


@cache
def walks() -> Prepared:
    return prepare([styled_walks()[style] for style in ("neutral", "tired")])


def joint(name: str) -> int:
    return walks().motions[0].skeleton.names.index(name)


def at(name: str, place: tuple[float, float, float], first: int, end: int) -> Reach:
    active = np.zeros(FRAMES, bool)
    active[first:end] = True
    return Reach(joint(name), active, np.tile(np.array(place), (FRAMES, 1)), said=f"The place of {name}")


def away(motion: Motion, reach: Reach) -> float:
    there = motion.pose()[1][:, reach.joint]
    return float(np.linalg.norm(there - reach.positions, axis=1)[reach.active].max()) / motion.skeleton.size


def made(*reaches: Reach, seed: int = 0, **others: object) -> Motion:
    return synthesize(walks(), FRAMES, constraints=Constraints(others=(Places(reaches),), **others), seed=seed).motion  # type: ignore[arg-type]


@pytest.mark.parametrize("seed", range(2))
def test_a_result_meets_a_place_far_from_the_examples(seed: int) -> None:
    reach = at("Hand.R", (7.0, -3.0, 1.1), 40, 52)
    motion = made(reach, seed=seed)
    assert away(motion, reach) < MET
    assert min(metrics.acceleration_ratios(motion, walk)[1] for walk in walks().motions) <= ALLOWED


def test_a_place_that_is_met_later_leads_the_result_near_it_and_bends_nothing() -> None:
    reach = at("Hand.R", (7.0, -3.0, 1.1), 40, 52)
    later = Constraints(others=(Places((reach,), met_later=True),))
    motion, met = synthesize(walks(), FRAMES, constraints=later, seed=0).motion, made(reach)
    assert MET < away(motion, reach) < 0.4
    assert np.array_equal(motion.rotations[0], met.rotations[0])
    assert not np.array_equal(motion.rotations[45], met.rotations[45])


def test_a_place_above_ground_that_lies_higher_is_met_as_on_level_ground() -> None:
    high = 4.0
    corners = np.array([(-99.0, -99.0, high), (99.0, -99.0, high), (99.0, 99.0, high), (-99.0, 99.0, high)])
    reach = at("Hand.R", (7.0, -3.0, 1.1), 40, 52)
    raised = at("Hand.R", (7.0, -3.0, 1.1 + high), 40, 52)
    with pytest.raises(InputError, match="higher than the character reaches"):
        made(raised)
    surface = make_surface(corners[[[0, 1, 2], [0, 2, 3]]], (0.0, 0.0, 1.0))
    others = Constraints(others=(OnGround(surface), Places((raised,), ground=surface)))
    motion, level = synthesize(walks(), FRAMES, constraints=others, seed=0).motion, made(reach)
    assert away(motion, raised) < MET
    apart = motion.pose()[1] - level.pose()[1] - (0.0, 0.0, high)
    assert np.abs(apart).max() < 0.05 * motion.skeleton.size


def test_a_place_beside_a_path_that_climbs_is_met_high_above_where_it_begins() -> None:
    path = RootPath(np.linspace((0.0, 0.0, 0.0), (0.0, -6.0, 9.0), 200), climbs=True)
    middle = synthesize(walks(), FRAMES, constraints=Constraints(path=path), seed=0).motion
    hand = middle.pose()[1][80, joint("Hand.R")]
    assert hand[2] > 2.5
    reach = at("Hand.R", (float(hand[0]), float(hand[1]), float(hand[2]) + 0.1), 78, 82)
    assert away(made(reach, path=path), reach) < MET


def test_the_same_seed_meets_it_in_the_same_way() -> None:
    reach = at("Hand.L", (0.0, 0.0, 1.2), 30, 40)
    assert np.array_equal(made(reach).rotations, made(reach).rotations)


@pytest.mark.every_case
@pytest.mark.parametrize(
    ("reaches", "sentence"),
    [
        ((at("Hand.R", (0.0, 0.0, 4.0), 10, 20),), "higher than the character reaches"),
        ((at("Hand.R", (0, 0, 1), 10, 20), at("Hand.L", (9, 0, 1), 10, 20)), "too far from each other"),
        ((at("Hand.R", (0, 0, 1), 10, 20), at("Hand.R", (0, 0.1, 1), 19, 30)), "too far from each other at frame 20"),
        ((at("Hand.R", (0, 0, 1), 10, 50), at("Foot.L", (2.0, 0, 0.2), 10, 50)), "(out of reach|too far from)"),
    ],
)
def test_unreachable_place_is_rejected_with_the_distance(reaches: tuple[Reach, ...], sentence: str) -> None:
    with pytest.raises(InputError, match=rf"{sentence}.*move") as raised:
        made(*reaches)
    assert "%" in str(raised.value) and "frame" in str(raised.value)


def test_a_loop_and_a_pose_of_the_same_limb_are_refused() -> None:
    reach = at("Hand.R", (0.0, 0.0, 1.1), 10, 20)
    with pytest.raises(InputError, match="cycle"):
        made(reach, loop=Loop.TRAVEL)
    motion = walks().motions[0].slice(0, FRAMES)
    poses = np.zeros((FRAMES, len(motion.skeleton.names)), bool)
    poses[15] = True
    with pytest.raises(InputError, match="move one of them"):
        made(reach, poses=PoseConstraint(motion, poses, np.zeros(FRAMES, bool)))


def test_a_place_of_another_length_is_refused() -> None:
    with pytest.raises(InputError, match="make them the same"):
        made(Reach(0, np.ones(5, bool), np.zeros((5, 3))))
