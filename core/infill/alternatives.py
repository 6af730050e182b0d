# SPDX-License-Identifier: GPL-3.0-or-later
"""Alternatives for a gap that differ so much that choosing among them is worth it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, place_and_heading
from ..search.pose_index import PoseIndex
from .gap import Filling, Window

DIFFERENCE = 0.5
"""Alternatives differ by so much of the gap's own motion at least."""
MOST_TRIED = 16
"""Windows that are laid in a row without one that differs enough; then there is no further alternative."""
ROWS = 9
"""Places along a window at which it is compared with others before it is laid."""

Float64 = NDArray[np.float64]


def distinct_fillings(
    windows: Iterable[Window], fill: Callable[[Window], Filling], is_smooth: Callable[[Filling], bool], index: PoseIndex
) -> Iterator[Filling]:
    """Yield fillings one by one, each laid when it is asked for; each differs from all before it.

    fill: lays one window. is_smooth: whether a filling meets what is around it well enough; those that do not come
    after those that do. The difference of two is how far their joints are from each other on average, seen from the
    root, and a gap's own motion how far they are from their mean. Windows that are as similar in the index are not even
    laid: what eases them into the gap brings them nearer to each other.
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
    """A filling, its joints seen from the root `(T, J, 3)`, and rows of its window `(ROWS, 1, C)`."""

    filling: Filling
    body: Float64
    rows: Float64


def _differs(candidate: _Candidate, others: list[_Candidate]) -> bool:
    return all(difference(candidate.body, other.body) >= DIFFERENCE for other in others)


def difference(one: Float64, other: Float64) -> float:
    """Return the mean distance of points `(T, J, C)` of two motions, in shares of the larger one's own motion."""
    own = max(float(np.linalg.norm(each - each.mean(axis=0), axis=2).mean()) for each in (one, other))
    return float(np.linalg.norm(one - other, axis=2).mean()) / own if own > 0 else 0.0


def body_places(motion: Motion, plan: RootPlan) -> Float64:
    """Return the places `(T, J, 3)` of the joints, seen from the root's place and heading."""
    up = np.array(motion.skeleton.up)
    places, turns = place_and_heading(motion, plan)
    ground = places - (places @ up)[:, None] * up
    back = rotations.to_matrix(rotations.from_axis_angle(np.broadcast_to(up, (motion.frames, 3)), -turns))
    return np.asarray(np.einsum("tab,tjb->tja", back, motion.pose()[1] - ground[:, None]), np.float64)


def _rows(index: PoseIndex, window: Window) -> Float64:
    """Return rows `(ROWS, 1, C)` of an index along a window."""
    frames = np.round(np.linspace(window.start, window.start + window.length, ROWS)).astype(np.int64)
    return np.asarray(index.rows[frames, None], np.float64)
