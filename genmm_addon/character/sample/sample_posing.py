# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of all bones of the sample character from a few controls: hips, chest, head, arm directions and feet."""

from dataclasses import dataclass

import numpy as np

from ...core import Array, Motion, rotations
from .sample_arms import Arm
from .sample_feet import FootTrack
from .sample_legs import Legs, aligned, solve_legs
from .sample_skeleton import BONES, FORWARD, INDEX, SIDES, head_of, rest_matrices, sample_skeleton


@dataclass(frozen=True, eq=False)
class Controls:
    """A body over time.

    travel: `(T, 3)` of the hips from their rest position, in meters. hips, chest, head: `(T, 4)`, world orientations
    relative to the rest pose. arms, feet: left, then right.
    """

    travel: Array
    hips: Array
    chest: Array
    head: Array
    arms: tuple[Arm, Arm]
    feet: tuple[FootTrack, FootTrack]


def posed(controls: Controls, frames_per_second: float, units_per_meter: float) -> Motion:
    """Return the controls as a motion of the sample skeleton; the hips sink if a leg would be too short."""
    legs = solve_legs(controls.travel, controls.hips, controls.feet, frames_per_second)
    turns = _orientations(controls, legs)
    skeleton = sample_skeleton(units_per_meter)
    above = np.where((skeleton.parents < 0)[:, None], np.array([1.0, 0, 0, 0]), turns[:, skeleton.parents])
    local = rotations.multiply(rotations.inverse(above), turns)
    rest = rotations.from_matrix(rest_matrices())
    local = rotations.multiply(rotations.inverse(rest), rotations.multiply(local, rest))
    moves = legs.travel @ rest_matrices()[0] * units_per_meter
    return Motion(
        skeleton,
        frames_per_second,
        rotations.make_continuous(rotations.normalize(local)).astype(np.float32),
        translated=np.zeros(1, np.int64),
        translations=moves[:, None].astype(np.float32),
    )


def _orientations(controls: Controls, legs: Legs) -> Array:
    """Return the world orientations `(T, 22, 4)` of all bones relative to the rest pose."""
    frames = len(controls.travel)
    turns = np.empty((frames, len(BONES), 4))
    hips, chest, head = controls.hips, controls.chest, controls.head
    turns[:, INDEX["Hips"]] = hips
    for share, name in ((0.3, "Spine"), (0.65, "Chest"), (1.0, "UpperChest")):
        turns[:, INDEX[name]] = rotations.slerp(hips, chest, np.full(frames, share))
    turns[:, INDEX["Neck"]] = rotations.slerp(chest, head, np.full(frames, 0.45))
    turns[:, INDEX["Head"]] = head
    for side, arm in zip(SIDES, controls.arms, strict=True):
        _pose_arm(turns, chest, side, arm)
    for index, (side, foot) in enumerate(zip(SIDES, controls.feet, strict=True)):
        turns[:, INDEX[f"Thigh.{side}"]] = legs.thighs[index]
        turns[:, INDEX[f"Shin.{side}"]] = legs.shins[index]
        turns[:, INDEX[f"Foot.{side}"]] = foot.orientations
        bend = rotations.from_axis_angle(np.array([[-1.0, 0, 0]]), np.radians(foot.toes))
        turns[:, INDEX[f"Toes.{side}"]] = rotations.multiply(foot.orientations, bend)
    return turns


def _pose_arm(turns: Array, chest: Array, side: str, arm: Arm) -> None:
    """Write the four bones of an arm into `turns` `(T, 22, 4)`."""
    hinge = np.cross(arm.upper, arm.fore)
    rest_along = head_of(f"Forearm.{side}") - head_of(f"UpperArm.{side}")
    rest_hinge = np.cross(rest_along, FORWARD)
    turns[:, INDEX[f"Shoulder.{side}"]] = rotations.multiply(chest, arm.shoulder)
    for name, along in (("UpperArm", arm.upper), ("Forearm", arm.fore)):
        turn = aligned(rest_along, rest_hinge, along, hinge)
        turns[:, INDEX[f"{name}.{side}"]] = rotations.multiply(chest, turn)
    turns[:, INDEX[f"Hand.{side}"]] = rotations.multiply(turns[:, INDEX[f"Forearm.{side}"]], arm.wrist)
