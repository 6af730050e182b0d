# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops: patches and segments continue over the seam, and the root from one round to the next."""

from dataclasses import dataclass, replace
from enum import Enum
from typing import ClassVar

import numpy as np

from ..arrays import Float64, Int64, Rows
from ..errors import InputError
from ..examples.part_plans import PartPlan
from ..examples.transition_costs import Bounds
from ..examples.transition_graph import Groups
from ..feet.leg_ik import move_together
from ..motion import rotations
from ..motion.climbing import with_height_of
from ..motion.filters import wrap_angle
from ..motion.ground_travel import STRIDE_SECONDS
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, RootTrack, apply_root, encode_root
from ..planning.crossfades import LONGEST_CROSSFADE_SECONDS
from ..planning.frame_cost import FrameCost, PathCosts
from ..planning.min_cost_path import VOTED_TRANSITION_COST
from ..planning.segments import Segments, Surrounded
from .constraint import Closing, Composed, Constraint, Settled, Span, Task, Walk
from .pose_targets import AVOIDED_COST

STEEPEST_CLOSING = 0.6
"""Highest rate, in radians per second, at which a round is turned so that it ends with its first heading."""
CLOSING_WEIGHT = 4.0
"""Weight of the transition that closes a loop, in multiples of that of other transitions."""


class Loop(Enum):
    """Kinds of loops, in which the last frame leads to the first.

    The result has one frame more than requested: the first frame of the next round.

    >>> synthesize(prepared, 60, constraints=Constraints(loop=Loop.IN_PLACE)).motion.frames
    61
    """

    OFF = "OFF"
    TRAVEL = "TRAVEL"
    """A loop in which each round begins where the one before ended."""
    IN_PLACE = "IN_PLACE"
    """A loop without its travel, as on a treadmill."""


@dataclass(frozen=True)
class LoopConstraint(Constraint):
    """A result whose last frame leads to its first. It is a task's last constraint: it closes what others made."""

    kind: Loop
    cyclic: ClassVar[bool] = True

    def groups_needed(self, task: Task) -> Groups:
        """Return no groups, since any examples can be closed."""
        return ()

    def check(self, task: Task) -> None:
        """Raise InputError if the result is too short, or if other constraints do not return to their beginning."""
        if task.frames < 2:
            raise InputError("A loop needs 2 frames or more; make it longer.")
        for other in task.constraints:
            if other.why_not_in_loops:
                raise InputError(other.why_not_in_loops)

    def path_costs(self, task: Task, plan: PartPlan, initial_path: Int64, costs: PathCosts) -> PathCosts:
        """Add the cost of the transition that closes the loop, and decide the frame that it begins with."""
        first = _beginning(plan, int(initial_path[0]), costs.frame_costs)
        closing = _frame_cost_of_closing(plan, first, len(initial_path))
        return replace(costs, first=first, closing=closing)

    def with_targets(self, rows: Rows, patch: int) -> Rows:
        """Return the rows with the first ones repeated after the end, so that patches reach over the seam."""
        return np.concatenate((rows, rows[: patch - 1]))

    def folded(self, rows: Rows, frames: int) -> Rows:
        """Return the rows with those beyond the end blended into the beginning, weighted by numbers of patches."""
        over = len(rows) - frames
        if over <= 0:
            return rows
        share = (np.arange(over, dtype=np.float32) + 1.0)[:, None] / (over + 1.0)
        folded = rows[:frames].copy()
        folded[:over] = folded[:over] * share + rows[frames:] * (1.0 - share)
        return folded

    def settled(self, task: Task, plan: PartPlan, settled: Settled, reach: int) -> Settled:
        """Shift the first segment so that the last leads to it, and fix the last one."""
        fixed = settled.fixed.copy()
        fixed[-1] = True
        segments = settled.segments
        if not fixed[0] and segments.plain:
            segments = _closed(segments, task.prepared.rows[:, plan.columns], task.prepared.bounds, reach)
        return replace(settled, segments=segments, fixed=fixed)

    def surrounded(self, task: Task, around: Surrounded) -> Surrounded:
        """Return the segments with those of the neighboring rounds."""
        # A crossfade at the seam reaches half its length into the neighboring round. A foot has one place in a stance,
        # which follows from all of the stance.
        crossfade = round(LONGEST_CROSSFADE_SECONDS / 2 * task.prepared.frames_per_second)
        margin = max(crossfade, 2, min(task.prepared.example_feet.longest_stance, task.frames))
        segments, begin = segments_around(around.segments, margin)
        return Surrounded(segments, begin, margin)

    def steered(self, task: Task, track: RootTrack) -> RootTrack:
        """Return the track turned evenly so that a round ends with its first heading, if that is not too steep.

        A round in place has no turn, as it has no travel.
        """
        total = float(track.yaw_rate.sum())
        drift = wrap_angle(total)
        steepest = STEEPEST_CLOSING * len(track.yaw_rate) / task.prepared.frames_per_second
        if self.kind is Loop.TRAVEL and abs(drift) > steepest:
            return track
        return replace(track, yaw_rate=(track.yaw_rate - drift / len(track.yaw_rate)).astype(np.float32))

    def anchored(self, task: Task, track: RootTrack) -> RootTrack:
        """Return the track, which ends where it began if the character stays in place."""
        root = task.prepared.root
        if not root.in_place:
            return track
        closed = ending_where_it_began(track)
        return with_height_of(closed, track, task.prepared.motions[0].skeleton.up) if root.climbs else closed

    def repeated(self, task: Task, walk: Walk, track: RootTrack, span: Span) -> Walk:
        """Return the walk with the neighboring rounds, each placed where the one before it ended."""
        up, at = task.prepared.motions[0].skeleton.up, span.at
        followed = any(other.follows_path for other in task.constraints)
        closing = Closing(np.zeros(3), 0.0) if followed else closing_of(walk.track, up)
        if task.prepared.root.in_place and not followed:
            closing = _on_the_spot(closing, walk.track.ground[0].astype(np.float64), up, task.prepared.root.climbs)
        body = replace(track, offset=walk.track.offset[at]) if followed else track
        notes = walk.notes
        if not closing.closes:
            degrees = abs(float(np.degrees(closing.turn)))
            notes = (
                *notes,
                f"Each round turns the character by {degrees:.0f} degrees; make the loop longer to close it.",
            )
        return Walk(rounds_around(walk.track, body, closing, span.margin, up), walk.rise[at], closing, notes)

    def finished(self, task: Task, composed: Composed, walk: Walk, span: Span) -> Composed:
        """Return one round, and the first frame of the next."""
        assert walk.closing is not None
        motion = _one_round(task.prepared.root, composed.motion, walk.closing, span, self.kind)
        return replace(composed, motion=motion, sources=composed.sources.take(np.append(np.arange(span.frames), 0)))


