# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of edited attributes: correlation with the request, change of other joints, and touchdowns kept."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Motion, rotations
from genmm_addon.core.library import IndexedMotions
from genmm_addon.core.manner import (
    BODY_ATTRIBUTES,
    ActionExamples,
    Attribute,
    Means,
    Target,
    edit,
    find_examples,
    measure,
)
from genmm_addon.core.motion import sample

from .transfer_measures import content_touchdowns, match_touchdowns, nearest_second, skate

Float64 = NDArray[np.float64]

SHARES = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
"""Requested values, as shares of the examples' range."""
ARMS = ("arm_swing", "arm_height")
NEAR = 0.3
"""Largest difference, as a share of the range, between a value and that of real motion compared with it."""


def measure_attributes(
    contents: Sequence[Motion], library: IndexedMotions, compared: Sequence[Motion]
) -> list[dict[str, Any]]:
    """Return a row for each attribute, measured on edits of `contents` within the range of a library.

    compared: real motion that is not in the library.
    """
    every = [find_examples(content, library) for content in contents]
    return [_row(attribute, every, compared) for attribute in BODY_ATTRIBUTES if _have(attribute, every)]


def _have(attribute: Attribute, every: Sequence[ActionExamples]) -> bool:
    return all(attribute.name in motion.own_values for motion in every)


def _row(attribute: Attribute, every: Sequence[ActionExamples], compared: Sequence[Motion]) -> dict[str, Any]:
    correlations, misses, others, skates, patches = ([] for _ in range(5))
    taken, counts, edits = 0, np.zeros(3, np.int64), 0
    for examples in every:
        among, feet, content = examples.range(attribute), examples.body.feet, examples.content
        targets = [among.lowest + share * (among.highest - among.lowest) for share in SHARES]
        got = []
        before = content_touchdowns(content, feet, np.arange(content.frames, dtype=np.float64))
        for target in targets:
            made = edit(examples, [Target(attribute, target)])
            outcome, edits = made.outcomes[0], edits + 1
            got.append(outcome.got)
            taken += outcome.means is Means.EXAMPLES
            others.append(_change_of_others(examples, attribute, made.motion, made.positions))
            skates.append(skate([made.motion], feet) / max(skate([content], feet), 1e-9))
            ours = content_touchdowns(made.motion, feet, made.positions)
            counts += match_touchdowns(ours, before, content.frames_per_second)
            near = _with_value(examples, attribute, compared, (target, NEAR * (among.highest - among.lowest)))
            if near:
                plan = examples.body.plan
                patches.append([nearest_second([motion], near, plan) for motion in (content, made.motion)])
        correlations.append(rank_correlation(targets, got))
        misses.append(np.mean(np.abs(np.subtract(got, targets))) / max(among.highest - among.lowest, 1e-9))
    both, found, there = counts.tolist()
    untouched, patch = np.mean(patches, axis=0) if patches else (np.nan, np.nan)
    return {
        "attribute": attribute.name,
        "rank_correlation": round(float(np.mean(correlations)), 3),
        "missed": round(float(np.mean(misses)), 3),
        "others": round(float(np.mean(others)), 3),
        "touchdown_f1": round(2 * both / (found + there), 3) if found + there else None,
        "skate": round(float(np.mean(skates)), 2),
        "patch": round(float(patch), 2),
        "untouched": round(float(untouched), 2),
        "from_examples": round(taken / edits, 2),
    }


def rank_correlation(asked: Sequence[float], got: Sequence[float]) -> float:
    """Return Spearman's rank correlation of values without ties."""
    ranks = [np.argsort(np.argsort(values, kind="stable"), kind="stable") for values in (asked, got)]
    return float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _change_of_others(examples: ActionExamples, attribute: Attribute, made: Motion, positions: Float64) -> float:
    """Return the rotation of joints that an attribute does not depend on, relative to that of its own joints."""
    body, content = examples.body, examples.content
    own = np.zeros(len(body.skeleton.names), bool)
    if attribute.name in ARMS:
        own = np.any([body.skeleton.descendants(arm.hip) for arm in body.arms], axis=0)
    elif attribute.name == "energy":
        own[list(body.above)] = True
    else:
        own[:] = True
        own[list(body.above)] = False
    # A faster motion is compared at the same moments.
    moments = sample(content, positions, content.frames_per_second)
    turns = rotations.angle_between(made.rotations.astype(np.float64), moments.rotations.astype(np.float64)).mean(
        axis=0
    )
    return float(turns[~own].mean() / max(turns[own].mean(), 1e-9)) if turns[own].any() else 0.0


def _with_value(
    examples: ActionExamples, attribute: Attribute, compared: Sequence[Motion], around: tuple[float, float]
) -> list[Motion]:
    """Return the motions whose value is within a distance of a target."""
    target, distance = around
    values = [measure(motion, examples.body, [attribute]).get(attribute.name, np.inf) for motion in compared]
    return [motion for motion, value in zip(compared, values, strict=True) if abs(value - target) <= distance]
