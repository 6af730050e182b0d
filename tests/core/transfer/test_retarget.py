# SPDX-License-Identifier: GPL-3.0-or-later
"""One skeleton's motion on another: names are matched, directions kept, and travel scaled."""

from dataclasses import replace

import numpy as np
import pytest
from motions import BIPED, Array, Joints, MotionMaker, build_skeleton, walker, waver
from test_matching import HUMAN, lowered, swinging

from genmm_addon.core import InputError, Motion, Skeleton, rotations
from genmm_addon.core.transfer.bone_names import match_names, meanings_by_name
from genmm_addon.core.transfer.retarget import ground_of, moved_joints, needs_target_pose, retarget

MIXAMO = {
    "hips": "mixamorig:Hips",
    "spine": "mixamorig:Spine",
    "chest": "mixamorig:Spine2",
    "neck": "mixamorig:Neck",
    "head": "mixamorig:Head",
    **{
        f"{ours}.{side}": f"mixamorig:{long}{theirs}"
        for side, long in (("L", "Left"), ("R", "Right"))
        for ours, theirs in (
            ("upper_arm", "Arm"),
            ("forearm", "ForeArm"),
            ("hand", "Hand"),
            ("thigh", "UpLeg"),
            ("shin", "Leg"),
            ("foot", "Foot"),
        )
    },
}


def renamed(skeleton: Skeleton, names: dict[str, str]) -> Skeleton:
    return replace(skeleton, names=tuple(names.get(name, name) for name in skeleton.names))


@pytest.mark.parametrize(
    ("name", "usual", "side"),
    [
        ("mixamorig:LeftForeArm", "forearm", "L"),
        ("DEF-upper_arm.L", "upperarm", "L"),
        ("lowerarm_r", "forearm", "R"),
        ("LeftToeBase", "toe", "L"),
        ("lCollar", "shoulder", "L"),
        ("Armature|Head", "head", ""),
        ("leg", "shin", ""),
    ],
)
def test_a_name_says_joint_and_side_however_it_is_spelled(name: str, usual: str, side: str) -> None:
    meaning = meanings_by_name([name])[name]
    assert (meaning.name, meaning.side) == (usual, side)


def test_every_bone_of_a_biped_is_found_under_foreign_names() -> None:
    ours = list(BIPED)
    theirs = [MIXAMO[name] for name in ours]
    assert match_names(theirs, ours) == {MIXAMO[name]: name for name in ours}
    assert match_names(ours, theirs) == {name: MIXAMO[name] for name in ours}


