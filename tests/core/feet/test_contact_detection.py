# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet: found by their motion or named by hand, and the frames at which they stand."""

from dataclasses import replace

import numpy as np
import pytest
from legged import CRAB, ELEPHANT, TOED, TOES, carried_hound, compass, crab, marcher, places_of, still, with_names
from motions import (
    RATE,
    SIDEWAYS,
    build_skeleton,
    in_other_units,
    place_channels,
    pose_channels,
    turn,
    turned_and_moved,
    walker,
)

from genmm_addon.core import InputError, Motion, rotations
from genmm_addon.core.feet.contact_detection import (
    GROUND_BAND,
    LEAST_STANDING,
    NEAR_GROUND,
    SLOW,
    feet_by_name,
    find_feet,
    foot_heights,
    ground_heights,
    label_contacts,
    make_foot,
)
from genmm_addon.core.feet.footing import contact_changes
from genmm_addon.core.motion.spans import spans

pytestmark = pytest.mark.filterwarnings("error")

MARCH, STANDS = marcher()


def names_of(motion: Motion) -> set[str]:
    return {motion.skeleton.names[foot.joint] for foot in find_feet([motion])}


def leg_of(motion: Motion, name: str) -> list[str]:
    foot = make_foot(motion.skeleton, motion.skeleton.names.index(name))
    return [motion.skeleton.names[joint] for joint in foot.leg]


# Detection of feet


@pytest.mark.parametrize("motion", [MARCH, compass()], ids=["marching", "walking"])
def test_a_biped_stands_on_its_two_toes(motion: Motion) -> None:
    assert names_of(motion) == set(TOES)


def test_feet_are_found_regardless_of_their_names() -> None:
    called = {name: f"bone {number}" for number, name in enumerate(TOED)}
    assert names_of(with_names(MARCH, called)) == {called[name] for name in TOES}


def test_a_name_decides_between_two_joints_of_one_leg() -> None:
    swapped = {"foot.L": "LeftToeBase", "toe.L": "LeftFootEnd"}
    assert "LeftToeBase" in names_of(with_names(MARCH, swapped))


def test_feet_are_found_where_the_hips_rest_far_from_where_they_move() -> None:
    """Some files write the hips' position in another recording's first frame as their offset."""
    joints = {name: (parent or "place", (x + 4.0, y, z)) for name, (parent, (x, y, z)) in TOED.items()}
    far = build_skeleton({"place": ("", (0.0, 0.0, 0.0)), **joints})
    assert names_of(still(far, "place", np.zeros((60, 3)))) == set(TOES)


def test_feet_are_found_where_several_joints_stand_at_the_place_that_the_hips_rest_far_from() -> None:
    """An FBX without meshes, written in the middle of a walk, has object, root and distant hips as joints."""
    joints = {name: (parent or "root", (x + 4.0, y, z)) for name, (parent, (x, y, z)) in TOED.items()}
    above = {"object": ("", (0.0, 0.0, 0.0)), "root": ("object", (0.0, 0.0, 0.0))}
    far = build_skeleton({**above, **joints})
    assert names_of(still(far, "root", np.zeros((60, 3)))) == set(TOES)
    assert far.size == pytest.approx(build_skeleton(TOED).size)


@pytest.mark.parametrize("factor", [0.01, 100.0])
def test_feet_are_found_in_any_units(factor: float) -> None:
    assert names_of(in_other_units(compass(), factor)) == set(TOES)


def test_feet_are_found_wherever_the_ground_is() -> None:
    assert names_of(turned_and_moved(MARCH, 2.0, (3.0, -50.0, 12.0))) == set(TOES)


@pytest.mark.parametrize("hips", [0.35, 0.05])
def test_a_crab_stands_on_the_tips_of_all_its_legs_also_with_knees_above_its_hips(hips: float) -> None:
    assert names_of(crab(hips=hips)) == {f"tip {leg}" for leg in range(6)}


def test_trunk_that_reaches_the_ground_is_not_a_foot() -> None:
    elephant = still(build_skeleton(ELEPHANT), "pelvis", np.zeros((60, 3)))
    assert names_of(elephant) == names_of(carried_hound(np.zeros((60, 3))))
    assert len(names_of(elephant)) == 4


