# SPDX-License-Identifier: GPL-3.0-or-later
"""Stages of the synthesis: the lengths of examples and result at each, and rows resampled in time."""

import numpy as np

from ..arrays import Float32, Int64
from ..settings import Settings

PLANNING_RATE = 10.0
"""Frames per second of the finest stage that is searched as a whole; finer ones only refine its transitions.

The order of events is decided by changes slower than this, and the frames themselves are taken from the example at
its full rate, so nothing is lost. Live steering has as many candidates per second, and compares frames beside the best.
"""
PATCHED_SHARE = 0.95
"""Share of all frames that are in examples of at least one patch; the few shorter examples have no patches."""
SUMMED_ENTRIES = 1 << 18
"""Number of values summed at once, 2 MB. It limits the columns of a long result that are resampled at a time."""


def patched_length(lengths: Int64) -> int:
    """Return the length of the shortest example that has patches, given the lengths `(E,)` of all.

    One clip of half a second among thousands would otherwise shrink all patches. The few shortest examples are played
    as the path has them, and have no votes.
    """
    if len(lengths) == 1:  # asked for at every iteration
        return int(lengths[0])
    descending = np.sort(lengths)[::-1]
    totals = np.cumsum(descending)
    return int(descending[np.searchsorted(totals, PATCHED_SHARE * totals[-1])])


def stage_ratios(lengths: Int64, frames_per_second: float, settings: Settings) -> list[float]:
    """Return the frame rates of the stages as shares of the full rate, coarsest first (paper, section 4).

    At the coarsest stage the longest example has K * p frames, or more, so that the shortest example with patches has
    one patch. Each next stage has 1 / r times the frames, up to the planning rate. If no example is longer than K * p
    frames, there is one stage, at the full rate.
    """
    patch = settings.patch_frames
    longest = min(1.0, settings.coarsest_patches * patch / float(lengths.max()))
    finest = min(1.0, max(longest, PLANNING_RATE / frames_per_second))
    ratios = [min(finest, max(longest, patch / float(patched_length(lengths))))]
    while ratios[-1] < finest * 0.999:
        ratios.append(min(finest, ratios[-1] / settings.pyramid_factor))
    return ratios


def stage_length(frames: int, ratio: float) -> int:
    """Return the number of stage frames, at least one, for `frames` at the full rate."""
    return max(1, round(frames * ratio))


def resample_rows(rows: Float32, length: int) -> Float32:
    """Return rows `(T, C)` resampled to `(length, C)`; each new row represents the middle of its span.

    Shrinking averages over the span (a box filter, so that nothing aliases); growing interpolates linearly.
    """
    frames = len(rows)
    if frames == length:
        return rows
    if length > frames:
        positions = np.clip((np.arange(length) + 0.5) * frames / length - 0.5, 0, frames - 1)
        before = np.floor(positions).astype(np.int64)
        weights = (positions - before).astype(np.float32)[:, None]
        return rows[before] * (1 - weights) + rows[np.minimum(before + 1, frames - 1)] * weights
    edges = np.arange(length + 1) * frames / length
    before = np.minimum(np.floor(edges).astype(np.int64), frames - 1)
    resampled, columns = np.empty((length, rows.shape[1]), np.float32), max(1, SUMMED_ENTRIES // frames)
    for first in range(0, rows.shape[1], columns):
        block = rows[:, first : first + columns]
        total = np.concatenate((np.zeros((1, block.shape[1])), np.cumsum(block, axis=0, dtype=np.float64)))
        at_edges = total[before] + (edges - before)[:, None] * block[before]
        resampled[:, first : first + columns] = np.diff(at_edges, axis=0) * (length / frames)
    return resampled
