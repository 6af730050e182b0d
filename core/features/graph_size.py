# SPDX-License-Identifier: GPL-3.0-or-later
"""The number of edges that a transition graph keeps, which its memory is estimated by before it is built."""

ALL_EDGES_FRAMES = 1024
"""So many stage frames, 100 seconds, keep all their edges (8 MB); of more, each keeps its cheapest."""
EDGES = 1 << 18
"""Cheapest neighbors that are kept in all, each for both directions ..."""
MOST_NEIGHBORS, FEWEST_NEIGHBORS = 64, 12
"""... but of each frame no more and no fewer than these."""
REGIONS = 16
"""Of each frame the cheapest neighbor in each of so many stretches of the examples: the nearest alone form islands, of
one clip, of one style, of what is slow, and no path would leave them."""


def neighbors_kept(frames: int) -> int:
    """Return how many of the cheapest neighbors are kept of each of so many stage frames."""
    return min(max(EDGES // frames, FEWEST_NEIGHBORS), MOST_NEIGHBORS)
