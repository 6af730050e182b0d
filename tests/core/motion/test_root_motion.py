# SPDX-License-Identifier: GPL-3.0-or-later
"""The root: the joint that carries the travel, and its motion encoded and restored."""

from dataclasses import replace

import numpy as np
import pytest
from motions import (
    SIDEWAYS,
    UP,
    UPWARD,
    MotionMaker,
    in_other_units,
    motionless,
    turn,
    turned_and_moved,
    under_a_static_top,
    walker,
    waver,
    with_foot_controls,
)

from genmm_addon.core import Facing, InputError, Motion, rotations
from genmm_addon.core.motion import joined
from genmm_addon.core.motion.root_motion import (
    RootTrack,
    apply_root,
    encode_root,
    find_anchored,
    find_root,
    frames_of_extents,
    integrate,
    plan_root,
    without_heading,
)

TRAVELERS = {
    "walker": walker,
    "under a static top": under_a_static_top,
    "with foot controls": with_foot_controls,
    "waver": waver,
}


def lying_down() -> Motion:
    """Return the walker rolled over once on its path, so that at times it has no heading of its own."""
    walk = walker()
    roll = rotations.multiply(
        rotations.inverse(walk.skeleton.rest_rotations[0]),
        rotations.multiply(
            turn(SIDEWAYS, np.linspace(0, 2 * np.pi, walk.frames)), walk.skeleton.rest_rotations[0][None]
        ),
    )
    channels = walk.rotations.copy()
    channels[:, 0] = roll
    return replace(walk, rotations=channels)


def under_a_large_top() -> Motion:
    """Return a rig whose top joint is scaled, as in armatures imported in centimeters."""
    motion = under_a_static_top()
    return replace(motion, scaled=np.array([0]), scales=np.full((motion.frames, 1, 3), 2.5, np.float32))


