# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints brought to places: met exactly, with feet and the rest unchanged, without jerks or flips."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from legged import TOES, marcher
from motions import SIDEWAYS, UPWARD, Array, turn
from numpy.typing import NDArray

from genmm_addon.core import InputError, Motion, rotations
from genmm_addon.core.environment import Reach, ReachBody, find_body, meet_places, note_on_acceleration
from genmm_addon.core.environment.reach.limbs import find_limb
from genmm_addon.core.environment.reach.refusals import why_not_met
from genmm_addon.core.evaluation import metrics
from genmm_addon.core.feet.contact_detection import feet_by_name
from genmm_addon.core.motion.motion import pose_along

FIRST, END = 80, 110
MET = 1e-3
ALLOWED = 1.2


@cache
def body(*names: str) -> ReachBody:
    motion = marcher()[0]
    return find_body([motion], [joint(name) for name in names], 0, feet_by_name(motion.skeleton, TOES))


def joint(name: str) -> int:
    return marcher()[0].skeleton.names.index(name)


def path(motion: Motion, name: str) -> Array:
    return np.asarray(motion.pose()[1][:, joint(name)], np.float64)


def frames(first: int = FIRST, end: int = END) -> NDArray[np.bool_]:
    active = np.zeros(marcher()[0].frames, bool)
    active[first:end] = True
    return active


def beside(name: str, offset: Array | tuple[float, float, float], first: int = FIRST, end: int = END) -> Reach:
    """Return a fixed place at an offset from the mean position of a joint."""
    place = path(marcher()[0], name)[first:end].mean(axis=0) + np.asarray(offset)
    return Reach(joint(name), frames(first, end), np.tile(place, (marcher()[0].frames, 1)))


def away(motion: Motion, reach: Reach) -> float:
    there = np.asarray(motion.pose()[1][:, reach.joint])
    return float(np.linalg.norm(there - reach.positions, axis=1)[reach.active].max()) / motion.skeleton.size


@pytest.mark.parametrize("name", ["hand.L", "hand.R", "foot.L"])
@pytest.mark.parametrize("offset", [(0.0, 0.15, 0.1), (0.0, 0.3, 0.2), (0.1, 0.1, 0.3)])
def test_a_joint_is_at_its_place_and_calm_on_the_way(name: str, offset: tuple[float, float, float]) -> None:
    motion, reach = marcher()[0], beside(name, offset)
    met = meet_places(motion, [reach], body(name))
    assert away(met.motion, reach) < MET and met.missing.max() < MET * motion.skeleton.size
    assert metrics.acceleration_ratios(met.motion, motion)[1] <= ALLOWED


def test_the_feet_stay_and_frames_far_away_are_as_they_were() -> None:
    motion = marcher()[0]
    met = meet_places(motion, [beside("hand.L", (0.0, 0.35, -0.3))], body("hand.L")).motion
    for toe in TOES:
        assert np.abs(path(met, toe) - path(motion, toe)).max() < 6e-3 * motion.skeleton.size
    assert np.array_equal(met.rotations[:10], motion.rotations[:10])
    assert np.array_equal(met.rotations[-5:], motion.rotations[-5:])


def test_the_trunk_comes_along_for_a_place_that_the_arm_alone_does_not_reach() -> None:
    motion = marcher()[0]
    near, far = (
        meet_places(motion, [beside("hand.L", offset)], body("hand.L")).motion
        for offset in ((0.0, 0.05, 0.05), (0.3, 0.3, -0.35))
    )
    assert np.abs(path(near, "chest") - path(motion, "chest")).max() < 0.01
    assert np.abs(path(far, "chest") - path(motion, "chest")).max() > 0.05


def test_both_hands_are_on_a_box_that_moves() -> None:
    motion = marcher()[0]
    way = np.stack([np.linspace(0, 0.1, motion.frames), np.zeros(motion.frames), np.zeros(motion.frames)], axis=1)
    reaches = [
        Reach(joint(f"hand.{side}"), frames(), np.array([sign * 0.15, 0.35, 1.2]) + way)
        for side, sign in (("L", 1), ("R", -1))
    ]
    met = meet_places(motion, reaches, body("hand.L", "hand.R"))
    assert all(away(met.motion, reach) < MET for reach in reaches)


