# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that are always or never locked over given frames of a result, regardless of their own contacts."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, counted
from ..feet.contact_detection import Foot
from ..feet.fixed_stances import LEAST_DRIFT
from ..feet.footsteps import SHORTEST_STANCE_SECONDS
from ..motion.motion import pose_along
from .constraint import Composed, Constraint, Span, Task, Walk


@dataclass(frozen=True)
class FootLock:
    """A foot that is always locked, or never, from frame `first` up to `end` of a result.

    joint: the foot's joint, or any of its leg. said: the name of the lock in messages.

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
    """Feet that are always or never locked over given frames; elsewhere their own contacts count.

    `synthesize` raises InputError for a joint of no foot, for frames outside the result or too few for a stance, and
    for contradicting locks. If a result cannot keep a foot in place, a note says how far it moves.

    >>> locks = FootLocks((FootLock(joint=1, first=10, end=30),))
    """

    locks: tuple[FootLock, ...]

    def check(self, task: Task) -> None:
        """Raise InputError if a lock has no foot, lies outside the result, or contradicts another one."""
        names, feet = task.prepared.motions[0].skeleton.names, task.prepared.feet
        for lock in self.locks:
            if foot_of(feet, lock.joint) is None:
                known = ", ".join(f'"{names[foot.joint]}"' for foot in feet) or "none"
                raise InputError(
                    f"{lock.said} is not for a foot; the feet are {known}; choose one, or a bone of its leg."
                )
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
                    raise InputError(f"{lock.said} contradicts {other.said}; give them separate frames.")

    def why_not_replaced(self, first: int, end: int, start: int) -> str:
        """Return a sentence on a lock that lies in frames `first` up to `end`; "" if none does."""
        inside = (lock for lock in self.locks if lock.first < end and lock.end > first)
        return next((f"{lock.said} lies in the stretch; choose a stretch without those frames." for lock in inside), "")

    def bound(self, task: Task) -> Constraint:
        """Return the locks with a list for notes."""
        return _BoundFootLocks(self.locks) if self.locks else Constraint()

    def standing(self, task: Task, span: Span) -> NDArray[np.int8]:
        """Return for each foot 1 in frames in which it is always locked, and -1 in which it is never locked."""
        feet = task.prepared.feet
        of_result = np.zeros((task.frames, len(feet)), np.int8)
        for lock in self.locks:
            of_result[lock.first : lock.end, foot_of(feet, lock.joint)] = 1 if lock.always else -1
        return of_result[span.at]


@dataclass(frozen=True)
class _BoundFootLocks(FootLocks):
    """Locks, and sentences on those that could not be kept fully."""

    sentences: list[str] = field(default_factory=list)

    def finished(self, task: Task, composed: Composed, walk: Walk, span: Span) -> Composed:
        """Measure the movement of locked feet; the motion does not change."""
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
            if most > LEAST_DRIFT:
                self.sentences.append(
                    f"{lock.said} cannot be kept: the body moves on, and the foot moves by {most:.0%} of the size; "
                    "choose fewer frames, or frames at which the character stands still."
                )
        return composed

    def notes(self, task: Task) -> tuple[str, ...]:
        """Return sentences on locked feet that move."""
        return tuple(self.sentences)


def foot_of(feet: Sequence[Foot], joint: int) -> int | None:
    """Return the number of the foot that has a joint as its own or in its leg; None if there is none."""
    number = next((number for number, foot in enumerate(feet) if foot.joint == joint), None)
    if number is not None:
        return number
    return next((number for number, foot in enumerate(feet) if joint in foot.leg), None)
