# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of knees and feet: knees that pop, feet all in the air, feet that lift twice, drag, or slide near pins."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Motion, metrics
from genmm_addon.core.feet import Foot, knee_of, label_contacts
from genmm_addon.core.motion import joint_accelerations

Float64 = NDArray[np.float64]

TOUCH_SECONDS, GAP_SECONDS = 0.1, 0.07
"""Shortest contact that counts, and longest gap in a contact that does not, in seconds."""
LIFT_SECONDS = 0.8
"""Time within which a foot that lifts again counts as lifting twice, in seconds."""
BESIDE_SECONDS = 1.0
"""Time before and after a pin that counts as near it, in seconds."""


def knee_acceleration(result: Motion, example: Motion, feet: Sequence[Foot]) -> float | None:
    """Return the largest acceleration of a knee, as a multiple of the example's; None if no leg bends."""
    knees = [knee_of(example, foot) for foot in feet if len(foot.leg) >= 3]
    return _acceleration(result, knees) / max(_acceleration(example, knees), 1e-12) if knees else None


def foot_acceleration(result: Motion, example: Motion, feet: Sequence[Foot]) -> float:
    """Return the largest acceleration of a foot, as a multiple of the example's; a foot that stops dead exceeds it."""
    joints = [foot.joint for foot in feet]
    # A foot that always stands has none; a thousandth of the size per squared frame is not visible.
    least = 1e-3 * example.skeleton.size
    return _acceleration(result, joints) / max(_acceleration(example, joints), least)


def _acceleration(motion: Motion, joints: Sequence[int]) -> float:
    """Return the largest acceleration of the joints, in units per squared frame."""
    return float(joint_accelerations(motion, joints).max(initial=0.0))


def without_planted_foot(motion: Motion, feet: Sequence[Foot], base: Float64) -> float:
    """Return the share of frames, 0 to 1, in which no foot stands; base: see `ground_heights`."""
    return float(np.mean(~label_contacts(motion, feet, base).any(axis=1)))


def lifts_twice(motion: Motion, feet: Sequence[Foot], base: Float64, seconds: float = LIFT_SECONDS) -> int:
    """Return how often a foot is lifted within `seconds` of its last lift."""
    contacts, rate = label_contacts(motion, feet, base), motion.frames_per_second
    lifts = [np.flatnonzero(np.diff(_stances(column, rate).astype(np.int8)) < 0) for column in contacts.T]
    return sum(int(np.sum(np.diff(frames) < seconds * rate)) for frames in lifts)


def _stances(contacts: NDArray[np.bool_], rate: float) -> NDArray[np.bool_]:
    """Return contacts `(T,)` with short gaps closed and touches left out."""
    stands = contacts.copy()
    for value, seconds in ((False, GAP_SECONDS), (True, TOUCH_SECONDS)):
        edges = np.flatnonzero(np.diff(np.concatenate(([not value], stands, [not value])) == value))
        for first, end in edges.reshape(-1, 2):
            if end - first <= seconds * rate and first > 0 and end < len(stands):
                stands[first:end] = not value
    return stands


def dragged(motion: Motion, feet: Sequence[Foot], base: Float64) -> float:
    """Return the longest path of a foot along the ground in one stance, in sizes of the skeleton."""
    contacts, up, longest = label_contacts(motion, feet, base), np.array(motion.skeleton.up), 0.0
    places = motion.pose()[1][:, [foot.joint for foot in feet]].astype(np.float64)
    level = places - (places @ up)[..., None] * up
    for foot in range(len(feet)):
        edges = np.flatnonzero(np.diff(np.concatenate(([False], contacts[:, foot], [False])).astype(np.int8)))
        ways = [np.linalg.norm(level[end - 1, foot] - level[first, foot]) for first, end in edges.reshape(-1, 2)]
        longest = max(longest, *map(float, ways), 0.0)
    return longest / motion.skeleton.size


def skate_beside(motion: Motion, feet: Sequence[Foot], base: Float64, pins: NDArray[np.int64]) -> float:
    """Return the sliding of feet near pins, in cm/s at a body height of 170 cm; pins: their frames `(P,)`."""
    reach = round(BESIDE_SECONDS * motion.frames_per_second)
    stretches = [motion.slice(max(pin - reach, 0), min(pin + reach + 1, motion.frames)) for pin in pins.tolist()]
    joints = [foot.joint for foot in feet]
    return float(np.mean([metrics.foot_skate(stretch, joints, base, motion.skeleton.size) for stretch in stretches]))
