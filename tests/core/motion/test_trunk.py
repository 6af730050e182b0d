# SPDX-License-Identifier: GPL-3.0-or-later
"""The root of rigs whose controls lie beside the body: the joint that carries the trunk, in place and traveling."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest
from motions import BIPED, QUADRUPED, Joints, build_skeleton
from numpy.typing import NDArray

from genmm_addon.core import Motion, Skeleton, rotations
from genmm_addon.core.motion.root_motion import find_anchored

FRAMES = 60
SWAY = (0.03, 0.02, 0.03)
STEP = (0.0, 0.35, 0.1)
FACE: Joints = {f"face.{number}": ("face", (0.01 * (number % 9), 0.1, 1.6)) for number in range(60)}
BESIDE: Mapping[str, Joints] = {
    "nothing": {},
    "a camera and its target": {"camera": ("", (0.0, -6.0, 1.6)), "aim": ("camera", (0.0, 0.0, 1.4))},
    "a sword": {"sword": ("", (0.7, 0.0, 1.4)), "tip": ("sword", (0.7, 1.3, 1.4))},
    "an eye target": {"eyes": ("", (0.0, 2.0, 1.6)), "eye.L": ("eyes", (0.03, 2.0, 1.6))},
    "poles": {"pole.L": ("", (0.1, 0.8, 0.5)), "pole.R": ("", (-0.1, 0.8, 0.5))},
    "a face": {"face": ("", (0.0, 0.0, 1.5)), **FACE},
}


def feet(parent: str) -> Joints:
    """Return controls of both feet, each with its toes."""
    return {
        "control.L": (parent, (0.1, 0.0, 0.08)),
        "toes.L": ("control.L", (0.1, 0.15, 0.02)),
        "control.R": (parent, (-0.1, 0.0, 0.08)),
        "toes.R": ("control.R", (-0.1, 0.15, 0.02)),
    }


def under(top: str, joints: Joints) -> Joints:
    """Return the joints with those at the top below one more joint at the origin."""
    return {
        top: ("", (0.0, 0.0, 0.0)),
        **{name: (parent or top, place) for name, (parent, place) in joints.items()},
    }


def moving(joints: Joints, moves: Mapping[str, tuple[float, float, float]], travel: float = 0.0) -> Motion:
    """Return a motion in which the named joints move to and fro by so much, and travel on along Y."""
    skeleton = build_skeleton(joints)
    time = np.linspace(0.0, 1.0, FRAMES)
    turned = np.tile(np.array([1, 0, 0, 0], np.float32), (FRAMES, len(joints), 1))
    wave = np.sin(12 * time)
    turned_one = next((joint for joint in reversed(list(joints)) if joint not in moves), "")
    if turned_one:
        swing = np.stack((np.cos(0.2 * wave), np.sin(0.2 * wave)), axis=1)
        turned[:, skeleton.names.index(turned_one), :2] = swing
    order = [skeleton.names.index(name) for name in joints if name in moves]
    paths = [path(wave, moves[skeleton.names[joint]], travel * time) for joint in order]
    axes = rotations.inverse(skeleton.rest_orientations[order])
    own = np.stack([rotations.rotate(axis, one) for axis, one in zip(axes, paths, strict=True)], axis=1)
    return Motion(skeleton, 30.0, turned, np.array(order), own.astype(np.float32))


def path(
    wave: NDArray[np.float64], extent: tuple[float, float, float], ahead: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return positions `(T, 3)`."""
    return np.asarray(wave[:, None] * np.array(extent) + ahead[:, None] * np.array([0.0, 1.0, 0.0]))


def root_of(motion: Motion) -> str:
    """Return the name of the root that is found."""
    return motion.skeleton.names[find_anchored([motion])[0]]


@pytest.mark.parametrize("travel", [0.0, 4.0], ids=["in place", "traveling"])
@pytest.mark.parametrize("beside", BESIDE.values(), ids=BESIDE)
@pytest.mark.parametrize("feet_first", [True, False], ids=["feet first", "feet last"])
def test_hips_are_the_root_regardless_of_controls_beside_them(beside: Joints, feet_first: bool, travel: float) -> None:
    joints = {**feet(""), **beside, **BIPED} if feet_first else {**BIPED, **beside, **feet("")}
    moves = {"control.L": STEP, "control.R": STEP, "hips": SWAY} | dict.fromkeys([*beside][:2], STEP)
    assert root_of(moving(joints, moves, travel)) == "hips"


@pytest.mark.parametrize("travel", [0.0, 4.0], ids=["in place", "traveling"])
def test_below_a_top_that_stays_the_hips_are_the_root(travel: float) -> None:
    joints = under("root", {**feet(""), **BIPED})
    moves = {"control.L": STEP, "control.R": STEP, "hips": SWAY}
    assert root_of(moving(joints, moves, travel)) == "hips"


