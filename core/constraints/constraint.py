# SPDX-License-Identifier: GPL-3.0-or-later
"""The protocol of all constraints: one method for each step of a synthesis at which a constraint may act.

`synthesize` goes through the constraints of its task in order and calls each method of each of them. The methods of
`Constraint` change nothing, so a constraint defines only those that it needs (paper, section 5).
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..arrays import Array, Float32, Float64, Int64, Mask, Rows
from ..examples.memory.estimates import ConstraintBytes
from ..examples.part_plans import PartPlan
from ..examples.preparing import Prepared
from ..examples.transition_graph import Groups
from ..motion.channels import Channels
from ..motion.motion import Motion
from ..motion.root_motion import RootTrack
from ..planning.frame_cost import PathCosts
from ..planning.segments import Segments, Surrounded
from ..planning.sources import PartSources
from .pose_targets import Poses

SHORTEST_SHARE = 0.6
"""Shortest segment of a path with poses or labels, as a share of that in a free path: they may follow each other
quickly."""


@dataclass(frozen=True, eq=False)
class Closing:
    """The placement of a repetition: turned by `turn` radians about up through the origin, then moved by `shift`."""

    shift: Float64
    turn: float

    @property
    def closes(self) -> bool:
        """Return whether every round has the heading of the one before."""
        return abs(self.turn) < 1e-4


@dataclass(frozen=True, eq=False)
class Walk:
    """The root's trajectory over F frames.

    rise: `(F,)` height of the ground above level. closing: the placement of the next round, for a loop. notes:
    sentences on conditions that cannot be met fully. by_itself: the track before constraints guided it; None if none
    did.
    """

    track: RootTrack
    rise: Array
    closing: Closing | None = None
    notes: tuple[str, ...] = ()
    by_itself: RootTrack | None = None


@dataclass(frozen=True, eq=False)
class Settled:
    """Segments at the full rate, before their transitions move to better frames nearby.

    fixed: `(R,)` the segments that must keep showing each example frame at the same time. slides: `(R,)` the most
    frames that the beginning of each may move by; None: by the resolution of the finest stage. moments: output frames
    `(K,)`, ascending, over which no transition may move; None are none. votes: `(R, D)` against each segment's being
    ahead by some of the D frames around 0; None are none.
    """

    segments: Segments
    fixed: Mask
    slides: Int64 | None = None
    moments: Int64 | None = None
    votes: Float32 | None = None


@dataclass(frozen=True)
class Span:
    """The composed frames: `frames` of the result, and `margin` frames of its repetitions on both sides."""

    frames: int
    margin: int = 0

    @property
    def at(self) -> Int64:
        """Return the frame `(F',)` of the result that each composed frame represents."""
        return (np.arange(self.frames + 2 * self.margin) - self.margin) % self.frames


@dataclass(frozen=True)
class SignalMatch:
    """Agreement of a result with a signal that it follows.

    driven: what the signal drives. correlation: of both, -1 to 1; None for beats. beats, accented: the number of beats,
    and of those on which an accent of the motion falls.

    >>> SignalMatch("energy", 0.8).text, SignalMatch("beats", beats=12, accented=9).text
    ('correlation 0.80', '9 of 12 beats')
    """

    driven: str
    correlation: float | None = None
    beats: int = 0
    accented: int = 0

    @property
    def text(self) -> str:
        """Return the agreement in words.

        >>> SignalMatch("travel", 0.5).text
        'correlation 0.50'
        """
        is_of_beats = self.correlation is None
        return f"{self.accented} of {self.beats} beats" if is_of_beats else f"correlation {self.correlation:.2f}"


@dataclass(frozen=True, eq=False)
class PosedMoments:
    """Frames of a result at which poses are fixed.

    frames: `(K,)`, ascending. costs: `(K, N)` of each example frame there; one is for a pose at a distance of the
    examples' own movement in a fifteenth of a second.
    """

    frames: Int64
    costs: Array


@dataclass(frozen=True, eq=False)
class Composed:
    """A motion of T frames, and the sources of its P parts.

    notes: on conditions that cannot be met fully. followed: how well it follows its signals.
    """

    motion: Motion
    sources: PartSources
    notes: tuple[str, ...] = ()
    followed: tuple[SignalMatch, ...] = ()


@dataclass(frozen=True, eq=False)
class Task:
    """One synthesis of `frames` frames: the prepared examples and all constraints."""

    prepared: Prepared
    frames: int
    constraints: "tuple[Constraint, ...]" = ()

    @property
    def cyclic(self) -> bool:
        """Return whether the result leads back to its beginning."""
        return any(constraint.cyclic for constraint in self.constraints)

    def leads(self, plan: PartPlan) -> bool:
        """Return whether a part moves the root through space."""
        return plan is self.prepared.parts[self.prepared.planning.root_part] and not self.prepared.root.in_place


class Constraint:
    """A constraint without effect; the base of all others.

    The methods are in the order in which they are called.

    >>> Constraint().memory.composing
    0.0
    """

    cyclic: ClassVar[bool] = False
    """True if the result leads back to its beginning."""
    memory: ClassVar[ConstraintBytes] = ConstraintBytes()
    """Additional memory of a result."""
    follows_path: ClassVar[bool] = False
    """True if the root's trajectory is laid along a path, round after round in a loop."""
    why_not_in_crowds: ClassVar[str] = ""
    """A sentence on why a crowd, whose agents share motions and stand at places of their own, cannot have this."""

    @property
    def locates(self) -> bool:
        """Return whether this fixes the character's place in the world at any frame."""
        return False

    @property
    def poses(self) -> Poses | None:
        """Return the poses that the result is to meet exactly; None for none."""
        return None

    @property
    def passed(self) -> Int64:
        """Return the frames, ascending, at which this fixes the root's place along the ground, but not its height."""
        return np.zeros(0, np.int64)

    @property
    def rates(self) -> Float64 | None:
        """Return the example frames `(F,)` that are to pass in each frame of the result; None is one throughout."""
        return None

    def route(self, task: Task) -> Float64 | None:
        """Return the places `(F, 3)` that the root passes at an even pace; None if it finds its own way."""
        return None

    def at_rates(self, planned: Float64) -> "Constraint | None":
        """Return the constraint for the planning of a result whose frames are the planned frames `(F,)`.

        None if it cannot be planned with more frames than the result has.
        """
        return self

    @property
    def why_not_in_loops(self) -> str:
        """Return a sentence on why this cannot be met in a loop; "" if it can."""
        return ""

    def climb(self, up: Float64) -> "Callable[[Float64], Float64] | None":
        """Return a function from positions `(K, 3)` to the root's rise `(K,)` there; None if it stays level."""
        return None

    def why_not_replaced(self, first: int, end: int, start: int) -> str:
        """Return a sentence on why frames `first` up to `end` cannot be generated again on their own; "" if they can.

        start: the number of the result's first frame in messages.
        """
        return ""

    def over(self, first: int, frames: int) -> "Constraint | None":
        """Return the constraint for `frames` frames from `first` on, generated again on their own; None if it ends."""
        return None

    def check(self, task: Task) -> None:
        """Raise InputError if this contradicts the examples, the length, or other constraints of the task."""

    def groups_needed(self, task: Task) -> Groups | None:
        """Return groups of examples that must each be represented; None: the result may need any example."""
        return None

    def among(self, numbers: Int64) -> "Constraint":
        """Return the constraint for only some of the examples, by number."""
        return self

    def bound(self, task: Task) -> "Constraint":
        """Return the constraint that replaces this one in the task, with data that is computed once."""
        return self

    def posed_moments(self, task: Task) -> PosedMoments | None:
        """Return the moments that the rounds of a single cycle are to pass; None if a path must be planned instead."""
        return None

    def path_costs(self, task: Task, plan: PartPlan, initial_path: Int64, costs: PathCosts) -> PathCosts:
        """Return the costs of a part's path, with this constraint's added.

        initial_path: `(F',)`, in the part's own frames. costs: of the constraints before this one.
        """
        return costs

    def with_targets(self, rows: Rows, patch: int) -> Rows:
        """Return the rows `(F', C)` of a stage with which its patches of `patch` frames are to be matched."""
        return rows

    def folded(self, rows: Rows, frames: int) -> Rows:
        """Return the rows `(frames, C)` of a stage from the rows that all matched patches give together."""
        return rows

    def settled(self, task: Task, plan: PartPlan, settled: Settled, reach: int) -> Settled:
        """Return the segments at the full rate, each shifted by at most `reach` frames of its example."""
        return settled

    def paced(self, task: Task, draft: Callable[[Float64], Motion], planned: Float64) -> Float64:
        """Return the planned frames `(F,)` of the result's frames; draft: composes the motion at planned frames."""
        return planned

    def surrounded(self, task: Task, around: Surrounded) -> Surrounded:
        """Return the segments of a part, with those before and after them that must be composed as well."""
        return around

    def displaced(self, task: Task, channels: Channels, span: Span) -> Channels:
        """Return the composed channels changed to meet the constraint, before the feet are locked."""
        return channels

    def standing(self, task: Task, span: Span) -> NDArray[np.int8] | None:
        """Return for each foot `(F', feet)` 1 to lock it, -1 not to, 0 to keep its own contacts; None is 0 for all."""
        return None

    def steered(self, task: Task, track: RootTrack) -> RootTrack:
        """Return the root's track with the velocities that are to be integrated."""
        return track

    def anchored(self, task: Task, track: RootTrack) -> RootTrack:
        """Return the integrated track of a character, before other constraints move it."""
        return track

    def rooted(self, task: Task, walk: Walk) -> Walk:
        """Return the root's trajectory, guided to its targets."""
        return walk

    def repeated(self, task: Task, walk: Walk, track: RootTrack, span: Span) -> Walk:
        """Return the root's trajectory over all composed frames, given that over the frames of the result.

        track: of all composed frames, before integration.
        """
        return walk

    def posed_joints(self, span: Span) -> Mask | None:
        """Return a mask `(F', J)` of joints that keep their poses when feet are locked; None for none."""
        return None

    def finished(self, task: Task, composed: Composed, walk: Walk, span: Span) -> Composed:
        """Return the final motion, which meets the constraint exactly."""
        return composed

    def notes(self, task: Task) -> tuple[str, ...]:
        """Return sentences on conditions that cannot be met fully."""
        return ()


UNCONSTRAINED = Constraint()
