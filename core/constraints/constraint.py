# SPDX-License-Identifier: GPL-3.0-or-later
"""The protocol of all constraints: one method for each step of a synthesis at which a constraint may act.

`synthesize` goes through the constraints of its task in their order and calls each method of each of them. Every
method of `Constraint` leaves things as they are, so a constraint defines those alone that it needs (paper, section 5).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..library.examples import Prepared
from ..library.part_plans import PartPlan
from ..library.transition_graph import Groups
from ..memory.estimates import ConstraintBytes
from ..motion.channels import Channels
from ..motion.motion import Motion
from ..motion.root_motion import RootTrack
from ..planning.frame_cost import PathCosts
from ..planning.segments import Segments, Surrounded
from ..planning.sources import PartSources

Rows = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Closing:
    """The placement of a repetition: turned by `turn` radians about up through the origin, then moved by `shift`."""

    shift: NDArray[np.float64]
    turn: float

    @property
    def closes(self) -> bool:
        """True where every round faces as the one before."""
        return abs(self.turn) < 1e-4


@dataclass(frozen=True, eq=False)
class Walk:
    """The root of F frames on its way.

    rise: `(F,)` how much higher the ground is. closing: the placement of the next round, of a result that is repeated.
    notes: sentences on what cannot quite be had. by_itself: the track before constraints led it; None where none did.
    """

    track: RootTrack
    rise: NDArray[np.floating]
    closing: Closing | None = None
    notes: tuple[str, ...] = ()
    by_itself: RootTrack | None = None


@dataclass(frozen=True, eq=False)
class Settled:
    """Segments at the full rate, before their transitions move to better frames nearby.

    fixed: `(R,)` the segments that must go on showing each example frame when they do. slides: `(R,)` the most frames
    that the beginning of each may move by; None: as far as the transitions of the finest stage leave open. moments:
    output frames `(K,)`, ascending, that no transition passes over; None are none.
    """

    segments: Segments
    fixed: NDArray[np.bool_]
    slides: NDArray[np.int64] | None = None
    moments: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Span:
    """The frames that are composed: `frames` of the result, and `margin` frames of its repetitions on both sides."""

    frames: int
    margin: int = 0

    @property
    def at(self) -> NDArray[np.int64]:
        """The frame `(F',)` of the result that each composed frame stands for."""
        return (np.arange(self.frames + 2 * self.margin) - self.margin) % self.frames


@dataclass(frozen=True, eq=False)
class Composed:
    """A motion of T frames, and the sources of its P parts. notes: sentences on what cannot quite be had."""

    motion: Motion
    sources: PartSources
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Task:
    """One synthesis of `frames` frames: what it is made from, and all that it is held to."""

    prepared: Prepared
    frames: int
    constraints: "tuple[Constraint, ...]" = ()

    @property
    def cyclic(self) -> bool:
        """True where the result leads back to its beginning."""
        return any(constraint.cyclic for constraint in self.constraints)

    def leads(self, plan: PartPlan) -> bool:
        """Return True for the part that takes the root through space."""
        return plan is self.prepared.parts[self.prepared.planning.root_part] and not self.prepared.root.in_place


class Constraint:
    """A constraint that asks for nothing; the base of all others.

    The methods stand in the order in which they are called.

    >>> Constraint().memory.composing
    0.0
    """

    cyclic: ClassVar[bool] = False
    """The result leads back to its beginning."""
    memory: ClassVar[ConstraintBytes] = ConstraintBytes()
    """Memory that a result takes in addition."""

    @property
    def locates(self) -> bool:
        """True where this says where the character is in the world, at some frame or more."""
        return False

    def check(self, task: Task) -> None:
        """Raise InputError where this contradicts the examples, the length, or other constraints of the task."""

    def groups_needed(self, task: Task) -> Groups | None:
        """Return groups of examples, of each of which the result needs some; None: it may need any example."""
        return None

    def among(self, numbers: NDArray[np.int64]) -> "Constraint":
        """Return the constraint for some of the examples alone, by number."""
        return self

    def bound(self, task: Task) -> "Constraint":
        """Return the constraint that takes this one's place in the task, with what is computed for it once."""
        return self

    def path_costs(self, task: Task, plan: PartPlan, initial_path: NDArray[np.int64], costs: PathCosts) -> PathCosts:
        """Return the costs of a part's path, this one's added.

        initial_path: `(F',)`, in the part's own frames. costs: those of the constraints before this one.
        """
        return costs

    def with_targets(self, rows: Rows, patch: int) -> Rows:
        """Return the rows `(F', C)` of a stage as its patches of `patch` frames are to be matched."""
        return rows

    def folded(self, rows: Rows, frames: int) -> Rows:
        """Return the rows `(frames, C)` of a stage, of what all patches that were matched give together."""
        return rows

    def settled(self, task: Task, plan: PartPlan, settled: Settled, reach: int) -> Settled:
        """Return the segments at the full rate, each shifted by `reach` frames of its example at most."""
        return settled

    def surrounded(self, task: Task, around: Surrounded) -> Surrounded:
        """Return the segments of a part with those before and after them that are to be composed as well."""
        return around

    def displaced(self, task: Task, channels: Channels, span: Span) -> Channels:
        """Return the composed channels as they are wanted, before the feet are locked."""
        return channels

    def standing(self, task: Task, span: Span) -> NDArray[np.int8] | None:
        """Return for each foot `(F', feet)` 1 where it is to stand, -1 where it is not, 0 as it does by itself; None
        for all of them by themselves.
        """
        return None

    def steered(self, task: Task, track: RootTrack) -> RootTrack:
        """Return the root's track as its velocities are to be walked."""
        return track

    def anchored(self, task: Task, track: RootTrack) -> RootTrack:
        """Return the walked track of a character, before other constraints take it elsewhere."""
        return track

    def rooted(self, task: Task, walk: Walk) -> Walk:
        """Return the root on its way, led to where it is wanted."""
        return walk

    def repeated(self, task: Task, walk: Walk, track: RootTrack, span: Span) -> Walk:
        """Return the root of all frames that are composed, given its walk through those of the result.

        track: of all composed frames, as it was before it was walked.
        """
        return walk

    def posed_joints(self, span: Span) -> NDArray[np.bool_] | None:
        """Return a mask `(F', J)` of joints that keep their poses when feet are locked; None for none."""
        return None

    def finished(self, task: Task, composed: Composed, walk: Walk, span: Span) -> Composed:
        """Return the motion as the result shall have it, exactly."""
        return composed

    def notes(self, task: Task) -> tuple[str, ...]:
        """Return sentences on what cannot quite be had."""
        return ()


UNCONSTRAINED = Constraint()
