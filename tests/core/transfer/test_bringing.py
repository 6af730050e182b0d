# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion brought to another skeleton: feet stand where and when the source's do, on a path to scale."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from legged import TOED, compass, still
from motions import (
    BIPED,
    FORWARD,
    SIDEWAYS,
    UPWARD,
    Joints,
    build_skeleton,
    place_channels,
    pose_channels,
    turn,
    walker,
    waver,
)

from genmm_addon.core import InputError, Motion, Skeleton
from genmm_addon.core.feet import find_feet, ground_heights, label_contacts
from genmm_addon.core.feet.contact_detection import Foot
from genmm_addon.core.feet.leg_ik import follow_paths, move_root
from genmm_addon.core.motion import rotations
from genmm_addon.core.motion.motion import joint_accelerations, joint_path
from genmm_addon.core.transfer import (
    bring,
    bringing,
    connected_body,
    find_bodies,
    ground_of,
    left_out,
    moved_joints,
    retarget,
)
from genmm_addon.core.transfer.bringing import posed_as
from genmm_addon.core.transfer.raised_hands import with_raised_hands
from genmm_addon.core.transfer.retarget import turn_and_scale

LONG_SHINS = {"thigh": 0.85, "shin": 1.3}
SHORT_LEGS = {"thigh": 0.7, "shin": 0.8, "spine": 1.2}


def stretched(skeleton: Skeleton, shares: Mapping[str, float]) -> Skeleton:
    """Return the skeleton with distances of joints to their parents scaled by name, standing on the same ground."""
    factors = np.array([shares.get(name.split(".")[0], 1.0) for name in skeleton.names])
    longer = replace(skeleton, rest_translations=skeleton.rest_translations * factors[:, None])
    up = np.array(skeleton.up)
    sinks = (longer.rest_positions @ up).min() - (skeleton.rest_positions @ up).min()
    moved = longer.rest_translations.copy()
    moved[0] -= sinks * up
    return replace(longer, rest_translations=moved)


def same_names(skeleton: Skeleton) -> dict[str, str]:
    return {name: name for name in skeleton.names}


@cache
def stepping() -> Motion:
    """Return a walk with short steps on bent knees, over planted feet."""
    motion = compass()
    return bring(motion, motion.skeleton, same_names(motion.skeleton), motion.translated, path_scale=0.6)


def skate(motion: Motion, joints: list[int], stands: np.ndarray) -> float:
    """Return the mean movement of standing joints along the ground from frame to frame, in sizes."""
    up, moves = np.array(motion.skeleton.up), []
    for column, joint in enumerate(joints):
        path = joint_path(motion, joint)
        steps = np.linalg.norm(np.diff(path - (path @ up)[:, None] * up, axis=0), axis=1)
        moves += steps[stands[1:, column] & stands[:-1, column]].tolist()
    return float(np.mean(moves))


@pytest.mark.parametrize("shares", [LONG_SHINS, SHORT_LEGS])
def test_feet_stand_where_the_sources_feet_stand(shares: Mapping[str, float]) -> None:
    motion = stepping()
    target, pairs = stretched(motion.skeleton, shares), same_names(motion.skeleton)
    feet = find_feet([motion])
    stands, joints = label_contacts(motion, feet, ground_heights([motion], feet)), [foot.joint for foot in feet]
    scale = turn_and_scale(motion.skeleton, target, pairs)[1]
    plain = retarget(motion, target, pairs, motion.translated)
    brought = bring(motion, target, pairs, motion.translated)
    allowed = 1.1 * scale * skate(motion, joints, stands) + 1e-4 * target.size
    assert skate(plain, joints, stands) > allowed, "directions alone let feet slide on other proportions"
    assert skate(brought, joints, stands) <= allowed
    knees = [target.names.index(f"shin.{side}") for side in "LR"]
    quickest = joint_accelerations(motion)[:, knees].max()
    assert joint_accelerations(brought)[:, knees].max() <= 1.2 * scale * quickest