def _beginning(plan: PartPlan, first: int, frame_costs: tuple[FrameCost, ...]) -> int:
    """Return the part's frame that a loop begins with: the nearest with the least frame cost, or one easy to reach."""
    against = np.zeros(len(plan.source_frames), np.float32)
    for frame_cost in frame_costs:
        if frame_cost.rows[0] >= 0:
            against = against + frame_cost.table[frame_cost.rows[0]]
    if against.any():
        best = np.flatnonzero(against == against.min())
        return int(best[np.argmin(np.abs(best - first))])
    # Within a stride of the seed's first frame, the beginning is the frame with the cheapest transition to it.
    return _easiest_to_reach(plan, first, max(1, round(STRIDE_SECONDS * plan.graph.rate)))


def _easiest_to_reach(plan: PartPlan, first: int, within: int) -> int:
    """Return the frame, at most `within` frames from `first`, that has the cheapest transition to it."""
    low = max(first - within, int(plan.graph.begins[first]))
    high = min(first + within + 1, int(plan.graph.ends[first]) - plan.graph.shortest)
    if high <= low:
        return first
    return low + int(np.argmin(plan.graph.predecessors.costs[low:high].min(axis=1)))


def _frame_cost_of_closing(plan: PartPlan, first: int, length: int) -> FrameCost:
    """Return the cost, at the last of `length` stage frames, of a transition to the part's frame `first`."""
    costs = np.minimum(CLOSING_WEIGHT * (VOTED_TRANSITION_COST + plan.graph.costs_to(first)), AVOIDED_COST).astype(
        np.float32
    )
    if first > 0 and plan.graph.begins[first] < first:
        costs[first - 1] = 0.0
    rows = np.full(length, -1)
    rows[-1] = 0
    return FrameCost(costs[None], rows)


def _closed(segments: Segments, rows: Rows, bounds: Bounds, reach: int) -> Segments:
    """Return the segments with the first one shifted by a few frames so that the last leads to it."""
    length = int(segments.lengths[0])
    last = int(segments.sources[-1] + segments.lengths[-1] - 1)
    example = int(bounds.example_of(segments.sources[0]))
    low = max(int(segments.sources[0]) - reach, int(bounds.starts[example]))
    high = min(int(segments.sources[0]) + reach, int(bounds.ends[example]) - length)
    if high < low:
        return segments
    ends = int(bounds.ends[bounds.example_of(np.array(last))])
    around = np.arange(-2, 3)
    leaving = rows[np.clip(last + 1 + around, 0, ends - 1)]
    arrivals = np.arange(low, high + 1)
    entering = rows[np.clip(arrivals[:, None] + around, bounds.starts[example], bounds.ends[example] - 1)]
    costs = np.sum((entering - leaving) ** 2, axis=(1, 2))
    sources = segments.sources.copy()
    sources[0] = arrivals[int(np.argmin(costs))]
    return Segments(segments.starts, sources, segments.frames)


