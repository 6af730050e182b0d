# SPDX-License-Identifier: GPL-3.0-or-later
"""Cache of joints' poses for several passes over the examples, those of many short examples computed together."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..arrays import Float32
from .piecewise import KEPT_BYTES

Pose = tuple[Float32, Float32]
Owner = TypeVar("Owner")


@dataclass(eq=False)
class _Kept:
    """Poses, the oldest first, by the number of their owner and their joints, each with its owner.

    An owner is kept alive, since the number of a deleted object may be given to another one. groups: the owners whose
    poses are computed together with an owner's, by its number.
    """

    poses: dict[tuple[int, tuple[int, ...]], tuple[object, Pose]] = field(default_factory=dict)
    groups: dict[int, Sequence[Any]] = field(default_factory=dict)
    size: int = 0

    def keep(self, owner: object, joints: tuple[int, ...], pose: Pose) -> None:
        """Keep a pose in place of the oldest ones for which no memory is left, unless it is too large itself."""
        size = _bytes_of(pose)
        if size > KEPT_BYTES or (id(owner), joints) in self.poses:
            return
        while self.size + size > KEPT_BYTES:
            _, oldest = self.poses.pop(next(iter(self.poses)))
            self.size -= _bytes_of(oldest)
        for values in pose:
            values.flags.writeable = False
        self.poses[id(owner), joints] = owner, pose
        self.size += size


def _bytes_of(pose: Pose) -> int:
    return sum(values.nbytes for values in pose)


_kept: ContextVar[_Kept | None] = ContextVar("kept_poses", default=None)


@contextmanager
def poses_kept() -> Iterator[None]:
    """Cache the poses that `pose_along` computes until the end of the block, in this thread, as far as they fit.

    Of many motions, the last ones are kept: a loop over motions computes each pose once, whatever it does with it.

    >>> with poses_kept():
    ...     metrics.foot_skate(swing, [1], np.zeros(1), 1.0) == metrics.foot_skate(swing, [1], np.zeros(1), 1.0)
    True
    """
    before = _kept.set(_Kept())
    try:
        yield
    finally:
        _kept.reset(before)


def pose_together(groups: Sequence[Sequence[Any]]) -> None:
    """Compute the poses of all owners of a group as soon as those of one are needed; only within `poses_kept`.

    >>> with poses_kept():
    ...     pose_together([[swing, swing.slice(0, 9)]])
    """
    kept = _kept.get()
    if kept is not None:
        kept.groups.update((id(owner), group) for group in groups for owner in group)


def once(owner: Owner, joints: tuple[int, ...], compute: Callable[[Sequence[Owner]], Sequence[Pose]]) -> Pose:
    """Return the read-only pose of joints of a motion, its owner, from the cache if possible.

    compute: the function that returns the poses of some owners.

    >>> with poses_kept():
    ...     first, again = (once(swing, (0,), lambda owners: [(np.ones(1), np.ones(1))]) for _ in range(2))
    >>> first is again
    True
    """
    kept = _kept.get()
    if kept is None:
        return compute([owner])[0]
    known = kept.poses.get((id(owner), joints))
    if known is not None:
        return known[1]
    group = kept.groups.get(id(owner), (owner,))
    poses = compute(group)
    for member, pose in zip(group, poses, strict=True):
        kept.keep(member, joints, pose)
    return next(pose for member, pose in zip(group, poses, strict=True) if member is owner)
