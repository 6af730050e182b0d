# SPDX-License-Identifier: GPL-3.0-or-later
"""Limbs through the body: found by how deep they are, pushed out, and nothing else changed."""

from dataclasses import replace

import numpy as np
import pytest
from jumps import FRAMES, jumper
from motions import (
    BIPED,
    FORWARD,
    QUADRUPED,
    SIDEWAYS,
    Array,
    Joints,
    build_skeleton,
    in_other_units,
    pose_channels,
    standing_axes,
    turn,
    turned_and_moved,
    walker,
    with_channel,
)
from numpy.typing import NDArray

from genmm_addon.core import Motion, Skeleton, rotations
from genmm_addon.core.evaluation import find_capsules, penetration_depths, usual_depths
from genmm_addon.core.evaluation.body.capsules import posed_axes
from genmm_addon.core.feet import standing_of
from genmm_addon.core.motion import joint_accelerations, smoothstep
from genmm_addon.core.repair import Flaw, FlawKind, find_flaws, frames_through_body, marked_frames, repair
from genmm_addon.core.repair.penetrations.posed_limbs import NearPairs, PosedLimb
from genmm_addon.core.transfer.self_contacts.arms import reach_with

pytestmark = pytest.mark.filterwarnings("error")

KIND = frozenset({FlawKind.PENETRATION})
FIRST, END = 40, 80
"""Frames over which an edit turns a joint."""
CROUCHED = 43
"""The frame at which the jumper crouches lowest."""
INWARD = 0.5
"""Angle, in radians, that brings the left hand of the standing biped into its trunk."""


def standing() -> Motion:
    """Return a biped that stands still."""
    return jumper().take(np.zeros(FRAMES, np.int64))


def edited(motion: Motion, joint: str, axis: Array, angle: float, end: int = END) -> Motion:
    """Return a motion with a joint turned about an axis of the space, eased in and out, as if by an additive edit."""
    index, frames = motion.skeleton.names.index(joint), np.arange(motion.frames)
    share = smoothstep(np.clip(np.minimum(frames - FIRST, end - frames) / 10.0, 0.0, 1.0))
    axes = standing_axes(len(motion.skeleton.names))[index]
    extra = rotations.multiply(rotations.inverse(axes), rotations.multiply(turn(axis, share * angle), axes))
    values = motion.rotations.astype(np.float64)
    values[:, index] = rotations.multiply(extra, values[:, index])
    return with_channel(motion, "rotations", values)


def arm_inside(angle: float = INWARD) -> Motion:
    """Return the standing biped whose left arm is turned into the trunk for a while."""
    return edited(standing(), "upper_arm.L", FORWARD, angle)


def beyond(motion: Motion) -> NDArray[np.float64]:
    """Return the largest depth beyond that of the rest pose at each frame, in sizes."""
    capsules = find_capsules(motion.skeleton)
    usual = usual_depths(motion.skeleton, capsules)
    deep = (penetration_depths(motion, capsules) - usual) / motion.skeleton.size
    return np.asarray(np.maximum(deep.max(axis=1), 0.0), np.float64)


def of_penetrations(motion: Motion) -> tuple[Flaw, ...]:
    return find_flaws(motion, standing_of(motion), KIND)


def floating_quadruped(angle: float, joints: Joints = QUADRUPED) -> Motion:
    """Return a quadruped in the air whose left hind leg is turned through the right one."""
    skeleton = build_skeleton(joints)
    still = Motion(skeleton, 30.0, pose_channels(skeleton, {}, FRAMES))
    return edited(still, "hind_upper.L", FORWARD, angle)


def test_depths_are_those_of_points_on_the_axes() -> None:
    motion = arm_inside().take(np.arange(FIRST, END, 5))
    capsules, places = find_capsules(motion.skeleton), np.linspace(0.0, 1.0, 101)
    depths = penetration_depths(motion, capsules)
    matrices, positions = motion.pose()
    lines = []
    for joint, start, end in zip(capsules.carriers, capsules.starts, capsules.ends, strict=True):
        local = start + places[:, None] * (end - start)
        lines.append(positions[:, joint, None] + np.einsum("tab,kb->tka", matrices[:, joint], local))
    for number, (first, second) in enumerate(capsules.pairs):
        away = np.linalg.norm(lines[first][:, :, None] - lines[second][:, None], axis=3)
        nearest = away.min(axis=(1, 2))
        thickest = capsules.radii[[first, second]].max(axis=1).sum()
        thinnest = capsules.radii[[first, second]].min(axis=1).sum()
        assert (depths[:, number] < thickest - nearest + 0.01).all()
        assert (depths[:, number] > thinnest - nearest - 0.01).all()


