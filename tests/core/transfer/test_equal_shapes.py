# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons of one shape in other axes, sizes and names: each joint is found, whatever the body is."""

from dataclasses import replace

import numpy as np
import pytest
from motions import Joints, build_skeleton
from test_matching import DOG, HUMAN, anonymous, in_other_axes, swinging

from genmm_addon.core import Skeleton, rotations
from genmm_addon.core.transfer import bring, match_joints, moved_joints
from genmm_addon.core.transfer.matching.equal_shapes import equal_joints

SNAKE: Joints = {f"part {n}": (f"part {n - 1}" if n else "", (0.0, 0.1 * n + 0.01 * n**2, 0.0)) for n in range(9)}
BODIES = {"human": HUMAN, "dog": DOG, "snake": SNAKE}


def renamed(skeleton: Skeleton, seed: int) -> tuple[Skeleton, dict[str, str]]:
    """Return the skeleton in other axes and size with meaningless names, and the name of each former one."""
    random = np.random.default_rng(seed)
    target, former = anonymous(in_other_axes(skeleton, random)[0], random)
    return target, {name: joint for joint, name in former.items()}


@pytest.mark.parametrize("body", BODIES)
def test_every_joint_of_an_equal_shape_is_found_and_its_motion_stays_as_it_is(body: str) -> None:
    motion = swinging(build_skeleton(BODIES[body]))
    for seed in range(5):
        target, names = renamed(motion.skeleton, seed)
        pairs = match_joints(motion.skeleton, target, motions=[motion]).names
        assert pairs == names
        moved = np.array(sorted(moved_joints(motion, target, pairs)))
        bones = [(j, int(p)) for j, p in enumerate(motion.skeleton.parents) if p >= 0]
        angles = []
        for each in (motion, bring(motion, target, pairs, moved)):
            own = [names[name] for name in motion.skeleton.names] if each is not motion else motion.skeleton.names
            places = each.pose()[1][:, [each.skeleton.names.index(name) for name in own]].astype(np.float64)
            lines = np.stack([places[:, j] - places[:, p] for j, p in bones], axis=1)
            lines /= np.linalg.norm(lines, axis=2, keepdims=True)
            angles.append(np.einsum("tac,tbc->tab", lines, lines))
        assert np.abs(angles[0] - angles[1]).max() < 0.02


def test_joints_in_one_place_are_told_by_what_they_carry() -> None:
    joints = {**HUMAN, "helper": ("hips", HUMAN["hips"][1]), "pivot": ("chest", HUMAN["chest"][1])}
    joints["rib"] = "pivot", (0.0, -0.1, 1.3)
    skeleton = build_skeleton(joints)
    target, names = renamed(skeleton, 1)
    assert match_joints(skeleton, target).names == names


def test_joints_in_one_place_are_told_by_where_what_they_carry_is() -> None:
    twins: Joints = {name: ("hips", HUMAN["hips"][1]) for name in ("pouch", "sheath")}
    ends: Joints = {"coin": ("pouch", (0.2, 0.0, 0.9)), "sword": ("sheath", (-0.2, 0.1, 0.8))}
    backward: Joints = dict(reversed(list(twins.items())))
    source, target = (build_skeleton({**HUMAN, **each, **ends}) for each in (twins, backward))
    pairs = equal_joints(source, target)
    assert pairs is not None
    assert all(source.names[joint] == target.names[other] for joint, other in pairs.items())


def test_other_shapes_and_mirrored_ones_are_not_equal() -> None:
    skeleton = build_skeleton(HUMAN)
    lengths = np.array([[1.1 if name == "shin.L" else 1.0] for name in skeleton.names])
    assert equal_joints(skeleton, replace(skeleton, rest_translations=lengths * skeleton.rest_translations)) is None
    aside = build_skeleton({**HUMAN, "tuft": ("head", (0.1, 0.0, 1.7))})
    other = build_skeleton({**HUMAN, "tuft": ("head", (-0.1, 0.0, 1.7))})
    assert equal_joints(aside, other) is None
    assert equal_joints(aside, build_skeleton(HUMAN)) is None


def test_names_that_say_otherwise_count() -> None:
    skeleton = build_skeleton(SNAKE)
    names = tuple(f"part {8 - n}" for n in range(9))
    assert match_joints(skeleton, replace(skeleton, names=names)).names == {name: name for name in names}


def test_a_snake_without_sides_keeps_its_heading_to_its_body() -> None:
    motion = swinging(build_skeleton(SNAKE))
    heading = rotations.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.array(1.2))
    rests = motion.skeleton.rest_rotations.copy()
    rests[0] = rotations.multiply(heading, rests[0])
    target = replace(motion.skeleton, rest_rotations=rests)
    places = motion.pose()[1].astype(np.float64)
    brought = bring(motion, target, {name: name for name in SNAKE}, np.array([0]))
    arrived = brought.pose()[1].astype(np.float64)
    np.testing.assert_allclose(
        rotations.rotate(heading, places[:, -1] - places[:, 0]), arrived[:, -1] - arrived[:, 0], atol=0.02
    )
