# SPDX-License-Identifier: GPL-3.0-or-later
"""The stages of the synthesis: how long examples and result are in each, and rows resampled in time."""

import numpy as np
from numpy.typing import NDArray

from ..settings import Settings

PLANNING_RATE = 10.0
"""Frames per second of the finest stage that is searched as a whole; finer ones only refine its transitions.

Everything that separates one order of events from another is slower than this, and the frames
themselves are taken from the example at its full rate, so nothing is lost by it.
"""


PATCHED_SHARE = 0.95
"""Examples that hold this share of all frames are as long as a patch at least: the few shorter ones have no patches."""


SUMMED_ENTRIES = 1 << 18
"""Values that are summed at once, 2 MB: of the rows of a long result so many columns at a time."""


def patched_length(lengths: NDArray[np.int64]) -> int:
    """Return the length of the shortest example that has patches, given the lengths `(E,)` of all.

    One clip of half a second among thousands would shrink the patches of all: those that are shorter than nearly all
    the rest are shown as the path has them, and vote for nothing.
    """
    if len(lengths) == 1:  # asked for at every iteration
        return int(lengths[0])
    descending = np.sort(lengths)[::-1]
    totals = np.cumsum(descending)
    return int(descending[np.searchsorted(totals, PATCHED_SHARE * totals[-1])])


def stage_ratios(lengths: NDArray[np.int64], frames_per_second: float, settings: Settings) -> list[float]:
    """Return the shares of the full frame rate that the stages run at, coarsest first (paper, section 4).

    The coarsest stage has K * p frames of the longest example, or a patch of the shortest that has patches if that is
    more; each next one is 1 / r longer, up to the planning rate. An example shorter than K * p frames has one stage,
    the full rate.
    """
    patch = settings.patch_frames
    longest = min(1.0, settings.coarsest_patches * patch / float(lengths.max()))
    finest = min(1.0, max(longest, PLANNING_RATE / frames_per_second))
    ratios = [min(finest, max(longest, patch / float(patched_length(lengths))))]
    while ratios[-1] < finest * 0.999:
        ratios.append(min(finest, ratios[-1] / settings.pyramid_factor))
    return ratios


def stage_length(frames: int, ratio: float) -> int:
    """Return the number of stage frames for `frames` of the full rate, one at least."""
    return max(1, round(frames * ratio))


def resample_rows(rows: NDArray[np.float32], length: int) -> NDArray[np.float32]:
    """Return rows `(T, C)` at another length `(length, C)`, each new row the middle of the span it stands for.

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
        own = rows[:, first : first + columns]
        total = np.concatenate((np.zeros((1, own.shape[1])), np.cumsum(own, axis=0, dtype=np.float64)))
        at_edges = total[before] + (edges - before)[:, None] * own[before]
        resampled[:, first : first + columns] = np.diff(at_edges, axis=0) * (length / frames)
    return resampled
