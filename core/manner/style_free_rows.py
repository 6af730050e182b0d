# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames as rows that are near each other for the same phase of an action in any style.

Each joint's rotation is relative to its own mean, and divided by its own deviation: the rows show when it swings, but
not around which posture, nor how far. Turning speeds are not normalized, so that a turn matches a turn.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Float32, Float64, Mask
from ..motion import rotations
from ..motion.filters import smooth
from ..motion.ground_travel import SWAY_SECONDS
from ..motion.motion import Motion
from ..motion.root_motion import TURN_UNIT, RootPlan, place_and_heading, without_heading

STILL = 0.02
"""Deviation, in radians, below which a joint does not swing, so that its noise is not matched."""
CONTACT_SECONDS = 0.05
"""Deviation, in seconds, of the Gaussian over contacts and their events: touchdowns one frame apart are nearly the
same."""


@dataclass(frozen=True, eq=False)
class StyleFreeRows:
    """Rows of the N frames of some motions, before weighting.

    poses, velocities: `(N, J, 3)` rotations relative to each joint's mean, and their speeds, in deviations. swings,
    speeds: `(J,)` deviations of each joint, in radians, and radians per frame. contacts: `(N, feet)`, 0 to 1.
    turn_rates: `(N,)` in radians per second.
    """

    poses: Float64
    velocities: Float64
    swings: Float64
    speeds: Float64
    contacts: Float64
    turn_rates: Float64


def style_free_rows(motions: Sequence[Motion], plan: RootPlan, contacts: Sequence[Mask]) -> StyleFreeRows:
    """Return the rows of motions on one skeleton, with common means and deviations; contacts: `(T, feet)` of each."""
    turns = [
        rotations.make_continuous(without_heading(motion, plan).rotations.astype(np.float64)) for motion in motions
    ]
    mean = mean_rotations(np.concatenate(turns))
    poses = [rotations.to_vector(rotations.multiply(rotations.inverse(mean), values)) for values in turns]
    speeds = [np.gradient(values, axis=0) if len(values) > 1 else np.zeros_like(values) for values in poses]
    together, moving = np.concatenate(poses), np.concatenate(speeds)
    swings = np.sqrt(np.mean(np.sum(together**2, axis=2), axis=0))
    quick = np.sqrt(np.mean(np.sum(moving**2, axis=2), axis=0))
    rate = motions[0].frames_per_second
    quickest = np.maximum(quick, STILL * 2 * np.pi / rate)
    return StyleFreeRows(
        together / np.maximum(swings, STILL)[None, :, None],
        moving / quickest[None, :, None],
        np.asarray(swings),
        np.asarray(quick),
        np.concatenate([smooth(values.astype(np.float64), CONTACT_SECONDS, rate) for values in contacts]),
        np.concatenate([turn_rate(motion, plan) for motion in motions]),
    )


def mean_rotations(quaternions: Float64) -> Float64:
    """Return the mean `(J, 4)` of rotations `(N, J, 4)`: the main axis of their products (Markley et al. 2007)."""
    products = np.einsum("nja,njb->jab", quaternions, quaternions)
    return np.asarray(np.linalg.eigh(products)[1][:, :, -1])


def turn_rate(motion: Motion, plan: RootPlan) -> Float64:
    """Return the turning speed `(T,)` of the trajectory, in radians per second."""
    turns = place_and_heading(motion, plan)[1]
    if len(turns) < 2:
        return np.zeros(len(turns))
    rate = motion.frames_per_second
    return np.asarray(smooth(np.gradient(turns)[:, None], SWAY_SECONDS, rate)[:, 0] * rate)


def match_columns(first: StyleFreeRows, second: StyleFreeRows, reaches: Float64) -> tuple[Float32, Float32]:
    """Return the weighted rows `(N, D)` and `(M, D)` of both, whose squared distances give costs.

    reaches: `(J,)` of each joint: a joint counts by what it moves.
    """
    weights = joint_weights(first, second, reaches)
    columns = []
    for rows in (first, second):
        pose = rows.poses * weights[:, None]
        speed = rows.velocities * weights[:, None]
        yaw_rate = rows.turn_rates[:, None] / TURN_UNIT
        parts = [pose.reshape(len(pose), -1), speed.reshape(len(pose), -1), yaw_rate]
        # If a foot stands in only one of two frames, that is as far as unrelated poses are from each other.
        parts.append(rows.contacts / np.sqrt(max(rows.contacts.shape[1], 1)))
        columns.append(np.concatenate(parts, axis=1).astype(np.float32))
    return columns[0], columns[1]


def costs_of_columns(left: Float32, right: Float32) -> Float32:
    """Return the cost `(N, M)` of each pair of weighted rows: 0 for the same moment of an action, 2 for unlike ones.

    The cost is the mean of the squared distances of poses and of velocities.
    """
    squares = np.sum(left**2, axis=1)[:, None] + np.sum(right**2, axis=1) - 2 * left @ right.T
    return np.asarray(np.maximum(squares, 0.0) / 2, np.float32)


def joint_weights(first: StyleFreeRows, second: StyleFreeRows, reaches: Float64) -> Float64:
    """Return the weights `(J,)` of joints, with a sum of squares of 1: larger for joints that swing and reach far."""
    swings = np.sqrt(first.swings * second.swings)
    weights = np.where(np.minimum(first.swings, second.swings) > STILL, swings * reaches, 0.0)
    total = float(np.linalg.norm(weights))
    return np.asarray(weights / total if total > 0 else np.full(len(weights), len(weights) ** -0.5))