def test_the_same_skeleton_keeps_its_motion_from_the_place_where_it_rests() -> None:
    motion = walker(90)
    brought = bring(motion, motion.skeleton, same_names(motion.skeleton), motion.translated)
    places, before = brought.pose()[1], motion.pose()[1]
    shift = places[0, 0] - before[0, 0]
    np.testing.assert_allclose(places - shift, before, atol=5e-3 * motion.skeleton.size)
    np.testing.assert_allclose(places[0, 0, :2], motion.skeleton.rest_positions[0, :2], atol=1e-4)


@pytest.mark.parametrize("factor", [0.5, 1.5])
def test_the_path_can_be_scaled_and_feet_still_stand(factor: float) -> None:
    motion = stepping()
    pairs, feet = same_names(motion.skeleton), find_feet([motion])
    stands, joints = label_contacts(motion, feet, ground_heights([motion], feet)), [foot.joint for foot in feet]
    whole, scaled = (bring(motion, motion.skeleton, pairs, motion.translated, path_scale=s) for s in (1.0, factor))
    went, goes = (np.linalg.norm(np.ptp(joint_path(brought, 0)[:, :2], axis=0)) for brought in (whole, scaled))
    assert goes == pytest.approx(factor * went, rel=0.1)
    assert skate(scaled, joints, stands) <= 1.1 * skate(motion, joints, stands) + 1e-3 * motion.skeleton.size


def test_in_place_the_body_stays_above_its_place_and_legs_move_as_before() -> None:
    motion = compass()
    pairs = same_names(motion.skeleton)
    there, here = (bring(motion, motion.skeleton, pairs, motion.translated, in_place=stays) for stays in (False, True))
    assert np.linalg.norm(np.ptp(joint_path(there, 0)[:, :2], axis=0)) > motion.skeleton.size
    assert np.linalg.norm(np.ptp(joint_path(here, 0)[:, :2], axis=0)) < 0.15 * motion.skeleton.size
    np.testing.assert_array_equal(here.rotations, there.rotations)
    np.testing.assert_allclose(joint_path(here, 0)[:, 2], joint_path(there, 0)[:, 2], atol=1e-5)


def test_feet_stand_on_the_ground_where_the_rest_pose_is_about_the_hips() -> None:
    motion = stepping()
    about_hips = motion.skeleton.rest_translations.copy()
    about_hips[0] = 0.0
    target = replace(motion.skeleton, rest_translations=about_hips)
    brought = bring(motion, target, same_names(target), motion.translated)
    assert ground_of(retarget(motion, target, same_names(target), motion.translated)) == pytest.approx(0.0, abs=1e-3)
    assert ground_of(brought) == pytest.approx(0.0, abs=0.01 * target.size)


def test_a_root_on_the_ground_does_not_keep_the_feet_above_it() -> None:
    motion = stepping()
    heights = {"thigh": 0.6, "shin": 0.32, "foot": 0.08, "toe": 0.02}
    lower = {
        name: (parent or "root", (x, y, heights.get(name.split(".")[0], z - 0.3)))
        for name, (parent, (x, y, z)) in TOED.items()
    }
    target = build_skeleton({"root": ("", (0.0, 0.0, 0.0)), **lower})
    pairs, hips = same_names(motion.skeleton), np.array([target.names.index("hips")])
    toes, above = [target.names.index(f"toe.{side}") for side in "LR"], []
    for brought in (retarget(motion, target, pairs, hips), bring(motion, target, pairs, hips)):
        above.append(np.percentile(brought.pose()[1][:, toes, 2], 2) - target.rest_positions[toes, 2].mean())
    assert abs(above[1]) < 0.01 * target.size < abs(above[0]), "without feet, the root counts as what stands"


