# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of knees and feet in results that pass through pinned poses, and beside a part that is given."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Constraints, InputError, PoseConstraint, Prepared, Synthesis, metrics, synthesize
from genmm_addon.core.feet import ground_heights

from . import feet_measures as measures
from .feet_row import LEAST_DRAG, PINNED_FRAMES, PINNED_WITH, PINS
from .quality_table import LEAST_SKATE, Row

FIXED = {"pins": "beside pins", "given": "given part"}
"""The ways in which results are fixed, and what their lines are called."""
KEYS = ("seeds", "skate", "skate_worst", "skate_shown", "unplanted", "dragged", "knee", "foot", "same")
BOUNDS = {"skate": 1.2, "skate_shown": 1.2, "unplanted": 0.03, "dragged": 1.2, "knee": 1.2, "foot": 1.2}


@dataclass(frozen=True, eq=False)
class Fixed:
    """Results that are fixed: by the constraints of `way`, see FIXED."""

    way: str
    results: Sequence[Synthesis]


def fixed_row(prepared: Prepared, seeds: int, ways: Sequence[str]) -> Row:
    """Return the measures of results in each of some ways, see FIXED; None where the example has no feet.

    Each key begins with its way. skate: the mean over the seeds, and skate_worst: the worst seed, as multiples of the
    example's, or of 1 cm/s where it has less; skate_shown: of that of the frames of the example that are shown there.
    unplanted: the mean share of frames without a planted foot, less the example's. dragged, knee, foot: the worst seed,
    as multiples of the example's longest way of a foot in a stance, and largest accelerations of a knee and a foot.
    same: the share of frames that two seeds show at the same time.
    """
    row: Row = {}
    for way in ways:
        fixed = _fixed(prepared, seeds, way) if prepared.feet else None
        found = dict.fromkeys(KEYS) if fixed is None or not fixed.results else _measured(prepared, fixed)
        row |= {f"{way}_{key}": value for key, value in found.items()}
    return row


def fixed_line(row: Row, way: str) -> str:
    """Return a line on the results of a way; an exclamation mark stands at what is beyond its bound."""
    if row[f"{way}_seeds"] is None:
        return f"    {FIXED[way]}: no feet"
    said = (
        ("skate", "skate", 1.0, ".2f"),
        ("worst seed", "skate_worst", 1.0, ".2f"),
        ("of what is shown", "skate_shown", 1.0, ".2f"),
        ("air +%", "unplanted", 100.0, ".1f"),
        ("drag", "dragged", 1.0, ".2f"),
        ("knee", "knee", 1.0, ".2f"),
        ("foot", "foot", 1.0, ".2f"),
        ("same %", "same", 100.0, ".0f"),
    )
    return f"    {FIXED[way]}: " + ", ".join(_cell(row, way, *column) for column in said)


def _cell(row: Row, way: str, label: str, key: str, factor: float, form: str) -> str:
    value = row[f"{way}_{key}"]
    if not isinstance(value, float):
        return f"{label} -"
    return f"{label} {format(value * factor, form)}{'!' if value > BOUNDS.get(key, np.inf) else ''}"


def _fixed(prepared: Prepared, seeds: int, way: str) -> Fixed:
    """Return results in a way; none where that is refused."""
    try:
        other = synthesize(prepared, PINNED_FRAMES, seed=PINNED_WITH).motion
        count = len(other.skeleton.names)
        joints, places = np.zeros((PINNED_FRAMES, count), bool), np.zeros(PINNED_FRAMES, bool)
        if way == "pins":
            joints[list(PINS)], places[list(PINS)] = True, True
        else:
            # The first half of the joints: the root with the legs, or the trunk, of most skeletons.
            joints[:, : count // 2] = True
            places[:] = joints[0, prepared.root.joint]
        fixed = Constraints(poses=PoseConstraint(other, joints, places))
        return Fixed(way, [synthesize(prepared, PINNED_FRAMES, constraints=fixed, seed=seed) for seed in range(seeds)])
    except InputError:
        return Fixed(way, ())


def _measured(prepared: Prepared, fixed: Fixed) -> Row:
    example, feet = prepared.motions[0], prepared.feet
    base, motions = ground_heights([example], feet), [result.motion for result in fixed.results]
    # Beside a given part every frame is looked at.
    beside = np.array(PINS) if fixed.way == "pins" else np.arange(0, PINNED_FRAMES, 30)
    joints = [foot.joint for foot in feet]
    of_example = max(metrics.foot_skate(example, joints, base, example.skeleton.size), LEAST_SKATE)
    skates = [measures.skate_beside(motion, feet, base, beside) for motion in motions]
    of_sources = float(np.mean([_of_sources(prepared, result, base, beside) for result in fixed.results]))
    knees = [measures.knee_acceleration(motion, example, feet) for motion in motions]
    drag = max(measures.dragged(example, feet, base), LEAST_DRAG)
    planted_less = [measures.without_planted_foot(motion, feet, base) for motion in motions]
    sources = [result.source_frames[:, 0].round() for result in fixed.results]
    same = [float(np.mean(one == other)) for place, one in enumerate(sources) for other in sources[:place]]
    return {
        "seeds": len(motions),
        "skate": float(np.mean(skates)) / of_example,
        "skate_worst": max(skates) / of_example,
        "skate_shown": float(np.mean(skates)) / max(of_sources, LEAST_SKATE),
        "unplanted": float(np.mean(planted_less)) - measures.without_planted_foot(example, feet, base),
        "dragged": max(measures.dragged(motion, feet, base) for motion in motions) / drag,
        "knee": max((value for value in knees if value is not None), default=None),
        "foot": max(measures.foot_acceleration(motion, example, feet) for motion in motions),
        "same": float(np.mean(same)) if same else None,
    }


def _of_sources(prepared: Prepared, result: Synthesis, base: NDArray[np.float64], beside: NDArray[np.int64]) -> float:
    """Return the skate, in cm/s, of the frames of the example that a result shows near some of its frames."""
    example, joints = prepared.motions[0], [foot.joint for foot in prepared.feet]
    places = example.pose()[1][:, joints].astype(np.float64)
    speeds = metrics.skate_speeds(places, example, base, example.skeleton.size).mean(axis=1)
    reach = round(measures.BESIDE_SECONDS * example.frames_per_second)
    near = np.abs(np.arange(PINNED_FRAMES)[:, None] - beside).min(axis=1) <= reach
    frames = np.clip(result.source_frames[near, 0].round().astype(np.int64) - 1, 0, len(speeds) - 1)
    return float(speeds[frames].mean())
