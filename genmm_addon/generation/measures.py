# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of a result, taken right after it was made and kept on its action; arrays alone, fit for a thread."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import ID
from numpy.typing import NDArray

from ..core import Facing, InputError, Motion, Prepared, Synthesis, metrics
from ..core.feet import Foot, ground_heights
from ..core.motion import RootPlan, encode_root
from .typed_json import parse, plain, read_record

PROPERTY = "genmm_measures"
MOST_PAIRS = 2000 * 2000
"""Coverage compares each frame of the result with each of the examples: up to so many pairs, else it is left out."""
MOST_VALUES = 20_000_000
"""The diversity of a batch looks at so many matrix entries; of a larger one it looks at every nth frame."""
MOST_FRAMES = 2000
"""The feet of a longer motion are watched in stretches, evenly spread, of so many frames together ..."""
STRETCHES = 8
"""... and so many in number."""


@dataclass(frozen=True)
class Measures:
    """The measures that the panel lists for a result; None is not measured.

    coverage: the share, 0 to 1, of the examples that it shows. diversity: how much the variations of its batch
    differ, as a share of how much the examples vary. skate, example_skate: how fast the feet slide near the
    ground, in cm/s at a height of 170 cm.
    """

    coverage: float | None = None
    diversity: float | None = None
    skate: float | None = None
    example_skate: float | None = None


def measure(prepared: Prepared, syntheses: Sequence[Synthesis]) -> tuple[Measures, ...]:
    """Return the measures of each result of a batch, against the examples as they were used."""
    motions = prepared.motions
    base = ground_heights(motions, prepared.feet)
    example_skate = _skate(motions, prepared.feet, base)
    examples = [_facing_free(motion, prepared.root) for motion in motions]
    results = [_facing_free(synthesis.motion, prepared.root) for synthesis in syntheses]
    diversity = _diversity(results, examples)
    return tuple(
        Measures(
            coverage=_coverage(result, examples),
            diversity=diversity,
            skate=_skate([synthesis.motion], prepared.feet, base),
            example_skate=example_skate,
        )
        for synthesis, result in zip(syntheses, results, strict=True)
    )


def store_measures(block: ID, measures: Measures) -> None:
    """Keep the measures on an action."""
    block[PROPERTY] = json.dumps(plain(measures), allow_nan=False)


def measures_of(block: ID | None) -> Measures | None:
    """Return the measures kept on an action; None where it has none, or something else under that name."""
    text = None if block is None else block.get(PROPERTY)
    if not isinstance(text, str):
        return None
    try:
        return read_record(Measures, parse(text), "measures")
    except InputError:
        return None


def _facing_free(motion: Motion, root: RootPlan) -> Motion:
    """Return the motion without its heading where that is free: a walk that turns elsewhere shows the same walk."""
    if root.facing is not Facing.FREE:
        return motion
    turned = motion.rotations.copy()
    turned[:, root.anchored] = encode_root(motion, root).body
    return replace(motion, rotations=turned)


def _coverage(result: Motion, examples: Sequence[Motion]) -> float | None:
    if result.frames * sum(example.frames for example in examples) > MOST_PAIRS:
        return None
    return metrics.coverage(result, *examples)


def _skate(motions: Sequence[Motion], feet: Sequence[Foot], base: NDArray[np.float64]) -> float | None:
    """Return the foot skate of all motions together; None without feet."""
    if not feet:
        return None
    joints, size = [foot.joint for foot in feet], motions[0].skeleton.size
    seen = [stretch for motion in motions for stretch in _stretches(motion)]
    skates = [metrics.foot_skate(stretch, joints, base, size) for stretch in seen]
    return float(np.average(skates, weights=[stretch.frames for stretch in seen]))


def _stretches(motion: Motion) -> list[Motion]:
    if motion.frames <= MOST_FRAMES:
        return [motion]
    length = MOST_FRAMES // STRETCHES
    starts = np.linspace(0, motion.frames - length, STRETCHES).astype(int)
    return [motion.slice(start, start + length) for start in starts]


def _diversity(results: Sequence[Motion], examples: Sequence[Motion]) -> float | None:
    """Return the diversity of the results of a batch; None for a single one."""
    if len(results) < 2:
        return None
    values = len(results) * results[0].frames * 9 * len(results[0].skeleton.names)
    stride = -(-values // MOST_VALUES)
    return metrics.set_diversity([_every(result, stride) for result in results], _joined(examples))


def _every(motion: Motion, stride: int) -> Motion:
    return motion if stride == 1 else motion.take(np.arange(0, motion.frames, stride))


def _joined(motions: Sequence[Motion]) -> Motion:
    """Return all frames one after another."""
    if len(motions) == 1:
        return motions[0]
    channels = [motion.channels() for motion in motions]
    return motions[0].with_channels({name: np.concatenate([one[name] for one in channels]) for name in channels[0]})
