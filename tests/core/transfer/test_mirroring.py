# SPDX-License-Identifier: GPL-3.0-or-later
"""Left and right exchanged: the symmetry that is found, and motions mirrored by it."""

from dataclasses import replace

import numpy as np
import pytest
from legged import CRAB, ELEPHANT, HOUND, TOED, compass, crab, still
from motions import (
    BIPED,
    FORWARD,
    RATE,
    UPWARD,
    Array,
    Joints,
    MotionMaker,
    build_skeleton,
    in_other_units,
    turn,
    turned_and_moved,
    under_a_static_top,
    walker,
    waver,
    whirler,
    with_foot_controls,
    with_scales_and_scalars,
)

from genmm_addon.core import Motion, Skeleton, rotations
from genmm_addon.core.feet.contact_detection import feet_by_name, ground_heights, label_contacts
from genmm_addon.core.motion.root_motion import place_and_heading, plan_root
from genmm_addon.core.settings import Facing
from genmm_addon.core.transfer import Symmetry, find_symmetry, mirror
from genmm_addon.core.transfer.mirroring.side_names import other_side

TOLERANCE = 2e-5
"""Largest error in sizes of the skeleton: motions are float32, and limbs add up their joints' rounding."""
SIDES = str.maketrans("LR", "RL")
WALKING_LIBRARY = [walker, waver, whirler, with_foot_controls, under_a_static_top, with_scales_and_scalars, compass]


def symmetry_of(motion: Motion) -> Symmetry:
    found = find_symmetry([motion])
    assert found is not None
    return found


def partners(motion: Motion) -> dict[str, str]:
    names = motion.skeleton.names
    return {name: names[other] for name, other in zip(names, symmetry_of(motion).partners, strict=True)}


def reflected(positions: Array, left: Array, center: Array) -> Array:
    """Return positions `(..., 3)` reflected across the upright plane through `center` with `left` to its side."""
    normal = left * [1, 1, 0] / np.linalg.norm(left[:2])
    return np.asarray(positions - 2.0 * ((positions - center) @ normal)[..., None] * normal)


def nameless(motion: Motion) -> Motion:
    called = tuple(f"joint {number}" for number in range(len(motion.skeleton.names)))
    return replace(motion, skeleton=replace(motion.skeleton, names=called))


def posed_at_rest_nowhere(motion: Motion) -> Motion:
    """Return the motion with an implausible rest pose, in which all joints' axes are equal.

    Axes of the right side are those of the left reflected and reversed, as recording programs write them.
    """
    rest = motion.skeleton
    axes = np.empty((len(rest.names), 3, 3))
    order = np.eye(3)[[2, 0, 1]]  # an axis along the bone, one to the left, one ahead
    for joint, name in enumerate(rest.names):
        axes[joint] = order if joint % 2 else order[:, [1, 2, 0]]
        if name.endswith(".R"):
            left = axes[rest.names.index(name[:-1] + "L")]
            axes[joint] = np.diag([-1.0, 1.0, 1.0]) @ left @ -np.eye(3)
    matrices, positions = motion.pose()
    at_rest = _rest_matrices(rest)
    posed = matrices.astype(np.float64) @ at_rest.transpose(0, 2, 1) @ axes
    local, offsets = posed.copy(), rest.rest_positions.copy()
    for joint, parent in enumerate(rest.parents):
        if parent >= 0:
            local[:, joint] = posed[:, parent].transpose(0, 2, 1) @ posed[:, joint]
            offsets[joint] = axes[parent].T @ (rest.rest_positions[joint] - rest.rest_positions[parent])
    skeleton = replace(rest, rest_rotations=np.tile([1.0, 0, 0, 0], (len(axes), 1)), rest_translations=offsets)
    path = positions[:, :1] - offsets[0]
    turned = rotations.make_continuous(rotations.from_matrix(local)).astype(np.float32)
    return Motion(skeleton, motion.frames_per_second, turned, np.array([0]), path.astype(np.float32))


