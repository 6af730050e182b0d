# SPDX-License-Identifier: GPL-3.0-or-later
"""Alternatives for a gap that differ enough for a choice."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from ..arrays import Float64
from ..library.pose_index import PoseIndex
from ..motion import rotations
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, place_and_heading
from .fillings import Filling, GapWindow

DIFFERENCE = 0.5
"""Smallest difference between alternatives, as a share of the motion in the gap or the stretch."""
MOST_TRIED = 16
"""Largest number of windows that are laid for one mean, and without a new result before a search ends, in about a tenth
of a second."""
ROWS = 9
"""Number of places along a window at which it is compared with others."""


def distinct_fillings(
    windows: Iterable[GapWindow],
    fill: Callable[[GapWindow], Filling],
    is_smooth: Callable[[Filling], bool],
    index: PoseIndex,
) -> Iterator[Filling]:
    """Yield fillings that differ from all before them, each laid on demand.

    fill: lays one window. is_smooth: whether a filling meets the motion around it well; fillings that do not come last.
    The difference of two fillings is the mean distance of their joints relative to the root, and a gap's own motion is
    the mean distance from the mean pose. Windows that are too similar in the index are not laid, because easing into
    the gap makes them even more similar.
    """
    yielded: list[_Candidate] = []
    rough: list[_Candidate] = []
    tried = 0
    for window in windows:
        rows = _rows(index, window)
        if any(difference(rows, other.rows) < DIFFERENCE for other in yielded):
            continue
        filling = fill(window)
        candidate = _Candidate(filling, body_places(filling.motion, index.space.plan), rows)
        tried += 1
        if _differs(candidate, yielded):
            if is_smooth(filling):
                yielded.append(candidate)
                tried = 0
                yield filling
            else:
                rough.append(candidate)
        if tried >= MOST_TRIED:
            break
    for candidate in rough:
        if _differs(candidate, yielded):
            yielded.append(candidate)
            yield candidate.filling


@dataclass(frozen=True, eq=False)
class _Candidate:
    """A filling, its joints relative to the root `(T, J, 3)`, and rows of its window `(ROWS, 1, C)`."""

    filling: Filling
    body: Float64
    rows: Float64


def _differs(candidate: _Candidate, others: list[_Candidate]) -> bool:
    return all(difference(candidate.body, other.body) >= DIFFERENCE for other in others)


def difference(first: Float64, second: Float64) -> float:
    """Return the mean distance of points `(T, J, C)` of two motions, in shares of the larger one's own motion."""
    movement = max(float(np.linalg.norm(each - each.mean(axis=0), axis=2).mean()) for each in (first, second))
    return float(np.linalg.norm(first - second, axis=2).mean()) / movement if movement > 0 else 0.0


def body_places(motion: Motion, plan: RootPlan) -> Float64:
    """Return the places `(T, J, 3)` of the joints, relative to the root's place and heading."""
    up = np.array(motion.skeleton.up)
    places, turns = place_and_heading(motion, plan)
    ground = places - (places @ up)[:, None] * up
    back = rotations.to_matrix(rotations.from_axis_angle(up, -turns))
    return np.asarray(np.einsum("tab,tjb->tja", back, motion.pose()[1] - ground[:, None]), np.float64)


def _rows(index: PoseIndex, window: GapWindow) -> Float64:
    """Return rows `(ROWS, 1, C)` of an index along a window."""
    frames = np.round(np.linspace(window.start, window.start + window.length, ROWS)).astype(np.int64)
    return np.asarray(index.rows[frames, None], np.float64)
