# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that contradict the shape of a body: left and right exchanged, and a dog whose bones are named as a human's."""

from dataclasses import replace

import numpy as np
import pytest
from motions import Joints, build_skeleton
from test_matching import DOG, HUMAN, proportioned

from genmm_addon.core import Skeleton
from genmm_addon.core.transfer import JointMatch, match_joints

MIXAMO = {
    **{"hips": "Hips", "spine": "Spine", "waist": "Spine1", "chest": "Spine2", "neck": "Neck", "head": "Head"},
    **{"clavicle": "Shoulder", "upper_arm": "Arm", "forearm": "ForeArm", "hand": "Hand"},
    **{"thigh": "UpLeg", "shin": "Leg", "foot": "Foot", "toe": "ToeBase"},
    **{"scapula": "Shoulder", "humerus": "Arm", "radius": "ForeArm", "front_foot": "Hand"},
    **{"femur": "UpLeg", "tibia": "Leg", "hind_foot": "Foot", "hind_toe": "ToeBase"},
}
"""Names of Mixamo for the joints of the human and of the dog."""
SIDES = {"L": "Left", "R": "Right", "": ""}
EXCHANGED = {"L": "Right", "R": "Left", "": ""}


def named(skeleton: Skeleton, sides: dict[str, str] = SIDES) -> Skeleton:
    """Return the skeleton with names of Mixamo, and those of its sides."""
    parts = [name.partition(".") for name in skeleton.names]
    return replace(skeleton, names=tuple(sides[side] + MIXAMO.get(part, part) for part, _, side in parts))


def other_body() -> Skeleton:
    return named(build_skeleton(proportioned(HUMAN, np.random.default_rng(1))))


def check_by_shape(match: JointMatch, source: Skeleton, target: Skeleton) -> None:
    assert match.fits
    assert match.names == dict(zip(source.names, target.names, strict=True))


@pytest.mark.parametrize("joints", [HUMAN, DOG], ids=["human", "dog"])
def test_left_is_found_on_the_left_where_names_are_exchanged_and_a_note_says_so(joints: Joints) -> None:
    source = named(build_skeleton(joints), EXCHANGED)
    target = named(build_skeleton(proportioned(joints, np.random.default_rng(1))))
    for one, two in ((source, target), (target, source)):
        match = match_joints(one, two)
        check_by_shape(match, one, two)
        assert match.notes
    assert not match_joints(target, named(build_skeleton(joints))).notes


def test_two_skeletons_whose_names_are_exchanged_alike_are_matched_by_them() -> None:
    source, target = (named(build_skeleton(HUMAN), EXCHANGED) for _ in range(2))
    match = match_joints(source, target)
    check_by_shape(match, source, target)
    assert not match.notes


def test_two_skeletons_of_the_same_names_are_matched_by_them_where_one_does_not_tell_its_sides() -> None:
    """Its feet do not point forward; the exchanged names of the other one are then no reason to exchange its own."""
    whole = named(build_skeleton(HUMAN), EXCHANGED)
    without = named(build_skeleton({n: joint for n, joint in HUMAN.items() if not n.startswith("toe")}), EXCHANGED)
    for source, target in ((whole, without), (without, whole)):
        assert match_joints(source, target).names == {name: name for name in without.names}


def test_names_alone_and_pairs_of_the_user_count_where_sides_are_exchanged() -> None:
    source, target = named(build_skeleton(HUMAN), EXCHANGED), other_body()
    assert match_joints(source, target, trust=1.0).names["LeftHand"] == "LeftHand"
    assert match_joints(source, target, given=[("LeftHand", "LeftHand")]).names["LeftHand"] == "LeftHand"


def test_feet_that_do_not_point_forward_leave_the_sides_to_the_names() -> None:
    straight = {name: joint for name, joint in HUMAN.items() if not name.startswith("toe")}
    source = named(build_skeleton(straight), EXCHANGED)
    match = match_joints(source, other_body())
    assert match.names["LeftHand"] == "LeftHand" and not match.notes


def test_a_dog_whose_bones_are_named_as_those_of_a_human_does_not_fit_one() -> None:
    dog = named(build_skeleton(DOG))
    assert not match_joints(dog, other_body()).fits and not match_joints(other_body(), dog).fits
    assert match_joints(dog, named(build_skeleton(proportioned(DOG, np.random.default_rng(0))))).fits