def test_walker_with_unequal_legs_keeps_both_feet() -> None:
    wooden = dict(TOED)
    for name in ("shin.L", "foot.L", "toe.L"):
        parent, (x, y, z) = wooden[name]
        wooden[name] = (parent, (x, y + 0.15, z))
    assert names_of(still(build_skeleton(wooden), "hips", np.zeros((60, 3)))) == set(TOES)


def test_a_body_that_floats_off_has_no_feet() -> None:
    along = np.linspace(np.zeros(3), np.array([0.0, 9.0, 0.0]), 90)
    assert names_of(still(build_skeleton(TOED), "hips", along)) == set()


def test_a_skeleton_without_legs_has_no_feet() -> None:
    short = {name: (parent, (x, y, 0.3 * z)) for name, (parent, (x, y, z)) in CRAB.items() if "tip" not in name}
    assert names_of(still(build_skeleton(short), "body", np.zeros((60, 3)))) == set()


def test_legs_that_lie_on_the_ground_do_not_stand() -> None:
    flat = {name: (parent, (x, y, 0.05 * z)) for name, (parent, (x, y, z)) in CRAB.items()}
    assert names_of(still(build_skeleton(flat), "body", np.zeros((60, 3)))) == set()


def test_foot_with_separate_toes_stands_as_a_whole() -> None:
    single = {
        f"digit {number}.{side}": (f"toe.{side}", (x + 0.02 * (number - 1), 0.2, 0.0))
        for side, x in (("L", 0.1), ("R", -0.1))
        for number in range(3)
    }
    standing = still(build_skeleton({**TOED, **single}), "hips", np.zeros((60, 3)))
    unnamed = with_names(standing, {"toe.L": "paw.L", "toe.R": "paw.R"})
    assert names_of(unnamed) == {"paw.L", "paw.R"}


# Feet named by hand


def test_feet_can_be_named() -> None:
    feet = feet_by_name(MARCH.skeleton, ["hand.L", "toe.R"])
    assert [MARCH.skeleton.names[foot.joint] for foot in feet] == ["hand.L", "toe.R"]


def test_unknown_foot_joint_is_rejected_by_name() -> None:
    with pytest.raises(InputError, match="'hoof'"):
        feet_by_name(MARCH.skeleton, ["toe.L", "hoof"])


def test_a_leg_goes_from_the_hip_to_the_ankle_that_carries_the_toe() -> None:
    assert leg_of(MARCH, "toe.L") == ["thigh.L", "shin.L", "foot.L"]
    assert leg_of(walker(), "foot.L") == ["thigh.L", "shin.L", "foot.L"]
    assert leg_of(carried_hound(np.zeros((20, 3))), "hind_toe.R") == [
        "hind_upper.R",
        "hind_lower.R",
        "hock.R",
        "hind_paw.R",
    ]


def test_a_limb_of_two_joints_is_too_short_for_a_leg() -> None:
    assert leg_of(MARCH, "head") == []


# Frames at which a foot stands


def test_the_feet_of_a_march_stand_when_they_are_down() -> None:
    feet = feet_by_name(MARCH.skeleton, TOES)
    labels = label_contacts(MARCH, feet, ground_heights([MARCH], feet))
    assert labels[STANDS].all()
    # A foot that has hardly left the ground still counts as standing.
    high = places_of(MARCH)[..., 2] > 0.15
    assert high.any() and not labels[high].any()


def test_a_foot_that_passes_low_and_fast_does_not_stand() -> None:
    walk = compass()
    feet = feet_by_name(walk.skeleton, TOES)
    labels = label_contacts(walk, feet, ground_heights([walk], feet))
    moves = np.linalg.norm(np.diff(places_of(walk), axis=0), axis=2)
    assert moves[labels[1:] & labels[:-1]].max() < 0.1 * moves.max()
    assert 0.4 < labels.mean() < 0.6


def test_a_foot_that_hangs_still_in_the_air_does_not_stand() -> None:
    feet = feet_by_name(MARCH.skeleton, TOES)
    ground = ground_heights([MARCH], feet) - 0.5
    assert not label_contacts(MARCH, feet, ground).any()


