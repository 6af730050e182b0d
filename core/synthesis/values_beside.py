# SPDX-License-Identifier: GPL-3.0-or-later
"""Values recorded beside the motion, such as those of a face, which follow a result's source frames."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Float32, Float64, Int64, Mask
from ..motion.filters import smoothstep
from ..planning.sources import values_at

SAME_FRAME = 0.02
"""Largest deviation of consecutive source frames from their step, as a share of it: they are stored rounded."""


@dataclass(frozen=True, eq=False)
class SourceRows:
    """Sources of T output frames: `(T,)` examples, frames in them, and steps to the next frame.

    >>> SourceRows(np.zeros(4, int), np.array([5.0, 6.0, 9.0, 10.0]), np.ones(4)).transitions().tolist()
    [2]
    """

    examples: Int64
    frames: Float64
    steps: Float64

    def transitions(self) -> Int64:
        """Return the frames, from 1, that do not continue the frame before."""
        return np.flatnonzero(~self._goes_on(slice(None, -1), slice(1, None))) + 1

    def closes(self) -> bool:
        """Return whether the first frame continues the last but one, as in a loop without a transition there."""
        return bool(self._goes_on(slice(-2, -1), slice(0, 1))[0])

    def _goes_on(self, before: slice, after: slice) -> Mask:
        moved, step = self.frames[after] - self.frames[before], self.steps[before]
        near = np.abs(moved - step) <= SAME_FRAME * np.maximum(step, 1.0)
        return np.asarray(near & (self.examples[after] == self.examples[before]))


def values_beside(
    tables: Sequence[Float32], source_rows: SourceRows, crossfade: int, *, loops: bool = False
) -> Float32:
    """Return the values `(T, C)` of the source frames, crossfaded around each transition.

    tables: for each example its values `(F, C)`, one row for each frame. crossfade: number of frames; fewer if
    transitions are near each other. Beyond an example's end its last values are repeated. loops: the last frame is the
    first of the next round.

    >>> rising = np.arange(10, dtype=np.float32)[:, None]
    >>> still = SourceRows(np.zeros(4, int), np.arange(2.0, 6.0), np.ones(4))
    >>> values_beside([rising], still, 2)[:, 0].tolist()
    [2.0, 3.0, 4.0, 5.0]
    """
    result = _at(tables, source_rows.examples, source_rows.frames)
    count = len(result) - 1 if loops else len(result)
    for transition, half in _crossfades(source_rows, count, crossfade, loops):
        offsets = np.arange(-half, half)
        before, after = (transition - 1) % count, transition % count
        share = smoothstep((offsets + half + 0.5) / (2 * half))[:, None]
        left = _going_on(tables, source_rows, before, offsets + 1)
        right = _going_on(tables, source_rows, after, offsets)
        result[(transition + offsets) % count] = left * (1 - share) + right * share
    if loops:
        result[-1] = result[0]
    return result


def _crossfades(source_rows: SourceRows, count: int, crossfade: int, loops: bool) -> Iterator[tuple[int, int]]:
    """Yield each transition with half the length of its crossfade, which does not reach another crossfade."""
    transitions = [int(frame) for frame in source_rows.transitions() if frame < count]
    if loops and count > 1 and not source_rows.closes():
        transitions.insert(0, 0)
    if not transitions:
        return
    around = (transitions[-1] - count, transitions[0] + count) if loops else (0, count)
    every = [around[0], *transitions, around[1]]
    for previous, frame, following in zip(every, every[1:], every[2:], strict=False):
        half = min(crossfade, frame - previous, following - frame) // 2
        if half > 0:
            yield frame, half


def _going_on(tables: Sequence[Float32], source_rows: SourceRows, frame: int, offsets: Int64) -> Float32:
    """Return the values at `offsets` `(X,)` from an output frame, as if its source continued alone."""
    examples = np.full(len(offsets), source_rows.examples[frame])
    return _at(tables, examples, source_rows.frames[frame] + offsets * source_rows.steps[frame])


def _at(tables: Sequence[Float32], examples: Int64, frames: Array) -> Float32:
    result = np.empty((len(frames), tables[0].shape[1]), np.float32)
    for number in np.unique(examples).tolist():
        rows = np.flatnonzero(examples == number)
        table = tables[number]
        result[rows] = values_at(table, np.clip(frames[rows], 0, len(table) - 1))
    return result