def _one_round(plan: RootPlan, motion: Motion, closing: Closing, span: Span, kind: Loop) -> Motion:
    """Return one round of a loop, and the first frame of the next."""
    first, frames = span.margin, span.frames
    up = np.array(motion.skeleton.up)
    motion = motion.slice(first, first + frames)
    if kind is Loop.IN_PLACE:
        share = np.arange(frames)[:, None] / frames
        motion = move_together(motion, plan.anchored, -share * closing.shift)
    beginning = motion.slice(0, 1)
    if kind is Loop.TRAVEL:
        track = encode_root(beginning, plan)
        spin = rotations.from_axis_angle(up, np.array(closing.turn)).astype(np.float32)
        heading = rotations.multiply(np.broadcast_to(spin, (1, 4)), track.heading)
        ground = rotations.rotate(np.broadcast_to(spin, (1, 4)), track.ground) + closing.shift
        beginning = apply_root(beginning, plan, replace(track, heading=heading, ground=ground.astype(np.float32)))
    channels = motion.channels()
    return motion.with_channels(
        {name: np.concatenate((channels[name], more)) for name, more in beginning.channels().items()}
    )


def segments_around(segments: Segments, least: int) -> tuple[Segments, int]:
    """Return the segments with whole ones of neighboring rounds, of at least `least` frames, and the round's start."""
    starts, sources = list(segments.starts), list(segments.sources)
    lengths = list(segments.lengths)
    before: list[tuple[int, float]] = []
    count, total = 0, 0
    while total < least or count < 2:
        index = -1 - count % len(starts)
        total += int(lengths[index])
        before.insert(0, (-total, sources[index]))
        count += 1
    after: list[tuple[int, float]] = []
    count, behind = 0, 0
    while behind < least or count < 2:
        index = count % len(starts)
        after.append((segments.frames + behind, sources[index]))
        behind += int(lengths[index])
        count += 1
    every = [*before, *zip(starts, sources, strict=True), *after]
    frames = total + segments.frames + behind
    surrounded = Segments(
        np.array([start + total for start, _ in every]), np.array([source for _, source in every]), frames
    )
    return surrounded.timed_as(segments, (np.arange(frames) - total) % segments.frames), total


def closing_of(track: RootTrack, up: tuple[float, float, float]) -> Closing:
    """Return the placement of the round that follows an integrated track."""
    total = float(track.yaw_rate.sum())
    turn = wrap_angle(total)
    turn = 0.0 if abs(turn) < 1e-4 else turn
    last = rotations.rotate(track.heading[-1].astype(np.float64), track.velocity[-1].astype(np.float64))
    end = track.ground[-1].astype(np.float64) + last
    spin = rotations.from_axis_angle(np.array(up), np.array(turn))
    return Closing(end - rotations.rotate(spin, track.ground[0].astype(np.float64)), turn)


def _on_the_spot(closing: Closing, place: Float64, up: tuple[float, float, float], climbs: bool) -> Closing:
    """Return a placement that turns about `place` `(3,)` and keeps its height, or its rise if the body climbs."""
    axis = np.array(up)
    spin = rotations.from_axis_angle(axis, np.array(closing.turn))
    rise = ((closing.shift @ axis) if climbs else 0.0) * axis
    return Closing(place - rotations.rotate(spin, place) + rise, closing.turn)


def ending_where_it_began(track: RootTrack) -> RootTrack:
    """Return an integrated track that ends where it began after its last step; the difference is spread evenly."""
    last = rotations.rotate(track.heading[-1].astype(np.float64), track.velocity[-1].astype(np.float64))
    drift = track.ground[-1] + last - track.ground[0]
    share = np.arange(len(track.ground))[:, None] / len(track.ground)
    return replace(track, ground=(track.ground - share * drift).astype(np.float32))


def rounds_around(
    track: RootTrack, body: RootTrack, closing: Closing, first: int, up: tuple[float, float, float]
) -> RootTrack:
    """Return `body`, the frames around a round that begins at its frame `first`, placed by the round's `track`."""
    frames = len(track.ground)
    at = np.arange(len(body.velocity)) - first
    rounds, inside = at // frames, at % frames
    ground, heading = track.ground[inside].astype(np.float64), track.heading[inside].astype(np.float64)
    spin = rotations.from_axis_angle(np.array(up), np.array(closing.turn))
    back = rotations.inverse(spin)
    for number in range(1, int(np.abs(rounds).max(initial=0)) + 1):
        later, earlier = rounds >= number, rounds <= -number
        ground[later] = rotations.rotate(np.broadcast_to(spin, (later.sum(), 4)), ground[later]) + closing.shift
        heading[later] = rotations.multiply(np.broadcast_to(spin, (later.sum(), 4)), heading[later])
        undone = ground[earlier] - closing.shift
        ground[earlier] = rotations.rotate(np.broadcast_to(back, (earlier.sum(), 4)), undone)
        heading[earlier] = rotations.multiply(np.broadcast_to(back, (earlier.sum(), 4)), heading[earlier])
    return replace(body, heading=heading.astype(np.float32), ground=ground.astype(np.float32))