def test_heights_are_told_along_up() -> None:
    feet = feet_by_name(MARCH.skeleton, TOES)
    assert np.allclose(foot_heights(MARCH, feet), places_of(MARCH)[..., 2], atol=1e-5)
    assert np.allclose(ground_heights([MARCH], feet), 0.02, atol=0.006)


def test_a_single_frame_can_be_labeled() -> None:
    feet = feet_by_name(MARCH.skeleton, TOES)
    assert label_contacts(MARCH.slice(0, 1), feet, np.array([0.02, 0.02])).shape == (1, 2)


@pytest.mark.parametrize("low", [0.0, -0.3])
def test_hands_that_dip_to_the_floor_or_through_it_are_no_legs(low: float) -> None:
    """On a cartoon body, whose arms are longer than its legs, both hands reach down for a short time."""
    motion = compass()
    skeleton, up = motion.skeleton, np.array(motion.skeleton.up)
    turns, dip = motion.rotations.copy(), slice(100, 112)
    longer = skeleton.rest_translations.copy()
    for side in "LR":
        shoulder, hand = (skeleton.names.index(f"{name}.{side}") for name in ("upper_arm", "hand"))
        down = skeleton.rest_positions[hand] - skeleton.rest_positions[shoulder]
        elbow = skeleton.names.index(f"forearm.{side}")
        longer[[elbow, hand]] *= (skeleton.rest_positions[shoulder] @ up - low) / np.linalg.norm(down)
        axes = skeleton.rest_orientations[shoulder]
        hanging, reaching = (
            rotations.multiply(rotations.inverse(axes), rotations.multiply(rotations.shortest_turn(down, to), axes))
            for to in (down - 0.3 * np.linalg.norm(down) * up, -up)
        )
        turns[:, shoulder], turns[dip, shoulder] = hanging, reaching
        turns[:, elbow] = 1.0, 0.0, 0.0, 0.0
    dipping = replace(motion, skeleton=replace(skeleton, rest_translations=longer), rotations=turns)
    names = [dipping.skeleton.names[foot.joint] for foot in find_feet([dipping])]
    assert names == list(TOES)


# Limits


def lifted(shares: list[float], limit: float) -> Motion:
    """Return the standing biped, lifted by shares of a limit, itself a share of the size, for ten frames each."""
    skeleton = build_skeleton(TOED)
    path = np.zeros((10 * len(shares), 3))
    path[:, 2] = np.repeat(shares, 10) * limit * skeleton.size
    return still(skeleton, "hips", path)


def test_a_foot_stands_below_the_largest_height_only() -> None:
    motion = lifted([0.0, 0.9, 1.1, -0.5], NEAR_GROUND)
    feet = feet_by_name(motion.skeleton, TOES)
    labels = label_contacts(motion, feet, foot_heights(motion, feet)[0])
    assert [bool(labels[10 * step + 5].all()) for step in range(4)] == [True, True, False, True]


@pytest.mark.parametrize(("share", "stands"), [(0.9, True), (1.1, False)])
@pytest.mark.parametrize("slow", [SLOW, 3 * SLOW])
def test_a_foot_stands_up_to_the_largest_speed_only(share: float, stands: bool, slow: float) -> None:
    skeleton = build_skeleton(TOED)
    path = np.zeros((30, 3))
    path[:, 1] = share * slow * skeleton.size * np.arange(30) / RATE
    motion = still(skeleton, "hips", path)
    feet = feet_by_name(skeleton, TOES)
    labels = label_contacts(motion, feet, foot_heights(motion, feet)[0], slow)
    assert labels.all() if stands else not labels.any()


def test_changes_of_contact_are_the_first_and_last_frames_of_stances() -> None:
    feet = find_feet([MARCH])
    labels = label_contacts(MARCH, feet, ground_heights([MARCH], feet))
    expected = {
        frame
        for stands in labels.T
        for first, end in spans(stands)
        for frame, inside in ((first, first > 0), (end - 1, end < len(stands)))
        if inside
    }
    assert len(expected) > 4
    assert set(np.flatnonzero(contact_changes(MARCH))) == expected


