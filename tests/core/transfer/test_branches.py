# SPDX-License-Identifier: GPL-3.0-or-later
"""Branches of joints that are matched, such as fingers, and bodies whose sides differ."""

import numpy as np
import pytest
from motions import Array, Joints, build_skeleton
from test_matching import DOG, HUMAN, anonymous_target

from genmm_addon.core import rotations
from genmm_addon.core.transfer import match_joints

FINGERS = ("thumb", "index", "middle", "ring", "little")
ROOT_OF_THUMB, KNUCKLES = (0.03, -0.04, -0.01), (0.09, -0.03, 0.0)


def with_fingers(roll: float, bend: float) -> Joints:
    """Return the human with five fingers of two joints a hand, rolled about the forearm and bent at the wrist."""
    joints = {name: place for name, place in HUMAN.items() if "thumb" not in name and "finger" not in name}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        wrist = np.array(HUMAN[f"hand.{side}"][1])
        turns = [((1.0, 0.0, 0.0), roll), ((0.0, 1.0, 0.0), sign * bend)]
        for number, finger in enumerate(FINGERS):
            knuckle = np.array(ROOT_OF_THUMB if finger == "thumb" else KNUCKLES)
            knuckle += (0.0, 0.02 * max(number - 1, 0), -0.004 * abs(number - 2))
            tip = knuckle * (1.6 - 0.05 * abs(number - 2))
            for name, parent, place in ((finger, "hand", knuckle), (f"{finger}_tip", finger, tip)):
                offset: Array = place * (sign, 1.0, 1.0)
                for axis, angle in turns:
                    offset = rotations.rotate(rotations.from_axis_angle(np.array(axis), np.array(angle)), offset)
                joints[f"{name}.{side}"] = f"{parent}.{side}", tuple(wrist + offset)
    return joints


@pytest.mark.parametrize(("roll", "bend"), [(1.5, 0.0), (-1.0, 0.4), (2.0, -0.5)])
def test_fingers_keep_their_order_whichever_way_the_palm_faces(roll: float, bend: float) -> None:
    source, target = build_skeleton(with_fingers(roll, bend)), build_skeleton(with_fingers(0.0, 0.0))
    found = match_joints(source, anonymous_target(target), trust=0.0).names
    assert found == {name: f"x{number}" for number, name in enumerate(target.names)}


def longer_on_the_left(joints: Joints, ratio: float) -> Joints:
    """Return the joints with the bones of the left side longer."""
    places: dict[str, Array] = {}
    for name, (parent, place) in joints.items():
        offset = np.array(place) - (np.array(joints[parent][1]) if parent else 0.0)
        places[name] = (places[parent] if parent else 0.0) + (ratio if name.endswith(".L") else 1.0) * offset
    return {name: (parent, tuple(places[name])) for name, (parent, _) in joints.items()}


@pytest.mark.parametrize("joints", [HUMAN, DOG])
@pytest.mark.parametrize("ratio", [1.3, 1.6])
def test_limbs_are_found_where_those_of_one_side_are_longer(joints: Joints, ratio: float) -> None:
    source, target = build_skeleton(longer_on_the_left(joints, ratio)), build_skeleton(joints)
    found = match_joints(source, anonymous_target(target), trust=0.0).names
    assert found == {name: f"x{number}" for number, name in enumerate(target.names)}


def spider(random: np.random.Generator) -> Joints:
    """Return a spider that faces -Y, with four pairs of legs that all begin at its thorax, in proportions at random."""
    joints: dict[str, tuple[str, tuple[float, float, float]]] = {
        "thorax": ("", (0.0, 0.0, 0.2)),
        "head": ("thorax", (0.0, -0.2, 0.22)),
        "jaw": ("head", (0.0, -0.35, 0.2)),
        "abdomen": ("thorax", (0.0, 0.15, 0.2)),
        "spinneret": ("abdomen", (0.0, 0.5, 0.25)),
    }
    for number in range(4):
        ahead = np.array([np.sin(0.5 + 0.7 * number), -np.cos(0.5 + 0.7 * number)])
        lengths = random.uniform(1 / 1.3, 1.3, 3)
        for side, sign in (("L", 1.0), ("R", -1.0)):
            parent, place = "thorax", np.array([0.0, 0.0, 0.2])
            steps = ((0.1, 0.0), (0.5, 0.4), (0.6, -0.6))
            for name, (level, rise), length in zip(("coxa", "femur", "tarsus"), steps, lengths, strict=True):
                place = place + length * np.array([sign * ahead[0] * level, ahead[1] * level, rise])
                if name == "tarsus":
                    place[2] = 0.0
                joints[f"{name}{number}.{side}"] = parent, tuple(place)
                parent = f"{name}{number}.{side}"
    return joints


@pytest.mark.parametrize("seed", range(6))
def test_legs_of_spiders_are_matched_from_front_to_back_whatever_their_lengths(seed: int) -> None:
    source, target = (build_skeleton(spider(np.random.default_rng(number))) for number in (seed, seed + 100))
    found = match_joints(source, anonymous_target(target), trust=0.0).names
    legs = [name for name in target.names if name.endswith((".L", ".R"))]
    assert [found.get(name) for name in legs] == [f"x{target.names.index(name)}" for name in legs]


@pytest.mark.parametrize(("bones", "other_bones"), [(9, 9), (12, 7), (6, 14)])
def test_snakes_of_other_lengths_follow_each_other_along_their_bodies(bones: int, other_bones: int) -> None:
    def snake(count: int, length: float) -> Joints:
        ends = np.linspace(0.0, length, count)
        return {f"part{n}": (f"part{n - 1}" if n else "", (0.02 * n**2, end, 0.1)) for n, end in enumerate(ends)}

    source, target = build_skeleton(snake(bones, 2.0)), build_skeleton(snake(other_bones, 1.3))
    match = match_joints(source, anonymous_target(target), trust=0.0)
    order = [int(counterpart[1:]) for counterpart in match.names.values()]
    assert match.fits and len(order) == min(bones, other_bones)
    assert order == sorted(order) and (order[0], order[-1]) == (0, other_bones - 1)
    assert not any(pair.is_sure for pair in match.pairs)
