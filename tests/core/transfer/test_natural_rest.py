# SPDX-License-Identifier: GPL-3.0-or-later
"""Files whose bones are in one line at rest: their motion is transferred without limbs twisted about themselves."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from motions import BIPED, Array, build_skeleton

from genmm_addon.core import Motion, Skeleton, rotations
from genmm_addon.core.transfer import match_names, needs_target_pose, retarget, usual_pose

FEET = {"toe.L": ("foot.L", (0.1, 0.16, 0.02)), "toe.R": ("foot.R", (-0.1, 0.16, 0.02))}
SKELETON = build_skeleton({**BIPED, **FEET})
MIRROR = np.diag([-1.0, 1.0, 1.0])
FRAMES = 40
Axes = Callable[[Skeleton, np.random.Generator], Array]
TURNED = 35.0
"""Largest error of a joint relative to its parent, in degrees; the usual pose differs from the rest pose by as much."""


def moving(seed: int) -> Motion:
    """Return a motion in which every joint rotates by about 10 degrees about all axes."""
    random, time = np.random.default_rng(seed), np.arange(FRAMES) / 30
    joints = len(SKELETON.names)
    phases, sizes = random.uniform(0, 6, (joints, 3)), random.uniform(0.05, 0.2, (joints, 3))
    vectors = sizes * np.sin(3 * time[:, None, None] + phases)
    turns = rotations.from_vector(vectors)
    return Motion(SKELETON, 30.0, turns.astype(np.float32), np.array([0]), np.zeros((FRAMES, 1, 3), np.float32))


def mirrored_axes(skeleton: Skeleton, _: np.random.Generator) -> Array:
    """Return rest axes `(J, 3, 3)` of joints, X along trunk, legs and feet, and mirrored on the right side."""
    trunk = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    leg = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])
    foot, toe = (skeleton.rest_positions[skeleton.names.index(f"{end}.L")] for end in ("foot", "toe"))
    bent = rotations.to_matrix(rotations.shortest_turn(np.array([0.0, 0.0, -1.0]), toe - foot)) @ leg
    own = {"thigh": leg, "shin": leg, "foot": bent, "toe": bent, "spine": trunk, "chest": trunk, "neck": trunk}
    found = np.array([own.get(name.split(".")[0], np.eye(3)) for name in skeleton.names])
    right = [name.endswith(".R") for name in skeleton.names]
    found[right] = -MIRROR @ found[right]
    return found


def rolled_axes(skeleton: Skeleton, random: np.random.Generator) -> Array:
    """Return rest axes `(J, 3, 3)` of joints, with Y along each bone and a random rotation about it."""
    found = np.tile(np.eye(3), (len(skeleton.names), 1, 1))
    for joint in range(len(skeleton.names)):
        below = np.flatnonzero(skeleton.parents == joint)
        if len(below):
            bone = skeleton.rest_positions[below[-1]] - skeleton.rest_positions[joint]
            roll = rotations.from_vector(np.array([0.0, random.uniform(-3.0, 3.0), 0.0]))
            along = rotations.shortest_turn(np.array([0.0, 1.0, 0.0]), bone)
            found[joint] = rotations.to_matrix(rotations.multiply(along, roll))
    return found


def laid_in_line(motion: Motion, axes: Array) -> Motion:
    """Return the same motion in a file with these axes, without rest rotations; joints keep their positions."""
    skeleton = motion.skeleton
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


def onto_body(motion: Motion, pose: Array | None = None) -> Motion:
    pairs = match_names(motion.skeleton.names, SKELETON.names)
    return retarget(motion, SKELETON, pairs, motion.translated, natural_pose=pose)


@pytest.mark.parametrize("axes", [mirrored_axes, rolled_axes])
@pytest.mark.parametrize("seed", range(5))
def test_joints_are_not_twisted_by_any_rest_axes_in_line(axes: Axes, seed: int) -> None:
    motion = moving(seed)
    flat = laid_in_line(motion, axes(SKELETON, np.random.default_rng(seed)))
    assert np.abs(flat.pose()[1] - motion.pose()[1]).max() < 1e-5
    arrived = onto_body(flat)
    # The hips move as in the file, whose left at rest may be any direction.
    away = rotations.angle_between(arrived.rotations.astype(np.float64), motion.rotations.astype(np.float64))[:, 1:]
    worst = dict(zip(SKELETON.names[1:], np.degrees(away.max(axis=0)).round(1).tolist(), strict=True))
    assert max(worst.values()) < TURNED, worst
    assert np.array_equal(arrived.rotations, onto_body(flat, usual_pose([flat])).rotations)


def test_clips_told_from_one_pose_are_brought_over_as_they_are_in_one_piece() -> None:
    flat = laid_in_line(moving(0), rolled_axes(SKELETON, np.random.default_rng(0)))
    pose = usual_pose([flat.slice(0, 15), flat.slice(15, FRAMES)])
    whole, piece = onto_body(flat, pose), onto_body(flat.slice(15, FRAMES), pose)
    assert np.degrees(rotations.angle_between(whole.rotations[15:], piece.rotations)).max() < 0.1


def test_bodies_that_rest_as_bodies_do_need_no_pose() -> None:
    motion = moving(0)
    other = usual_pose([moving(1)])
    assert np.array_equal(onto_body(motion).rotations, onto_body(motion, other).rotations)


@pytest.mark.parametrize("axes", [mirrored_axes, rolled_axes])
@pytest.mark.parametrize("seed", range(5))
def test_motion_of_another_body_arrives_as_if_recorded_on_the_body_in_line(axes: Axes, seed: int) -> None:
    own, other = moving(seed), moving(seed + 100)
    mine = axes(SKELETON, np.random.default_rng(seed))
    flat, wanted = laid_in_line(own, mine), laid_in_line(other, mine)
    pairs = match_names(SKELETON.names, SKELETON.names)
    arrived = retarget(other, flat.skeleton, pairs, flat.translated, target_pose=usual_pose([flat]))
    assert arrived.skeleton is flat.skeleton
    away = rotations.angle_between(arrived.rotations.astype(np.float64), wanted.rotations.astype(np.float64))[:, 1:]
    worst = dict(zip(SKELETON.names[1:], np.degrees(away.max(axis=0)).round(1).tolist(), strict=True))
    assert max(worst.values()) < TURNED, worst


@pytest.mark.parametrize("seed", range(5))
def test_two_files_with_other_axes_in_line_agree_by_their_motions(seed: int) -> None:
    own, other = moving(seed), moving(seed + 100)
    mine, theirs = (axes(SKELETON, np.random.default_rng(seed)) for axes in (mirrored_axes, rolled_axes))
    flat, wanted = laid_in_line(own, mine), laid_in_line(other, mine)
    pairs = match_names(SKELETON.names, SKELETON.names)
    source = laid_in_line(other, theirs)
    arrived = retarget(source, flat.skeleton, pairs, flat.translated, target_pose=usual_pose([flat]))
    away = rotations.angle_between(arrived.rotations.astype(np.float64), wanted.rotations.astype(np.float64))[:, 1:]
    worst = dict(zip(SKELETON.names[1:], np.degrees(away.max(axis=0)).round(1).tolist(), strict=True))
    assert max(worst.values()) < TURNED, worst


def test_a_file_of_the_same_kind_comes_over_as_it_is() -> None:
    own, other = moving(0), moving(1)
    mine = rolled_axes(SKELETON, np.random.default_rng(0))
    flat, wanted = laid_in_line(own, mine), laid_in_line(other, mine)
    pairs = match_names(SKELETON.names, SKELETON.names)
    arrived = retarget(wanted, flat.skeleton, pairs, flat.translated, target_pose=usual_pose([flat]))
    assert np.array_equal(arrived.rotations, retarget(wanted, flat.skeleton, pairs, flat.translated).rotations)
    assert np.degrees(rotations.angle_between(arrived.rotations, wanted.rotations)).max() < 0.1


def below_a_top(motion: Motion, hips: tuple[float, float, float], longer: float = 1.0) -> Motion:
    """Return the motion with a joint above the hips, which rest at `hips`; all bones are `longer` times as long."""
    body = motion.skeleton
    offsets = body.rest_translations * longer
    offsets[0] = hips
    skeleton = replace(
        body,
        names=("reference", *body.names),
        parents=np.concatenate(([-1], body.parents + 1)),
        rest_rotations=np.concatenate(([[1.0, 0.0, 0.0, 0.0]], body.rest_rotations)),
        rest_translations=np.concatenate((np.zeros((1, 3)), offsets)),
    )
    still = np.tile(np.array([1.0, 0.0, 0.0, 0.0], np.float32), (motion.frames, 1, 1))
    turned = np.concatenate((still, motion.rotations), axis=1)
    return Motion(
        skeleton, motion.frames_per_second, turned, np.array([1]), np.zeros((motion.frames, 1, 3), np.float32)
    )


@pytest.mark.parametrize("longer", [1.0, 1.1])
def test_files_of_one_kind_with_different_hip_rest_poses_keep_their_rotations(longer: float) -> None:
    mine = rolled_axes(SKELETON, np.random.default_rng(0))
    flat = below_a_top(laid_in_line(moving(0), mine), (0.0, 1.0, 0.3))
    other = below_a_top(laid_in_line(moving(1), mine), (3.0, 0.9, -2.0), longer)
    pairs = match_names(flat.skeleton.names, flat.skeleton.names)
    assert not needs_target_pose(other.skeleton, flat.skeleton, pairs)
    arrived = retarget(other, flat.skeleton, pairs, flat.translated, target_pose=usual_pose([flat]))
    assert np.degrees(rotations.angle_between(arrived.rotations, other.rotations)).max() < 0.1


def test_ordinary_rest_pose_needs_no_usual_pose() -> None:
    motion, pairs = moving(0), match_names(SKELETON.names, SKELETON.names)
    other = usual_pose([moving(1)])
    plain, posed = (retarget(motion, SKELETON, pairs, motion.translated, target_pose=pose) for pose in (None, other))
    assert np.array_equal(plain.rotations, posed.rotations)


def with_a_twist(skeleton: Skeleton) -> Skeleton:
    """Return the skeleton with a bone for the twist of a shin, which begins at the shin's head."""
    shin = skeleton.names.index("shin.L")
    return replace(
        skeleton,
        names=(*skeleton.names, "shin_twist.L"),
        parents=np.append(skeleton.parents, shin),
        rest_rotations=np.concatenate((skeleton.rest_rotations, [[1.0, 0.0, 0.0, 0.0]])),
        rest_translations=np.concatenate((skeleton.rest_translations, np.zeros((1, 3)))),
    )


def test_a_bone_without_length_does_not_make_two_bodies_of_one_kind_of_file_differ() -> None:
    flat = laid_in_line(moving(0), mirrored_axes(SKELETON, np.random.default_rng(0))).skeleton
    larger = replace(flat, rest_translations=1.3 * flat.rest_translations)
    names = {name: name for name in (*flat.names, "shin_twist.L")}
    assert not needs_target_pose(flat, larger, names)
    assert not needs_target_pose(with_a_twist(flat), with_a_twist(larger), names)
    assert needs_target_pose(SKELETON, flat, names)