def below_a_root(motion: Motion) -> Motion:
    """Return the motion with its travel on a root on the ground, below which the hips only go up and down."""
    joints = {
        "root": ("", (0.0, 0.0, 0.0)),
        **{name: (above or "root", place) for name, (above, place) in TOED.items()},
    }
    skeleton, moved = build_skeleton(joints), joint_path(motion, 0) - motion.skeleton.rest_positions[0]
    axes = [each.rest_orientations[-len(TOED) :] for each in (motion.skeleton, skeleton)]
    change = rotations.multiply(rotations.inverse(axes[1]), axes[0])
    turns = rotations.multiply(rotations.multiply(change, motion.rotations.astype(float)), rotations.inverse(change))
    still = np.tile(np.array([1.0, 0, 0, 0]), (motion.frames, 1, 1))
    level = moved * np.array([1, 1, 0])
    places = place_channels(skeleton, "root", level), place_channels(skeleton, "hips", moved - level)
    return Motion(
        skeleton,
        motion.frames_per_second,
        np.concatenate((still, turns), axis=1).astype(np.float32),
        np.array([0, 1]),
        np.concatenate(places, axis=1),
    )


def test_hips_that_move_below_a_traveling_root_move_below_it_on_the_target() -> None:
    motion = below_a_root(compass())
    assert len(find_feet([motion])) == 2
    pairs = same_names(motion.skeleton)
    moved = moved_joints(motion, motion.skeleton, pairs)
    assert moved == (0, 1)
    brought = bring(motion, motion.skeleton, pairs, np.array(moved))
    bobs = [joint_path(each, 1)[:, 2] for each in (motion, brought)]
    assert np.ptp(bobs[0]) > 0.02 * motion.skeleton.size
    np.testing.assert_allclose(bobs[0], bobs[1], atol=5e-3 * motion.skeleton.size)
    assert np.ptp(joint_path(brought, 0)[:, 2]) < 1e-6, "the root stays on the ground"
    carried = bring(motion, motion.skeleton, pairs, np.array([0]))
    assert carried.translated.tolist() == [0], "hips that cannot move there are carried by the root"


def test_hips_that_stay_lower_than_at_rest_are_lowered_below_a_root_that_stays_on_the_ground() -> None:
    motion = below_a_root(compass())
    lowered = place_channels(motion.skeleton, "hips", np.tile([0.0, 0.0, -0.2], (motion.frames, 1)))
    motion = replace(motion, translations=np.concatenate((np.zeros_like(lowered), lowered), axis=1))
    pairs = same_names(motion.skeleton)
    moved = moved_joints(motion, motion.skeleton, pairs)
    assert moved == (0, 1)
    brought = bring(motion, motion.skeleton, pairs, np.array(moved))
    np.testing.assert_allclose(joint_path(brought, 0), motion.skeleton.rest_positions[[0] * motion.frames], atol=1e-6)


@pytest.mark.parametrize("free", [0, 1])
@pytest.mark.parametrize("options", [{}, {"path_scale": 0.6}, {"in_place": True}])
def test_of_a_root_and_hips_the_one_that_cannot_move_is_carried_by_the_other(
    free: int, options: dict[str, Any]
) -> None:
    motion = below_a_root(compass())
    skeleton, pairs = motion.skeleton, same_names(motion.skeleton)
    both, alone = (bring(motion, skeleton, pairs, np.array(moved), **options) for moved in ([0, 1], [free]))
    assert alone.translated.tolist() == [free]
    np.testing.assert_allclose(alone.pose()[1][:, 1:], both.pose()[1][:, 1:], atol=1e-3 * skeleton.size)


@pytest.mark.parametrize("options", [{}, {"path_scale": 0.6}, {"in_place": True}])
def test_a_body_that_cannot_move_stays_at_rest_and_its_limbs_turn(options: dict[str, Any]) -> None:
    for motion in (compass(), below_a_root(compass())):
        skeleton, pairs = motion.skeleton, same_names(motion.skeleton)
        brought = bring(motion, skeleton, pairs, np.zeros(0, np.int64), **options)
        hips = skeleton.names.index("hips")
        np.testing.assert_allclose(
            brought.pose()[1][:, hips], skeleton.rest_positions[[hips] * motion.frames], atol=1e-6
        )
        np.testing.assert_allclose(brought.pose()[0], motion.pose()[0], atol=1e-5)


