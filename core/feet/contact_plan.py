# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts of feet over a whole crossfade: for each foot the frame from which it follows the later side.

If all feet changed sides at the transition, they could stop in the middle of a swing, leave the ground together, or
lift twice. Each foot changes sides at the frame at which the least of this happens.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Float64, Mask
from .contact_detection import NEAR_GROUND
from .fixed_stances import LEAST_DRIFT
from .footsteps import STEP_SECONDS

LIFT_INTERVAL_SECONDS = 0.8
"""Shortest time, in seconds, from one lift of a foot to its next; a walk takes more than a second."""
SHORT_INTERVAL, LIFTS_TWICE = 4.0, 8.0
"""Penalties for each stance or swing shorter than a short step, and for each shorter interval between lifts, in frames
on the wrong side."""


@dataclass(frozen=True, eq=False)
class Sides:
    """Both sides of a crossfade of X frames.

    before, after: `(X, feet)` contacts. heights_before, heights_after: `(X, feet)`. weights: `(X,)` of the later side.
    earlier, later: `(C, feet)` contacts in the frames before and after the crossfade, in order of time.
    """

    before: Mask
    after: Mask
    heights_before: Float64
    heights_after: Float64
    weights: Float64
    earlier: Mask
    later: Mask


def plan_contacts(sides: Sides, others: Mask, rate: float, size: float) -> Mask:
    """Return the contacts `(X, feet)` in a crossfade; others: mask `(X,)` of frames in which another foot stands."""
    frames = len(sides.before)
    weights = sides.weights[:, None]
    is_after = np.arange(frames) >= np.arange(frames + 1)[:, None]
    middle = int(np.searchsorted(sides.weights, 0.5))
    planned = np.where(is_after[middle][:, None], sides.after, sides.before)
    differs = np.flatnonzero((sides.before != sides.after).any(axis=0))
    if not len(differs):
        return planned
    # A foot that is no longer near the ground counts as much as one that swings on one side only.
    rise = (sides.heights_after - sides.heights_before) / (NEAR_GROUND * size)
    # A foot planted on one side only is on the ground as far as the other side's swing allows.
    wrong_before = np.where(sides.after, 0.0, weights**2 + (weights * np.maximum(rise, 0.0)) ** 2)
    wrong_after = np.where(sides.before, 0.0, (1 - weights) ** 2 + ((1 - weights) * np.maximum(-rise, 0.0)) ** 2)
    in_before = np.where(sides.before, wrong_before, np.where(sides.after, weights**2, 0.0))
    in_after = np.where(sides.after, wrong_after, np.where(sides.before, (1 - weights) ** 2, 0.0))
    needed = (1 - sides.weights) * sides.before.any(axis=1) + sides.weights * sides.after.any(axis=1)
    options = {}
    for foot in differs:
        choices = np.where(is_after, sides.after[:, foot], sides.before[:, foot])
        costs = np.where(is_after, in_after[:, foot], in_before[:, foot]).sum(axis=1)
        around = [np.repeat(part[None, :, foot], frames + 1, axis=0) for part in (sides.earlier, sides.later)]
        options[foot] = choices, costs + _change_costs(np.concatenate((around[0], choices, around[1]), axis=1), rate)
    for foot, (choices, costs) in options.items():
        # Frames in which a foot other than this one stands.
        are_others_planted = others | (planned.sum(axis=1) > planned[:, foot])
        # A frame without a planted foot, if both sides have one, counts as much as one on the wrong side.
        nobody = ~choices @ np.where(are_others_planted, 0.0, needed)
        planned[:, foot] = choices[int(np.argmin(costs + nobody))]
    return planned


def with_steps(planned: Mask, sides: Sides, rate: float, size: float) -> Mask:
    """Return planned contacts `(X, feet)` of a climb with time for a step where a foot would change its height at once.

    Both sides of a crossfade may stand on different stairs.
    """
    early, late = (1 - sides.weights)[:, None] * sides.before, sides.weights[:, None] * sides.after
    heights = (early * sides.heights_before + late * sides.heights_after) / np.maximum(early + late, 1e-9)
    leaps = planned[1:] & planned[:-1] & (np.abs(np.diff(heights, axis=0)) > LEAST_DRIFT * size)
    stepping, half = planned.copy(), round(STEP_SECONDS * rate / 2)
    for frame, foot in np.argwhere(leaps).tolist():
        stepping[max(frame + 1 - half, 0) : frame + 1 + half, foot] = False
    return stepping


def _change_costs(contacts: Mask, rate: float) -> Float64:
    """Return the penalty `(N,)` for short stances or swings, and repeated lifts, in each row of contacts `(N, T)`."""
    steps = np.diff(contacts.astype(np.int8), axis=1)
    return SHORT_INTERVAL * _closer_than(steps != 0, STEP_SECONDS * rate) + LIFTS_TWICE * _closer_than(
        steps < 0, LIFT_INTERVAL_SECONDS * rate
    )


def _closer_than(events: Mask, frames: float) -> Float64:
    """Return for each row `(N,)` the number of pairs of events `(N, T)` that are less than `frames` frames apart."""
    counted = np.cumsum(events, axis=1)
    reach = max(int(np.ceil(frames)) - 1, 0)
    later = counted[:, np.minimum(np.arange(events.shape[1]) + reach, events.shape[1] - 1)]
    return np.asarray(np.sum(np.where(events, later - counted, 0), axis=1), np.float64)
