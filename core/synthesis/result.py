# SPDX-License-Identifier: GPL-3.0-or-later
"""Result of a synthesis, and the arrays of it that a file holds."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..constraints.constraint import Closing
from ..motion.motion import Motion
from ..motion.npz import motion_arrays
from ..parsing import Arrays
from ..settings import Facing


@dataclass(frozen=True, eq=False)
class WeightedSources:
    """All sources of T frames and P parts, W of each: `(T, P, W)` arrays; weights of a frame and part sum to one."""

    examples: NDArray[np.int64]
    frames: NDArray[np.float64]
    weights: NDArray[np.floating]


@dataclass(frozen=True, eq=False)
class Synthesis:
    """A new motion with the sources of its frames.

    source_examples, source_frames: `(T, P)` for P parts: the example of each frame, and its frame there, counted from
    0 in the frames as they were passed in (fractional if the example was resampled); of several sources, the one with
    the largest weight.
    source_rates: `(T, P)` speed of each frame in its source, as a share of the example's own speed; None: that speed at
    all frames. weighted_sources: all sources, if frames have several.
    facing: KEEP or FREE, as used. root: the name of the joint that carries the travel.
    loop: place of the next round, if the motion loops; its last frame is then the first of that round.
    notes: sentences on requests that could not be met exactly.
    rise: `(T,)` intended height of the ground above that at the first frame; None if it is level.

    >>> result.source_frames.shape, result.root, result.facing.name
    ((90, 1), 'hips', 'KEEP')
    """

    motion: Motion
    source_examples: NDArray[np.int64]
    source_frames: NDArray[np.float64]
    facing: Facing
    root: str
    loop: Closing | None = None
    notes: tuple[str, ...] = ()
    source_rates: NDArray[np.float64] | None = None
    weighted_sources: WeightedSources | None = None
    rise: NDArray[np.float64] | None = None

    def out_of(self, numbers: NDArray[np.int64]) -> "Synthesis":
        """Return the result with sources numbered as among all examples; numbers: `(E,)` of the examples used."""
        weighted = self.weighted_sources
        return replace(
            self,
            source_examples=numbers[self.source_examples],
            weighted_sources=None if weighted is None else replace(weighted, examples=numbers[weighted.examples]),
        )


def synthesis_arrays(synthesis: Synthesis, seed: int) -> Arrays:
    """Return a synthesis's arrays for a file: its motion, its seed, and the sources of its frames, `(T, P)` each.

    Rates, and the weights of several sources, are included if the result has them.

    >>> synthesis_arrays(result, seed=1)["source_frames"].shape
    (90, 1)
    """
    timing: Arrays = {}
    if synthesis.source_rates is not None:
        timing["source_rates"] = synthesis.source_rates
    if synthesis.weighted_sources is not None:
        weighted = synthesis.weighted_sources
        timing["weighted_examples"], timing["weighted_frames"] = weighted.examples, weighted.frames
        timing["source_weights"] = weighted.weights
    return {
        **motion_arrays(synthesis.motion),
        "seed": np.array(seed),
        "source_examples": synthesis.source_examples,
        "source_frames": synthesis.source_frames,
        **timing,
    }
