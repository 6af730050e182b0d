# SPDX-License-Identifier: GPL-3.0-or-later
"""The measures of a body in a row: gravity in flights, balance in quiet frames, and limbs through the body."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Motion
from genmm_addon.core.evaluation import (
    TOO_DEEP,
    Capsules,
    center_of_mass,
    find_body_model,
    find_capsules,
    find_flights,
    find_gravity,
    find_stands,
    find_support,
    penetration_depths,
    usual_depths,
)
from genmm_addon.core.feet import standing_of

from .quality_table import Row

KEYS = ("flight_error", "flight_error_example", "off_balance", "off_balance_example", "through_body")


def weight_row(example: Motion, results: Sequence[Motion], capsules: Capsules | None = None) -> Row:
    """Return the measures of weight of results and of their example; None where it has no feet, flights or stands.

    flight_error: mean difference of flights' acceleration from gravity, as a share of it. off_balance: share of quiet
    frames whose center of mass is more than 3 cm, at a body of 170 cm, outside of the support. through_body: share of
    the results' frames with a limb deeper in the body than in the example, by more than 2 % of the size.
    capsules: of its skin; None: around its bones.
    """
    row: Row = dict.fromkeys(KEYS)
    row["through_body"] = _share_through_body(example, results, capsules or find_capsules(example.skeleton))
    standing, model = standing_of(example), find_body_model(example.skeleton)
    if not standing.feet:
        return row
    gravity = find_gravity(example.skeleton, model, find_flights(example, center_of_mass(example, model), standing))

    def errors(motions: Sequence[Motion]) -> tuple[float | None, float | None]:
        flights, off, quiet = list[float](), 0, 0
        for motion in motions:
            flown = find_flights(motion, center_of_mass(motion, model), standing)
            flights += [abs(flight.gravity / gravity - 1.0) for flight in flown]
            stands = find_stands(motion, model, find_support(motion, standing), gravity)
            off += _count(stands.off_balance(motion.skeleton.size))
            quiet += _count(stands.quiet)
        return float(np.mean(flights)) if flights else None, off / quiet if quiet else None

    for end, motions in (("", results), ("_example", [example])):
        row[f"flight_error{end}"], row[f"off_balance{end}"] = errors(motions)
    return row


def _share_through_body(example: Motion, results: Sequence[Motion], capsules: Capsules) -> float | None:
    if not len(capsules.pairs):
        return None
    limit = usual_depths(example.skeleton, capsules, [example]) + TOO_DEEP * example.skeleton.size
    return float(np.mean([(penetration_depths(result, capsules) > limit).any(axis=1).mean() for result in results]))


def _count(marked: NDArray[np.bool_]) -> int:
    return int(np.count_nonzero(marked))
