# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of knees and feet in results with pinned poses, and in results with a given part."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Constraints, InputError, PoseConstraint, Prepared, Synthesis, metrics, synthesize
from genmm_addon.core.feet import ground_heights

from . import feet_measures as measures
from .feet_row import LEAST_DRAG, PINNED_FRAMES, PINNED_WITH, PINS
from .quality_table import LEAST_SKATE, Row, Value

FIXED = {"pins": "beside pins", "given": "given part"}
"""The ways in which results are fixed, and the titles of their lines."""
KEYS = ("seeds", "skate", "skate_worst", "skate_shown", "unplanted", "dragged", "knee", "foot", "same")
BOUNDS = {"skate": 1.2, "skate_shown": 1.2, "unplanted": 0.03, "dragged": 1.2, "knee": 1.2, "foot": 1.2}


MOST_MOVED = 25
"""Most frames by which a pin of a further set is moved from the first set's pin."""


@dataclass(frozen=True)
class Ways:
    """The ways in which results are fixed, see FIXED, and the number of sets of pins."""

    names: tuple[str, ...]
    pin_sets: int = 1


NO_WAYS = Ways(())


@dataclass(frozen=True, eq=False)
class Fixed:
    """Results fixed in one way, see FIXED. pins: frames `(P,)` of the pins, if there are any."""

    way: str
    results: Sequence[Synthesis]
    pins: NDArray[np.int64]


def fixed_row(prepared: Prepared, seeds: int, ways: Ways) -> Row:
    """Return the measures of results fixed in some ways, see FIXED; None if the example has no feet.

    Each key begins with the way. skate, skate_worst: the mean and the worst of the seeds, as multiples of the example's
    or, if that is less, of 1 cm/s. skate_shown: as a multiple of that of the example's frames that are shown there.
    unplanted: the mean share of frames without a planted foot, less the example's. dragged, knee, foot: the worst
    seed's longest path of a foot in a stance and largest accelerations of a knee and a foot, as multiples of the
    example's. same: the share of frames that two seeds show at the same time. With several sets of pins, each value is
    that of the worst set, seeds is the total, and pins_beyond is the share of sets with any value beyond its bound.
    """
    row: Row = {}
    for way in ways.names:
        sets = range(ways.pin_sets if way == "pins" and prepared.feet else 1)
        tried = [_fixed(prepared, seeds, way, place) for place in sets] if prepared.feet else []
        rows = [_measured(prepared, fixed) for fixed in tried if fixed.results]
        found = worst_of(rows) if rows else dict.fromkeys(KEYS)
        row |= {f"{way}_{key}": value for key, value in found.items()}
    return row


def worst_of(rows: Sequence[Row]) -> Row:
    """Return the worst of each measure over sets of pins, and the share of sets with one beyond its bound."""
    if len(rows) == 1:
        return rows[0]
    numbers = {key: [value for row in rows if isinstance(value := row[key], int | float)] for key in KEYS}
    worst: Row = {key: max(values, default=None) for key, values in numbers.items()}
    beyond = [any(_is_beyond(row[key], bound) for key, bound in BOUNDS.items()) for row in rows]
    return worst | {"seeds": sum(numbers["seeds"]), "beyond": float(np.mean(beyond))}


def _is_beyond(value: Value, bound: float) -> bool:
    return isinstance(value, float) and value > bound


def pin_frames(place: int) -> NDArray[np.int64]:
    """Return the frames of a set of pins; the first set is at PINS."""
    moves = np.random.default_rng(place).integers(-MOST_MOVED, MOST_MOVED + 1, len(PINS))
    return np.array(PINS) + moves * (place > 0)


def fixed_line(row: Row, way: str) -> str:
    """Return a line on the results of a way; an exclamation mark follows values beyond their bounds."""
    if row[f"{way}_seeds"] is None:
        return f"    {FIXED[way]}: no feet"
    said: tuple[tuple[str, str, float, str], ...] = (
        ("skate", "skate", 1.0, ".2f"),
        ("worst seed", "skate_worst", 1.0, ".2f"),
        ("of what is shown", "skate_shown", 1.0, ".2f"),
        ("air +%", "unplanted", 100.0, ".1f"),
        ("drag", "dragged", 1.0, ".2f"),
        ("knee", "knee", 1.0, ".2f"),
        ("foot", "foot", 1.0, ".2f"),
        ("same %", "same", 100.0, ".0f"),
    )
    if f"{way}_beyond" in row:
        said = (*said, ("sets beyond a bound %", "beyond", 100.0, ".0f"))
    return f"    {FIXED[way]}: " + ", ".join(_cell(row, way, *column) for column in said)


def _cell(row: Row, way: str, label: str, key: str, factor: float, form: str) -> str:
    value = row[f"{way}_{key}"]
    if not isinstance(value, float):
        return f"{label} -"
    return f"{label} {format(value * factor, form)}{'!' if value > BOUNDS.get(key, np.inf) else ''}"


def _fixed(prepared: Prepared, seeds: int, way: str, place: int) -> Fixed:
    """Return results fixed in a way; None if that is refused. place: the number of the set of pins."""
    pins = pin_frames(place)
    try:
        other = synthesize(prepared, PINNED_FRAMES, seed=PINNED_WITH + place).motion
        count = len(other.skeleton.names)
        joints, places = np.zeros((PINNED_FRAMES, count), bool), np.zeros(PINNED_FRAMES, bool)
        if way == "pins":
            joints[pins], places[pins] = True, True
        else:
            # The first half of the joints: for most skeletons the root with the legs, or the trunk.
            joints[:, : count // 2] = True
            places[:] = joints[0, prepared.root.joint]
        fixed = Constraints(poses=PoseConstraint(other, joints, places))
        results = [synthesize(prepared, PINNED_FRAMES, constraints=fixed, seed=seed) for seed in range(seeds)]
        return Fixed(way, results, pins)
    except InputError:
        return Fixed(way, (), pins)


def _measured(prepared: Prepared, fixed: Fixed) -> Row:
    example, feet = prepared.motions[0], prepared.feet
    base, motions = ground_heights([example], feet), [result.motion for result in fixed.results]
    # With a given part, every frame is compared.
    beside = fixed.pins if fixed.way == "pins" else np.arange(0, PINNED_FRAMES, 30)
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
    """Return the sliding, in cm/s, in the example's frames that a result shows near some of its frames."""
    example, joints = prepared.motions[0], [foot.joint for foot in prepared.feet]
    places = example.pose()[1][:, joints].astype(np.float64)
    speeds = metrics.skate_speeds(places, example, base, example.skeleton.size).mean(axis=1)
    reach = round(measures.BESIDE_SECONDS * example.frames_per_second)
    near = np.abs(np.arange(PINNED_FRAMES)[:, None] - beside).min(axis=1) <= reach
    frames = np.clip(result.source_frames[near, 0].round().astype(np.int64) - 1, 0, len(speeds) - 1)
    return float(speeds[frames].mean())
