# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of legs, as in control rigs: one foot for each leg, and copies that turn along with it."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from legged import TOED, compass, feet_of, marcher, with_names
from motions import SIDEWAYS, Joints, build_skeleton, pose_channels, standing_axes, turn

from genmm_addon.core import Motion, Settings, prepare, rotations, synthesize
from genmm_addon.core.constraints import Constraints, RootPath
from genmm_addon.core.feet.contact_detection import (
    Foot,
    feet_by_name,
    find_feet,
    foot_heights,
    label_contacts,
    with_copies,
)
from genmm_addon.core.feet.leg_copies import Bends, places_of_bends
from genmm_addon.core.feet.leg_ik import lock_feet
from genmm_addon.core.feet.two_bone_ik import find_hinges, pose_leg, reached_distances, solve_leg, turn_leg

pytestmark = pytest.mark.filterwarnings("error")

LEG = ("thigh", "shin", "foot", "toe")
SAME = 1e-3
"""Largest distance of joints in one place, as a share of the size."""


def copied(motion: Motion, copies: dict[str, str], joints: tuple[str, ...] = LEG) -> Motion:
    """Return the motion of a rig with copies of both legs, below the joints that `copies` names by side; "" is a root.

    Each copied joint is where the original is, with other axes; the copy of `thigh.L` is `prefix thigh.L`.
    """
    skeleton = motion.skeleton
    rest = {name: place for name, place in zip(skeleton.names, skeleton.rest_positions, strict=True)}
    above = {name: skeleton.names[parent] if parent >= 0 else "" for name, parent in _parents(motion)}
    described: dict[str, tuple[str, tuple[float, float, float]]] = {
        name: (above[name], tuple(rest[name].tolist())) for name in skeleton.names
    }
    original = {name: name for name in skeleton.names}
    for prefix, parent in copies.items():
        for side in "LR":
            carrier = parent.format(side=side)
            for joint in joints:
                name = f"{prefix} {joint}.{side}"
                described[name] = (carrier, described[f"{joint}.{side}"][1])
                original[name], carrier = f"{joint}.{side}", name
    return _posed_as(motion, described, original)


def _parents(motion: Motion) -> list[tuple[str, int]]:
    return list(zip(motion.skeleton.names, motion.skeleton.parents.tolist(), strict=True))


def _posed_as(motion: Motion, described: Joints, original: dict[str, str]) -> Motion:
    """Return a rig each of whose joints is turned, and placed, as the original is."""
    skeleton = build_skeleton(described)
    joints = [motion.skeleton.names.index(original[name]) for name in skeleton.names]
    matrices, positions = (values.astype(np.float64) for values in motion.pose())
    before = rotations.from_matrix(matrices[:, joints])
    turned = rotations.multiply(before, rotations.inverse(motion.skeleton.rest_orientations[joints]))
    axes = rotations.multiply(turned, standing_axes(len(joints)))
    is_root = (skeleton.parents < 0)[:, None]
    parents = np.maximum(skeleton.parents, 0)
    back = np.where(is_root, [1.0, 0, 0, 0], rotations.inverse(axes[:, parents]))
    rest = rotations.inverse(skeleton.rest_rotations)
    local = rotations.multiply(rest, rotations.multiply(back, axes))
    offsets = positions[:, joints] - np.where(is_root, 0.0, positions[:, joints][:, parents])
    moved = rotations.rotate(rest, rotations.rotate(back, offsets) - skeleton.rest_translations)
    roots = np.flatnonzero(skeleton.parents < 0)
    return Motion(
        skeleton,
        motion.frames_per_second,
        rotations.make_continuous(local).astype(np.float32),
        roots,
        moved[:, roots].astype(np.float32),
    )


@cache
def rig(*others: str, parent: str = "hips") -> Motion:
    """Return the walker with copies of its legs below one joint."""
    return copied(compass(), dict.fromkeys(others, parent))


def names_of(motion: Motion) -> list[str]:
    return [motion.skeleton.names[foot.joint] for foot in find_feet([motion])]


def distance(motion: Motion, prefix: str, joints: tuple[str, ...] = LEG) -> float:
    """Return the largest distance of a copy's joints from the leg's, as a share of the size."""
    positions, names = motion.pose()[1], motion.skeleton.names
    pairs = [
        (names.index(f"{joint}.{side}"), names.index(f"{prefix} {joint}.{side}")) for joint in joints for side in "LR"
    ]
    apart = [np.linalg.norm(positions[:, one] - positions[:, other], axis=1).max() for one, other in pairs]
    return float(max(apart)) / motion.skeleton.size