def test_a_human_body_has_the_thickness_of_the_literature() -> None:
    skeleton = build_skeleton(BIPED)
    capsules = find_capsules(skeleton)
    radius = {skeleton.names[joint]: radii for joint, radii in zip(capsules.carriers, capsules.radii, strict=True)}
    assert 0.11 < radius["spine"][0] < 0.14 and 0.07 < radius["thigh.L"][0] < 0.09
    assert 0.03 < radius["forearm.L"][0] < 0.045 and radius["thigh.L"][1] < radius["thigh.L"][0]


def test_walks_jumps_and_stands_have_no_limb_through_the_body() -> None:
    for motion in (walker(240), jumper(), standing()):
        assert of_penetrations(motion) == ()


def test_the_deeper_an_arm_is_turned_into_the_trunk_the_larger_the_flaw() -> None:
    assert of_penetrations(arm_inside(0.2)) == ()
    amounts = []
    for angle in (0.3, 0.35, 0.4):
        wrong = arm_inside(angle)
        (flaw,) = of_penetrations(wrong)
        assert [wrong.skeleton.names[joint] for joint in flaw.joints] == ["upper_arm.L", "forearm.L", "hand.L"]
        assert flaw.first < FIRST + 10 and flaw.last > END - 10
        assert np.isclose(flaw.amount, beyond(wrong).max(), atol=1e-6)
        amounts.append(flaw.amount)
    assert amounts[0] < amounts[1] < amounts[2]


def test_frames_through_the_body_are_those_deeper_than_usual_and_none_where_the_example_is_as_deep() -> None:
    wrong = arm_inside()
    capsules = find_capsules(wrong.skeleton)
    usual = usual_depths(wrong.skeleton, capsules)
    assert frames_through_body(wrong, capsules, usual) == (beyond(wrong) > 0.02).sum() > 20
    assert frames_through_body(standing(), capsules, usual) == 0
    assert frames_through_body(wrong, capsules, usual_depths(wrong.skeleton, capsules, [wrong])) == 0


@pytest.mark.parametrize("angle", [0.3, 0.4, INWARD, 0.7])
@pytest.mark.parametrize("joint", ["upper_arm.L", "upper_arm.R"])
def test_an_arm_in_the_trunk_is_outside_afterward_and_all_else_is_the_same(angle: float, joint: str) -> None:
    wrong = edited(standing(), joint, FORWARD, angle if joint.endswith("L") else -angle)
    (flaw,) = of_penetrations(wrong)
    made = repair(wrong, [flaw], standing_of(wrong))
    made.check_values("The repaired motion")
    assert of_penetrations(made) == () and beyond(made).max() < 0.02 < beyond(wrong).max()
    outside = ~marked_frames(wrong, (flaw,))
    assert np.array_equal(made.rotations[outside], wrong.rotations[outside])
    assert np.array_equal(made.translations, wrong.translations)
    # No farther than the edit had brought the arm, and as calmly.
    hand = wrong.skeleton.names.index(f"hand.{joint[-1]}")
    there, back = (
        np.linalg.norm(one.pose()[1][:, hand] - other.pose()[1][:, hand], axis=1).max()
        for one, other in ((wrong, standing()), (made, wrong))
    )
    assert back < 1.1 * there
    assert joint_accelerations(made).max() < 1.5 * joint_accelerations(wrong).max()


@pytest.mark.parametrize("angle", [0.6, 0.7, 0.8])
def test_an_arm_that_is_inside_for_a_few_frames_is_outside_afterward(angle: float) -> None:
    wrong = edited(standing(), "upper_arm.L", FORWARD, angle, FIRST + 12)
    flaws = of_penetrations(wrong)
    assert 1 <= np.count_nonzero(beyond(wrong) > 0.02) <= 10
    assert flaws and beyond(repair(wrong, flaws, standing_of(wrong))).max() < 0.02


@pytest.mark.parametrize("joints", [BIPED, QUADRUPED])
def test_capsules_that_follow_a_pushed_limb_are_those_of_its_motion(joints: Joints) -> None:
    skeleton, random = build_skeleton(joints), np.random.default_rng(1)
    turns = {name: turn(FORWARD, random.normal(0.0, 0.3, 20)) for name in skeleton.names}
    motion, capsules = Motion(skeleton, 30.0, pose_channels(skeleton, turns, 20)), find_capsules(skeleton)
    axes, weights = np.stack(posed_axes(motion, capsules)), np.ones(20)
    weights[[0, 7, -1]] = 0.0
    assert len(capsules.limbs) >= 4
    for limb in capsules.limbs:
        moves, swings = random.normal(0.0, 0.1 * skeleton.size, (20, 3)), random.normal(0.0, 0.5, 20)
        pushed, places = PosedLimb.of(motion, limb, capsules).pushed(axes, moves, swings, weights)
        made = reach_with(motion, limb, moves, weights, swings)
        assert np.abs(pushed - np.stack(posed_axes(made, capsules))).max() < 1e-5 * skeleton.size
        joints_made = np.moveaxis(made.pose()[1][:, [limb.hip, limb.knee, limb.wrist]], 1, 0)
        assert np.abs(places - joints_made).max() < 1e-5 * skeleton.size


