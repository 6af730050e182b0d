# SPDX-License-Identifier: GPL-3.0-or-later
"""Alternatives for a gap that differ so much that choosing among them is worth it."""

from collections.abc import Callable, Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, place_and_heading
from .gap import Filling, Window

DIFFERENCE = 0.5
"""Alternatives differ by so much of the gap's own motion at least."""
MOST_TRIED = 40
"""Windows that are laid in a row without one that differs enough; then there is no further alternative."""

Float64 = NDArray[np.float64]


def distinct_fillings(
    windows: Iterable[Window], fill: Callable[[Window], Filling], plan: RootPlan
) -> Iterator[Filling]:
    """Yield fillings one by one, each laid when it is asked for: the first, and those that differ from all before.

    fill: lays one window. The difference of two is how far their joints are from each other on average, seen from the
    root, and a gap's own motion how far they are from their mean.
    """
    bodies: list[Float64] = []
    tried = 0
    for window in windows:
        filling = fill(window)
        body = _body(filling.motion, plan)
        tried += 1
        if all(difference(body, other) >= DIFFERENCE for other in bodies):
            bodies.append(body)
            tried = 0
            yield filling
        elif tried == MOST_TRIED:
            return


def difference(one: Float64, other: Float64) -> float:
    """Return the mean distance of joints `(T, J, 3)` of two motions, in shares of the larger one's own motion."""
    own = max(float(np.linalg.norm(each - each.mean(axis=0), axis=2).mean()) for each in (one, other))
    return float(np.linalg.norm(one - other, axis=2).mean()) / own if own > 0 else 0.0


def _body(motion: Motion, plan: RootPlan) -> Float64:
    """Return the places `(T, J, 3)` of the joints, seen from the root's place and heading."""
    up = np.array(motion.skeleton.up)
    places, turns = place_and_heading(motion, plan)
    ground = places - (places @ up)[:, None] * up
    back = rotations.to_matrix(rotations.from_axis_angle(np.broadcast_to(up, (motion.frames, 3)), -turns))
    return np.asarray(np.einsum("tab,tjb->tja", back, motion.pose()[1] - ground[:, None]), np.float64)
