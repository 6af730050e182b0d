# SPDX-License-Identifier: GPL-3.0-or-later
"""Surroundings of a replanned stretch, one side of which may be missing, and motion moved to where another is."""

from dataclasses import dataclass

from ..errors import InputError
from ..motion.begin_at import moved_to
from ..motion.comparing import check_comparable
from ..motion.gap import Gap
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, find_anchored
from ..settings import Facing


@dataclass(frozen=True, eq=False)
class Surroundings:
    """Motions that stay around a stretch, of one frame or more each, or None for a side that is open.

    before: its last frame precedes the stretch. after: its first frame follows the stretch. Up to half a second of each
    gives speeds and kind of motion.
    Raises InputError if both are missing, for sides without frames, and for sides of different skeletons or rates.

    >>> Surroundings(before=swing.slice(0, 20)).after is None
    True
    """

    before: Motion | None = None
    after: Motion | None = None

    def __post_init__(self) -> None:
        sides = self.sides
        if not sides or not all(side.frames for side in sides):
            raise InputError("Motion to go on from is missing; choose a stretch with a pose before or after it.")
        for side in sides:
            side.check_values("The motion beside the stretch")
        if len(sides) == 2:
            Gap(*sides)

    @property
    def sides(self) -> tuple[Motion, ...]:
        """Return the sides that are present."""
        return tuple(side for side in (self.before, self.after) if side is not None)

    def closed(self, window: Motion, plan: RootPlan) -> Gap:
        """Return the gap between both sides; window: motion that is one frame longer at each end than the gap.

        An open side is the window's own end, after the window is moved to the other side.
        """
        if self.before is not None and self.after is not None:
            return Gap(self.before, self.after)
        if self.before is not None:
            joined = moved_to(window, plan, 1, self.before, self.before.frames - 1)
            return Gap(self.before, joined.slice(window.frames - 2, window.frames))
        assert self.after is not None
        joined = moved_to(window, plan, window.frames - 2, self.after, 0)
        return Gap(joined.slice(0, 2), self.after)


def carried_on(motion: Motion, target: Motion, frame: int = 0) -> tuple[Motion, tuple[int, ...]]:
    """Return a motion moved so that its `frame` stands and faces as another's last one, and the moved joints.

    Raises InputError for motions on different skeletons.

    >>> moved, joints = carried_on(swing, swing.slice(0, 30))
    >>> moved.frames, joints
    (60, (0,))
    """
    check_comparable(motion, target.skeleton.names, None, "the other one")
    for checked in (motion, target):
        checked.check_values("A motion to carry on")
    root, *companions = find_anchored([motion, target])
    plan = RootPlan(root, tuple(companions), Facing.FREE, False)
    return moved_to(motion, plan, frame, target, target.frames - 1), tuple(plan.anchored.tolist())
