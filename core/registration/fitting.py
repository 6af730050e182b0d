# SPDX-License-Identifier: GPL-3.0-or-later
"""The clips of a style that fit a motion best: those of the same action."""

import numpy as np
from numpy.typing import NDArray

from ..infill.fill import FillingLibrary
from ..motion.motion import Motion
from ..progress import Progress, report_progress
from .registering import check_comparable
from .style_free_rows import match_costs, style_free_rows
from .ways import describe

CLIPS = 8
"""Clips of a style that are made ready to be matched."""
STRIDE = 3
"""Every so many-th frame of the motion is compared with all frames of a clip."""
SECONDS = 0.4
"""Moments are compared over about this long, so that a gesture differs from a pose in passing."""
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
    """Return the cost `(M,)` of the best moments of each motion for those of the content; see `match_costs`."""
    plan, feet = style.index.space.plan, style.standing.feet
    ours = style_free_rows([content], plan, describe([content], plan, feet).contacts)
    found = np.empty(len(style.motions))
    half = max(1, round(SECONDS / 2 * content.frames_per_second))
    for number, motion in enumerate(style.motions):
        report_progress(progress, number / len(style.motions))
        theirs = style_free_rows([motion], plan, describe([motion], plan, feet).contacts)
        costs = match_costs(ours, theirs, content.skeleton.reaches).astype(np.float64)
        total = np.zeros_like(costs)
        for away in (-half, 0, half):
            rows = np.clip(np.arange(len(costs)) + away, 0, len(costs) - 1)
            columns = np.clip(np.arange(costs.shape[1]) + away, 0, costs.shape[1] - 1)
            total += costs[np.ix_(rows, columns)] / 3
        found[number] = total[::STRIDE].min(axis=1).mean()
    return found
