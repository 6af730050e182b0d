# SPDX-License-Identifier: GPL-3.0-or-later
"""Footing: movements of the examples' feet while they stand, and of the knees above them."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, Float64, Mask
from ..motion import rotations
from ..motion.motion import Motion, joint_path
from ..motion.spans import joined_spans, spans
from .calm_knees import Knees, find_knees
from .calm_paths import accelerations
from .contact_detection import Foot, find_feet, ground_heights, ground_under, label_contacts
from .footsteps import LONGEST_GAP_SECONDS, SHORTEST_STANCE_SECONDS, STEP_FROM, SwingHeights


@dataclass(frozen=True, eq=False)
class Footing:
    """Movements of feet in the examples.

    drifts: `(N, feet, 3)` movement of each along the ground to the next frame, relative to the root.
    grounds: `(N, 3)` movement of the ground itself, likewise; 0 unless the character walks in place.
    longest_drift: the longest distance of any from the beginning to the end of one contact, in units.
    flattest_swing, usual_swing: the least height of a swing, and the median, as shares of its length; 0 if none swings.
    knees: of their legs.
    body: the largest acceleration of the joint that carries the travel, in units per frame squared.
    """

    drifts: Float64
    grounds: Float64
    longest_drift: float
    flattest_swing: float
    usual_swing: float
    knees: Knees
    body: float

    def swing_heights(self, frames: Mask) -> SwingHeights:
        """Return the heights of swings for those in some frames `(F,)` of a result."""
        return SwingHeights(self.flattest_swing, self.usual_swing, frames)

    def at_pace(self, pace: float) -> "Footing":
        """Return the footing of examples played `pace` times as fast; accelerations grow by the square."""
        if pace == 1.0:
            return self
        quicker, knees = pace**2, self.knees
        limits = knees.acceleration * quicker, knees.foot_acceleration * quicker
        return replace(self, knees=Knees(knees.hinges, *limits), body=self.body * quicker)


def find_footing(
    motions: Sequence[Motion],
    feet: Sequence[Foot],
    headings: Sequence[Array],
    contacts: Mask,
    root: int,
    base: Array | None = None,
) -> Footing:
    """Return the footing of all examples.

    headings: `(T, 4)` of the root of each. contacts: `(N, feet)`. root: the joint that carries the travel. base:
    `(feet,)` height of each foot on ground that may move; None for ground at rest.
    """
    drifts, grounds, shares, longest, body = list[Float64](), list[Float64](), list[float](), 0.0, 0.0
    stands = np.split(contacts, np.cumsum([motion.frames for motion in motions])[:-1])
    for motion, heading, contact in zip(motions, headings, stands, strict=True):
        paths = [joint_path(motion, foot.joint) for foot in feet]
        drifts.append(_drifts_of(motion, paths, heading))
        grounds.append(_ground_of(motion, paths, heading, base))
        longest = max(longest, _longest_drift(motion, paths, contact))
        shares += _swings(motion, paths, contact)
        body = max(body, _acceleration(motion, root))
    swings = (min(shares), float(np.median(shares))) if shares else (0.0, 0.0)
    return Footing(np.concatenate(drifts), np.concatenate(grounds), longest, *swings, find_knees(motions, feet), body)


def _acceleration(motion: Motion, joint: int) -> float:
    """Return the largest acceleration of a joint, in units per frame squared."""
    return float(accelerations(joint_path(motion, joint)).max())


def _longest_drift(motion: Motion, paths: Sequence[Float64], contacts: Mask) -> float:
    """Return the longest distance of a foot along the ground in one contact of an example; contacts: `(T, feet)`."""
    up, longest = np.array(motion.skeleton.up), 0.0
    for places, stands in zip(paths, contacts.T, strict=True):
        edges = np.array(spans(stands), np.int64).reshape(-1, 2)
        displacements = places[edges[:, 1] - 1] - places[edges[:, 0]]
        displacements -= (displacements @ up)[:, None] * up
        longest = max(longest, float(np.linalg.norm(displacements, axis=1).max(initial=0.0)))
    return longest


def _swings(motion: Motion, paths: Sequence[Float64], contacts: Mask) -> list[float]:
    """Return the heights of swings that are as long as a step, as shares of their lengths; contacts: `(T, feet)`."""
    rate, up, found = motion.frames_per_second, np.array(motion.skeleton.up), list[float]()
    for places, stands in zip(paths, contacts.T, strict=True):
        heights = places @ up
        level = places - heights[:, None] * up
        stances = joined_spans(stands, LONGEST_GAP_SECONDS * rate, SHORTEST_STANCE_SECONDS * rate)
        for (_, first), (end, _) in itertools.pairwise(stances):
            length = rotations.length(level[end] - level[first - 1])
            if length > STEP_FROM * motion.skeleton.size:
                height = float(heights[first:end].max() - (heights[first - 1] + heights[end]) / 2)
                found.append(max(height, 0.0) / length)
    return found


def _drifts_of(motion: Motion, paths: Sequence[Float64], headings: Array) -> Float64:
    """Return the drifts `(T, feet, 3)` of one example, along the paths `(T, 3)` of its feet; 0 at its last frame."""
    up, back = np.array(motion.skeleton.up), rotations.inverse(headings[:-1]).astype(np.float64)
    drifts = np.zeros((motion.frames, len(paths), 3))
    for index, places in enumerate(paths):
        steps = np.diff(places, axis=0)
        drifts[:-1, index] = rotations.rotate(back, steps - (steps @ up)[:, None] * up)
    return drifts


def _ground_of(motion: Motion, paths: Sequence[Float64], headings: Array, base: Array | None) -> Float64:
    """Return the movements `(T, 3)` of the ground under one example, along the paths `(T, 3)` of its feet."""
    if base is None or not paths:
        return np.zeros((motion.frames, 3))
    moves = ground_under(np.stack(paths, axis=1), base, motion) / motion.frames_per_second
    return np.asarray(rotations.rotate(rotations.inverse(headings).astype(np.float64), moves), np.float64)


def contact_changes(motion: Motion) -> Mask:
    """Return a mask `(T,)` of the frames at which a foot lands or lifts off; none if the motion shows no feet.

    >>> bool(contact_changes(swing).any())
    False
    """
    feet = find_feet([motion], treadmill=True)
    stands = label_contacts(motion, feet, ground_heights([motion], feet), treadmill=True)
    changes = np.zeros(motion.frames, bool)
    # The first and the last frame of each contact are the poses that an animator keys.
    comes, leaves = stands[1:] & ~stands[:-1], stands[:-1] & ~stands[1:]
    changes[1:] |= comes.any(axis=1)
    changes[:-1] |= leaves.any(axis=1)
    return changes
