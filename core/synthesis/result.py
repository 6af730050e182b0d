# SPDX-License-Identifier: GPL-3.0-or-later
"""Result of a synthesis, and the arrays of it that a file holds."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, Float64, Int64, Mask
from ..constraints.constraint import Closing, SignalMatch
from ..motion.motion import Motion, pose_starts, with_repeated_poses
from ..motion.npz import motion_arrays
from ..settings import Facing
from ..storage import Arrays


@dataclass(frozen=True, eq=False)
class WeightedSources:
    """All sources of T frames and P parts, W of each: `(T, P, W)` arrays; weights of a frame and part sum to one."""

    examples: Int64
    frames: Float64
    weights: Array


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
    followed: how well the motion follows its signals.
    rise: `(T,)` intended height of the ground above that at the first frame; None if it is level.

    >>> result.source_frames.shape, result.root, result.facing.name
    ((90, 1), 'hips', 'KEEP')
    """

    motion: Motion
    source_examples: Int64
    source_frames: Float64
    facing: Facing
    root: str
    loop: Closing | None = None
    notes: tuple[str, ...] = ()
    source_rates: Float64 | None = None
    weighted_sources: WeightedSources | None = None
    rise: Float64 | None = None
    followed: tuple[SignalMatch, ...] = ()

    def out_of(self, numbers: Int64) -> "Synthesis":
        """Return the result with sources numbered as among all examples; numbers: `(E,)` of the examples used."""
        weighted = self.weighted_sources
        return replace(
            self,
            source_examples=numbers[self.source_examples],
            weighted_sources=None if weighted is None else replace(weighted, examples=numbers[weighted.examples]),
        )


STEPPED_NOTE = "The examples hold their poses for several frames; so does the result."


def with_stepped_poses(synthesis: Synthesis, examples: Sequence[Motion], fixed: Mask) -> Synthesis:
    """Return the result with poses repeated where its source holds them, if examples are stepped, as on twos.

    fixed: `(T,)` the frames whose poses are given and begin a hold.

    >>> with_stepped_poses(result, [swing], np.zeros(90, bool)) is result
    True
    """
    fixed = fixed.copy()
    fixed[-1] |= synthesis.loop is not None
    sources = synthesis.source_examples, synthesis.source_frames
    motion = stepped_as_sources(synthesis.motion, *sources, examples, fixed)
    if motion is synthesis.motion:
        return synthesis
    return replace(synthesis, motion=motion, notes=(*synthesis.notes, STEPPED_NOTE))


def stepped_as_sources(
    motion: Motion,
    source_examples: Int64,
    source_frames: Float64,
    examples: Sequence[Motion],
    fixed: Mask,
) -> Motion:
    """Return a motion with poses repeated where its sources `(T, P)`, as in `Synthesis`, hold theirs.

    fixed: `(T,)` the frames that begin a hold.

    >>> sources = result.source_examples, result.source_frames
    >>> stepped_as_sources(result.motion, *sources, [swing], np.zeros(90, bool)) is result.motion
    True
    """
    which, frames = source_examples[:, 0], np.rint(source_frames[:, 0]).astype(np.int64)
    begins = np.full(len(frames), -1)
    for number in np.unique(which).tolist():
        starts, rows = pose_starts(examples[number]), which == number
        if len(starts):
            begins[rows] = starts[np.clip(frames[rows], 0, len(starts) - 1)]
    repeats = np.zeros(len(begins), bool)
    repeats[1:] = (begins[1:] >= 0) & (begins[1:] == begins[:-1]) & (which[1:] == which[:-1]) & ~fixed[1:]
    return with_repeated_poses(motion, repeats)


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
