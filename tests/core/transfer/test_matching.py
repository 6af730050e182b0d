# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints matched by shape: skeletons changed at random, of which the counterparts of all joints are known."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pytest
from motions import BIPED, Array, Joints, build_skeleton

from genmm_addon.core import Motion, Skeleton, rotations
from genmm_addon.core.transfer import match_joints, moved_joints, retarget
from genmm_addon.core.transfer.matching.body import find_body
from genmm_addon.core.transfer.matching.sides import normal_between_branches
from genmm_addon.core.transfer.matching.tree import tree_of

HUMAN: Joints = {
    "hips": ("", (0.0, 0.0, 0.95)),
    "spine": ("hips", (0.0, 0.01, 1.05)),
    "waist": ("spine", (0.0, 0.02, 1.17)),
    "chest": ("waist", (0.0, 0.02, 1.29)),
    "neck": ("chest", (0.0, 0.02, 1.48)),
    "head": ("neck", (0.0, 0.0, 1.57)),
    **{
        f"{name}.{side}": (parent if parent in ("hips", "chest") else f"{parent}.{side}", (sign * x, y, z))
        for side, sign in (("L", 1.0), ("R", -1.0))
        for name, parent, (x, y, z) in (
            ("clavicle", "chest", (0.03, 0.0, 1.43)),
            ("upper_arm", "clavicle", (0.17, 0.02, 1.42)),
            ("forearm", "upper_arm", (0.43, 0.03, 1.42)),
            ("hand", "forearm", (0.68, 0.0, 1.42)),
            ("thumb", "hand", (0.71, -0.04, 1.41)),
            ("thumb_tip", "thumb", (0.74, -0.07, 1.40)),
            ("finger", "hand", (0.78, 0.0, 1.42)),
            ("finger_tip", "finger", (0.82, 0.0, 1.42)),
            ("thigh", "hips", (0.1, 0.0, 0.9)),
            ("shin", "thigh", (0.1, -0.01, 0.5)),
            ("foot", "shin", (0.1, 0.02, 0.09)),
            ("toe", "foot", (0.1, -0.11, 0.02)),
        )
    },
}
"""A human 1.75 m tall who faces -Y in a T-pose: the parent, and the joint's position."""
LONG_BONES = ("upper_arm", "forearm", "thigh", "shin")
DOG: Joints = {
    "hips": ("", (0.0, 0.3, 0.55)),
    "spine": ("hips", (0.0, 0.15, 0.56)),
    "waist": ("spine", (0.0, 0.0, 0.55)),
    "chest": ("waist", (0.0, -0.15, 0.56)),
    "neck": ("chest", (0.0, -0.32, 0.62)),
    "head": ("neck", (0.0, -0.42, 0.7)),
    "tail": ("hips", (0.0, 0.38, 0.55)),
    "tail_middle": ("tail", (0.0, 0.52, 0.5)),
    "tail_tip": ("tail_middle", (0.0, 0.66, 0.45)),
    **{
        f"{name}.{side}": (parent if parent in ("hips", "chest") else f"{parent}.{side}", (sign * x, y, z))
        for side, sign in (("L", 1.0), ("R", -1.0))
        for name, parent, (x, y, z) in (
            ("scapula", "chest", (0.04, -0.2, 0.6)),
            ("humerus", "scapula", (0.08, -0.28, 0.48)),
            ("radius", "humerus", (0.08, -0.2, 0.34)),
            ("front_foot", "radius", (0.08, -0.21, 0.1)),
            ("front_toe", "front_foot", (0.08, -0.24, 0.02)),
            ("femur", "hips", (0.08, 0.28, 0.5)),
            ("tibia", "femur", (0.08, 0.2, 0.33)),
            ("hind_foot", "tibia", (0.08, 0.34, 0.17)),
            ("hind_toe", "hind_foot", (0.08, 0.29, 0.02)),
        )
    },
}
"""A dog that faces -Y."""
MAY_LACK = (
    "waist",
    "neck",
    "clavicle",
    "thumb",
    "thumb_tip",
    "finger_tip",
    "toe",
    "tail_middle",
    "scapula",
    "front_toe",
)
ARMS = {"T": 0.0, "A": 0.8, "down": 1.35}
"""Angles of the arms below the horizontal, in radians."""