RIGIFY = (
    *("root", "torso", "hips", "chest", "spine_fk", "spine_fk.001", "spine_fk.002", "spine_fk.003", "neck", "head"),
    *("DEF-spine", "ORG-spine", "MCH-spine", "DEF-spine.001", "ORG-spine.001", "MCH-torso.parent"),
    *(
        f"{prefix}{joint}.{side}"
        for side in "LR"
        for joint in ("shoulder", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")
        for prefix in ("ORG-", "DEF-")
    ),
    *(
        f"{joint}_fk.{side}"
        for side in "LR"
        for joint in ("upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")
    ),
    *("MCH-foot_fk.L", "MCH-foot_fk.R", "foot_ik.L", "foot_ik.R", "shoulder.L", "shoulder.R"),
)
"""Some of the bones that Rigify makes for its human, in no particular order."""


def test_controls_of_a_control_rig_are_matched_instead_of_constrained_bones() -> None:
    pairs = match_names([*BIPED, "toe.L", "shoulder.R"], RIGIFY)
    assert pairs["hips"] == "torso"
    assert pairs["spine"] == "spine_fk.001" and pairs["chest"] == "spine_fk.003"
    assert pairs["thigh.L"] == "thigh_fk.L" and pairs["foot.R"] == "foot_fk.R" and pairs["toe.L"] == "toe_fk.L"
    assert pairs["upper_arm.R"] == "upper_arm_fk.R" and pairs["shoulder.R"] == "shoulder.R"


@pytest.mark.parametrize("names", [[*BIPED, "toe.L", "shoulder.R"], list(MIXAMO.values())], ids=["biped", "mixamo"])
def test_a_control_rig_has_the_same_counterparts_as_source_and_as_target(names: list[str]) -> None:
    there, back = match_names(names, RIGIFY), match_names(RIGIFY, names)
    assert len(there) > len(names) - 3
    assert back == {control: name for name, control in there.items()}


def test_bones_left_straight_by_a_control_rig_do_not_lift_it_off_the_ground() -> None:
    """The bones beside the controls hang straight from the hips here, since constraints are not known."""
    motion = walker()
    skeleton = motion.skeleton
    legs = [joint for joint, name in enumerate(skeleton.names) if name in ("thigh.L", "shin.L", "foot.L")]
    count = len(skeleton.names)
    beside = {joint: count + number for number, joint in enumerate(legs)}
    doubled = Skeleton(
        (*skeleton.names, *(f"ORG-{skeleton.names[joint]}" for joint in legs)),
        np.concatenate((skeleton.parents, [beside.get(int(skeleton.parents[j]), skeleton.parents[j]) for j in legs])),
        np.concatenate((skeleton.rest_rotations, skeleton.rest_rotations[legs])),
        np.concatenate((skeleton.rest_translations, skeleton.rest_translations[legs])),
        skeleton.up,
    )
    pairs = {name: name for name in skeleton.names}
    arrived = retarget(motion, doubled, pairs, motion.translated).pose()[1]
    alone = retarget(motion, skeleton, pairs, motion.translated).pose()[1]
    assert np.abs(arrived[:, :count] - alone).max() < 1e-5 * skeleton.size


def test_no_bone_is_given_twice_and_no_side_confused() -> None:
    names = ["LeftArm", "LeftUpperArm", "RightArm", "Tail", "Spine", "Spine1", "Spine2"]
    pairs = match_names(names, list(BIPED))
    theirs, ours = meanings_by_name(names), meanings_by_name(BIPED)
    assert len(set(pairs.values())) == len(pairs)
    assert all(theirs[there].side == ours[here].side for there, here in pairs.items())
    assert "Tail" not in pairs
    assert {pairs[name] for name in ("Spine", "Spine2")} == {"spine", "chest"}


@pytest.mark.parametrize("make", [walker, waver])
def test_motion_on_the_same_skeleton_is_unchanged(make: MotionMaker) -> None:
    motion = make()
    same = {name: name for name in motion.skeleton.names}
    result = retarget(motion, motion.skeleton, same, motion.translated, ground_of(motion))
    assert np.abs(result.pose()[1] - motion.pose()[1]).max() < 2e-3 * motion.skeleton.size


def other_axes(skeleton: Skeleton, seed: int) -> Skeleton:
    """Return the same joints at the same rest positions, each with other axes."""
    random = np.random.default_rng(seed)
    count = len(skeleton.names)
    world = rotations.normalize(random.standard_normal((count, 4)))
    positions = skeleton.rest_positions
    turned, moved = np.empty((count, 4)), np.empty((count, 3))
    for joint, parent in enumerate(skeleton.parents):
        back = rotations.inverse(world[parent]) if parent >= 0 else np.array([1.0, 0, 0, 0])
        origin = positions[parent] if parent >= 0 else np.zeros(3)
        turned[joint] = rotations.multiply(back, world[joint])
        moved[joint] = rotations.rotate(back, positions[joint] - origin)
    return replace(skeleton, rest_rotations=turned, rest_translations=moved)


@pytest.mark.parametrize("seed", range(3))
def test_other_axes_of_the_bones_change_no_joints_place(seed: int) -> None:
    motion = walker()
    target = renamed(other_axes(motion.skeleton, seed), MIXAMO)
    pairs = match_names(motion.skeleton.names, target.names)
    result = retarget(motion, target, pairs, np.array([0]), ground_of(motion))
    assert np.abs(result.pose()[1] - motion.pose()[1]).max() < 2e-3 * motion.skeleton.size


@pytest.mark.parametrize("scale", [0.01, 1.0, 250.0])
def test_a_larger_skeleton_goes_farther(scale: float) -> None:
    motion = walker()
    target = replace(motion.skeleton, rest_translations=motion.skeleton.rest_translations * scale)
    same = {name: name for name in target.names}
    result = retarget(motion, target, same, np.array([0]), scale * ground_of(motion))
    assert np.abs(result.pose()[1] / scale - motion.pose()[1]).max() < 5e-3 * motion.skeleton.size


def lying(skeleton: Skeleton) -> Skeleton:
    """Return the skeleton in a space whose Y points up, with another facing."""
    turn = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.array(-np.pi / 2))
    aside = rotations.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.array(2.0))
    whole = rotations.multiply(aside, turn)
    turned, moved = skeleton.rest_rotations.copy(), skeleton.rest_translations.copy()
    turned[0], moved[0] = rotations.multiply(whole, turned[0]), rotations.rotate(whole, moved[0])
    return replace(skeleton, rest_rotations=turned, rest_translations=moved, up=(0.0, 1.0, 0.0))


def test_upward_directions_stay_upward_in_another_space() -> None:
    motion = walker()
    target = lying(motion.skeleton)
    result = retarget(motion, target, {name: name for name in target.names}, np.array([0]), ground_of(motion))
    here, there = result.pose()[1], motion.pose()[1]
    assert np.abs(here[..., 1] - there[..., 2]).max() < 5e-3 * motion.skeleton.size
    length, own_length = (np.linalg.norm(places[:, 5] - places[:, 0], axis=1) for places in (here, there))
    assert np.allclose(length, own_length, atol=1e-3)