def _rest_matrices(skeleton: Skeleton) -> Array:
    identity = np.tile([1.0, 0, 0, 0], (1, len(skeleton.names), 1))
    return np.asarray(Motion(skeleton, RATE, identity.astype(np.float32)).pose()[0][0])


def swaying(joints: Joints, moved: dict[str, Array]) -> Motion:
    """Return a body that moves ahead while some of its joints rotate, given in the axes of the space."""
    frames = len(next(iter(moved.values())))
    path = np.arange(frames)[:, None] * [0.01, 0.02, 0.0]
    return still(build_skeleton(joints), next(iter(joints)), path, moved)


@pytest.mark.parametrize("make", WALKING_LIBRARY)
def test_left_and_right_are_paired_and_middle_joints_with_themselves(make: MotionMaker) -> None:
    for name, other in partners(make()).items():
        assert other == (name[:-1] + name[-1].translate(SIDES) if name[-2:] in (".L", ".R") else name)


@pytest.mark.parametrize("make", [*WALKING_LIBRARY, crab])
def test_pairs_are_found_without_meaningful_names(make: MotionMaker) -> None:
    assert symmetry_of(nameless(make())).partners.tolist() == symmetry_of(make()).partners.tolist()


@pytest.mark.parametrize("make", [*WALKING_LIBRARY, crab])
def test_mirroring_twice_restores_the_motion(make: MotionMaker) -> None:
    motion = make()
    symmetry = symmetry_of(motion)
    again = mirror(mirror(motion, symmetry), symmetry)
    assert rotations.angle_between(again.rotations, motion.rotations).max() < 1e-3
    np.testing.assert_allclose(again.pose()[1], motion.pose()[1], atol=TOLERANCE * motion.skeleton.size)
    np.testing.assert_array_equal(again.scalars, motion.scalars)
    np.testing.assert_array_equal(again.translated, motion.translated)
    np.testing.assert_allclose(again.scales, motion.scales, atol=1e-6)


@pytest.mark.parametrize("make", WALKING_LIBRARY)
def test_every_joint_is_where_its_partner_was_reflected(make: MotionMaker) -> None:
    motion = make()
    names, symmetry = motion.skeleton.names, symmetry_of(motion)
    before, after = (one.pose()[1].astype(np.float64) for one in (motion, mirror(motion, symmetry)))
    hips = names.index("hips")
    left = before[0, names.index("thigh.L")] - before[0, names.index("thigh.R")]
    body = [joint for joint, name in enumerate(names) if name != "top"]
    expected = reflected(before, left, before[0, hips])[:, symmetry.partners]
    np.testing.assert_allclose(after[:, body], expected[:, body], atol=TOLERANCE * motion.skeleton.size)


def test_a_mirrored_motion_begins_where_and_as_the_recorded_one_does() -> None:
    motion = turned_and_moved(walker(), 1.1, (3.0, -2.0, 0.0))
    plan = plan_root([motion], Facing.FREE, None)
    (place, heading), (own_place, own_heading) = (
        place_and_heading(one, plan) for one in (mirror(motion, symmetry_of(motion)), motion)
    )
    np.testing.assert_allclose(place[0], own_place[0], atol=1e-5)
    turned, own_turned = heading - heading[0], own_heading - own_heading[0]
    np.testing.assert_allclose(turned, -own_turned, atol=1e-4)
    assert abs(np.sin((heading[0] - own_heading[0]) / 2)) < 1e-4


def test_a_top_that_stands_still_stays_as_it_is() -> None:
    motion = under_a_static_top()
    mirrored = mirror(motion, symmetry_of(motion))
    np.testing.assert_array_equal(mirrored.rotations[:, 0], motion.rotations[:, 0])
    np.testing.assert_array_equal(mirrored.translations[:, 0], motion.translations[:, 0])


def test_each_foot_stands_when_the_other_one_stood() -> None:
    motion = compass()
    feet = feet_by_name(motion.skeleton, [name for name in ("toe.L", "toe.R") if name in motion.skeleton.names])
    contacts, mirrored = (
        label_contacts(one, feet, ground_heights([motion], feet))
        for one in (motion, mirror(motion, symmetry_of(motion)))
    )
    assert contacts.any(axis=0).all() and not contacts.all()
    np.testing.assert_array_equal(mirrored[:, ::-1], contacts)