def lowered(joints: Joints, angle: float) -> Joints:
    """Return the joints with both arms, from the upper arms on, lowered by an angle."""
    result = dict(joints)
    for side, sign in (("L", 1.0), ("R", -1.0)):
        if f"upper_arm.{side}" in joints:
            pivot = np.array(joints[f"upper_arm.{side}"][1])
            turn = rotations.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.array(sign * angle))
            for name in ("forearm", "hand", "thumb", "thumb_tip", "finger", "finger_tip"):
                for own in (f"{name}.{side} halfway", f"{name}.{side}"):
                    if own in joints:
                        parent, place = joints[own]
                        result[own] = parent, tuple(pivot + rotations.rotate(turn, np.array(place) - pivot))
    return result


def proportioned(joints: Joints, random: np.random.Generator) -> Joints:
    """Return the joints with the bones of both sides longer or shorter by up to 30 %."""
    factors = {name.split(".")[0]: random.uniform(1 / 1.3, 1.3) for name in joints}
    places: dict[str, Array] = {}
    for name, (parent, place) in joints.items():
        offset = np.array(place) - (np.array(joints[parent][1]) if parent else 0.0)
        places[name] = (places[parent] if parent else 0.0) + factors[name.split(".")[0]] * offset
    return {name: (parent, tuple(places[name])) for name, (parent, _) in joints.items()}


def with_and_without(joints: Joints, random: np.random.Generator, lack: float = 0.3, more: float = 0.15) -> Joints:
    """Return the joints without some, and with others halfway along some bones, on both sides."""
    lacking = {name for name in MAY_LACK if random.random() < lack}
    halfway = {name.split(".")[0] for name in joints if random.random() < more} - lacking - {"hips"}
    result: dict[str, tuple[str, tuple[float, float, float]]] = {}
    above: dict[str, str] = {"": ""}
    for name, (parent, place) in joints.items():
        bare = name.split(".")[0]
        above[name] = above[parent] if bare in lacking else name
        if bare in lacking:
            continue
        if bare in halfway and above[parent]:
            middle = (np.array(place) + np.array(result[above[parent]][1])) / 2
            result[f"{name} halfway"] = above[parent], tuple(middle)
            result[name] = f"{name} halfway", place
        else:
            result[name] = above[parent], place
    return result


def in_other_axes(skeleton: Skeleton, random: np.random.Generator) -> tuple[Skeleton, Array]:
    """Return the skeleton with other bone axes, up axis, heading and size, and the turn `(4,)` of its space."""
    up = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.0, -1.0, 0.0))[int(random.integers(3))]
    upright = rotations.shortest_turn(np.array(skeleton.up), np.array(up))
    heading = rotations.from_axis_angle(np.array(up), np.array(random.uniform(-np.pi, np.pi)))
    whole = rotations.multiply(heading, upright)
    places = rotations.rotate(whole, skeleton.rest_positions) * 10.0 ** random.uniform(-2, 2)
    axes = rotations.normalize(random.standard_normal((len(places), 4)))
    turned, moved = axes.copy(), places.copy()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            back = rotations.inverse(axes[parent])
            turned[joint] = rotations.multiply(back, axes[joint])
            moved[joint] = rotations.rotate(back, places[joint] - places[parent])
    return replace(skeleton, rest_rotations=np.array(turned, np.float64), rest_translations=moved, up=up), np.asarray(
        whole
    )


def anonymous(skeleton: Skeleton, random: np.random.Generator) -> tuple[Skeleton, Mapping[str, str]]:
    """Return the skeleton with meaningless names, and its former names by these."""
    numbers = random.permutation(len(skeleton.names))
    names = tuple(f"bone{number}" for number in numbers)
    return replace(skeleton, names=names), dict(zip(names, skeleton.names, strict=True))


def swinging(skeleton: Skeleton, still: Sequence[str] = (), frames: int = 90) -> Motion:
    """Return a motion in which every joint swings but those that are still, and the first goes ahead."""
    random = np.random.default_rng(0)
    axes = random.standard_normal((len(skeleton.names), 3))
    axes /= np.linalg.norm(axes, axis=1, keepdims=True)
    swing = 0.3 * np.sin(np.arange(frames)[:, None] / 8 + np.arange(len(skeleton.names)))
    swing[:, [skeleton.names.index(name) for name in still]] = 0.0
    turns = rotations.from_axis_angle(np.broadcast_to(axes, (frames, *axes.shape)), swing)
    path = np.outer(np.arange(frames), [0.0, -0.02, 0.0])[:, None]
    return Motion(skeleton, 30.0, turns.astype(np.float32), np.array([0]), path.astype(np.float32))