def test_a_foot_beside_its_leg_follows_it_below_a_root_that_travels() -> None:
    motion = below_a_root(compass())
    places = {name: place for name, (_, place) in TOED.items()}
    apart = {"root": ("", (0.0, 0.0, 0.0)), **{name: (above or "root", place) for name, (above, place) in TOED.items()}}
    apart |= {f"foot.{side}": ("root", places[f"foot.{side}"]) for side in "LR"}
    target, pairs = build_skeleton(apart), same_names(motion.skeleton)
    moved = np.array(sorted(moved_joints(motion, target, pairs)))
    assert {f"foot.{side}" for side in "LR"} <= {target.names[joint] for joint in moved}
    brought = bring(motion, target, pairs, moved)
    for side in "LR":
        shin, foot = (joint_path(brought, target.names.index(f"{name}.{side}")) for name in ("shin", "foot"))
        length = np.linalg.norm(np.array(places[f"foot.{side}"]) - np.array(places[f"shin.{side}"]))
        np.testing.assert_allclose(np.linalg.norm(foot - shin, axis=1), length, rtol=0.02)


@pytest.mark.parametrize("beside", [("thigh",), ("thigh", "foot"), ("spine",), ("spine", "thigh", "shin")])
def test_limbs_beside_hips_that_move_below_a_root_go_along_as_connected_ones(beside: tuple[str, ...]) -> None:
    motion = below_a_root(compass())
    joints = {
        name: ("root" if name.split(".")[0] in beside else above or "root", place)
        for name, (above, place) in TOED.items()
    }
    target, pairs = build_skeleton({"root": ("", (0.0, 0.0, 0.0)), **joints}), same_names(motion.skeleton)
    for carried in (retarget, bring):
        moved = (np.array(sorted(moved_joints(motion, skeleton, pairs))) for skeleton in (target, motion.skeleton))
        result, expected = (
            carried(motion, skeleton, pairs, joints)
            for skeleton, joints in zip((target, motion.skeleton), moved, strict=True)
        )
        np.testing.assert_allclose(result.pose()[1], expected.pose()[1], atol=1e-3 * target.size)


@pytest.mark.parametrize("shares", [{}, LONG_SHINS, SHORT_LEGS])
def test_no_knee_bends_backward(shares: Mapping[str, float]) -> None:
    """Straight legs of a compass gait, brought to other proportions on shorter and longer steps."""
    motion = compass()
    target, pairs = stretched(motion.skeleton, shares), same_names(motion.skeleton)
    for path_scale in (0.7, 1.2):
        places = bring(motion, target, pairs, motion.translated, path_scale=path_scale).pose()[1].astype(np.float64)
        for side in "LR":
            hip, knee, ankle = (places[:, target.names.index(f"{name}.{side}")] for name in ("thigh", "shin", "foot"))
            bend = np.cross(knee - hip, ankle - knee) @ SIDEWAYS
            assert (-np.sign(bend[np.argmax(np.abs(bend))]) * bend).max() < np.sin(np.radians(3.0)) * 0.2 * target.size