@pytest.mark.parametrize("name", TRAVELERS)
def test_a_few_frames_have_the_extents_of_all(name: str) -> None:
    whole = TRAVELERS[name]()
    halves = whole.slice(0, whole.frames // 2), whole.slice(whole.frames // 2, whole.frames)
    few = frames_of_extents(joined([frames_of_extents(half) for half in halves]))
    assert few.frames < whole.frames / 2
    assert find_anchored([few]) == find_anchored([whole])
    assert (np.ptp(few.translations, axis=0) == np.ptp(whole.translations, axis=0)).all()
    assert (np.ptp(few.rotations, axis=0).any(axis=1) == np.ptp(whole.rotations, axis=0).any(axis=1)).all()


def test_the_hips_carry_the_travel() -> None:
    assert find_root([walker()]) == 0


def test_a_still_top_joint_does_not_carry_the_travel() -> None:
    motion = under_a_static_top()
    assert motion.skeleton.names[find_root([motion])] == "hips"


def test_of_joints_that_travel_the_top_one_carries() -> None:
    motion = under_a_static_top()
    both = replace(motion, translations=np.repeat(motion.translations[:, 1:], 2, axis=1))
    assert find_root([both]) == 0


@pytest.mark.parametrize("order", [1, -1])
def test_clips_need_not_have_translations_of_the_same_joints(order: int) -> None:
    both = under_a_static_top()
    hips = replace(both, translated=both.translated[1:], translations=both.translations[:, 1:])
    assert both.skeleton.names[find_root([hips, both, hips][::order])] == "hips"
    assert both.skeleton.names[find_root([both, hips][::order])] == "hips"


def test_a_rig_without_translations_travels_with_its_first_joint() -> None:
    assert find_root([Motion(walker().skeleton, 30.0, walker().rotations)]) == 0


def test_a_named_root_is_taken() -> None:
    plan = plan_root([under_a_static_top()], Facing.AUTO, "top")
    assert plan.joint == 0


def test_unknown_root_joint_is_rejected_by_name() -> None:
    with pytest.raises(InputError, match="'pelvis'"):
        plan_root([walker()], Facing.AUTO, "pelvis")


def test_controls_beside_the_hips_travel_along() -> None:
    motion = with_foot_controls()
    plan = plan_root([motion], Facing.AUTO, None)
    assert [motion.skeleton.names[joint] for joint in plan.companions] == ["control.L", "control.R"]


def test_walk_has_no_companions() -> None:
    assert plan_root([walker()], Facing.AUTO, None).companions == ()
    assert plan_root([under_a_static_top()], Facing.AUTO, None).companions == ()


def test_nearly_still_control_beside_the_hips_is_not_a_companion() -> None:
    motion = with_foot_controls()
    still = replace(motion, translations=motion.translations * np.array([1, 0.2, 1], np.float32)[:, None])
    plan = plan_root([still], Facing.AUTO, None)
    assert [motion.skeleton.names[joint] for joint in plan.companions] == ["control.R"]


def test_a_walk_may_turn_anywhere_and_a_wave_faces_its_audience() -> None:
    walking, waving = plan_root([walker()], Facing.AUTO, None), plan_root([waver()], Facing.AUTO, None)
    assert (walking.facing, walking.in_place) == (Facing.FREE, False)
    assert (waving.facing, waving.in_place) == (Facing.KEEP, True)


def test_motion_that_travels_in_one_example_is_not_in_place() -> None:
    assert not plan_root([waver(), walker()], Facing.AUTO, None).in_place


def test_motion_without_a_continuous_heading_keeps_its_facing() -> None:
    assert plan_root([lying_down()], Facing.AUTO, None).facing is Facing.KEEP


def faces(*courses: list[float]) -> Facing:
    """Return the facing of waves that turn through some angles, in degrees, one after another."""
    waves = []
    for course in courses:
        angles = np.interp(np.linspace(0.0, len(course) - 1.0, 240), np.arange(len(course)), np.radians(course))
        waves.append(turned_and_moved(waver(), angles, (0.0, 0.0, 0.0)))
    plan = plan_root(waves, Facing.AUTO, None)
    assert plan.in_place
    return plan.facing


@pytest.mark.parametrize("course", [[0, 20], [0, 180, 0], [0, 360], [30, -700], [0, 400, 200, 380]])
def test_facing_is_kept_where_the_examples_turn_back_by_themselves(course: list[float]) -> None:
    assert faces(course) is Facing.KEEP


@pytest.mark.parametrize("course", [[0, 180], [0, -180], [0, 90], [0, 270], [20, 110, 60, 140]])
def test_facing_is_free_where_only_a_transition_could_turn_back(course: list[float]) -> None:
    assert faces(course) is Facing.FREE


def test_facing_depends_on_the_turns_of_all_examples_together() -> None:
    assert faces([0, 180], [180, 0]) is faces([0, 180], [180, 360]) is faces([0, 10], [0, -10]) is Facing.KEEP
    assert faces([0, 0], [90, 90]) is faces([0, 180], [0, 180]) is Facing.FREE


@pytest.mark.parametrize("facing", [Facing.KEEP, Facing.FREE])
def test_a_facing_that_is_asked_for_is_taken(facing: Facing) -> None:
    assert plan_root([walker()], facing, None).facing is facing
    assert plan_root([waver()], facing, None).facing is facing


def test_in_place_motion_is_detected_in_any_units() -> None:
    for factor in (0.01, 100.0):
        assert plan_root([in_other_units(waver(), factor)], Facing.AUTO, None).in_place
        assert not plan_root([in_other_units(walker(), factor)], Facing.AUTO, None).in_place


@pytest.mark.parametrize("facing", [Facing.KEEP, Facing.FREE])
@pytest.mark.parametrize("make", [*TRAVELERS.values(), under_a_large_top], ids=[*TRAVELERS, "under a large top"])
def test_a_motion_told_and_walked_again_is_the_same(make: MotionMaker, facing: Facing) -> None:
    motion = make()
    plan = plan_root([motion], facing, None)
    track = integrate(encode_root(motion, plan), UP)
    again = apply_root(motion, plan, track)
    size = motion.skeleton.size
    assert again.pose()[1] == pytest.approx(motion.pose()[1], abs=2e-3 * size)
    turned = rotations.angle_between(again.rotations.astype(float), motion.rotations.astype(float))
    assert turned.max() < 5e-3


@pytest.mark.parametrize("make", TRAVELERS.values(), ids=TRAVELERS)
def test_encoding_of_free_motion_is_unchanged_by_turning_and_moving_it(make: MotionMaker) -> None:
    motion = make()
    plan = plan_root([motion], Facing.FREE, None)
    own, other = encode_root(motion, plan), encode_root(turned_and_moved(motion, 2.0, (7.0, -3.0, 0.0)), plan)
    for name in ("velocity", "yaw_rate", "offset"):
        assert getattr(other, name) == pytest.approx(getattr(own, name), abs=1e-4)
    assert rotations.angle_between(own.body, other.body).max() < 2e-3


def test_a_motion_that_keeps_its_facing_tells_the_worlds_directions() -> None:
    plan = plan_root([walker()], Facing.KEEP, None)
    track = encode_root(walker(), plan)
    assert np.all(track.heading == np.array([1, 0, 0, 0]))
    assert np.all(track.yaw_rate == 0)
    assert track.velocity[:-1] == pytest.approx(np.diff(track.ground, axis=0))


def test_a_heading_turns_about_up_alone_and_as_far_as_the_hips_do() -> None:
    plan = plan_root([walker()], Facing.FREE, None)
    heading = encode_root(walker(), plan).heading.astype(float)
    assert heading[:, 1:3] == pytest.approx(0, abs=1e-6)
    hips = rotations.multiply(walker().skeleton.rest_rotations[0], walker().rotations[:, 0].astype(float))
    yaw = rotations.multiply(hips, rotations.inverse(walker().skeleton.rest_rotations[0]))
    assert rotations.angle_between(heading, yaw).max() < 1e-3


def test_the_ground_has_no_height_and_the_offset_has_it_all() -> None:
    plan = plan_root([walker()], Facing.FREE, None)
    track = encode_root(walker(), plan)
    assert track.ground[:, 2] == pytest.approx(0, abs=1e-6)
    assert track.offset[:, 0, 2] == pytest.approx(walker().pose()[1][:, 0, 2], abs=1e-5)
    assert track.offset[:, 0, :2] == pytest.approx(0, abs=1e-4)


def test_a_steady_pace_and_turn_walk_a_circle() -> None:
    frames, rate = 101, 2 * np.pi / 100
    still = np.tile(np.array([1, 0, 0, 0], np.float32), (frames, 1))
    track = RootTrack(
        heading=still,
        ground=np.zeros((frames, 3), np.float32),
        velocity=np.tile(np.array([0, 0.1, 0], np.float32), (frames, 1)),
        yaw_rate=np.full(frames, rate, np.float32),
        body=still[:, None],
        offset=np.zeros((frames, 1, 3), np.float32),
    )
    walked = integrate(track, UP)
    assert walked.ground[-1] == pytest.approx(np.zeros(3), abs=1e-4)
    center = walked.ground[:100].mean(axis=0)
    radius = np.linalg.norm(walked.ground - center, axis=1)
    assert radius == pytest.approx(np.full(frames, 0.1 / (2 * np.sin(rate / 2))), rel=1e-3)
    assert rotations.angle_between(walked.heading[25].astype(float), turn(UPWARD, 25 * rate)) == pytest.approx(
        0, abs=1e-3
    )


def test_one_frame_stands_still() -> None:
    plan = plan_root([walker()], Facing.FREE, None)
    track = encode_root(walker().slice(0, 1), plan)
    assert np.all(track.velocity == 0) and np.all(track.yaw_rate == 0)


def test_a_motionless_example_stays_in_place() -> None:
    assert plan_root([motionless()], Facing.AUTO, None).in_place


def test_without_their_heading_two_walks_that_differ_in_where_they_face_are_alike() -> None:
    walk = walker()
    elsewhere = turned_and_moved(walk, 1.2, (3.0, -2.0, 0.0))
    plan = plan_root([walk], Facing.FREE, None)
    matrices, others = (rotations.to_matrix(without_heading(one, plan).rotations) for one in (walk, elsewhere))
    assert np.allclose(matrices, others, atol=1e-5)
    assert not np.allclose(rotations.to_matrix(walk.rotations), rotations.to_matrix(elsewhere.rotations), atol=0.1)


def test_where_the_facing_is_kept_nothing_is_taken_out() -> None:
    walk = walker()
    assert without_heading(walk, plan_root([walk], Facing.KEEP, None)) is walk
