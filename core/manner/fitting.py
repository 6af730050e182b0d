# SPDX-License-Identifier: GPL-3.0-or-later
"""Selection of the clips of a style that fit a motion best: those of the same action."""

import numpy as np

from ..arrays import Float64, Int64
from ..library.indexed_motions import IndexedMotions
from ..motion.motion import Motion
from ..motion.piecewise import pieces
from ..progress import Progress, report_progress
from .frames import describe
from .registering import check_actions
from .style_free_rows import costs_of_columns, match_columns, style_free_rows

CLIPS = 8
"""Largest number of clips of a style that are prepared for matching."""
SECONDS = 0.4
"""Time, in seconds, over which moments are compared, so that a gesture differs from a pose in passing."""
SAME_ACTION = 0.7
"""Largest cost of the best moments of a clip that shows the same action. On captured motion in five styles: 0.2 to 0.7
within walks and runs, 0.7 to 1.1 between a walk and a run, 1.3 and more between gaits and gestures."""


def fitting_clips(content: Motion, style: IndexedMotions, progress: Progress | None = None) -> Int64:
    """Return the numbers, ascending, of up to CLIPS motions of a style that fit the content best.

    progress: see `core.Progress`. Raises InputError for another skeleton or rate, and Cancelled as `progress` asks.

    >>> fitting_clips(swing, index_motions([swing])).tolist()
    [0]
    """
    check_actions(content, style)
    costs = fitting_costs(content, style, progress)
    best = np.argsort(costs, kind="stable")[:CLIPS]
    return np.sort(best[costs[best] <= max(SAME_ACTION, costs[best[0]])])


def fitting_costs(content: Motion, style: IndexedMotions, progress: Progress | None = None) -> Float64:
    """Return the mean cost `(M,)` of each motion's best moments for those of the content; see `costs_of_columns`."""
    plan, feet = style.index.space.plan, style.standing.feet
    ours = style_free_rows([content], plan, describe([content], plan, feet).contacts)
    costs = np.empty(len(style.motions))
    half = max(1, round(SECONDS / 2 * content.frames_per_second))
    compared = np.arange(0, content.frames, half)
    for number, motion in enumerate(style.motions):
        theirs = style_free_rows([motion], plan, describe([motion], plan, feet).contacts)
        left, right = match_columns(ours, theirs, content.skeleton.reaches)
        nearest = []
        for piece in pieces(len(compared), columns=motion.frames):
            report_progress(progress, (number + piece.start / len(compared)) / len(style.motions))
            rows = compared[piece]
            total = np.zeros((len(rows), motion.frames))
            for away in (-half, 0, half):
                near = left[np.clip(rows + away, 0, len(left) - 1)]
                pair_costs = costs_of_columns(near, right)
                total += pair_costs[:, np.clip(np.arange(motion.frames) + away, 0, motion.frames - 1)] / 3
            nearest.append(total.min(axis=1))
        costs[number] = np.concatenate(nearest).mean()
    return costs
