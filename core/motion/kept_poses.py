# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses of joints that several passes over the examples ask for, computed once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Float32 = NDArray[np.float32]
Pose = tuple[Float32, Float32]

MOST_BYTES = 64_000_000
"""Poses are kept up to here, those that are asked for first: the legs of a body over some 100,000 frames."""


@dataclass(eq=False)
class _Kept:
    """Poses by what they are of. owners: keeps that alive, whose number another one could have otherwise."""

    poses: dict[tuple[int, tuple[int, ...]], Pose] = field(default_factory=dict)
    owners: list[object] = field(default_factory=list)
    size: int = 0


_kept: ContextVar[_Kept | None] = ContextVar("kept_poses", default=None)


@contextmanager
def poses_kept() -> Iterator[None]:
    """Have `pose_along` and what is made of it keep the poses they compute until the end of the block, in this thread.

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
    """Return the pose of some joints of a motion, its owner, computed where it is not kept; nobody may write to it.

    >>> with poses_kept():
    ...     first, again = (once(swing, (0,), lambda: (np.ones(1), np.ones(1))) for _ in range(2))
    >>> first is again
    True
    """
    kept = _kept.get()
    if kept is None:
        return compute()
    found = kept.poses.get((id(owner), joints))
    if found is None:
        found = compute()
        size = sum(values.nbytes for values in found)
        if kept.size + size <= MOST_BYTES:
            for values in found:
                values.flags.writeable = False
            kept.poses[id(owner), joints] = found
            kept.owners.append(owner)
            kept.size += size
    return found
