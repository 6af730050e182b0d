# SPDX-License-Identifier: GPL-3.0-or-later
"""Ghosts of pinned poses: lines from joint to joint, and the opacity of each ghost."""

import numpy as np

from ...animation.pins.pinned_poses import PinnedPoses
from ...core import Int64, Mask
from ..common.line_drawing import ColoredLines, lines_of
from ..common.motion_ghosts import ghost_of

MOST_GHOSTS = 20
PLACED = (1.0, 0.55, 0.1)
"""Color of a pinned pose with its location."""
POSED = (0.25, 0.75, 1.0)
"""Color of a pinned pose without a location."""
CURRENT, NEAREST, FARTHEST = 1.0, 0.55, 0.15
"""Opacity of the ghost at the current frame, of the nearest other one, and of the last that is drawn."""


def nearest_pins(frames: Int64, current: float) -> Int64:
    """Return the numbers of the pins to show, at most MOST_GHOSTS, the one nearest to the current frame first."""
    return np.argsort(np.abs(frames - current), kind="stable")[:MOST_GHOSTS]


def plan_ghosts(poses: PinnedPoses, places: Mask, current: float) -> ColoredLines:
    """Return the lines of all ghosts around the current frame.

    places: `(K,)` whether each pose is pinned with its location.
    """
    pieces = []
    for rank, pin in enumerate(nearest_pins(poses.frames, current)):
        strength = _strength(rank, int(poses.frames[pin]) == current)
        pieces.append((ghost_of(poses, int(pin)), (*(PLACED if places[pin] else POSED), strength)))
    return lines_of(pieces)


def _strength(rank: int, is_current: bool) -> float:
    if is_current:
        return CURRENT
    return NEAREST + (FARTHEST - NEAREST) * rank / MOST_GHOSTS
