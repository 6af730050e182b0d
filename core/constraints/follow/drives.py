# SPDX-License-Identifier: GPL-3.0-or-later
"""Quantities of a motion that a signal may drive, measured at the stage frames of the examples."""

from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from ...examples.example_data import Examples
from ...examples.part_plans import PartPlan
from ...motion.filters import smooth
from ..rate_cost import example_rates

Float64 = NDArray[np.float64]

SMOOTHING_SECONDS = 0.15
"""Deviation, in seconds, of the Gaussian over a quantity, so that a step of the body is not a change of its energy."""


class Drive(StrEnum):
    """What a signal drives."""

    ENERGY = "energy"
    """The mean speed of all joints."""
    HEIGHT = "height"
    """The height of a joint above the ground."""
    REACH = "reach"
    """The distance of a joint from the root."""
    TURNING = "turning"
    """The speed at which the character turns, either way."""
    TRAVEL = "travel"
    """The speed of the root along the ground."""
    ANYTHING = "anything"
    """Whatever varies in the examples as the signal does."""

    @property
    def needs_joint(self) -> bool:
        """Return whether a joint must be named.

        >>> Drive.HEIGHT.needs_joint, Drive.ENERGY.needs_joint
        (True, False)
        """
        return self in (Drive.HEIGHT, Drive.REACH)


def driven_values(drive: Drive, joint: int | None, examples: Examples, plan: PartPlan) -> Float64 | None:
    """Return the driven quantity `(n,)` at the stage frames that a part may show; None for ANYTHING."""
    if drive is Drive.ANYTHING:
        return None
    sampled = plan.graph.sampled
    if drive in (Drive.TURNING, Drive.TRAVEL):
        speeds, turns = example_rates(examples, plan)
        return np.abs(turns) if drive is Drive.TURNING else speeds
    if drive is Drive.ENERGY:
        values = _pace_of_part(plan)
    elif drive is Drive.HEIGHT:
        values = sampled.poses[:, joint] @ np.array(examples.skeleton.up)
    else:
        values = np.linalg.norm(sampled.poses[:, joint] - sampled.poses[:, examples.root.joint], axis=1)
    smoothed = values.astype(np.float64)[:, None]
    for start, end in zip(plan.bounds.starts, plan.bounds.ends, strict=True):
        smoothed[start:end] = smooth(smoothed[start:end], SMOOTHING_SECONDS, plan.graph.rate)
    return np.asarray(smoothed[:, 0])


def _pace_of_part(plan: PartPlan) -> NDArray[np.floating]:
    """Return the mean speed of a part's joints; of all joints if it is the whole body."""
    sampled, joints = plan.graph.sampled, list(plan.part.joints)
    if len(joints) == sampled.poses.shape[1]:
        return sampled.paces
    steps = np.linalg.norm(np.diff(sampled.poses[:, joints], axis=0, prepend=sampled.poses[:1, joints]), axis=2)
    steps[plan.bounds.starts] = steps[np.minimum(plan.bounds.starts + 1, plan.bounds.ends - 1)]
    return np.asarray(steps.mean(axis=1))
