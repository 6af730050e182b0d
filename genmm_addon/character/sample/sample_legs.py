# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs of the sample motions: two bones from hip to ankle, solved exactly, with the knee forward and never straight."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...core import Array, rotations
from .sample_curves import turned
from .sample_feet import FootTrack
from .sample_skeleton import FORWARD, SIDES, head_of

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