def share_found(lack: float, more: float, seeds: int, *, moves: bool = False) -> float:
    """Return the share of the counterparts that are found on skeletons of which some joints are left out or added.

    moves: with a motion of the changed skeleton, in which added joints are still.
    """
    right = total = 0
    for joints in (HUMAN, DOG):
        for seed in range(seeds):
            random = np.random.default_rng(seed)
            changed = with_and_without(proportioned(joints, random), random, lack, more)
            changed, target = (lowered(each, random.choice(list(ARMS.values()))) for each in (changed, joints))
            goal = build_skeleton(target)
            source, names = anonymous(in_other_axes(build_skeleton(changed), random)[0], random)
            added = [joint for joint, name in names.items() if name not in joints]
            motions = [swinging(source, added)] if moves else []
            found = match_joints(source, anonymous_target(goal), motions=motions, trust=0.0).names
            shared = [(joint, f"x{goal.names.index(name)}") for joint, name in names.items() if name in goal.names]
            right += sum(found.get(joint) == other for joint, other in shared)
            total += len(shared)
    return right / total


@pytest.mark.slow
def test_nearly_all_joints_are_found_in_other_proportions_poses_axes_and_without_some_joints() -> None:
    assert share_found(0.0, 0.0, 20) >= 0.98
    assert share_found(0.3, 0.0, 20) >= 0.98


@pytest.mark.slow
def test_most_joints_are_found_where_others_lie_halfway_along_bones() -> None:
    assert share_found(0.0, 0.15, 20) >= 0.93


@pytest.mark.slow
def test_nearly_all_joints_are_found_where_joints_that_never_turn_lie_halfway_along_bones() -> None:
    assert share_found(0.0, 0.15, 20, moves=True) >= 0.995
    assert share_found(0.3, 0.15, 20, moves=True) >= 0.99


def test_long_bones_in_halves_are_found_where_the_limbs_bend_or_by_their_names() -> None:
    joints: dict[str, tuple[str, tuple[float, float, float]]] = {}
    for name, (parent, end) in HUMAN.items():
        if parent[:-2] in LONG_BONES:
            middle = 0.5 * (np.array(joints[parent][1]) + end) + [0.0, 0.01, 0.0]
            joints |= {f"{parent}.half": (parent, tuple(middle))}
            parent = f"{parent}.half"
        joints[name] = (parent, end)
    source, goal = build_skeleton(joints), build_skeleton(HUMAN)
    motion = swinging(source)
    halves = [number for number, name in enumerate(source.names) if "half" in name]
    motion.rotations[:, halves] = rotations.slerp(np.eye(4)[:1], motion.rotations[:, halves], np.array(0.3))
    for motions in ([], [motion]):
        found = match_joints(source, anonymous_target(goal), motions=motions, trust=0.0).names
        right = [found.get(name) == f"x{number}" for number, name in enumerate(goal.names)]
        assert all(right) == bool(motions)
    numbered = {name: name.replace(".half", ".2") if ".half" in name else f"{name}.1" for name in source.names}
    found = match_joints(replace(source, names=tuple(numbered.values())), goal).names
    assert all(found[f"{bone}.{side}.1"] == f"{bone}.{side}" for bone in (*LONG_BONES, "hand", "foot") for side in "LR")


@pytest.mark.parametrize("joints", [HUMAN, DOG])
def test_joints_are_found_on_bodies_that_are_not_quite_symmetric(joints: Joints) -> None:
    for seed in range(15):
        random = np.random.default_rng(seed)
        changed = lowered(proportioned(joints, random), random.choice(list(ARMS.values())))
        off = {
            name: (parent, tuple(np.array(place) + random.normal(0, 0.006, 3)))
            for name, (parent, place) in changed.items()
        }
        target = build_skeleton(joints)
        found = match_joints(build_skeleton(off), anonymous_target(target), trust=0.0).names
        assert found == {name: f"x{number}" for number, name in enumerate(target.names)}