def moved_feet(motion: Motion, feet: tuple[Foot, ...], lift: float = 0.05) -> Motion:
    """Return the motion with feet locked that stand, higher than they were and a step aside."""
    level = np.full((motion.frames, len(feet), 3), 0.0)
    level[..., 0] = 0.04 * np.sin(np.arange(motion.frames) / 9)[:, None]
    contacts = label_contacts(motion, feet, foot_heights(motion, feet).min(axis=0))
    heights = foot_heights(motion, feet) + lift
    return lock_feet(motion, feet, contacts, heights, np.zeros(0, np.int64), 0, movement=level)


@pytest.mark.parametrize(("swing", "hip"), [(0.0, "thigh"), (0.02, "thigh"), (0.5, "blade")])
def test_a_leg_begins_below_a_long_bone_of_the_pelvis_that_hardly_turns(swing: float, hip: str) -> None:
    walk = compass()
    blades: Joints = {f"blade.{side}": ("hips", (sign * 0.1, -0.4, 0.95)) for side, sign in (("L", 1), ("R", -1))}
    thighs: Joints = {f"thigh.{side}": (f"blade.{side}", TOED[f"thigh.{side}"][1]) for side in "LR"}
    bladed = build_skeleton({"hips": TOED["hips"], **blades, **TOED, **thighs})
    turns = {name: walk.rotations[:, joint] for joint, name in enumerate(walk.skeleton.names)}
    angles = swing * np.sin(np.arange(walk.frames) / 9)
    turns |= {f"blade.{side}": turn(SIDEWAYS, angles) for side in "LR"}
    motion = Motion(
        bladed, walk.frames_per_second, pose_channels(bladed, turns, walk.frames), walk.translated, walk.translations
    )
    for foot in with_copies([motion], feet_of(motion)):
        assert bladed.names[foot.leg[0]].startswith(hip)
        assert bladed.names[foot.leg[-1]].startswith("foot")


@pytest.mark.parametrize(
    ("lengths", "bends"),
    [
        ([0.45, 0.4], (0, 1, 2)),
        ([0.05, 0.4, 0.4], (1, 2, 3)),
        ([0.3, 0.3, 0.4], (0, 2, 3)),
        ([0.25, 0.25, 0.25, 0.25], (0, 2, 4)),
        ([0.1, 0.5, 0.1, 0.3], (1, 2, 4)),
        ([0.1, 0.1, 0.3, 0.5], (2, 3, 4)),
    ],
)
def test_knee_is_near_the_middle_and_the_thigh_is_no_offset_of_the_hip(lengths: list[float], bends: Bends) -> None:
    assert places_of_bends(np.array(lengths)) == bends
    assert places_of_bends(100 * np.array(lengths)) == bends


# One foot for each leg


@pytest.mark.parametrize("parent", ["hips", "", "spine"])
@pytest.mark.parametrize("others", [("DEF",), ("DEF", "FK", "IK")], ids=str)
def test_copies_of_a_leg_are_one_foot(others: tuple[str, ...], parent: str) -> None:
    motion = rig(*others, parent=parent)
    feet = find_feet([motion])
    assert len(feet) == 2
    assert all(len(foot.copies) == len(others) for foot in feet)


def test_copies_are_found_regardless_of_names() -> None:
    motion = rig("DEF", "FK")
    called = {name: f"bone {-number % 41}" for number, name in enumerate(motion.skeleton.names)}
    before, after = (find_feet([with_names(motion, names)]) for names in ({}, called))
    assert len(after) == 2
    assert [len(foot.copies) for foot in after] == [len(foot.copies) for foot in before] == [2, 2]


def test_legs_without_copies_have_none() -> None:
    for motion in (compass(), marcher()[0]):
        assert [foot.copies for foot in find_feet([motion])] == [(), ()]


def test_copy_that_ends_at_the_ankle_is_the_same_leg() -> None:
    motion = copied(compass(), {"IK": "hips"}, LEG[:3])
    assert names_of(motion) == ["toe.L", "toe.R"]
    assert all(len(foot.copies) == 1 for foot in find_feet([motion]))