def test_pairs_that_touch_are_near() -> None:
    for motion in (arm_inside(), edited(walker(120), "upper_arm.L", FORWARD, 1.0), floating_quadruped(0.6)):
        capsules = find_capsules(motion.skeleton)
        near = NearPairs.of(np.stack(posed_axes(motion, capsules)), capsules, np.zeros(len(capsules.pairs)))
        depths, all_pairs = penetration_depths(motion, capsules), capsules.pairs.tolist()
        touching = [pair for pair, deep in zip(all_pairs, depths.max(axis=0) > 0, strict=True) if deep]
        numbers = [all_pairs.index(pair) for pair in near.pairs.tolist()]
        assert touching and all(pair in near.pairs.tolist() for pair in touching) and len(numbers) < len(all_pairs)
        assert np.allclose(near.allowed - near.distances, depths[:, numbers], atol=1e-5 * motion.skeleton.size)


def test_an_arm_through_the_trunk_of_a_walk_leaves_as_it_came() -> None:
    wrong = edited(walker(120), "upper_arm.L", FORWARD, 1.0)
    flaws = of_penetrations(wrong)
    made = repair(wrong, flaws, standing_of(wrong))
    assert len(flaws) and of_penetrations(made) == ()


def test_the_strength_goes_from_inside_to_outside() -> None:
    wrong = arm_inside(0.35)
    flaws = of_penetrations(wrong)
    depths = [beyond(repair(wrong, flaws, standing_of(wrong), strength)).sum() for strength in (0.0, 0.5, 1.0)]
    assert depths[0] > 1.2 * depths[1] > 1.2**2 * depths[2]


def test_feet_that_stand_stay_while_their_knees_part() -> None:
    crouches = jumper().take(np.full(FRAMES, CROUCHED))
    limb, frames = find_capsules(crouches.skeleton).limbs[2], np.arange(FRAMES)
    share = smoothstep(np.clip(np.minimum(frames - FIRST, END - frames) / 10.0, 0.0, 1.0))
    wrong = reach_with(crouches, limb, np.zeros((FRAMES, 3)), np.ones(FRAMES), np.asarray(-0.8 * share, np.float64))
    flaws = of_penetrations(wrong)
    assert len(flaws) == 1
    feet = standing_of(wrong)
    made = repair(wrong, flaws, feet)
    assert of_penetrations(made) == ()
    for foot in feet.feet:
        assert np.abs(made.pose()[1][:, foot.joint] - wrong.pose()[1][:, foot.joint]).max() < 1e-4