def anonymous_target(skeleton: Skeleton) -> Skeleton:
    """Return the skeleton with numbers as names."""
    return replace(skeleton, names=tuple(f"x{number}" for number in range(len(skeleton.names))))


@pytest.mark.parametrize("seed", range(3))
def test_motion_between_anonymous_skeletons_keeps_orientations_and_planted_feet(seed: int) -> None:
    motion, random = swinging(build_skeleton(HUMAN)), np.random.default_rng(seed)
    target, turn = in_other_axes(motion.skeleton, random)
    target, names = anonymous(target, random)
    pairs = match_joints(motion.skeleton, target, motions=[motion]).names
    assert {names[joint]: name for name, joint in pairs.items()} == {name: name for name in HUMAN}
    moved = np.array(sorted(moved_joints(motion, target, pairs)))
    arrived = retarget(motion, target, pairs, moved)
    scale = target.size / motion.skeleton.size
    places = rotations.rotate(turn, motion.pose()[1].astype(np.float64)) * scale
    off = arrived.pose()[1] - places
    up = np.array(target.up)
    feet = [number for number, joint in enumerate(target.names) if names[joint].startswith("foot")]
    level = off[:, feet] - (off[:, feet] @ up)[..., None] * up
    assert np.abs(level).max() < 0.005 * target.size
    bones = np.flatnonzero(target.parents >= 0)
    own, other = (each[:, bones] - each[:, target.parents[bones]] for each in (arrived.pose()[1], places))
    cosines = np.einsum("tjc,tjc->tj", own, other) / (np.linalg.norm(own, axis=-1) * np.linalg.norm(other, axis=-1))
    assert np.degrees(np.arccos(np.clip(cosines, -1, 1))).max() < 1.0


def test_pairs_made_by_hand_are_kept_and_their_joints_not_used_again() -> None:
    source, target = build_skeleton(HUMAN), anonymous_target(build_skeleton(BIPED))
    given = {"hand.L": "x3", "waist": "x16"}
    found = match_joints(source, target, given=given.items()).names
    assert given.items() <= found.items()
    assert len(set(found.values())) == len(found)


def test_equal_skeletons_are_matched_joint_by_joint() -> None:
    for joints in (HUMAN, DOG, BIPED):
        skeleton = build_skeleton(joints)
        assert match_joints(skeleton, skeleton).names == {name: name for name in joints}


def test_arms_at_roots_of_their_own_are_found() -> None:
    apart = {**HUMAN, **{name: ("", HUMAN[name][1]) for name in ("upper_arm.L", "upper_arm.R")}}
    source, goal = build_skeleton(HUMAN), build_skeleton(apart)
    names = match_joints(source, anonymous_target(goal), trust=0.0).names
    for name in (f"{part}.{side}" for part in ("upper_arm", "forearm", "hand") for side in "LR"):
        assert names[name] == f"x{goal.names.index(name)}"


def test_controls_beside_the_body_are_no_parts_of_it() -> None:
    below = {name: (parent or "ground", place) for name, (parent, place) in HUMAN.items()}
    rigs = []
    for control, ahead in (("pole", -0.5), ("goal", -0.1)):
        at_sides = {f"{control}.{side}": ("ground", (x, ahead, 0.4)) for side, x in (("L", 0.1), ("R", -0.1))}
        rigs.append(build_skeleton({"ground": ("", (0.0, 0.0, 0.0)), **below, **at_sides}))
    source, goal = rigs
    names = match_joints(source, anonymous_target(goal), trust=0.0).names
    assert names["ground"] == "x0" and names["foot.L"] == f"x{goal.names.index('foot.L')}"
    assert "pole.L" not in names and "pole.R" not in names


def test_a_joint_without_a_counterpart_has_none() -> None:
    source = build_skeleton({**HUMAN, "wing": ("chest", (0.0, 0.4, 1.5)), "wing_tip": ("wing", (0.0, 0.9, 1.6))})
    found = match_joints(source, anonymous_target(build_skeleton(HUMAN)), trust=0.0).names
    assert "wing" not in found and "wing_tip" not in found


def test_a_biped_has_no_counterpart_on_a_body_that_lies() -> None:
    match = match_joints(build_skeleton(HUMAN), anonymous_target(build_skeleton(DOG)), trust=0.0)
    assert not match.fits and not match.pairs


