# SPDX-License-Identifier: GPL-3.0-or-later
"""Footing of changed motion: feet stand as before, but are released if holding them would look worse than a slide."""

import numpy as np

from ..arrays import Float64, Mask
from ..motion.ground_travel import STRIDE_SECONDS
from ..motion.motion import Motion, joint_accelerations
from ..motion.root_motion import RootPlan, find_anchored
from ..settings import Facing
from .calm_paths import ALLOWED
from .foot_moves import EASE_SECONDS
from .footsteps import calm_step_acceleration
from .planting import (
    Standing,
    eased_at_ends,
    find_standing,
    footing_as_played,
    only_ends,
    planted_around,
)

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


def planted(standing: Standing, played: Motion, laid: Motion) -> Motion:
    """Return a laid motion `(T)` with feet planted when they stand in the motion `played` `(T)`; its end poses stay.

    Feet are released where a joint would accelerate more than in `played` and than in a calm step.
    In gaps shorter than a stride the poses at the ends decide the places of feet. On 34 walks, runs and dances that
    were left out, standing up to the ends took joints 10 % farther from captured ones in gaps of 0.8 s, and 0.3 % in
    those of a second, whose feet then slid 0.93 instead of 1.32 times as much as recorded in one gap of ten.
    """
    rate = laid.frames_per_second
    if not standing.feet or laid.frames < STRIDE_SECONDS * rate:
        return laid
    contacts, movement = footing_as_played(standing, played, laid)
    highest = np.maximum(accelerations(played).max(axis=0), calm_step_acceleration(laid.skeleton.size, rate))
    locked = planted_softly(standing, contacts, laid, only_ends(laid), highest, movement)
    return eased_at_ends(laid, locked, (EASE_SECONDS, EASE_SECONDS))


def planted_softly(
    standing: Standing,
    contacts: Mask,
    laid: Motion,
    fixed: Mask,
    highest: float | Float64,
    movement: Float64 | None = None,
    heights: Float64 | None = None,
) -> Motion:
    """Return a laid motion as by `planted_around`, with feet released if their legs would jerk otherwise.

    highest: accelerations that are allowed, in units per frame squared, of any joint or `(J,)` of each. movement,
    heights: see planted_around.
    """
    limit = np.maximum(ALLOWED * np.maximum(highest, 1e-9), accelerations(laid))
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


def accelerations(motion: Motion) -> Float64:
    """Return the accelerations `(T, J)` of the joints, in units per frame squared; 0 at the ends."""
    padded = np.zeros(motion.rotations.shape[:2])
    padded[1:-1] = joint_accelerations(motion)
    return padded