@pytest.mark.parametrize("make", [walker, waver, whirler])
def test_motion_with_a_degenerate_rest_pose_is_mirrored_correctly(make: MotionMaker) -> None:
    motion = posed_at_rest_nowhere(make())
    np.testing.assert_allclose(motion.pose()[1], make().pose()[1], atol=1e-4)
    mirrored, expected = mirror(motion, symmetry_of(motion)), mirror(make(), symmetry_of(make()))
    np.testing.assert_allclose(mirrored.pose()[1], expected.pose()[1], atol=0.01)


@pytest.mark.parametrize("factor", [0.01, 100.0])
def test_the_units_of_a_rig_do_not_matter(factor: float) -> None:
    motion = in_other_units(walker(), factor)
    mirrored, expected = mirror(motion, symmetry_of(motion)), mirror(walker(), symmetry_of(walker()))
    np.testing.assert_allclose(mirrored.pose()[1] / factor, expected.pose()[1], atol=1e-4)


def test_a_tail_that_swings_to_the_left_swings_to_the_right() -> None:
    tail: Joints = {
        "tail": ("pelvis", (0.0, -0.1, 0.6)),
        "tail tip": ("tail", (0.0, -0.4, 0.5)),
    }
    angles = 0.6 * np.sin(np.arange(60) / 5) + 0.3
    motion = swaying({**HOUND, **tail}, {"tail": turn(UPWARD, angles)})
    tip = motion.skeleton.names.index("tail tip")
    beside, mirrored = (one.pose()[1][:, tip, 0] - one.pose()[1][:, 0, 0] for one in (motion, mirrored_of(motion)))
    assert np.ptp(beside) > 0.2
    np.testing.assert_allclose(mirrored, -beside, atol=1e-5)


def mirrored_of(motion: Motion) -> Motion:
    return mirror(motion, symmetry_of(motion))


@pytest.mark.parametrize("joints", [HOUND, ELEPHANT, CRAB, TOED])
def test_bodies_of_other_kinds_are_halved(joints: Joints) -> None:
    motion = swaying(joints, {next(iter(joints)): turn(FORWARD, 0.2 * np.sin(np.arange(60) / 7))})
    symmetry = symmetry_of(motion)
    assert symmetry.pairs >= 3 and not symmetry.one_sided.any()
    before, after = motion.pose()[1], mirror(motion, symmetry).pose()[1]
    apart, apart_after = (np.linalg.norm(one[:, :, None] - one[:, None], axis=-1) for one in (before, after))
    order = np.ix_(np.arange(60), symmetry.partners, symmetry.partners)
    np.testing.assert_allclose(apart_after, apart[order], atol=1e-5)


def test_a_sword_in_one_hand_stays_in_that_hand() -> None:
    armed: Joints = {**BIPED, "sword": ("hand.R", (-0.75, 0.2, 1.42)), "tip": ("sword", (-0.8, 0.9, 1.42))}
    angles = 0.4 * np.sin(np.arange(60) / 5)
    motion = swaying(armed, {"sword": turn(UPWARD, angles), "upper_arm.L": turn(FORWARD, angles)})
    symmetry = symmetry_of(motion)
    sword = motion.skeleton.names.index("sword")
    assert symmetry.one_sided[[sword, sword + 1]].all() and symmetry.one_sided.sum() == 2
    np.testing.assert_array_equal(mirror(motion, symmetry).rotations[:, sword], motion.rotations[:, sword])


def test_further_values_go_to_the_other_side_by_their_names() -> None:
    names = (
        "prop_L",
        "mood",
        "prop_R",
        "left_x",
        "right_x",
        'bones["hand.L"]["fk_L"]',
        'bones["hand.R"]["fk_R"]',
        "only_L",
    )
    values = np.arange(60)[:, None] + np.arange(len(names)) * 100.0
    motion = replace(walker(60), scalar_names=names, scalars=values.astype(np.float32))
    mirrored = mirrored_of(motion)
    assert mirrored.scalar_names == names
    np.testing.assert_array_equal(mirrored.scalars, motion.scalars[:, [2, 1, 0, 4, 3, 6, 5, 7]])