@pytest.mark.parametrize("seed", [51, 92, 178, 184])
def test_a_dog_is_one_though_its_hind_feet_end_far_above_the_front_ones(seed: int) -> None:
    random = np.random.default_rng(seed)
    joints = with_and_without(proportioned(DOG, random), random)
    hind, front = (min(place[2] for name, (_, place) in joints.items() if part in name) for part in ("hind", "front"))
    assert hind > front + 0.08
    source = build_skeleton(joints)
    body, goal = find_body(source), build_skeleton(DOG)
    assert body is not None and not body.is_upright
    names = match_joints(source, anonymous_target(goal), trust=0.0).names
    for side in "LR":
        assert names[f"femur.{side}"] == f"x{goal.names.index(f'femur.{side}')}"


def crawler(pairs: int, *, anchored: bool) -> Skeleton:
    """Return a body that stands on pairs of legs; anchored: each leg begins with a bone of its own in one place."""
    joints: dict[str, tuple[str, tuple[float, float, float]]] = {
        "root": ("", (0.0, 0.0, 0.3)),
        "thorax": ("root", (0.0, -0.1, 0.3)),
        "head": ("thorax", (0.0, -0.3, 0.32)),
        "abdomen": ("root", (0.0, 0.2, 0.3)),
    }
    for side, sign in (("L", 1.0), ("R", -1.0)):
        joints[f"anchor.{side}"] = "thorax", (sign * 0.07, -0.1, 0.3)
        for number, ahead in enumerate(np.linspace(-0.9, 0.9, pairs)):
            leg, parent = f"{number}.{side}", f"anchor.{side}"
            if anchored:
                joints[f"anchor {leg}"] = parent, (sign * 0.07, -0.1, 0.3)
                parent = f"anchor {leg}"
            joints[f"coxa {leg}"] = parent, (sign * 0.15, -0.1 + 0.1 * ahead, 0.3)
            joints[f"femur {leg}"] = f"coxa {leg}", (sign * 0.5, -0.1 + 0.5 * ahead, 0.7)
            joints[f"tibia {leg}"] = f"femur {leg}", (sign * 0.9, -0.1 + 0.9 * ahead, 0.4)
            joints[f"tip {leg}"] = f"tibia {leg}", (sign * 1.2, -0.1 + 1.2 * ahead, 0.0)
    return build_skeleton(joints)


@pytest.mark.parametrize("anchored", [False, True])
def test_a_spider_finds_its_eight_legs_on_a_spider_and_is_refused_on_a_human(anchored: bool) -> None:
    spider = crawler(4, anchored=anchored)
    found = match_joints(spider, anonymous_target(spider), trust=0.0).names
    tips = [name for name in spider.names if name.startswith("tip")]
    assert len(tips) == 8 and all(found[name] == f"x{spider.names.index(name)}" for name in tips)
    for other in (HUMAN, DOG):
        match = match_joints(spider, anonymous_target(build_skeleton(other)), trust=0.0)
        assert not match.fits and not match.pairs


def test_few_counterparts_by_name_do_not_fit_unless_the_user_paired_them() -> None:
    human, spider = build_skeleton(HUMAN), crawler(3, anchored=False)
    names = {"femur 0.L": "thigh.L", "tibia 0.L": "shin.L"}
    named = replace(spider, names=tuple(names.get(name, name) for name in spider.names))
    match = match_joints(named, human)
    assert match.names["thigh.L"] == "thigh.L" and not match.fits
    # Pairs that were found anyway, such as those of a table that was filled in automatically, change nothing.
    assert not match_joints(named, human, given=tuple(match.names.items())).fits
    assert match_joints(named, human, given=[("abdomen", "hips")]).fits


