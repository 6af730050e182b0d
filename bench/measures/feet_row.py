# SPDX-License-Identifier: GPL-3.0-or-later
"""The measures of knees and feet in a row: over the seeds, and near three pins."""

from collections.abc import Sequence

import numpy as np

from genmm_addon.core import (
    Constraints,
    InputError,
    Motion,
    PoseConstraint,
    Prepared,
    Synthesis,
    metrics,
    synthesize,
)
from genmm_addon.core.feet import ground_heights

from . import feet_measures as measures
from .quality_table import LEAST_SKATE, Row

PINNED_FRAMES, PINS = 300, (60, 150, 240)
"""Number of frames of a result with pins, and the frames of the pins."""
PINNED_WITH = 10_007
"""The seed of the result from which pins are taken."""
MOST_PINNED_SEEDS = 4
"""Most seeds for results with pins, each of which is a further synthesis."""
LEAST_DRAG = 0.02
"""Distance, in sizes of the skeleton, that a foot may always be dragged, since feet in some examples never move."""
KEYS = ("knee", "unplanted", "lifts_twice", "lifts_twice_example", "dragged", "knee_pins", "beside_pins")


def feet_row(prepared: Prepared, results: Sequence[Synthesis]) -> Row:
    """Return the measures of knees and feet; None if the example has no feet.

    knee, dragged: the worst of the seeds, as multiples of the example's. unplanted: the mean share of frames without a
    planted foot, less the example's. lifts_twice: number per minute. knee_pins: the worst knee near pins. beside_pins:
    the mean sliding near pins, as a multiple of the example's.
    """
    row: Row = dict.fromkeys(KEYS)
    if not prepared.feet:
        return row
    example, feet = prepared.motions[0], prepared.feet
    base, motions = ground_heights([example], feet), [result.motion for result in results]
    of_example = max(measures.dragged(example, feet, base), LEAST_DRAG)
    planted_less = [measures.without_planted_foot(motion, feet, base) for motion in motions]
    row["knee"] = _worst_knee(prepared, motions)
    row["unplanted"] = float(np.mean(planted_less)) - measures.without_planted_foot(example, feet, base)
    row["lifts_twice"] = float(
        np.mean([_in_a_minute(measures.lifts_twice(motion, feet, base), motion) for motion in motions])
    )
    row["lifts_twice_example"] = _in_a_minute(measures.lifts_twice(example, feet, base), example)
    row["dragged"] = max(measures.dragged(motion, feet, base) for motion in motions) / of_example
    pinned = _through_pins(prepared, min(len(results), MOST_PINNED_SEEDS))
    if pinned:
        joints = [foot.joint for foot in feet]
        skate = max(metrics.foot_skate(example, joints, base, example.skeleton.size), LEAST_SKATE)
        beside = [measures.skate_beside(motion, feet, base, np.array(PINS)) for motion in pinned]
        row["knee_pins"], row["beside_pins"] = _worst_knee(prepared, pinned), float(np.mean(beside)) / skate
    return row


def _worst_knee(prepared: Prepared, motions: Sequence[Motion]) -> float | None:
    """Return the largest acceleration of a knee in any motion, as a multiple of the example's."""
    found = [measures.knee_acceleration(motion, prepared.motions[0], prepared.feet) for motion in motions]
    return max((value for value in found if value is not None), default=None)


def _in_a_minute(count: int, motion: Motion) -> float:
    return 60.0 * count * motion.frames_per_second / motion.frames


def _through_pins(prepared: Prepared, seeds: int) -> list[Motion]:
    """Return results through three poses of another result, with their places; empty if that is refused."""
    try:
        other = synthesize(prepared, PINNED_FRAMES, seed=PINNED_WITH).motion
        joints = np.zeros((PINNED_FRAMES, len(other.skeleton.names)), bool)
        joints[list(PINS)] = True
        pinned = Constraints(poses=PoseConstraint(other, joints, joints[:, 0].copy()))
        return [synthesize(prepared, PINNED_FRAMES, constraints=pinned, seed=seed).motion for seed in range(seeds)]
    except InputError:
        return []
