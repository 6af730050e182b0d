# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions that a match may make from one stretch of an example to another, where poses and speeds are similar."""

import numpy as np

from ..arrays import Int64
from ..feet.fixed_stances import LEAST_DRIFT
from ..library.pose_index import SAME_PLACE_SECONDS, PoseIndex
from ..motion.piecewise import pieces
from .matching import Jumps

SOURCES = 12
"""Largest number of transitions into each frame that are considered."""
BASE_COST = 3.0
"""Cost of any transition; a match of unlike frames costs 2 per frame. The shortest visible distance of poses adds 1, a
larger one in proportion to its square."""


def find_jumps(index: PoseIndex) -> Jumps:
    """Return the cheapest transitions into each of the N frames of an index."""
    rows, squares, clips = index.rows, index.squares, index.clips
    count, frames = index.frames, np.arange(index.frames)
    most = min(SOURCES, count)
    near = SAME_PLACE_SECONDS * index.frames_per_second
    sources, costs = np.empty((count, most), np.int64), np.empty((count, most), np.float32)
    for block in pieces(count, columns=count):
        distances = np.maximum(squares[block, None] + squares - 2 * rows[block] @ rows.T, 0.0)
        distances[(clips[block, None] == clips) & (np.abs(frames[block, None] - frames) < near)] = np.inf
        nearest = np.argpartition(distances, most - 1, axis=1)[:, :most]
        sources[block], costs[block] = nearest, np.take_along_axis(distances, nearest, axis=1)
    # A stretch is left one frame before the frame that resembles the place of arrival.
    before = np.maximum(sources - 1, 0)
    costs = np.where(clips[before] == clips[sources], BASE_COST + costs / LEAST_DRIFT**2, np.inf)
    return Jumps(before, costs.astype(np.float32))


def at_frames(jumps: Jumps, frames: Int64) -> Jumps:
    """Return the transitions among frames `(F,)`, ascending: each begins at the last of them before its own source."""
    places = np.maximum(np.searchsorted(frames, jumps.sources[frames], side="right") - 1, 0)
    return Jumps(places, jumps.costs[frames])