def test_bent_knees_tell_front_from_back_where_the_rest_pose_does_not() -> None:
    lacking = {name: joint for name, joint in HUMAN.items() if not name.startswith(("toe", "finger", "thumb"))}
    caped = {**lacking, "cape": ("chest", (0.0, 0.1, 1.4)), "cape_tip": ("cape", (0.0, 0.14, 1.0))}
    straight = {name: (parent, (x, 0.1 if "cape" in name else 0.0, z)) for name, (parent, (x, _, z)) in caped.items()}
    source, target = build_skeleton(straight), build_skeleton(HUMAN)
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (40, len(source.names), 1))
    bend = 0.4 * (1.0 - np.cos(np.arange(40) / 5))
    for side in "LR":
        joint = source.names.index(f"shin.{side}")
        axis = rotations.rotate(rotations.inverse(source.rest_orientations[joint]), np.array([1.0, 0.0, 0.0]))
        turns[:, joint] = rotations.from_axis_angle(np.broadcast_to(axis, (40, 3)), bend)
    motion = Motion(source, 30.0, turns.astype(np.float32))
    shins = motion.pose()[1][:, source.names.index("foot.L")] - motion.pose()[1][:, source.names.index("shin.L")]
    assert shins[:, 1].max() > 0.2, "the feet go back"
    names = match_joints(source, anonymous_target(target), motions=[motion], trust=0.0).names
    assert all(names[f"shin.{side}"] == f"x{target.names.index(f'shin.{side}')}" for side in "LR")


def test_a_knees_aim_beside_the_leg_is_no_part_of_the_shin() -> None:
    """Both are called leg and knee; the knee's aim hangs at the root, as in many rigs of games."""
    names = {f"{old}.{side}": f"{new}.{side}" for old, new in (("shin", "leg"), ("hips", "hip")) for side in "LR"}
    joints: dict[str, tuple[str, tuple[float, float, float]]] = {"root": ("", (0.0, 0.0, 0.0))}
    for name, (parent, place) in HUMAN.items():
        joints[names.get(name, name)] = (names.get(parent, parent) or "root", place)
    aims: Joints = {f"knee.{side}": ("root", (x, -0.5, 0.5)) for side, x in (("L", 0.1), ("R", -0.1))}
    target = build_skeleton({**joints, **aims})
    halved: dict[str, tuple[str, tuple[float, float, float]]] = {}
    for name, (parent, place) in HUMAN.items():
        if name.startswith("foot"):
            halved[f"{parent}.2"] = (parent, (place[0], 0.04, 0.3))
            parent = f"{parent}.2"
        halved[name] = (parent, place)
    for source, other in ((halved, target), ({**joints, **aims}, build_skeleton(halved))):
        found = match_joints(build_skeleton(source), other).names
        assert not aims.keys() & {*found, *found.values()}
        assert found["foot.L"] == "foot.L" and found["thigh.R"] == "thigh.R"
    motion = swinging(build_skeleton(halved))
    assert moved_joints(motion, target, match_joints(motion.skeleton, target).names) == (target.names.index("hips"),)


def test_trust_decides_between_a_name_and_a_shape() -> None:
    source = build_skeleton(HUMAN)
    names = {"forearm.L": "hand.L", "hand.L": "forearm.L"}
    target = replace(source, names=tuple(names.get(name, name) for name in source.names))
    assert match_joints(source, target, trust=0.0).names["hand.L"] == "forearm.L"
    assert match_joints(source, target, trust=1.0).names["hand.L"] == "hand.L"


@pytest.mark.parametrize("joints", [HUMAN, DOG])
def test_left_is_found_between_similar_branches_and_not_between_legs_and_trunk(joints: Joints) -> None:
    for seed in range(5):
        skeleton = build_skeleton(proportioned(joints, np.random.default_rng(seed)))
        across = normal_between_branches(tree_of(skeleton, skeleton.rest_positions))
        assert across is not None and abs(across[0]) > 0.99


@pytest.mark.parametrize(
    "joints",
    [
        {"alone": ("", (0.0, 0.0, 0.0))},
        {"one": ("", (0.0, 0.0, 0.0)), "two": ("one", (0.0, 0.0, 0.0))},
        {"one": ("", (0.0, 0.0, 0.0)), "two": ("", (0.0, 0.0, 1.0))},
        {"one": ("", (0.0, 0.0, 0.0)), "two": ("one", (0.0, 0.0, 1.0)), "three": ("two", (0.0, 0.0, 2.0))},
    ],
)
def test_a_skeleton_without_limbs_has_no_counterparts_by_shape(joints: Joints) -> None:
    match = match_joints(build_skeleton(joints), anonymous_target(build_skeleton(HUMAN)))
    assert not match.fits and not match.pairs
