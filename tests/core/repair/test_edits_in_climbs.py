# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions that climb stairs and slopes: feet are found, clean ones have no flaws, and edits are as calm as ever."""

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import Constraints, InputError, Motion, PoseConstraint, prepare, synthesize
from genmm_addon.core.constraints import OnGround, put_between_poses
from genmm_addon.core.constraints.pose_targets import heights_above_ground, pose_targets
from genmm_addon.core.environment import Surface, make_surface
from genmm_addon.core.environment import standing_of as standing_on_ground
from genmm_addon.core.examples import locomotion_set
from genmm_addon.core.features.features import FeatureKind
from genmm_addon.core.feet import find_feet, label_contacts, move_root, standing_of
from genmm_addon.core.infill import fill_gap
from genmm_addon.core.library import index_motions
from genmm_addon.core.motion import Gap, encode_root, joined, joint_accelerations
from genmm_addon.core.motion.climbing import climbs
from genmm_addon.core.repair import FlawKind, find_flaws, repair

RATE, FRAMES, LEVEL = 30.0, 260, 40
"""Frames per second of the walk, its frames, and those of its level beginning that are left out."""
GROUNDS = ("stairs up", "stairs down", "slope up", "slope down")


@cache
def level_walk() -> Motion:
    return synthesize(prepare([sample_motions(RATE)["GenMM Walk"]]), FRAMES, seed=0).motion


def ground(name: str) -> Surface:
    """Return stairs of 15 cm, or a slope of one in four, that begin a meter ahead of the walk."""
    sign = 1.0 if name.endswith("up") else -1.0
    if name.startswith("stairs"):
        edges = [-9.0, *(1.0 + 0.45 * np.arange(40))]
        heights = [(0.15 * sign * number,) * 2 for number in range(len(edges) - 1)]
    else:
        edges, heights = [-9.0, 1.0, 19.0], [(0.0, 0.0), (0.0, 4.5 * sign)]
    faces = []
    for (near, far), (low, high) in zip(pairwise(edges), heights, strict=True):
        corners = [(-9.0, -near, low), (9.0, -near, low), (9.0, -far, high), (-9.0, -far, high)]
        faces += [[corners[0], corners[1], corners[2]], [corners[0], corners[2], corners[3]]]
    return make_surface(np.array(faces), level_walk().skeleton.up)


@cache
def climb(name: str) -> Motion:
    """Return the walk on a ground, from where it climbs."""
    prepared = prepare([sample_motions(RATE)["GenMM Walk"]])
    on_ground = Constraints(others=(OnGround(ground(name)),))
    return synthesize(prepared, FRAMES, constraints=on_ground, seed=0).motion.slice(LEVEL, FRAMES)


def quickest(motion: Motion, like: Motion) -> float:
    """Return the highest acceleration of a joint, as a share of its own in another motion."""
    usual = joint_accelerations(like).max(axis=0)
    return float((joint_accelerations(motion).max(axis=0) / np.maximum(usual, usual.max() / 4)).max())


@pytest.mark.parametrize("name", GROUNDS)
def test_feet_of_a_climb_and_their_contacts_are_those_of_the_level_walk(name: str) -> None:
    walk, motion = level_walk(), climb(name)
    assert climbs(motion, standing_of(walk).plan)
    assert [foot.joint for foot in find_feet([motion])] == [foot.joint for foot in find_feet([walk])]
    level, here = standing_of(walk), standing_of(motion)
    expected = label_contacts(walk, level.feet, level.ground)[LEVEL:]
    contacts = label_contacts(motion, here.feet, here.ground)
    assert (contacts == expected).mean() > 0.9
    assert label_contacts(motion.slice(100, 130), here.feet, here.ground, climbs=True).mean(axis=0).min() > 0.3


@pytest.mark.parametrize("name", GROUNDS)
def test_a_clean_climb_has_no_flaws_of_weight_or_feet(name: str) -> None:
    found = find_flaws(climb(name), standing_of(climb(name)))
    assert {flaw.kind for flaw in found} <= {FlawKind.PENETRATION, FlawKind.JITTER}


def test_a_foot_that_slides_on_stairs_is_found_and_stands_again() -> None:
    motion = climb("stairs up")
    standing = standing_of(motion)
    feet, up = [foot.joint for foot in standing.feet], np.array(motion.skeleton.up)
    # The whole body drifts aside, and so do feet that stand.
    drifting = move_root(motion, standing.plan.joint, np.linspace(0.0, 0.8, motion.frames)[:, None] * [1.0, 0.0, 0.0])
    flaws = [flaw for flaw in find_flaws(drifting, standing_of(drifting)) if flaw.kind is FlawKind.SLIDE]
    assert len(flaws) >= 4
    made = repair(drifting, flaws, standing_of(drifting))
    stands = label_contacts(motion, standing.feet, standing.ground)

    def slid(one: Motion) -> float:
        steps = np.diff(one.pose()[1][:, feet], axis=0)
        return float(np.linalg.norm(steps - (steps @ up)[..., None] * up, axis=2)[stands[1:] & stands[:-1]].mean())

    assert slid(made) < 0.7 * slid(drifting)
    assert quickest(made, motion) < 1.2


@pytest.mark.parametrize("name", GROUNDS)
def test_a_gap_in_a_climb_is_filled_calmly_from_the_rest_of_it(name: str) -> None:
    motion = climb(name)
    for first, last in ((80, 110), (90, 130), (110, 170)):
        before, after = motion.slice(0, first + 1), motion.slice(last, motion.frames)
        filling = fill_gap(index_motions([before, after]), Gap(before, after), last - first)[0].motion
        made = joined([before, filling.slice(1, filling.frames - 1), after])
        assert quickest(made, motion) < 1.2
        root = find_root_heights(made) - find_root_heights(motion)
        assert np.abs(root).max() < 0.15


def find_root_heights(motion: Motion) -> np.ndarray:
    return np.asarray(encode_root(motion, standing_of(level_walk()).plan).offset[:, 0] @ np.array(motion.skeleton.up))


def test_a_pose_of_an_example_is_as_high_above_the_ground_as_there() -> None:
    """Stairs and slopes are one even ramp to the examples, below or above which a foot may stand."""
    motion, frames = climb("stairs up"), [20, 75, 130]
    prepared = prepare([motion])
    pinned = PoseConstraint.at(motion, FRAMES, {frame: frame for frame in frames}, place=True)
    features, motions = prepared.planning.features, prepared.motions
    targets = pose_targets(
        features, prepared.root, pinned, heights_above_ground(pinned, motions, features, prepared.root)
    )
    columns = features.kinds == FeatureKind.POSE
    assert np.abs(targets.rows[frames][:, columns] - features.rows[frames][:, columns]).max() < 1e-3


def test_a_locomotion_set_leaves_climbs_out_and_says_so() -> None:
    with_climb = locomotion_set([climb("slope up"), level_walk()])
    assert "example 1, which climbs" in with_climb.missing[0]
    alone = locomotion_set([level_walk()])
    assert [move.label for move in with_climb.moves] == [move.label for move in alone.moves]
    assert {move.example for move in with_climb.moves} == {1}
    with pytest.raises(InputError, match="climb"):
        locomotion_set([climb("slope up")])


def test_feet_of_motion_that_climbs_are_not_put_on_a_ground_once_more() -> None:
    motion, surface = climb("stairs up"), ground("stairs up")
    with pytest.raises(InputError, match="climbs already"):
        put_between_poses(motion, surface, standing_on_ground(motion), standing_of(motion).plan.joint, [], 1.0)
