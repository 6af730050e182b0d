# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraints of a result, other than its length (paper, section 5)."""

from collections.abc import Iterator
from dataclasses import dataclass

from .constraint import Constraint
from .loop import Loop, LoopConstraint
from .pose import PoseConstraint
from .root_path import RootPath


@dataclass(frozen=True, eq=False)
class Constraints:
    """All constraints of a result; none by default.

    poses: of as many frames as the result. others: constraints of other kinds. `synthesize` raises InputError if they
    contradict each other.

    >>> Constraints(loop=Loop.TRAVEL).poses is None
    True
    """

    poses: PoseConstraint | None = None
    path: RootPath | None = None
    loop: Loop = Loop.OFF
    others: tuple[Constraint, ...] = ()

    def __iter__(self) -> Iterator[Constraint]:
        """Yield the constraints in the order in which they act; the loop is last, since it closes what others made."""
        if self.poses is not None:
            yield self.poses
        if self.path is not None:
            yield self.path
        yield from self.others
        if self.loop is not Loop.OFF:
            yield LoopConstraint(self.loop)


NOTHING = Constraints()
