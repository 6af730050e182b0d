# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of all bones of the sample character from a few controls: hips, chest, head, arm directions and feet."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core import Array, Motion, rotations
from .sample_arms import Arm
from .sample_curves import turned
from .sample_feet import FootTrack
from .sample_skeleton import BONES, FORWARD, INDEX, SIDES, head_of, rest_matrices, sample_skeleton

REACH = 0.9965
"""Largest stretch of a leg, as a share of its full length; further, the knee would snap."""

THIGH = float(np.linalg.norm(head_of("Shin.L") - head_of("Thigh.L")))
SHIN = float(np.linalg.norm(head_of("Foot.L") - head_of("Shin.L")))

SINKING_SECONDS = 0.08
"""Time before and after a long step in which the hips sink and rise, in seconds."""


@dataclass(frozen=True, eq=False)
class Legs:
    """The solved legs: travel `(T, 3)` of the hips within the legs' reach; thighs, shins `(T, 4)`, left and right."""

    travel: Array
    thighs: tuple[Array, Array]
    shins: tuple[Array, Array]


def solve_legs(travel: Array, hips: Array, feet: tuple[FootTrack, FootTrack], frames_per_second: float) -> Legs:
    """Return legs that put both ankles on their tracks. travel: `(T, 3)` and hips: `(T, 4)` of the pelvis."""
    root = head_of("Hips")
    offsets = [rotations.rotate(hips, head_of(f"Thigh.{side}") - root) for side in SIDES]
    joints = [root + travel + offset for offset in offsets]
    sunk = travel.copy()
    sunk[:, 2] -= _sinking(joints, feet, frames_per_second)
    forward = rotations.rotate(hips, np.broadcast_to(np.array(FORWARD), travel.shape))
    solved = [
        _solve_leg(root + sunk + offset, foot, forward, side)
        for side, offset, foot in zip(SIDES, offsets, feet, strict=True)
    ]
    return Legs(sunk, (solved[0][0], solved[1][0]), (solved[0][1], solved[1][1]))


def _sinking(joints: Sequence[Array], feet: tuple[FootTrack, FootTrack], frames_per_second: float) -> Array:
    """Return meters `(T,)` by which the hips must sink so that both legs reach, rising and falling gently."""
    needed = np.zeros(len(joints[0]))
    for joint, foot in zip(joints, feet, strict=True):
        offset = joint - foot.ankles
        level = np.sum(offset[:, :2] ** 2, axis=1)
        highest = np.sqrt(np.maximum((REACH * (THIGH + SHIN)) ** 2 - level, 0.0))
        needed = np.maximum(needed, offset[:, 2] - highest)
    # A moving maximum, then its mean over the same span: smooth, and never below the need.
    reach = max(1, round(SINKING_SECONDS * frames_per_second))
    padded = np.pad(needed, 2 * reach, mode="edge")
    greatest = np.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1).max(axis=1)
    weights = np.hanning(2 * reach + 3)[1:-1]
    return np.convolve(greatest, weights / weights.sum(), mode="valid")


def _solve_leg(joint: Array, foot: FootTrack, forward: Array, side: str) -> tuple[Array, Array]:
    """Return the orientations `(T, 4)` of thigh and shin, by the law of cosines."""
    span = foot.ankles - joint
    distance = np.linalg.norm(span, axis=1, keepdims=True)
    along = span / distance
    toes = rotations.rotate(turned(foot.headings), np.broadcast_to(np.array(FORWARD), span.shape))
    knee = 0.6 * toes + 0.4 * forward
    knee -= np.sum(knee * along, axis=1, keepdims=True) * along
    knee /= np.linalg.norm(knee, axis=1, keepdims=True)
    cosine = np.clip((THIGH**2 + distance**2 - SHIN**2) / (2 * THIGH * distance), -1.0, 1.0)
    thigh = THIGH * (cosine * along + np.sqrt(1 - cosine**2) * knee)
    hinge = np.cross(along, knee)
    return _turn(side, "Thigh", "Shin", thigh, hinge), _turn(side, "Shin", "Foot", span - thigh, hinge)


def _turn(side: str, bone: str, below: str, along: Array, hinge: Array) -> Array:
    rest = head_of(f"{below}.{side}") - head_of(f"{bone}.{side}")
    return aligned(rest, np.cross(rest, FORWARD), along, hinge)


def aligned(rest_along: Array, rest_hinge: Array, along: Array, hinge: Array) -> Array:
    """Return rotations `(T, 4)` that map `rest_along` to `along` and `rest_hinge` to `hinge`, all `(..., 3)`."""
    return rotations.from_matrix(_frame(along, hinge) @ _frame(rest_along, rest_hinge).swapaxes(-1, -2))


def _frame(along: Array, hinge: Array) -> Array:
    along = along / np.linalg.norm(along, axis=-1, keepdims=True)
    hinge = hinge - np.sum(along * hinge, axis=-1, keepdims=True) * along
    hinge = hinge / np.linalg.norm(hinge, axis=-1, keepdims=True)
    return np.stack((hinge, along, np.cross(hinge, along)), axis=-1)


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