def test_another_rest_pose_points_its_bones_where_the_source_does() -> None:
    """The arms hang at rest in the source, and are stretched out here."""
    motion = waver()
    target_joints = {
        name: (parent, (place[0] + 0.2 * place[0], place[1], place[2] + 0.2) if "hand" in name else place)
        for name, (parent, place) in BIPED.items()
    }
    target = build_skeleton(target_joints)
    result: Motion = retarget(motion, target, {name: name for name in target.names}, np.array([0]))
    hand, arm = target.names.index("hand.L"), target.names.index("forearm.L")

    def direction(positions: Array) -> Array:
        way = positions[:, hand] - positions[:, arm]
        return np.asarray(way / np.linalg.norm(way, axis=1, keepdims=True))

    assert np.allclose(direction(result.pose()[1]), direction(motion.pose()[1]), atol=1e-3)


def with_twist_bones(joints: Joints) -> Joints:
    """Return the joints with twist bones halfway along limbs, beside the joints that lead on."""
    halves: dict[str, tuple[str, tuple[float, float, float]]] = {}
    for name, (above, (x, y, z)) in joints.items():
        if name[:-2] in ("forearm", "hand", "shin", "foot"):
            a, b, c = joints[above][1]
            halves[f"{name} twist"] = above, ((x + a) / 2, (y + b) / 2, (z + c) / 2)
    return {**joints, **halves}


@pytest.mark.parametrize("angle", [0.8, 1.35])
def test_arms_point_where_the_sources_do_beside_twist_bones_of_both(angle: float) -> None:
    source, target = (build_skeleton(with_twist_bones(joints)) for joints in (HUMAN, lowered(HUMAN, angle)))
    motion = swinging(source)
    moved = retarget(motion, target, {name: name for name in source.names}, np.array([0]))
    for name in ("forearm.L", "hand.R", "shin.L", "foot.R"):
        one, two = (directions(each, HUMAN[name][0], name) for each in (motion, moved))
        assert np.allclose(one, two, atol=0.01)


def directions(motion: Motion, above: str, name: str) -> Array:
    """Return the directions `(T, 3)` from one joint to another."""
    start, end = (motion.skeleton.names.index(joint) for joint in (above, name))
    bones = motion.pose()[1][:, end] - motion.pose()[1][:, start]
    return np.asarray(bones / np.linalg.norm(bones, axis=1, keepdims=True))


def test_skeletons_without_a_common_bone_are_rejected_with_one_sentence() -> None:
    motion = walker()
    with pytest.raises(InputError, match="table of bone names"):
        retarget(motion, motion.skeleton, {}, np.array([0]))


@pytest.mark.filterwarnings("error")
def test_no_pose_is_needed_without_counterparts() -> None:
    assert not needs_target_pose(walker().skeleton, walker().skeleton, {})


def test_legs_that_hang_beside_the_hips_and_feet_at_the_root_go_along() -> None:
    motion = walker(60, 3)
    plain = build_skeleton(BIPED)
    # Many game characters are built like this: legs below the hips' parent, and feet at the top.
    apart = {"root": ("", (0.0, 0.0, 0.0)), "body": ("root", (0.0, 0.0, 0.9))}
    apart |= {name: (parent or "body", place) for name, (parent, place) in BIPED.items()}
    for side in ("L", "R"):
        apart[f"thigh.{side}"] = ("body", BIPED[f"thigh.{side}"][1])
        apart[f"foot.{side}"] = ("root", BIPED[f"foot.{side}"][1])
    target = build_skeleton(apart)
    pairs = {name: name for name in BIPED}
    moved = moved_joints(motion, target, pairs)
    assert [target.names[joint] for joint in moved] == ["hips", "thigh.L", "thigh.R", "foot.L", "foot.R"]
    whole = retarget(motion, target, pairs, np.array(sorted(moved))).pose()[1]
    own = [target.names.index(name) for name in BIPED]
    expected = retarget(motion, plain, pairs, np.array([0])).pose()[1]
    np.testing.assert_allclose(whole[:, own], expected, atol=1e-4 * plain.size)
    assert moved_joints(motion, plain, pairs) == (0,)


def test_a_control_rig_whose_arms_begin_with_shoulders_is_matched_by_its_controls() -> None:
    controls = ["torso", "hips", "chest", "spine_fk", "clavicle.L", "shoulder.L", "forearm.L", "hand.L"]
    pairs = match_names(controls, ["Hips", "LeftShoulder", "LeftArm", "LeftForeArm", "LeftHand"])
    assert pairs == {
        "torso": "Hips",
        "clavicle.L": "LeftShoulder",
        "shoulder.L": "LeftArm",
        "forearm.L": "LeftForeArm",
        "hand.L": "LeftHand",
    }
