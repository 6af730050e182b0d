# SPDX-License-Identifier: GPL-3.0-or-later
"""The clips of a style that fit a motion best: those of the same action."""

import numpy as np
from numpy.typing import NDArray

from ..infill.fill import FillingLibrary
from ..motion.motion import Motion
from ..progress import Progress, report_progress
from .registering import check_comparable
from .style_free_rows import costs_of_columns, match_columns, style_free_rows
from .ways import describe

CLIPS = 8
"""Clips of a style that are made ready to be matched."""
STRIDE = 3
"""Every so many-th frame of the motion is compared with all frames of a clip."""
SECONDS = 0.4
"""Moments are compared over about this long, so that a gesture differs from a pose in passing."""
BLOCK = 256
"""Frames of the motion that are compared at once: a long motion is not compared with itself in one large table."""
AS_GOOD = 1.4
"""A clip fits whose cost is at most this many times that of the best."""


def fitting_clips(
    content: Motion, style: FillingLibrary, count: int = CLIPS, progress: Progress | None = None
) -> NDArray[np.int64]:
    """Return the numbers of up to `count` motions of a style that fit the content best, ascending.

    progress: see `core.Progress`. Raises InputError for another skeleton or rate, and Cancelled.

    >>> fitting_clips(swing, prepare_filling([swing])).tolist()
    [0]
    """
    check_comparable(content, style)
    costs = fitting_costs(content, style, progress)
    best = np.argsort(costs, kind="stable")[:count]
    return np.sort(best[costs[best] <= AS_GOOD * costs[best[0]]])


def fitting_costs(content: Motion, style: FillingLibrary, progress: Progress | None = None) -> NDArray[np.float64]:
    """Return the cost `(M,)` of the best moments of each motion for those of the content; see `costs_of_columns`."""
    plan, feet = style.index.space.plan, style.standing.feet
    ours = style_free_rows([content], plan, describe([content], plan, feet).contacts)
    found = np.empty(len(style.motions))
    half = max(1, round(SECONDS / 2 * content.frames_per_second))
    compared = np.arange(0, content.frames, STRIDE)
    blocks = np.split(compared, np.arange(BLOCK, len(compared), BLOCK))
    for number, motion in enumerate(style.motions):
        theirs = style_free_rows([motion], plan, describe([motion], plan, feet).contacts)
        left, right = match_columns(ours, theirs, content.skeleton.reaches)
        nearest = []
        for at, rows in enumerate(blocks):
            report_progress(progress, (number + at / len(blocks)) / len(style.motions))
            total = np.zeros((len(rows), motion.frames))
            for away in (-half, 0, half):
                near = left[np.clip(rows + away, 0, len(left) - 1)]
                costs = costs_of_columns(near, right)
                total += costs[:, np.clip(np.arange(motion.frames) + away, 0, motion.frames - 1)] / 3
            nearest.append(total.min(axis=1))
        found[number] = np.concatenate(nearest).mean()
    return found
