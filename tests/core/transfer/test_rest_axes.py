# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons whose bones lie in one line at rest, the right side's axes mirrored: no limb is turned about itself."""

from dataclasses import replace

import numpy as np
import pytest
from motions import BIPED, Array, build_skeleton

from genmm_addon.core import Motion, Skeleton, rotations
from genmm_addon.core.transfer import match_names, retarget
from genmm_addon.core.transfer.rest_axes import mirrored_sides
from genmm_addon.core.transfer.retarget import _matched

FEET = {"toe.L": ("foot.L", (0.1, 0.16, 0.02)), "toe.R": ("foot.R", (-0.1, 0.16, 0.02))}
SKELETON = build_skeleton({**BIPED, **FEET})
MIRROR = np.diag([-1.0, 1.0, 1.0])
FRAMES = 40


def moving(seed: int) -> Motion:
    """A motion in which every joint turns, by some 20 degrees about all axes."""
    random, time = np.random.default_rng(seed), np.arange(FRAMES) / 30
    joints = len(SKELETON.names)
    phases, sizes = random.uniform(0, 6, (joints, 3)), random.uniform(0.1, 0.4, (joints, 3))
    vectors = sizes * np.sin(3 * time[:, None, None] + phases)
    turns = rotations.from_vector(vectors)
    return Motion(SKELETON, 30.0, turns.astype(np.float32), np.array([0]), np.zeros((FRAMES, 1, 3), np.float32))


def axes_in_line(skeleton: Skeleton) -> Array:
    """The axes `(J, 3, 3)` that such a file's joints have in the rest pose of a skeleton: X along legs and feet."""
    down = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    found = np.tile(np.eye(3), (len(skeleton.names), 1, 1))
    for joint, name in enumerate(skeleton.names):
        bone, side = name.split(".")[0], name[-1]
        if bone in ("thigh", "shin", "foot", "toe"):
            found[joint] = down
        if bone in ("foot", "toe"):
            # Bent at the ankle, which the file's rest is not.
            foot, toe = (skeleton.rest_positions[skeleton.names.index(f"{end}.L")] for end in ("foot", "toe"))
            found[joint] = rotations.to_matrix(rotations.shortest_turn(np.array([0.0, 0.0, -1.0]), toe - foot)) @ down
        if side == "R" and "." in name:
            found[joint] = -MIRROR @ found[joint]
    return found


def laid_in_line(motion: Motion) -> Motion:
    """The same motion of a file that has axes in line: all joints at the same places."""
    skeleton, axes = motion.skeleton, axes_in_line(motion.skeleton)
    parents = skeleton.parents
    offsets = skeleton.rest_positions - skeleton.rest_positions[np.maximum(parents, 0)]
    offsets[0] = skeleton.rest_positions[0]
    above = np.concatenate((np.eye(3)[None], axes[parents[1:]]))
    flat = replace(
        skeleton,
        rest_rotations=np.tile([1.0, 0.0, 0.0, 0.0], (len(parents), 1)),
        rest_translations=np.einsum("jba,jb->ja", above, offsets),
    )
    world = motion.pose()[0][..., :3, :3].astype(np.float64)
    rest = rotations.to_matrix(_rest_orientations(skeleton))
    turned = world @ np.swapaxes(rest, 1, 2) @ axes
    beside = np.concatenate((turned[:, :1], np.swapaxes(turned[:, parents[1:]], 2, 3) @ turned[:, 1:]), axis=1)
    return replace(motion, skeleton=flat, rotations=rotations.from_matrix(beside).astype(np.float32))


def _rest_orientations(skeleton: Skeleton) -> Array:
    found = np.array(skeleton.rest_rotations, np.float64)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            found[joint] = rotations.multiply(found[parent], found[joint])
    return found


@pytest.mark.parametrize("seed", range(3))
def test_each_joint_turns_as_it_did_before_its_axes_were_laid_in_line(seed: int) -> None:
    motion = moving(seed)
    flat = laid_in_line(motion)
    assert np.abs(flat.pose()[1] - motion.pose()[1]).max() < 1e-5
    arrived = retarget(flat, SKELETON, match_names(flat.skeleton.names, SKELETON.names), motion.translated)
    away = rotations.angle_between(arrived.rotations.astype(np.float64), motion.rotations.astype(np.float64))
    worst = dict(zip(SKELETON.names, np.degrees(away.max(axis=0)).round(1).tolist(), strict=True))
    assert max(worst.values()) < 1.0, worst


def test_bodies_that_rest_as_bodies_do_are_left_as_they_are() -> None:
    flat = laid_in_line(moving(0)).skeleton
    below = {joint: joint + 1 for joint, name in enumerate(SKELETON.names) if name.split(".")[0] in ("thigh", "shin")}
    pairs = match_names(SKELETON.names, SKELETON.names)
    both = _matched(SKELETON, SKELETON, pairs)
    assert mirrored_sides(SKELETON, SKELETON, both, below) == {}
    assert mirrored_sides(flat, flat, both, below) == {}
    found = mirrored_sides(flat, SKELETON, both, below)
    assert {SKELETON.names[right]: SKELETON.names[left] for right, left in found.items()} == {
        name: f"{name[:-1]}L" for name in SKELETON.names if name.endswith(".R")
    }
