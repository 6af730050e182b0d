# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts: limbs found on a skeleton, and lists of parts completed to all joints."""

from collections.abc import Sequence

import pytest
from legged import crab
from motions import BIPED, QUADRUPED, Joints, build_skeleton, under_a_static_top, with_foot_controls

from genmm_addon.core import InputError, Part, Skeleton
from genmm_addon.core.features.body_parts import (
    complete,
    grown,
    left_and_right,
    limb_partition,
    upper_and_lower,
    whole_body,
)

TAILED = {
    **QUADRUPED,
    "tail.1": ("pelvis", (0.0, -0.1, 0.6)),
    "tail.2": ("tail.1", (0.0, -0.4, 0.55)),
    "tail.3": ("tail.2", (0.0, -0.6, 0.5)),
}


def names_of(skeleton: Skeleton, parts: Sequence[Part]) -> dict[str, set[str]]:
    return {part.name: {skeleton.names[joint] for joint in part.joints} for part in parts}


def arm(side: str) -> set[str]:
    return {f"upper_arm.{side}", f"forearm.{side}", f"hand.{side}"}


def legs() -> set[str]:
    return {f"{name}.{side}" for name in ("thigh", "shin", "foot") for side in "LR"}


def test_a_bipeds_arms_are_free_and_its_legs_stay_with_the_trunk() -> None:
    skeleton = build_skeleton(BIPED)
    parts = names_of(skeleton, limb_partition(skeleton))
    assert set(parts) == {"Trunk and Legs", "upper_arm.L", "upper_arm.R"}
    assert parts["upper_arm.L"] == arm("L") | {"chest", "spine"}
    assert parts["upper_arm.R"] == arm("R") | {"chest", "spine"}
    assert parts["Trunk and Legs"] == set(skeleton.names) - arm("L") - arm("R")


def test_a_quadruped_with_all_legs_on_the_ground_is_one_part() -> None:
    skeleton = build_skeleton(QUADRUPED)
    assert limb_partition(skeleton) == whole_body(skeleton)


def test_a_quadrupeds_tail_is_free() -> None:
    skeleton = build_skeleton(TAILED)
    parts = names_of(skeleton, limb_partition(skeleton))
    assert set(parts) == {"Trunk and Legs", "tail.1"}
    assert parts["tail.1"] >= {"tail.1", "tail.2", "tail.3", "pelvis"}
    assert parts["Trunk and Legs"] == set(QUADRUPED)


def test_a_joint_above_the_hips_changes_no_limb() -> None:
    skeleton = under_a_static_top().skeleton
    parts = names_of(skeleton, limb_partition(skeleton))
    assert parts["upper_arm.L"] == arm("L") | {"chest", "spine"}
    assert {"top", "hips"} | legs() <= parts["Trunk and Legs"]


def test_controls_beside_the_body_stay_with_the_trunk() -> None:
    skeleton = with_foot_controls().skeleton
    parts = names_of(skeleton, limb_partition(skeleton))
    assert {"control.L", "control.R"} <= parts["Trunk and Legs"]
    assert "control.L" not in parts["upper_arm.L"]


@pytest.mark.parametrize("joints", [BIPED, QUADRUPED, TAILED])
def test_limbs_leave_no_joint_out(joints: Joints) -> None:
    skeleton = build_skeleton(joints)
    parts = limb_partition(skeleton)
    assert {joint for part in parts for joint in part.joints} == set(range(len(skeleton.names)))
    assert complete(parts, skeleton) == parts


def test_joints_in_no_part_get_a_separate_part() -> None:
    skeleton = build_skeleton(BIPED)
    head, *others = complete([Part("Head", (3, 4)), Part("Arm", (5, 6, 7))], skeleton)
    assert head == Part("Head", (3, 4))
    assert others[-1].joints == tuple(joint for joint in range(17) if joint not in {3, 4, 5, 6, 7})
    assert len(others) == 2


def test_parts_may_overlap() -> None:
    skeleton = build_skeleton(BIPED)
    parts = (Part("Whole", tuple(range(17))), Part("Head", (2, 3, 4)))
    assert complete(parts, skeleton) == parts


def test_the_whole_body_has_every_joint() -> None:
    (body,) = whole_body(build_skeleton(BIPED))
    assert body.joints == tuple(range(17))


def test_a_part_without_joints_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="'Tail' has no joints"):
        complete([Part("Tail", ())], build_skeleton(BIPED))


@pytest.mark.parametrize("joint", [-1, 17])
def test_part_with_an_invalid_joint_is_rejected_by_name(joint: int) -> None:
    with pytest.raises(InputError, match="'Tail'"):
        complete([Part("Tail", (0, joint))], build_skeleton(BIPED))


def test_a_biped_has_an_upper_and_a_lower_body_that_share_the_joint_between() -> None:
    skeleton = build_skeleton(BIPED)
    parts = names_of(skeleton, upper_and_lower(skeleton))
    assert parts["Lower Body"] == legs() | {"hips", "spine"}
    assert parts["Upper Body"] == set(skeleton.names) - legs() - {"hips"}


def test_a_quadruped_has_a_front_and_a_hind_half() -> None:
    skeleton = build_skeleton(TAILED)
    parts = names_of(skeleton, upper_and_lower(skeleton))
    assert set(parts) == {"Hind", "Front"}
    assert "tail.2" in parts["Hind"]
    assert parts["Hind"] | parts["Front"] == set(skeleton.names)
    assert parts["Front"] - parts["Hind"]
    assert parts["Hind"] - parts["Front"]


def test_all_legs_of_a_crab_hang_from_one_place() -> None:
    with pytest.raises(InputError, match="hang from one place"):
        upper_and_lower(crab().skeleton)


@pytest.mark.parametrize("skeleton", [build_skeleton(BIPED), build_skeleton(TAILED), crab().skeleton])
def test_left_and_right_mirror_each_other_and_share_the_middle(skeleton: Skeleton) -> None:
    parts = names_of(skeleton, left_and_right(skeleton))
    middle = parts["Left"] & parts["Right"]
    assert parts["Left"] | parts["Right"] == set(skeleton.names)
    assert not any(name.endswith(".R") for name in parts["Left"] - middle)
    assert not any(name.endswith(".L") for name in parts["Right"] - middle)
    assert len(parts["Left"]) == len(parts["Right"])


def test_separate_limbs_can_include_the_legs() -> None:
    skeleton = build_skeleton(BIPED)
    parts = names_of(skeleton, limb_partition(skeleton, legs_apart=True))
    assert {"upper_arm.L", "upper_arm.R", "thigh.L", "thigh.R", "Trunk"} == set(parts)


def test_growing_adds_the_neighbors() -> None:
    skeleton = build_skeleton(BIPED)
    arm_joint = skeleton.names.index("forearm.L")
    names = {skeleton.names[joint] for joint in grown([arm_joint], skeleton)}
    assert names == {"upper_arm.L", "forearm.L", "hand.L"}
    everything = tuple(range(len(skeleton.names)))
    assert grown(everything, skeleton) == everything
