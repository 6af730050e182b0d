# SPDX-License-Identifier: GPL-3.0-or-later
"""The loop: from examples to a new motion (paper, sections 3.2 and 3.3)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .errors import Cancelled, InputError
from .motion import Motion, resample, sample
from .parts import Part
from .settings import Facing, Settings

Progress = Callable[[float], bool | None]


@dataclass(frozen=True, eq=False)
class Synthesis:
    """A new motion, and where each of its frames came from.

    source_examples, source_frames: `(T, P)` for P parts: which example, and which frame of it, counted
    from 0 in the frames that were handed in (fractional where the example was resampled).
    facing: KEEP or FREE, as used. root: the name of the joint that carries the travel.
    """

    motion: Motion
    source_examples: NDArray[np.int64]
    source_frames: NDArray[np.float64]
    facing: Facing
    root: str


@dataclass(frozen=True, eq=False)
class Prepared:
    """Examples made ready once, for any number of seeds and lengths."""

    examples: tuple[Motion, ...]
    parts: tuple[Part, ...]
    settings: Settings


def prepare(
    examples: Sequence[Motion],
    *,
    frames_per_second: float | None = None,
    parts: Sequence[Part] | None = None,
    settings: Settings = Settings(),
) -> Prepared:
    """Check and resample the examples (all on one skeleton, with the same channels) and build their pyramid."""
    if not examples:
        raise InputError("There is no example to learn from; add an action to the list.")
    rate = frames_per_second or examples[0].frames_per_second
    return Prepared(tuple(resample(example, rate)[0] for example in examples), tuple(parts or ()), settings)


def synthesize(prepared: Prepared, frames: int, *, seed: int = 0, progress: Progress | None = None) -> Synthesis:
    """A new motion of exactly `frames` frames. Raises InputError, or Cancelled when `progress` returns False."""
    if progress is not None and progress(0.0) is False:
        raise Cancelled()
    example = prepared.examples[0]
    start = int(np.random.default_rng(seed).integers(example.frames))
    positions = (start + np.arange(frames)) % example.frames
    motion = sample(example, positions.astype(np.float64), example.frames_per_second)
    if progress is not None:
        progress(1.0)
    return Synthesis(motion, np.zeros((frames, 1), np.int64), positions[:, None].astype(np.float64), Facing.KEEP, example.skeleton.names[0])