def test_a_top_that_hardly_moves_is_not_the_root() -> None:
    joints = under("root", {**feet(""), **BIPED})
    moves = {"root": (1e-3, 0.0, 0.0), "control.L": STEP, "control.R": STEP, "hips": SWAY}
    assert root_of(moving(joints, moves)) == "hips"


def test_a_top_that_has_the_travel_is_the_root() -> None:
    joints = under("root", {**feet(""), **BIPED})
    motion = moving(joints, {"root": (0.0, 2.0, 0.0), "control.L": STEP, "hips": SWAY})
    assert root_of(motion) == "root"


def test_feet_that_tap_while_the_trunk_is_not_moved_are_not_the_root() -> None:
    joints = under("root", {**feet(""), **BIPED})
    assert root_of(moving(joints, {"control.L": STEP, "control.R": STEP})) == "root"


@pytest.mark.parametrize("travel", [0.0, 4.0], ids=["in place", "traveling"])
def test_a_quadrupeds_pelvis_is_the_root(travel: float) -> None:
    paws: Joints = {f"paw.{name}": ("", place) for name, (_, place) in QUADRUPED.items() if name.endswith((".L", ".R"))}
    moves = {**dict.fromkeys(paws, STEP), "pelvis": SWAY}
    assert root_of(moving({**paws, **QUADRUPED}, moves, travel)) == "pelvis"


def test_an_arm_that_moves_off_the_chest_does_not_belong_to_the_trunk() -> None:
    moves = {"hips": (0.01, 0.0, 0.0), "upper_arm.R": (0.0, 0.2, 0.0), "upper_arm.L": (0.0, 0.1, 0.0)}
    assert root_of(moving(BIPED, moves)) == "hips"


TAIL: Joints = {
    "tail": ("pelvis", (0.0, -0.7, 0.9)),
    **{f"feather.{number}": ("tail", (0.3 * (number - 4), -1.5, 1.5)) for number in range(8)},
}
"""A fan that outweighs each leg, but holds less than half of the joints."""


def test_a_tail_that_moves_more_than_the_body_is_not_the_root() -> None:
    joints = {**QUADRUPED, **TAIL}
    assert root_of(moving(joints, {"pelvis": (0.0, 0.0, 0.0), "tail": STEP})) == "pelvis"
    assert root_of(moving(joints, {"pelvis": SWAY, "tail": STEP})) == "pelvis"


def test_a_tail_that_moves_while_nothing_else_does_is_not_the_root() -> None:
    joints = under("root", {**QUADRUPED, **TAIL})
    assert root_of(moving(joints, {"feather.0": (0.0, 2.0, 0.0)})) == "root"


def test_rounding_below_a_top_that_stays_is_not_travel() -> None:
    joints = under("root", BIPED)
    assert root_of(moving(joints, {"root": (0.0, 0.0, 0.0), "spine": (1e-4, 0.0, 0.0)})) == "root"


@pytest.mark.parametrize("travel", [0.0, 4.0], ids=["in place", "traveling"])
def test_a_control_that_the_body_follows_is_the_root(travel: float) -> None:
    controls: Joints = {**feet(""), "HipsCtrl": ("", (0.0, 0.0, 0.95))}
    joints = {**controls, **under("deforming", BIPED)}
    motion = moving(joints, {"control.L": STEP, "control.R": STEP, "HipsCtrl": SWAY}, travel)
    assert root_of(following(motion, "hips", "HipsCtrl")) == "HipsCtrl"


def following(motion: Motion, joint: str, leader: str) -> Motion:
    """Return the motion on a skeleton that knows which joint another one follows."""
    skeleton: Skeleton = motion.skeleton
    carriers = skeleton.parents.copy()
    carriers[skeleton.names.index(joint)] = skeleton.names.index(leader)
    return replace(motion, skeleton=replace(skeleton, carriers=carriers))


def test_unfamiliar_controls_are_distinguished_by_their_place() -> None:
    controls: Joints = {
        "foot.L": ("", (0.1, 0.0, 0.0)),
        "foot.R": ("", (-0.1, 0.0, 0.0)),
        "hips": ("", (0.0, 0.0, 0.9)),
        "hand.L": ("", (0.5, 0.0, 1.0)),
        "hand.R": ("", (-0.5, 0.0, 1.0)),
        "head": ("", (0.0, 0.0, 1.7)),
    }
    assert root_of(moving(controls, {**dict.fromkeys(controls, STEP), "hips": SWAY})) == "hips"


def test_control_that_the_body_follows_is_the_root() -> None:
    joints = {**BIPED, "HipsCtrl": ("", (0.0, 0.0, 0.95)), **feet("")}
    motion = moving(joints, {"control.L": STEP, "control.R": STEP, "HipsCtrl": SWAY}, 4.0)
    still = replace(motion, rotations=np.tile(np.array([1, 0, 0, 0], np.float32), (FRAMES, len(joints), 1)))
    assert root_of(still) == "HipsCtrl"
