# SPDX-License-Identifier: GPL-3.0-or-later
"""Cache of joints' poses for several passes over the examples."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from .piecewise import KEPT_BYTES

Float32 = NDArray[np.float32]
Pose = tuple[Float32, Float32]


@dataclass(eq=False)
class _Kept:
    """Poses by the number of their owner and their joints.

    owners: keeps the owners alive, since the number of a deleted object may be given to another one.
    """

    poses: dict[tuple[int, tuple[int, ...]], Pose] = field(default_factory=dict)
    owners: list[object] = field(default_factory=list)
    size: int = 0


_kept: ContextVar[_Kept | None] = ContextVar("kept_poses", default=None)


@contextmanager
def poses_kept() -> Iterator[None]:
    """Cache the poses that `pose_along` computes until the end of the block, in this thread.

    >>> with poses_kept():
    ...     metrics.foot_skate(swing, [1], np.zeros(1), 1.0) == metrics.foot_skate(swing, [1], np.zeros(1), 1.0)
    True
    """
    before = _kept.set(_Kept())
    try:
        yield
    finally:
        _kept.reset(before)


def once(owner: object, joints: tuple[int, ...], compute: Callable[[], Pose]) -> Pose:
    """Return the read-only pose of joints of a motion, its owner, from the cache if possible.

    >>> with poses_kept():
    ...     first, again = (once(swing, (0,), lambda: (np.ones(1), np.ones(1))) for _ in range(2))
    >>> first is again
    True
    """
    kept = _kept.get()
    if kept is None:
        return compute()
    pose = kept.poses.get((id(owner), joints))
    if pose is None:
        pose = compute()
        size = sum(values.nbytes for values in pose)
        if kept.size + size <= KEPT_BYTES:
            for values in pose:
                values.flags.writeable = False
            kept.poses[id(owner), joints] = pose
            kept.owners.append(owner)
            kept.size += size
    return pose