@pytest.mark.parametrize("calm", [True, False])
def test_feet_do_not_swing_below_the_ground_where_wide_hips_roll_and_legs_have_room_to_bend(
    calm: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    skeleton, share = build_skeleton(TOED), np.sin(np.pi * np.clip(np.linspace(-0.12, 1.12, 150), 0.0, 1.0)) ** 2
    turns = {"hips": turn(FORWARD, 0.9 * share)} | {f"thigh.{side}": turn(FORWARD, -0.9 * share) for side in "LR"}
    motion = still(skeleton, "hips", 0.25 * share[:, None] * np.array(skeleton.up), turns)
    target = stretched(skeleton, {"thigh": 6.0, "shin": 0.7, "foot": 0.7})
    made: list[Motion] = []

    def without_room(*given: Any) -> Motion:
        followed = follow_paths(*given)
        if not made:
            followed.rotations[::2, target.names.index("thigh.L")] = [0.0, 1.0, 0.0, 0.0]
        made.append(followed)
        return followed

    if not calm:
        monkeypatch.setattr(bringing, "follow_paths", without_room)
    brought = bring(motion, target, same_names(target), motion.translated)
    lowest = (brought.pose()[1] @ np.array(target.up)).min() - (target.rest_positions @ np.array(target.up)).min()
    assert (lowest > -0.02 * target.size) == calm


def test_a_trunk_that_hangs_down_is_raised_calmly_where_it_turns_quickly() -> None:
    skeleton = build_skeleton(TOED)
    about, down = turn(UPWARD, 0.3 * (np.arange(60) == 30)), turn(SIDEWAYS, np.full(60, -2.9))
    bent = rotations.multiply(rotations.multiply(about, down), rotations.inverse(about))
    motion = still(skeleton, "hips", np.zeros((60, 3)), {"spine": bent})
    target = stretched(skeleton, {"thigh": 0.5, "shin": 0.25, "chest": 3.0, "neck": 3.0})
    bodies = find_bodies(skeleton, target, same_names(target))
    laid, toe, chest = (
        retarget(motion, target, same_names(target), motion.translated),
        *map(target.names.index, ("toe.L", "chest")),
    )
    sunk = joint_path(laid, toe) - target.rest_positions[toe]
    laid = move_root(laid, 0, -sunk)
    assert bodies is not None
    raised = with_raised_hands(motion, laid, bodies, target.names)
    assert (laid.pose()[1] @ target.up).min() < -0.1 * target.size < 0.0 < (raised.pose()[1] @ target.up).min()
    quickest = (joint_accelerations(each)[:, chest].max() for each in (raised, laid))
    assert next(quickest) < 1.5 * next(quickest)


def test_legs_that_are_not_below_the_hips_walk_as_connected_ones() -> None:
    motion = walker(60, 3)
    apart = {
        "root": ("", (0.0, 0.0, 0.0)),
        **{name: (parent or "root", place) for name, (parent, place) in BIPED.items()},
    }
    for side in ("L", "R"):
        apart[f"foot.{side}"] = ("root", BIPED[f"foot.{side}"][1])
    target, plain = build_skeleton(apart), build_skeleton(BIPED)
    pairs = {name: name for name in BIPED}
    moved = np.array(sorted(moved_joints(motion, target, pairs)))
    own = [target.names.index(name) for name in BIPED]
    brought, expected = bring(motion, target, pairs, moved), bring(motion, plain, pairs, np.array([0]))
    np.testing.assert_allclose(brought.pose()[1][:, own], expected.pose()[1], atol=1e-4 * plain.size)


def test_a_connected_body_has_the_targets_rest_pose_and_gives_back_its_poses() -> None:
    motion = walker(30)
    pairs = {name: name for name in BIPED if not name.startswith("spine")}
    body = connected_body(motion.skeleton, motion.skeleton, pairs)
    rows = [motion.skeleton.names.index(name) for name in body.names]
    np.testing.assert_allclose(body.rest_positions, motion.skeleton.rest_positions[rows], atol=1e-6)
    brought = retarget(motion, body, pairs, np.array([0]))
    posed = posed_as(brought, motion.skeleton, motion.translated)
    np.testing.assert_allclose(posed.pose()[1][:, rows], brought.pose()[1], atol=1e-4)


def test_exchanged_names_of_a_leg_still_give_a_connected_body() -> None:
    skeleton = build_skeleton(BIPED)
    exchanged = same_names(skeleton) | {"thigh.L": "foot.L", "foot.L": "thigh.L"}
    body = connected_body(skeleton, skeleton, exchanged)
    assert sorted(body.names) == sorted(skeleton.names)
    assert body.names[body.parents[body.names.index("thigh.L")]] == "shin.L", "as in the source"


def test_moving_bones_without_a_counterpart_are_named_and_still_ones_are_not() -> None:
    motion = waver(60)
    moving = left_out(motion, {})
    assert moving and not set(moving) & set(left_out(motion, {name: name for name in moving}))
    still = replace(motion, rotations=np.tile(motion.rotations[:1], (motion.frames, 1, 1)))
    assert not {*left_out(still, {})} - {motion.skeleton.names[joint] for joint in motion.translated}


def test_a_single_frame_and_an_impossible_scale_are_rejected() -> None:
    motion = walker(30)
    pairs = same_names(motion.skeleton)
    with pytest.raises(InputError, match="only one frame"):
        bring(motion.slice(0, 1), motion.skeleton, pairs, motion.translated)
    for scale in (0.0, -1.0, np.nan):
        with pytest.raises(InputError, match="cannot be scaled"):
            bring(motion, motion.skeleton, pairs, motion.translated, path_scale=scale)
    broken = replace(motion, translations=np.full_like(motion.translations, np.nan))
    with pytest.raises(InputError):
        bring(broken, motion.skeleton, pairs, motion.translated)


def with_blade(joints: Joints) -> Skeleton:
    """Return the biped with a long bone of the pelvis before its left leg."""
    blade = {"blade.L": ("hips", (0.1, -0.4, 0.95)), "thigh.L": ("blade.L", joints["thigh.L"][1])}
    return build_skeleton({"hips": joints["hips"], "blade.L": blade["blade.L"], **joints, **blade})


def test_a_source_leg_is_that_of_the_joints_that_do_the_work_of_the_targets() -> None:
    bladed = with_blade(TOED)
    leg = tuple(bladed.names.index(f"{name}.L") for name in ("thigh", "shin", "foot"))
    pairs = {name: name for name in bladed.names}
    for found in (leg, (bladed.names.index("blade.L"), *leg), ()):
        feet = bringing._both_feet(bladed, bladed, Foot(bladed.names.index("toe.L"), found), pairs)
        assert feet is not None and feet[0].leg == feet[1].leg == leg


def test_a_foot_that_stands_higher_than_the_other_stays_there_and_the_own_body_keeps_its_pose() -> None:
    skeleton = build_skeleton(TOED)
    bends = {"thigh.R": 0.6, "shin.R": -0.9, "foot.R": 0.3}
    channels = pose_channels(skeleton, {name: turn(SIDEWAYS, np.full(60, by)) for name, by in bends.items()}, 60)
    motion = Motion(skeleton, 30.0, channels, np.array([0]), np.zeros((60, 1, 3), np.float32))
    heights = motion.pose()[1][0, [skeleton.names.index(f"toe.{side}") for side in "LR"], 2]
    assert heights[1] - heights[0] > 0.08
    brought = bring(motion, skeleton, same_names(skeleton), motion.translated)
    np.testing.assert_allclose(brought.pose()[1], motion.pose()[1], atol=1e-3)


def test_a_body_that_crouches_onto_its_tail_keeps_its_pose_on_its_own_skeleton() -> None:
    skeleton = build_skeleton({**TOED, "tail": ("hips", (0.0, 0.3, 0.5)), "tip": ("tail", (0.0, 0.6, 0.3))})
    bend = np.clip(1.1 * (1.0 - np.cos(np.arange(80) * np.pi / 40)) - 0.4, 0.0, 1.1)
    shares = {f"{name}.{side}": share for name, share in (("thigh", 1), ("shin", -2), ("foot", 1)) for side in "LR"}
    channels = pose_channels(skeleton, {name: turn(SIDEWAYS, share * bend) for name, share in shares.items()}, 80)
    motion = Motion(skeleton, 30.0, channels, np.array([0]), np.zeros((80, 1, 3), np.float32))
    heights = joint_path(motion, skeleton.names.index("foot.L")) @ UPWARD
    motion = move_root(motion, 0, np.outer(heights[0] - heights, UPWARD))
    assert motion.pose()[1][..., 2].min() < -0.1, "the tail is below the ground"
    brought = bring(motion, skeleton, same_names(skeleton), motion.translated)
    own, other = (each.pose()[1] - each.pose()[1][:, :1] for each in (motion, brought))
    np.testing.assert_allclose(other, own, atol=1e-3)
