# SPDX-License-Identifier: GPL-3.0-or-later
"""Number of edges that a transition graph keeps, from which its memory is estimated before it is built."""

ALL_EDGES_FRAMES = 1024
"""Largest number of stage frames, 100 seconds, whose edges are all kept (8 MB); of more, each keeps its cheapest."""
EDGES = 1 << 18
"""Number of cheapest neighbors kept in all, each for both directions."""
MOST_NEIGHBORS, FEWEST_NEIGHBORS = 64, 12
"""Largest and smallest number of neighbors kept for each frame."""
REGIONS = 16
"""Number of stretches of the examples in each of which a frame keeps its cheapest neighbor. With the nearest neighbors
alone, the graph has islands of one clip, one style or slow motion, which no path leaves."""


def neighbors_kept(frames: int) -> int:
    """Return the number of cheapest neighbors that each of `frames` stage frames keeps."""
    return min(max(EDGES // frames, FEWEST_NEIGHBORS), MOST_NEIGHBORS)
