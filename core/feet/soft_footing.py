# SPDX-License-Identifier: GPL-3.0-or-later
"""Footing of changed motion: feet stand as before, but are released if holding them would look worse than a slide."""

import numpy as np
from numpy.typing import NDArray

from ..motion.motion import Motion, joint_accelerations
from ..motion.root_motion import RootPlan, find_anchored
from ..settings import Facing
from .calm_paths import ALLOWED
from .planting import Standing, find_standing, planted_around

LET_GO = (0, 0, 0, 0, 2, 4, 8)
"""For each planting, the number of frames on both sides of those that are too quick at which feet are released."""


def standing_of(motion: Motion) -> Standing:
    """Return the feet of a motion, the ground under them, and the root.

    >>> standing_of(swing).feet
    ()
    """
    root, *companions = find_anchored([motion])
    plan = RootPlan(root, tuple(companions), Facing.FREE, False)
    return find_standing([motion], plan)


def planted_softly(
    standing: Standing,
    contacts: NDArray[np.bool_],
    laid: Motion,
    fixed: NDArray[np.bool_],
    highest: float,
    movement: NDArray[np.float64] | None = None,
    heights: NDArray[np.float64] | None = None,
) -> Motion:
    """Return a laid motion as by `planted_around`, with feet released if their legs would jerk otherwise.

    highest: acceleration of a joint that is allowed, in units per frame squared. movement, heights: see planted_around.
    """
    limit = np.maximum(ALLOWED * max(highest, 1e-9), accelerations(laid))
    best: tuple[float, Motion] | None = None
    for beside in LET_GO:
        locked = planted_around(standing, contacts, laid, fixed, movement, heights)
        ratios = (accelerations(locked) / limit).max(axis=1, initial=0.0)
        largest = float(ratios.max(initial=0.0))
        if best is None or largest < best[0]:
            best = largest, locked
        if best[0] <= 1.0:
            break
        rough = np.convolve(ratios > 1.0, np.ones(2 * beside + 1))[beside : beside + len(ratios)] > 0
        fixed = fixed | rough[:, None]
    assert best is not None
    return best[1]


def accelerations(motion: Motion) -> NDArray[np.float64]:
    """Return the accelerations `(T, J)` of the joints, in units per frame squared; 0 at the ends."""
    padded = np.zeros(motion.rotations.shape[:2])
    padded[1:-1] = joint_accelerations(motion)
    return padded