def test_copy_with_its_thigh_in_two_bones_is_the_same_leg() -> None:
    """As the bones that deform the skin are divided, so that it twists smoothly."""
    plain = copied(compass(), {"DEF": "hips"})
    described = {
        name: (plain.skeleton.names[parent] if parent >= 0 else "", tuple(place))
        for (name, parent), place in zip(_parents(plain), plain.skeleton.rest_positions.tolist(), strict=True)
    }
    divided: dict[str, tuple[str, tuple[float, float, float]]] = {}
    for name, (parent, (x, y, z)) in described.items():
        if name.startswith("DEF shin"):
            divided[f"twist {name}"] = (parent, (x, y, z + 0.21))
            parent = f"twist {name}"
        divided[name] = (parent, (x, y, z))
    original = {name: name.replace("twist DEF shin", "DEF thigh") for name in divided}
    motion = _posed_as(plain, divided, original)
    feet = find_feet([motion])
    assert len(feet) == 2 and all(len(foot.copies) == 1 for foot in feet)


def test_two_legs_beside_each_other_are_two_feet() -> None:
    """As near as the legs of a figure of sticks: what rests a hundredth of the size apart is another leg."""
    narrow = {
        name: (parent, (0.02 * np.sign(x) if name[:-2] in LEG else x, y, z))
        for name, (parent, (x, y, z)) in TOED.items()
    }
    original = dict(zip(narrow, narrow, strict=True))
    motion = replace(compass(), skeleton=_posed_as(compass(), narrow, original).skeleton)
    assert names_of(motion) == ["toe.L", "toe.R"]
    assert not any(foot.copies for foot in find_feet([motion]))


def test_legs_that_rest_in_one_place_and_move_apart_are_two_feet() -> None:
    """Some files have a rest pose in which all bones are along one axis."""
    joints = {name: (parent, (0.0 if name[:-2] in LEG else x, y, z)) for name, (parent, (x, y, z)) in TOED.items()}
    motion = _posed_as(compass(), joints, dict(zip(joints, joints, strict=True)))
    assert names_of(motion) == ["toe.L", "toe.R"]
    assert not any(foot.copies for foot in find_feet([motion]))


# Copies that follow in turn


def test_foot_is_of_the_copy_that_follows_the_others_in_turn() -> None:
    """The visible leg follows forward kinematics first and inverse kinematics then."""
    motion = rig("FK", "IK")
    turns, half = motion.rotations.copy(), motion.frames // 2
    for prefix, held in (("FK", slice(half, None)), ("IK", slice(0, half))):
        quiet = [name.startswith(prefix) for name in motion.skeleton.names]
        turns[held, quiet] = turns[half, quiet]
    motion = replace(motion, rotations=turns)
    assert names_of(motion) == ["toe.L", "toe.R"]
    assert not any(foot.copies for foot in find_feet([motion]))


def controlled(late: int) -> Motion:
    """Return a rig whose feet have controls with toes, a stiff copy of its legs, and legs that come `late` frames."""
    walk = compass()
    described: dict[str, tuple[str, tuple[float, float, float]]]
    described = {name: (parent, (x, y, z)) for (name, parent), (x, y, z) in _rest(rig("DEF"))}
    controls = {f"control.{side}": f"foot.{side}" for side in "LR"}
    described |= {name: ("", described[end][1]) for name, end in controls.items()}
    toes = {f"control toe.{side}": f"toe.{side}" for side in "LR"}
    described |= {name: (f"control.{name[-1]}", described[end][1]) for name, end in toes.items()}
    original = {name: (controls | toes).get(name, name.removeprefix("DEF ")) for name in described}
    motion = stiff(_posed_as(walk, described, original), "DEF")
    turns = motion.rotations.copy()
    legs = [name[:-2] in LEG for name in motion.skeleton.names]
    turns[late:, legs] = turns[: len(turns) - late, legs]
    return replace(motion, rotations=turns)


def test_controls_that_hold_stiff_legs_are_feet_in_place_of_legs_with_stale_keys() -> None:
    """A control of inverse kinematics that goes its own way moves the visible leg, whose other keys are stale."""
    motion = controlled(7)
    names = motion.skeleton.names
    assert names_of(motion) == ["control toe.L", "control toe.R"]
    assert [[names[joint] for joint in foot.leg] for foot in find_feet([motion])] == [["control.L"], ["control.R"]]