def test_a_hand_turns_as_its_object_where_that_is_asked_for() -> None:
    motion, reach = marcher()[0], beside("hand.R", (0.0, 0.2, 0.2))
    wanted = rotations.from_axis_angle(np.tile(UPWARD, (motion.frames, 1)), np.linspace(0.2, 0.5, motion.frames))
    turning = Reach(reach.joint, reach.active, reach.positions, wanted.astype(np.float64))
    met = meet_places(motion, [turning], body("hand.R")).motion
    matrices = pose_along(met, met.skeleton.chain(reach.joint))[0][:, -1].astype(np.float64)
    assert rotations.angle_between(rotations.from_matrix(matrices), wanted)[reach.active].max() < 1e-3
    assert away(met, reach) < MET


def test_the_elbow_never_flips_on_the_way_from_the_hip_to_above_the_head() -> None:
    motion = marcher()[0]
    bent = motion.rotations.copy()
    bent[:, joint("forearm.L")] = rotations.multiply(bent[:, joint("forearm.L")], turn(SIDEWAYS, 0.4))
    motion = replace(motion, rotations=bent)
    shoulder = path(motion, "upper_arm.L")[FIRST:END].mean(axis=0)
    reach = Reach(joint("hand.L"), frames(), np.tile(shoulder + np.array([0.02, 0.02, 0.5]), (motion.frames, 1)))
    own = find_body([motion], [reach.joint], 0, feet_by_name(motion.skeleton, TOES))
    met = meet_places(motion, [reach], own).motion
    assert away(met, reach) < MET
    hip, knee, end = (path(met, name) for name in ("upper_arm.L", "forearm.L", "hand.L"))
    pole = np.cross(knee - hip, end - knee)
    pole /= np.linalg.norm(pole, axis=1, keepdims=True)
    assert np.sum(pole[1:] * pole[:-1], axis=1).min() > 0.7


def test_a_frame_that_is_fixed_stays_and_so_does_a_joint_that_always_is() -> None:
    motion, reach = marcher()[0], beside("hand.L", (0.0, 0.3, 0.2))
    fixed = np.zeros(motion.rotations.shape[:2], bool)
    fixed[FIRST - 6] = True
    fixed[:, joint("spine")] = True
    met = meet_places(motion, [reach], body("hand.L"), fixed).motion
    assert np.allclose(met.rotations[FIRST - 6], motion.rotations[FIRST - 6], atol=1e-6)
    assert np.array_equal(met.rotations[:, joint("spine")], motion.rotations[:, joint("spine")])
    assert away(met, reach) < MET


def test_distance_to_an_unreachable_place_is_reported() -> None:
    motion, reach = marcher()[0], beside("hand.L", (0.0, 3.0, 0.0))
    missing = meet_places(motion, [reach], body("hand.L")).missing[0]
    assert missing[FIRST:END].min() > 1.0 and missing[:FIRST].max() == 0.0


def test_undefined_place_is_rejected() -> None:
    with pytest.raises(InputError, match="infinite or undefined location"):
        Reach(0, np.array([True]), np.full((1, 3), np.nan))


def test_an_arm_goes_from_its_shoulder_to_its_wrist() -> None:
    skeleton = marcher()[0].skeleton
    limb = find_limb(skeleton, joint("hand.R"))
    assert limb is not None
    assert [skeleton.names[one] for one in (limb.hip, limb.knee, limb.wrist)] == ["upper_arm.R", "forearm.R", "hand.R"]


def test_a_place_that_no_body_comes_to_calmly_is_named_with_its_frame() -> None:
    motion, own = marcher()[0], body("hand.R")
    calm = meet_places(motion, [beside("hand.R", (0.0, 0.15, 0.1))], own)
    assert (
        note_on_acceleration(calm.quickest, calm.motion, [beside("hand.R", (0.0, 0.15, 0.1))], own.acceleration) == ()
    )
    # From one place to another within three frames, a third of the size away.
    near, far = beside("hand.R", (0.0, 0.1, 0.0), 90, 91), beside("hand.R", (0.0, 0.4, 0.3), 93, 94)
    reach = replace(
        near, active=near.active | far.active, positions=np.where(far.active[:, None], far.positions, near.positions)
    )
    met = meet_places(motion, [reach], own)
    (note,) = note_on_acceleration(met.quickest, met.motion, [reach], own.acceleration)
    assert met.quickest is not None and 85 <= met.quickest.frame <= 99
    assert note.startswith(f"At frame {1 + met.quickest.frame}") and "times as quick as anything" in note


@pytest.mark.parametrize("unit", [1.0, 100.0])
def test_the_sentence_on_a_place_out_of_reach_is_the_same_in_centimeters(unit: float) -> None:
    reach = Reach(1, np.array([True]), np.zeros((1, 3)), said="The handle")
    said = why_not_met([reach], np.array([[0.17 * unit]]), 1.7 * unit)
    assert said.startswith("The handle is out of reach at frame 1: 10 % of its size are missing")
