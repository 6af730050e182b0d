# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that are always or never locked over frames of a result, whatever is found by itself."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, counted
from ...feet.contact_detection import Foot
from ...feet.footsteps import SHORTEST_STANCE_SECONDS
from ...motion.motion import pose_along
from ..constraint import Composed, Constraint, Span, Task, Walk

MOVES = 0.01
"""A foot that moves by more than this share of the skeleton's size while it is always locked is told of."""


@dataclass(frozen=True)
class FootLock:
    """A foot from frame `first` up to `end` of a result: in one place throughout, or not locked at all.

    joint: the foot's, or any of its leg. said: its name in a sentence.

    >>> FootLock(joint=1, first=10, end=30).always
    True
    """

    joint: int
    first: int
    end: int
    always: bool = True
    said: str = "A foot lock"


@dataclass(frozen=True)
class FootLocks(Constraint):
    """Feet that are always or never locked over frames; elsewhere they are as they are found by themselves.

    `synthesize` raises InputError for a joint of no foot, for frames outside of the result or too few for a foot to
    stand, and for a foot that is to be both at once. A result that cannot keep a foot in its place says how far it
    goes.

    >>> locks = FootLocks((FootLock(joint=1, first=10, end=30),))
    """

    locks: tuple[FootLock, ...]

    def check(self, task: Task) -> None:
        """Raise InputError where a lock is of no foot, has no frames of the result, or contradicts another one."""
        names, feet = task.prepared.motions[0].skeleton.names, task.prepared.feet
        for lock in self.locks:
            if foot_of(feet, lock.joint) is None:
                found = ", ".join(f'"{names[foot.joint]}"' for foot in feet) or "none"
                raise InputError(f"{lock.said} is of no foot; the feet are {found}: name one, or a bone of its leg.")
            if not 0 <= lock.first < lock.end <= task.frames:
                raise InputError(
                    f"{lock.said} lies outside of the result, which has {counted(task.frames, 'frame')}; choose others."
                )
            least = int(np.ceil(SHORTEST_STANCE_SECONDS * task.prepared.frames_per_second))
            if lock.always and lock.end - lock.first < least:
                raise InputError(f"{lock.said} is too short for a foot to stand; give it {least} frames or more.")
        for number, lock in enumerate(self.locks):
            for other in self.locks[:number]:
                same = foot_of(feet, lock.joint) == foot_of(feet, other.joint)
                if same and lock.always != other.always and lock.first < other.end and other.first < lock.end:
                    raise InputError(f"{lock.said} contradicts {other.said}; give them frames of their own.")

    def bound(self, task: Task) -> Constraint:
        """Return the locks with room for what is found out."""
        return _BoundFootLocks(self.locks) if self.locks else Constraint()

    def standing(self, task: Task, span: Span) -> NDArray[np.int8]:
        """Return for each foot 1 where it is always locked, -1 where never."""
        feet = task.prepared.feet
        of_result = np.zeros((task.frames, len(feet)), np.int8)
        for lock in self.locks:
            of_result[lock.first : lock.end, foot_of(feet, lock.joint)] = 1 if lock.always else -1
        return of_result[span.at]


@dataclass(frozen=True)
class _BoundFootLocks(FootLocks):
    """Locks, and sentences on those that could not quite be kept."""

    said: list[str] = field(default_factory=list)

    def finished(self, task: Task, composed: Composed, walk: Walk, span: Span) -> Composed:
        """Look how far the feet go that are to stay; the motion stays as it is."""
        motion, feet = composed.motion, task.prepared.feet
        up = np.array(motion.skeleton.up)
        for lock in self.locks:
            index = foot_of(feet, lock.joint)
            if not lock.always or index is None:
                continue
            chain = motion.skeleton.chain(feet[index].joint)
            places = pose_along(motion.slice(lock.first, lock.end), chain)[1][:, -1].astype(np.float64)
            places -= (places @ up)[:, None] * up
            most = float(np.linalg.norm(places - np.median(places, axis=0), axis=1).max()) / motion.skeleton.size
            if most > MOVES:
                self.said.append(
                    f"{lock.said} cannot be kept: the body goes on, and the foot moves by {most:.0%} of the size; "
                    "choose fewer frames, or frames at which the character stays."
                )
        return composed

    def notes(self, task: Task) -> tuple[str, ...]:
        """Return sentences on feet that move though they are to stay."""
        return tuple(self.said)


def foot_of(feet: Sequence[Foot], joint: int) -> int | None:
    """Return the number of the foot that a joint is, or of whose leg it is; None for neither."""
    own = next((number for number, foot in enumerate(feet) if foot.joint == joint), None)
    if own is not None:
        return own
    return next((number for number, foot in enumerate(feet) if joint in foot.leg), None)