@pytest.mark.parametrize("late", [0, 7], ids=["legs go along", "stale keys"])
def test_feet_on_controls_stand_in_results_on_a_curve(late: int) -> None:
    """Feet that only guided the root were dragged by its turns."""
    motion = controlled(late)
    prepared, angle = prepare([motion]), np.linspace(0.0, 4.0, 100)
    curve = np.stack((1.0 - np.cos(angle), np.sin(angle), 0.0 * angle), axis=1)
    made = synthesize(prepared, 150, constraints=Constraints(path=RootPath(curve)), seed=1).motion
    for foot in prepared.feet:
        of_example, of_result = (low_speeds(of, foot.joint).mean() for of in (motion, made))
        assert of_result < 1.1 * of_example
        hip, knee, end = foot.copies[0]
        places, size = made.pose()[1], made.skeleton.size
        rest = made.skeleton.rest_positions
        reach = np.linalg.norm(rest[knee] - rest[hip]) + np.linalg.norm(rest[end] - rest[knee])
        assert np.linalg.norm(places[:, foot.leg[0]] - places[:, hip], axis=1).max() < reach + 0.02 * size
        if not late:
            assert np.linalg.norm(places[:, foot.leg[0]] - places[:, end], axis=1).max() < 0.02 * size


def test_a_control_taken_beyond_the_reach_of_its_leg_straightens_the_knee_calmly() -> None:
    motion = controlled(7)
    (foot, *_), rate = find_feet([motion]), motion.frames_per_second
    leg = pose_leg(motion, foot)
    now, reach = np.linalg.norm(leg.target - leg.positions[:, leg.hip], axis=1), leg.reach
    farther = now + 0.2 * reach * np.clip(np.sin(np.arange(motion.frames) / 9), 0.0, None)
    reached = reached_distances(leg, farther, np.ones(motion.frames), rate)
    assert (reached <= np.maximum(reach, now) + 1e-6).all() and (reached >= now - 1e-3).all()
    assert reached_distances(leg, now, np.ones(motion.frames), rate) == pytest.approx(now, abs=1e-6)
    calm, snapped = (np.abs(np.diff(np.arccos(np.minimum(d / reach, 1.0)), 2)).max() for d in (reached, farther))
    assert calm < 0.7 * snapped


def low_speeds(motion: Motion, joint: int) -> np.ndarray:
    """Return the speeds along the ground, in units per second, of a joint near its lowest height."""
    places = motion.pose()[1][:, joint].astype(np.float64)
    low = places[:, 2] < np.percentile(places[:, 2], 2) + 0.004 * motion.skeleton.size
    speeds = np.linalg.norm(np.diff(places[:, :2], axis=0), axis=1) * motion.frames_per_second
    return np.asarray(speeds[low[1:] & low[:-1]])


def _rest(motion: Motion) -> list[tuple[tuple[str, str], list[float]]]:
    parents = [(name, motion.skeleton.names[parent] if parent >= 0 else "") for name, parent in _parents(motion)]
    return list(zip(parents, motion.skeleton.rest_positions.tolist(), strict=True))


def stiff(motion: Motion, *prefixes: str) -> Motion:
    """Return the motion in which joints with these prefixes keep their rotations."""
    turns = motion.rotations.copy()
    quiet = [name.startswith(prefixes) for name in motion.skeleton.names]
    turns[:, quiet] = turns[0, quiet]
    return replace(motion, rotations=turns)


# Copies turn along


@pytest.mark.parametrize("parent", ["hips", "spine"])
def test_copies_stay_with_the_leg_that_is_locked(parent: str) -> None:
    motion = rig("DEF", "IK", parent=parent)
    locked = moved_feet(motion, find_feet([motion]))
    assert np.abs(locked.pose()[1] - motion.pose()[1]).max() > 0.02 * motion.skeleton.size
    assert max(distance(locked, prefix) for prefix in ("DEF", "IK")) < SAME


