# SPDX-License-Identifier: GPL-3.0-or-later
"""Arms of the sample motions, hanging or reaching in a direction; `sign` is 1 on the left and -1 on the right."""

from dataclasses import dataclass

import numpy as np

from ...core import Array, rotations
from .sample_curves import turned
from .sample_skeleton import FORWARD, head_of

DOWN = np.array([0.0, 0.0, -1.0])


@dataclass(frozen=True, eq=False)
class Arm:
    """An arm over time.

    shoulder: `(T, 4)`, the collar bone relative to the chest.
    upper, fore: `(T, 3)` directions of upper arm and forearm in the chest's axes, never quite parallel.
    wrist: `(T, 4)`, the hand relative to the forearm.
    """

    shoulder: Array
    upper: Array
    fore: Array
    wrist: Array


def hanging_arm(
    sign: float,
    *,
    flexion: Array,
    abduction: Array,
    elbow: Array,
    inward: Array,
    wrist: Array,
    shoulder: Array,
    drop: float = 0.0,
) -> Arm:
    """Return an arm that hangs; all angles are `(T,)` in degrees.

    flexion, abduction: of the upper arm, forward and away from the body. elbow: its bend. inward: rotation of the
    forearm towards the middle. wrist: bend of the hand towards its palm. shoulder, drop: of the collar bone, forward
    and down.
    """
    swing = rotations.multiply(turned(0.0, -flexion), turned(0.0, 0.0, -sign * abduction))
    upper = rotations.rotate(swing, np.broadcast_to(DOWN, (len(flexion), 3)))
    # The forearm bends forward first, then rotates inward about the upper arm.
    bend = rotations.multiply(turned(-sign * inward), turned(0.0, -elbow))
    fore = rotations.rotate(swing, rotations.rotate(bend, np.broadcast_to(DOWN, upper.shape)))
    return Arm(turned(-sign * shoulder, 0.0, sign * drop), upper, fore, flexed_wrist(sign, wrist, 0.0 * wrist))


def reaching_arm(sign: float, upper: Array, fore: Array, *, wrist: Array, sideways: Array) -> Arm:
    """Return an arm whose parts point in the directions `(T, 3)`, given for the left side, where +X is outward.

    wrist, sideways: degrees `(T,)` by which the hand is bent towards its palm and towards the thumb. The shoulder rises
    with the arm.
    """
    mirror = np.array([sign, 1.0, 1.0])
    upper = upper / np.linalg.norm(upper, axis=1, keepdims=True)
    fore = fore / np.linalg.norm(fore, axis=1, keepdims=True)
    # Above the horizontal, the collar bone does a third of the lifting.
    raised = 16.0 * (upper[:, 2] + 1.0) / 2.0 + 10.0 * np.maximum(upper[:, 2], 0.0)
    shoulder = turned(10.0 * sign * upper[:, 1], 0.0, -sign * raised)
    return Arm(shoulder, upper * mirror, fore * mirror, flexed_wrist(sign, wrist, sideways))


def flexed_wrist(sign: float, flexion: Array, sideways: Array) -> Array:
    """Return the hand relative to the forearm `(T, 4)`, bent towards palm and thumb by degrees `(T,)`."""
    side = "L" if sign > 0 else "R"
    along = head_of(f"Hand.{side}") - head_of(f"Forearm.{side}")
    hinge = np.cross(along, FORWARD)
    hinge = hinge / np.linalg.norm(hinge)
    thumbward = rotations.from_axis_angle(np.broadcast_to(hinge, (len(flexion), 3)), np.radians(sideways))
    return rotations.multiply(thumbward, turned(0.0, 0.0, sign * flexion))