@pytest.mark.parametrize(("share", "count"), [(0.9, 2), (1.2, 0)])
def test_a_leg_is_near_the_ground_on_which_others_stand(share: float, count: int) -> None:
    """Hands that hang still above the ground are feet up to a height."""
    hung = dict(TOED)
    for side, x in (("L", 0.3), ("R", -0.3)):
        height = share * GROUND_BAND * build_skeleton(TOED).size
        hung[f"forearm.{side}"] = (f"upper_arm.{side}", (x, 0.0, 0.8))
        hung[f"hand.{side}"] = (f"forearm.{side}", (x, 0.0, 0.02 + height))
        hung[f"upper_arm.{side}"] = ("chest", (x, 0.0, 1.42))
    hands = names_of(still(build_skeleton(hung), "hips", np.zeros((60, 3)))) - set(TOES)
    assert len(hands) == count


@pytest.mark.parametrize(("share", "count"), [(0.7, 0), (1.4, 2)])
def test_feet_stand_for_a_least_share_of_the_time(share: float, count: int) -> None:
    """Otherwise the body floats along."""
    frames = 400
    stands = np.arange(frames) < share * LEAST_STANDING * frames
    path = np.zeros((frames, 3))
    path[:, 1] = np.cumsum(np.where(stands, 0.0, 0.1))
    assert len(names_of(still(build_skeleton(TOED), "hips", path))) == count


def test_one_foot_that_glides_beside_one_that_stands_is_no_stance() -> None:
    """On a treadmill a foot seems to stand now and then; most legs must stand."""
    frames = np.arange(120)
    turns = {f"{name}.L": turn(SIDEWAYS, angle) for name, angle in (("thigh", 0.0), ("shin", 0.0))}
    swing = 0.3 * np.sin(frames / 2)
    turns["thigh.R"] = turn(SIDEWAYS, swing)
    skeleton = build_skeleton(TOED)
    glides = Motion(
        skeleton,
        RATE,
        pose_channels(skeleton, turns | {"foot.R": turn(SIDEWAYS, -swing)}, 120),
        np.array([0]),
        place_channels(skeleton, "hips", np.zeros((120, 3))),
    )
    feet = feet_by_name(skeleton, TOES)
    labels = label_contacts(glides, feet, ground_heights([glides], feet))
    assert labels[:, 0].all() and labels[:, 1].mean() < LEAST_STANDING
    assert names_of(glides) == set()


def test_of_two_joints_in_one_place_the_one_with_joints_below_stands() -> None:
    """Some characters have a helper beside the toes."""
    beside = {
        f"{name}.{side}": (parent + side, (sign * 0.1, 0.15 + ahead, 0.02))
        for side, sign in (("L", 1.0), ("R", -1.0))
        for name, parent, ahead in (("a", "foot.", 0.0), ("b", "foot.", 0.0), ("c", "b.", 0.03))
    }
    legs = {name: place for name, place in TOED.items() if "toe" not in name}
    assert names_of(still(build_skeleton({**legs, **beside}), "hips", np.zeros((60, 3)))) == {"b.L", "b.R"}


def test_leg_of_three_joints_ends_at_the_foot() -> None:
    motion = walker()
    foot = make_foot(motion.skeleton, motion.skeleton.names.index("foot.L"))
    assert foot.leg[-1] == foot.joint
    assert make_foot(motion.skeleton, motion.skeleton.names.index("shin.L")).leg == ()


@pytest.mark.parametrize("side", ["L", "R"])
def test_a_short_bone_of_the_hip_makes_no_toe_of_an_ankle(side: str) -> None:
    parent, (x, y, z) = TOED[f"thigh.{side}"]
    buttock = {f"buttock.{side}": (parent, (x, y + 0.03, z + 0.02))}
    joints = {parent: TOED[parent], **buttock, **{name: value for name, value in TOED.items() if name != parent}}
    joints[f"thigh.{side}"] = (f"buttock.{side}", (x, y, z))
    ankles = {name: value for name, value in joints.items() if "toe" not in name}
    leg = leg_of(still(build_skeleton(ankles), "hips", np.zeros((2, 3))), f"foot.{side}")
    assert leg[-3:] == [f"thigh.{side}", f"shin.{side}", f"foot.{side}"]
    leg = leg_of(still(build_skeleton(joints), "hips", np.zeros((2, 3))), f"toe.{side}")
    assert leg[-1] == f"foot.{side}"