def test_depths_of_examples_and_of_most_of_a_motion_are_no_flaw() -> None:
    wrong = arm_inside()
    usual = usual_depths(wrong.skeleton, find_capsules(wrong.skeleton), [wrong])
    assert find_flaws(wrong, standing_of(wrong), KIND, usual=usual) == ()
    always = wrong.take(np.full(FRAMES, (FIRST + END) // 2))
    assert of_penetrations(always) == () and beyond(always).min() > 0.02


def test_units_and_places_do_not_matter() -> None:
    wrong = arm_inside()
    (flaw,) = of_penetrations(wrong)
    for factor in (0.01, 100.0):
        other = in_other_units(turned_and_moved(wrong, 0.4, (3.0, 1.0, 0.0)), factor)
        (same,) = of_penetrations(other)
        assert (same.first, same.last, same.joints) == (flaw.first, flaw.last, flaw.joints)
        assert np.isclose(same.amount, flaw.amount, rtol=1e-3)
        assert of_penetrations(repair(other, [same], standing_of(other))) == ()


def test_a_body_without_feet_and_a_floating_quadruped_are_repaired() -> None:
    wrong = arm_inside()
    footless = replace(standing_of(wrong), feet=(), ground=np.zeros(0))
    flaws = find_flaws(wrong, footless, KIND)
    assert of_penetrations(repair(wrong, flaws, footless)) == ()
    floating = floating_quadruped(0.6)
    flaws = of_penetrations(floating)
    assert flaws and beyond(repair(floating, flaws, standing_of(floating))).max() < 0.02


@pytest.mark.parametrize(("angle", "count"), [(0.3, 0), (0.4, 1)])
def test_limbs_of_unknown_thickness_penetrate_each_other_only_where_bones_meet(angle: float, count: int) -> None:
    assert len(of_penetrations(floating_quadruped(angle))) == count


def test_a_spine_from_which_legs_hang_is_no_limb() -> None:
    spine: Joints = {
        "pelvis": ("", (0.0, 0.0, 0.6)),
        "loin": ("pelvis", (0.0, 0.1, 0.62)),
        "spine": ("loin", (0.0, 0.4, 0.62)),
        "shoulders": ("spine", (0.0, 0.7, 0.62)),
        "head": ("shoulders", (0.0, 0.9, 0.8)),
    }
    legs = {name: joint for name, joint in QUADRUPED.items() if "_" in name}
    skeleton = build_skeleton({**spine, **legs})
    limbs = find_capsules(skeleton).limbs
    assert {skeleton.names[limb.hip] for limb in limbs} == {name for name in legs if "upper" in name}


@pytest.mark.parametrize("heights", [(0.55, 0.3, 0.15, 0.03), (0.55, 0.42, 0.3, 0.15, 0.03)])
def test_legs_with_more_than_three_joints_are_repaired(heights: tuple[float, ...]) -> None:
    joints = {name: joint for name, joint in QUADRUPED.items() if not name.startswith("hind")}
    for side, across in (("L", 0.1), ("R", -0.1)):
        above = "pelvis"
        for name, height in zip(("upper", "middle", "lower", "ankle", "paw"), heights, strict=False):
            joints[f"hind_{name}.{side}"] = (above, (across, 0.0, height))
            above = f"hind_{name}.{side}"
    floating = floating_quadruped(0.6, joints)
    flaws = of_penetrations(floating)
    assert flaws and beyond(repair(floating, flaws, standing_of(floating))).max() < 0.02


@pytest.mark.parametrize(("middle", "paw", "angle"), [(0.35, 0.73, 0.43), (0.45, 0.79, 0.37)])
def test_the_middle_of_a_bent_limb_is_not_swung_far_from_where_it_is_in_the_body(
    middle: float, paw: float, angle: float
) -> None:
    bent: Joints = {
        f"fore_{name}.{side}": (f"fore_{above}.{side}", (across, *place))
        for side, across in (("L", 0.1), ("R", -0.1))
        for name, above, place in (("lower", "upper", (0.38, middle)), ("paw", "lower", (paw, 0.11)))
    }
    skeleton = build_skeleton({**QUADRUPED, **bent})
    still = Motion(skeleton, 30.0, pose_channels(skeleton, {}, FRAMES))
    wrong = edited(still, "fore_upper.L", FORWARD, angle)
    made = repair(wrong, of_penetrations(wrong), standing_of(wrong))
    moved = np.linalg.norm(made.pose()[1] - wrong.pose()[1], axis=2) / skeleton.size
    assert beyond(made).max() < beyond(wrong).max() and moved.max() < 1.5 * beyond(wrong).max()


def test_bodies_without_limbs_or_lengths_have_no_flaw() -> None:
    flat = replace(build_skeleton(BIPED), rest_translations=np.zeros((len(BIPED), 3)))
    short = build_skeleton({**BIPED, "forearm.L": ("upper_arm.L", BIPED["upper_arm.L"][1])})
    for skeleton in (flat, short, Skeleton(("only",), np.array([-1]), np.array([[1.0, 0, 0, 0]]), np.zeros((1, 3)))):
        still = Motion(skeleton, 30.0, pose_channels(build_skeleton(BIPED), {}, 60)[:, : len(skeleton.names)])
        assert of_penetrations(still) == ()


def test_a_part_of_a_limb_is_not_repaired() -> None:
    wrong = arm_inside()
    (flaw,) = of_penetrations(wrong)
    assert repair(wrong, [replace(flaw, joints=flaw.joints[1:])], standing_of(wrong)) is wrong


@pytest.mark.every_case
@pytest.mark.parametrize("seed", range(6))
def test_a_repair_never_leaves_more_inside_and_brings_no_frame_in(seed: int) -> None:
    random = np.random.default_rng(seed)
    joint = ["upper_arm.L", "forearm.R", "thigh.L", "upper_arm.R", "shin.R", "thigh.R"][seed]
    axis = random.normal(size=3)
    wrong = edited(walker(120, seed), joint, axis / np.linalg.norm(axis), random.uniform(0.8, 1.8))
    made = repair(wrong, of_penetrations(wrong), standing_of(wrong))
    before, after = beyond(wrong), beyond(made)
    assert np.maximum(after - 0.02, 0).sum() <= np.maximum(before - 0.02, 0).sum() + 1e-6
    assert not ((after > 0.02) & (before <= 0.02)).any()


def test_turning_an_arm_about_its_own_line_is_no_flaw() -> None:
    assert of_penetrations(edited(standing(), "upper_arm.L", SIDEWAYS, 0.2)) == ()
