# SPDX-License-Identifier: GPL-3.0-or-later
"""Features: the distance between rows is the distance of the bodies."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from motions import (
    BIPED,
    SIDEWAYS,
    MotionMaker,
    build_skeleton,
    in_other_units,
    motionless,
    turn,
    turned_and_moved,
    under_a_static_top,
    walker,
    waver,
    with_foot_controls,
    with_scales_and_scalars,
)

from genmm_addon.core import Facing, InputError, Motion, rotations
from genmm_addon.core.features.features import KEPT_VARIANCE, FeatureRows, encode, joint_weights
from genmm_addon.core.motion.motion import resample
from genmm_addon.core.motion.root_motion import encode_root, plan_root

ALL = [walker, waver, under_a_static_top, with_foot_controls, with_scales_and_scalars]


def features(motions: Sequence[Motion], facing: Facing = Facing.AUTO) -> FeatureRows:
    plan = plan_root(motions, facing, None)
    return encode(motions, [encode_root(motion, plan) for motion in motions], plan)


def distances(rows: np.ndarray) -> np.ndarray:
    rows = rows.astype(np.float64)
    return np.asarray(np.sum((rows[:, None] - rows[None]) ** 2, axis=-1))


@pytest.mark.parametrize("make", ALL)
def test_two_frames_are_two_apart_on_the_mean(make: MotionMaker) -> None:
    motion = make()
    mean = distances(features([motion]).rows).mean()
    assert 2 * KEPT_VARIANCE - 1e-3 <= mean <= 2 + 1e-3


@pytest.mark.parametrize("make", ALL)
def test_rows_are_the_same_in_any_units(make: MotionMaker) -> None:
    own, other = features([make()]), features([in_other_units(make(), 100)])
    assert np.array_equal(own.joints, other.joints)
    assert other.rows == pytest.approx(own.rows, abs=1e-3)


def test_free_rows_do_not_see_where_a_motion_goes() -> None:
    moved = turned_and_moved(walker(), 2.1, (30.0, -4.0, 0.0))
    assert features([moved]).rows == pytest.approx(features([walker()]).rows, abs=2e-3)


def test_rows_that_keep_their_facing_see_a_turn_but_no_move() -> None:
    both = [walker(), turned_and_moved(walker(), 2.1, (0.0, 0.0, 0.0))]
    halves = np.split(features(both, Facing.KEEP).rows, 2)
    assert np.abs(halves[0] - halves[1]).max() > 0.1
    both = [walker(), turned_and_moved(walker(), 0.0, (30.0, -4.0, 0.0))]
    halves = np.split(features(both, Facing.KEEP).rows, 2)
    assert halves[0] == pytest.approx(halves[1], abs=2e-3)


def test_features_of_in_place_motion_include_its_position() -> None:
    both = [waver(), turned_and_moved(waver(), 0.0, (0.5, 0.0, 0.0))]
    halves = np.split(features(both).rows, 2)
    assert np.abs(halves[0] - halves[1]).max() > 0.1


def test_a_motionless_example_has_no_columns() -> None:
    found = features([motionless()])
    assert found.rows.shape == (motionless().frames, 0)
    assert found.joints.shape == (0,)


def test_a_joint_that_never_turns_has_no_column() -> None:
    neck = walker().skeleton.names.index("neck")
    assert neck not in features([walker()]).joints


def test_every_column_speaks_of_a_joint_that_moves_or_of_the_root() -> None:
    found = features([walker()])
    turned = rotations.angle_between(walker().rotations, walker().rotations[:1]).max(axis=0) > 1e-3
    assert set(found.joints.tolist()) <= {0, *np.flatnonzero(turned).tolist()}


@pytest.mark.parametrize("make", [walker, waver])
def test_frames_at_twice_the_rate_are_as_far_apart(make: MotionMaker) -> None:
    own = distances(features([make()]).rows)
    double = distances(features([resample(make(), 60.0)[0]]).rows)[::2, ::2]
    # The ends differ, since the frame after the last is not known.
    assert double[:-1, :-1] == pytest.approx(own[:-1, :-1], abs=0.1 * own.mean())


def test_same_pose_at_another_speed_has_different_features() -> None:
    slow = resample(walker(), 60.0)[0]
    slow = replace(slow, frames_per_second=30.0)
    found = features([walker(), slow]).rows
    own, other = found[:240], found[240:][::2]
    assert np.linalg.norm(own[:-1] - other[:239], axis=1).min() > 0.05


def test_scalar_features_are_relative_to_their_deviation() -> None:
    motion = with_scales_and_scalars()
    larger = replace(motion, scalars=motion.scalars * np.array([1000, 0.001], np.float32))
    assert features([larger]).rows == pytest.approx(features([motion]).rows, abs=1e-3)


def test_a_scalar_alone_is_motion_enough() -> None:
    still = replace(motionless(), scalar_names=("blink",), scalars=np.sin(np.arange(60, dtype=np.float32))[:, None])
    assert features([still]).rows.shape == (60, 1)


def test_joint_weight_decreases_along_each_chain() -> None:
    skeleton = build_skeleton(BIPED)
    weights = dict(zip(skeleton.names, joint_weights(skeleton), strict=True))
    for chain in (("thigh.L", "shin.L", "foot.L"), ("upper_arm.R", "forearm.R", "hand.R"), ("chest", "neck", "head")):
        heavy = [weights[name] for name in chain]
        assert heavy == sorted(heavy, reverse=True)
        assert heavy[-1] > 0
    assert max(weights, key=weights.__getitem__) == "hips"
    assert weights["thigh.L"] == pytest.approx(weights["thigh.R"])


def test_weights_are_the_same_in_any_units() -> None:
    larger = in_other_units(walker(), 100).skeleton
    assert joint_weights(larger) == pytest.approx(joint_weights(walker().skeleton))


def test_a_weight_is_how_far_the_body_moves_when_a_joint_turns() -> None:
    # In a long straight chain of equal bones, a small turn of joint k moves each joint below it by its distance.
    count = 41
    chain = build_skeleton(
        {f"{n}": (f"{n - 1}" if n else "", (0.0, 0.0, n / (count - 1))) for n in range(count)},
    )
    weights = joint_weights(chain)
    heights = np.linspace(0, 1, count)
    for joint in (0, 10, 25):
        moved = np.sqrt(np.sum((heights[joint:] - heights[joint]) ** 2) / (count - 1))
        assert weights[joint] == pytest.approx(moved, rel=0.02)


def test_forty_fingers_do_not_outvote_a_leg() -> None:
    fingers = {
        f"finger {n} {part}": (f"finger {n} {part - 1}" if part else "hand.L", (0.72 + 0.02 * part, 0.01 * n, 1.42))
        for n in range(10)
        for part in range(4)
    }
    skeleton = build_skeleton({**BIPED, **fingers})
    weights = joint_weights(skeleton)
    of_fingers = sum(weights[skeleton.names.index(name)] ** 2 for name in fingers)
    assert of_fingers < 0.2 * weights[skeleton.names.index("thigh.L")] ** 2


def test_a_skeleton_without_extent_still_tells_rotations() -> None:
    count = 30
    spin = turn(SIDEWAYS, 0.1 * np.arange(count)).astype(np.float32)[:, None]
    point = build_skeleton({"object": ("", (0.0, 0.0, 0.0))})
    assert features([Motion(point, 30.0, spin)]).rows.shape[1] > 0


def test_a_weight_counts_for_the_joint_that_it_names_and_for_no_other() -> None:
    motion = walker()
    plan = plan_root([motion], Facing.AUTO, None)
    tracks = [encode_root(motion, plan)]
    named = motion.skeleton.names[2]
    plain, heavy = (encode([motion], tracks, plan, factors=factors) for factors in ((), ((named, 3.0),)))
    times = heavy.scale.weights / plain.scale.weights
    assert times == pytest.approx(np.where(np.array(motion.skeleton.names) == named, 3.0, 1.0))
    with pytest.raises(InputError, match="'tail', which is not a joint"):
        encode([motion], tracks, plan, factors=(("tail", 2.0),))