@pytest.mark.parametrize("parent", ["hips", "", "spine"])
def test_copies_turn_as_much_as_the_foot_with_its_own_orientation(parent: str) -> None:
    motion = rig("DEF", parent=parent)
    (foot, _), names = find_feet([motion]), motion.skeleton.names
    leg = pose_leg(motion, foot)
    moves = np.tile([0.05, 0.1, 0.1], (motion.frames, 1))
    solution = solve_leg(leg, moves, find_hinges([motion], [foot])[0], motion.frames_per_second, motion.skeleton.size)
    axes = rotations.from_matrix(leg.matrices[:, leg.end].astype(np.float64))
    tilted = rotations.multiply(turn(np.array([0.0, 0.0, 1.0]), np.full(motion.frames, 0.4)), axes)
    turned = turn_leg(motion, leg, solution, tilted[solution.frames])
    assert distance(turned, "DEF") < SAME
    one, other = (motion.pose()[0][:, names.index(name)] for name in ("foot.L", "DEF foot.L"))
    after, other_after = (turned.pose()[0][:, names.index(name)] for name in ("foot.L", "DEF foot.L"))
    assert np.allclose(after @ np.swapaxes(one, 1, 2), other_after @ np.swapaxes(other, 1, 2), atol=1e-4)
    carried = turn_leg(motion, leg, solution, carried=True)
    assert distance(carried, "DEF") < SAME


def test_copies_that_carry_the_leg_or_hang_from_it_do_not_turn_it_twice() -> None:
    """As bones for the skin that are children of the controls."""
    motion = rig("DEF", parent="thigh.{side}")
    assert len(find_feet([motion])) == 2
    carried = feet_by_name(motion.skeleton, ["DEF toe.L", "DEF toe.R"])
    assert not any(foot.copies for foot in with_copies([motion], carried))
    locked = moved_feet(motion, find_feet([motion]))
    assert np.abs(locked.pose()[1] - motion.pose()[1]).max() > 0.02 * motion.skeleton.size
    assert distance(locked, "DEF") < SAME


def test_locked_legs_are_as_without_copies() -> None:
    plain, copied_legs = compass(), rig("DEF", "FK")
    joints = range(len(plain.skeleton.names))
    feet = feet_of(plain)
    locked, of_rig = (moved_feet(motion, found) for motion, found in ((plain, feet), (copied_legs, feet)))
    assert np.abs(locked.pose()[1] - of_rig.pose()[1][:, joints]).max() < SAME
    with_all = moved_feet(copied_legs, with_copies([copied_legs], feet))
    assert np.array_equal(of_rig.rotations[:, joints], with_all.rotations[:, joints])


@pytest.mark.parametrize("stretch", [1.0, 1.02])
def test_copies_stay_together_in_results_of_legs_that_stretch(stretch: float) -> None:
    """Legs are longest in the middle of the walk; the copies lengthen with the leg."""
    walk = compass()
    motion = copied(walk, {"DEF": "hips", "IK": "hips"})
    joints = [joint for joint, name in enumerate(motion.skeleton.names) if "shin" in name or "foot" in name]
    longer = (stretch - 1.0) * np.sin(np.pi * np.arange(walk.frames) / (walk.frames - 1))[:, None, None]
    lengths = longer * motion.skeleton.rest_translations[joints]
    back = rotations.inverse(motion.skeleton.rest_rotations[joints])
    moves = rotations.rotate(np.broadcast_to(back, (*lengths.shape[:2], 4)), lengths)
    motion = replace(
        motion,
        translated=np.array([0, *joints]),
        translations=np.concatenate((motion.translations, moves), axis=1).astype(np.float32),
    )
    prepared = prepare([motion], settings=Settings())
    assert [len(foot.copies) for foot in prepared.feet] == [2, 2]
    for seed in range(3):
        made = synthesize(prepared, 150, seed=seed).motion
        assert max(distance(made, prefix) for prefix in ("DEF", "IK")) < 2e-3


def test_feet_that_are_named_have_their_copies() -> None:
    motion = rig("DEF", "IK")
    names = ("DEF toe.L", "DEF toe.R")
    prepared = prepare([motion], settings=Settings(feet=names))
    assert [motion.skeleton.names[foot.joint] for foot in prepared.feet] == list(names)
    assert [len(foot.copies) for foot in prepared.feet] == [2, 2]


def test_copy_that_is_named_as_a_foot_of_its_own_does_not_turn_along() -> None:
    motion = rig("DEF", "IK")
    feet = with_copies([motion], feet_by_name(motion.skeleton, ["toe.L", "toe.R", "DEF toe.L", "DEF toe.R"]))
    named = {joint for foot in feet for joint in foot.leg}
    assert [len(foot.copies) for foot in feet] == [1, 1, 1, 1]
    assert named.isdisjoint(joint for foot in feet for copy in foot.copies for joint in copy)