def test_values_of_joints_without_sides_in_their_names_go_to_the_partner() -> None:
    walk = nameless(walker(60))
    left, right = (walker().skeleton.names.index(f"hand.{side}") for side in "LR")
    names = tuple(f'bones["joint {joint}"]["grip"]' for joint in (left, right))
    motion = replace(walk, scalar_names=names, scalars=np.tile(np.array([1.0, 2.0], np.float32), (60, 1)))
    np.testing.assert_array_equal(mirrored_of(motion).scalars[0], [2.0, 1.0])


def test_scales_and_places_go_to_the_other_side_where_only_one_had_some() -> None:
    walk = walker(60)
    names = walk.skeleton.names
    left, right = names.index("hand.L"), names.index("hand.R")
    moves = np.zeros((60, 2, 3), np.float32)
    moves[:, 0], moves[:, 1] = walk.translations[:, 0], [0.01, 0.02, 0.03]
    motion = Motion(
        walk.skeleton,
        RATE,
        walk.rotations,
        np.array([0, left]),
        moves,
        np.array([left]),
        np.full((60, 1, 3), 2.0, np.float32),
    )
    mirrored = mirrored_of(motion)
    assert mirrored.translated.tolist() == [0, left, right] and mirrored.scaled.tolist() == [left, right]
    np.testing.assert_allclose(mirrored.scales[:, 0], 1.0)
    np.testing.assert_allclose(mirrored.scales[:, 1], 2.0, atol=1e-6)
    before, after = motion.pose()[1], mirrored.pose()[1]
    apart = np.linalg.norm(before[:, left] - before[:, names.index("foot.R")], axis=1)
    np.testing.assert_allclose(
        np.linalg.norm(after[:, right] - after[:, names.index("foot.L")], axis=1), apart, atol=1e-5
    )


def test_one_who_lies_on_the_side_is_mirrored_too() -> None:
    motion = swaying(BIPED, {"hips": turn(np.array([0.0, 1.0, 0.0]), 1.5 + 0.05 * np.sin(np.arange(60) / 5))})
    again = mirrored_of(mirrored_of(motion))
    np.testing.assert_allclose(again.pose()[1], motion.pose()[1], atol=1e-4)


def test_a_chain_has_no_left_and_right() -> None:
    chain: Joints = {"a": ("", (0.0, 0.0, 1.0)), "b": ("a", (0.0, 0.1, 0.5)), "c": ("b", (0.0, 0.0, 0.0))}
    assert find_symmetry([swaying(chain, {"b": turn(FORWARD, np.linspace(0, 1, 30))})]) is None


def test_a_body_that_is_not_symmetric_has_no_left_and_right() -> None:
    odd: Joints = {
        "body": ("", (0.0, 0.0, 1.0)),
        "arm": ("body", (0.5, 0.1, 1.2)),
        "finger": ("arm", (0.9, 0.3, 1.3)),
        "leg": ("body", (-0.1, 0.0, 0.3)),
        "hump": ("body", (-0.2, -0.6, 1.6)),
    }
    assert find_symmetry([swaying(odd, {"arm": turn(FORWARD, np.linspace(0, 1, 30))})]) is None


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("hand.L", "hand.R"),
        ("LeftForeArm", "RightForeArm"),
        ("mixamorig:RightUpLeg", "mixamorig:LeftUpLeg"),
        ("thumb_01_l", "thumb_01_r"),
        ("L_Knee", "R_Knee"),
        ("CC_Base_R_Thigh", "CC_Base_L_Thigh"),
        ("LHipJoint", "RHipJoint"),
        ("lCollar", "rCollar"),
        ("ARM_LEFT", "ARM_RIGHT"),
        ("b_LeftHand_011", "b_RightHand_011"),
        ("spine", "spine"),
        ("Collar", "Collar"),
    ],
)
def test_a_name_says_its_side_however_it_is_spelled(name: str, other: str) -> None:
    assert other_side(name) == other and other_side(other) == name
