# SPDX-License-Identifier: GPL-3.0-or-later
"""Steps of a result whose feet constraints plant or release."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..arrays import Float64, Int64, Mask
from ..constraints.constraint import Span, Task
from ..feet.locked_feet import LockedFeet
from .foot_plan import Steps


def standing_feet(task: Task, span: Span) -> NDArray[np.int8] | None:
    """Return, for each foot `(F', feet)`, 1 if constraints plant it, -1 if they release it, else 0; None if none do."""
    requested = [constraint.standing(task, span) for constraint in task.constraints]
    feet = [standing for standing in requested if standing is not None]
    return np.asarray(np.sum(feet, axis=0).clip(-1, 1), np.int8) if feet else None


def with_standing(steps: Steps, standing: NDArray[np.int8], *, by_themselves: bool) -> tuple[Steps, LockedFeet]:
    """Return the steps with feet planted or released as requested, and the feet that are locked.

    by_themselves: feet also stand at other frames, as in the examples; otherwise they stand only where they are locked.
    """
    locked, natural = standing > 0, steps.contacts
    elsewhere = natural if by_themselves else np.zeros_like(natural)
    contacts = np.asarray((elsewhere | locked) & ~(standing < 0))
    heights = steps.heights.copy()
    for foot in np.flatnonzero(locked.any(axis=0)).tolist():
        heights[:, foot] = _standing_heights(heights[:, foot], natural[:, foot], locked[:, foot])
    drifts = np.where(locked[..., None], 0.0, steps.drifts)
    shares = np.where(contacts, np.where(natural, steps.shares, 1.0), 0.0)
    changed = replace(steps, contacts=contacts, shares=shares, heights=heights, drifts=drifts)
    return changed, LockedFeet(locked, natural)


def _standing_heights(heights: Float64, natural: Mask, locked: Mask) -> Float64:
    """Return the heights `(F',)` of a foot; where it is locked in the air, those of its neighboring stances."""
    rows = np.flatnonzero(locked & ~natural)
    known: Sequence[int] | Int64 = np.flatnonzero(natural)
    result = heights.copy()
    result[rows] = np.interp(rows, known, heights[known]) if len(known) else heights.min()
    return result
