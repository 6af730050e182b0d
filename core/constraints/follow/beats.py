# SPDX-License-Identifier: GPL-3.0-or-later
"""Constraint to dance on the beat: accents of the motion fall on the beats of music, at rates that change smoothly."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np

from ...arrays import Float64, Int64
from ...errors import InputError
from ...examples.memory.estimates import PAIR_BYTES, ConstraintBytes
from ...examples.part_plans import PartPlan
from ...examples.transition_graph import Groups
from ...motion.filters import smooth_line
from ...motion.ground_travel import SWAY_SECONDS
from ...motion.motion import Motion
from ...planning.crossfades import SHORTEST_CROSSFADE_SECONDS
from ...planning.frame_cost import FrameCost, PathCosts
from ..constraint import SHORTEST_SHARE, UNCONSTRAINED, Composed, Constraint, Settled, SignalMatch, Span, Task, Walk
from .accents import SMOOTHING_SECONDS, accents
from .constraint import WORST_COST, budget_of

SLOWEST, FASTEST = 0.85, 1.18
"""Rates, in example frames per frame, that are not noticed as slow or fast motion."""
OFF_BEAT = 0.1
"""Share of the worth of an accent on its beat that is lost at the largest distance at which both are still paired."""
SKIPPED = 4
"""Largest number of beats in a row that a time map may pass without an accent and still bring the next one onto its
beat. More leave time enough to begin again from any accent."""
HEARD_SECONDS = 2.0 / 30.0
"""Time, in seconds, between a beat and an accent that are seen as one (within 70 ms, as beats are compared: Davies et
al. 2009). From twice of it on, an accent is as good as none."""
APPROACH_SECONDS = SHORTEST_CROSSFADE_SECONDS / 2.0 + SMOOTHING_SECONDS
"""Time, in seconds, around a beat over which the motion must lead to an accent and away from it: a cut between other
frames blurs the accents that are as near to it as half a crossfade."""
STRENGTH = 0.8
"""Strength of beats, as that of other signals: from 0.5 to 0.8, accents fall on 79 and 87 % of the beats of 15 clips,
and the local distance grows from 3.9 to 5.0 times that without music."""
DRAFTS = 3
"""Number of compositions, in each of which accents are brought nearer to beats; the one with most on them is taken."""


def map_onto_beats(
    beats: Float64, accents: Float64, fixed: Float64, frames: int, planned: int, slack: float, width: float
) -> Float64:
    """Return the planned frame `(F,)` of each result frame that brings the most accents onto beats, most evenly.

    beats: `(B,)` ascending, in result frames. accents: `(A,)` ascending, in planned frames. fixed: `(K,)` result frames
    that keep their place, if there are as many planned frames as result frames; if the last is not one of them, the
    result may end before the plan does. slack: largest distance of an accent from its beat, in result frames. width:
    deviation, in frames, of the Gaussian that smooths the rates. Where a rate jumps, so does the speed of the body, and
    the accent beside it moves away from its beat. Rates are from SLOWEST to FASTEST.
    """
    pace = (planned - 1) / max(frames - 1, 1)
    anchors = np.unique(np.concatenate(([0.0], fixed, [frames - 1.0])))
    knots = [(0.0, 0.0)]
    for first, last in pairwise(anchors.tolist()):
        inside = beats[(beats > first) & (beats < last)]
        is_free = last == frames - 1.0 and last not in fixed
        knots += _between((first, first * pace), (last, last * pace), inside, accents, pace, slack, is_free)
    times = np.interp(np.arange(frames), *np.array(knots).T)
    for start, end in pairwise(anchors.astype(np.int64).tolist()):
        # The Gaussian reaches three deviations. Inside of a stretch, it keeps both of its ends in place.
        times[start : end + 1] = smooth_line(times[start : end + 1], min(width, (end - start) / 3))
    return np.asarray(times)


def _between(
    first: tuple[float, float],
    last: tuple[float, float],
    beats: Float64,
    accents: Float64,
    pace: float,
    slack: float,
    is_free: bool,
) -> list[tuple[float, float]]:
    """Return the knots after `first` up to `last`, both pairs of a result frame and a planned frame.

    is_free: whether the last result frame may be an earlier planned frame. Dynamic programming over pairs of a beat and
    an accent near it; each pair counts one, less its unevenness and its distance.
    """
    # Each pair: frame, planned frame, score, and the pair before it.
    pairs: list[tuple[float, float, float, int]] = [(*first, 0.0, -1)]
    of_beat: list[range] = [range(1)]
    # Accents beyond the beats that may be skipped belong to other beats. The search stays linear in the beats.
    furthest = (SKIPPED + 1) * float(np.diff(beats).max()) if len(beats) > 1 else last[0] - first[0]
    for beat in beats.tolist():
        begin, passed = len(pairs), beat - first[0]
        low, high = max(passed * SLOWEST, passed * pace - furthest), min(passed * FASTEST, passed * pace + furthest)
        reach = slice(*np.searchsorted(accents, (first[1] + low, np.nextafter(first[1] + high, np.inf))))
        before = [index for group in of_beat[-SKIPPED - 1 :] for index in group]
        for accent in accents[reach].tolist():
            for late, lost in ((0.0, 0.0), (-slack * pace, OFF_BEAT), (slack * pace, OFF_BEAT)):
                best = _best_before(pairs, before, beat, accent + late, pace)
                if best is not None:
                    pairs.append((beat, accent + late, best[0] - lost, best[1]))
        if len(pairs) > begin:
            of_beat.append(range(begin, len(pairs)))
    best = _best_before(pairs, [*range(len(pairs))], *last, pace)
    if is_free:
        # After the last pair, the pace goes on.
        ends = [planned + pace * (last[0] - frame) for frame, planned, _, _ in pairs]
        within = [index for index, end in enumerate(ends) if end <= last[1] + 1e-9]
        index = max(within, key=lambda index: pairs[index][2])
        if best is None or pairs[index][2] + 1.0 > best[0]:
            best, last = (pairs[index][2], index), (last[0], ends[index])
    knots, index = [last], 0 if best is None else best[1]
    while index > 0:
        knots.append(pairs[index][:2])
        index = pairs[index][3]
    return knots[::-1]


def _best_before(
    pairs: list[tuple[float, float, float, int]], before: list[int], frame: float, planned: float, pace: float
) -> tuple[float, int] | None:
    """Return the best score of a pair and the pair before it; None if no rate in range leads to it."""
    earlier = np.array([pairs[index][:3] for index in before])
    rates = (planned - earlier[:, 1]) / np.maximum(frame - earlier[:, 0], 1e-9)
    scores = np.where((rates >= SLOWEST) & (rates <= FASTEST), earlier[:, 2] + 1.0 - np.square(rates - pace), -np.inf)
    best = int(scores.argmax())
    return (float(scores[best]), before[best]) if np.isfinite(scores[best]) else None


@dataclass(frozen=True, eq=False)
class OnBeat(Constraint):
    """Beats `(B,)`, ascending, in frames of the result, on which accents of the motion fall.

    Segments are played at rates of SLOWEST to FASTEST. The whole result is played at the pace within these that brings
    the tempo of the examples nearest to that of the beats, or to half or twice of it. Raises InputError for fewer than
    two beats.

    >>> on_beat = OnBeat(np.arange(5.0, 60.0, 15.0))
    >>> synthesize(prepared, 60, constraints=Constraints(others=(on_beat,))).followed[0].beats
    4
    """

    beats: Float64
    memory: ClassVar[ConstraintBytes] = ConstraintBytes(pairs=PAIR_BYTES)

    def __post_init__(self) -> None:
        if self.beats.ndim != 1 or len(self.beats) < 2 or not (np.diff(self.beats) > 0).all():
            raise InputError("There are fewer than two beats in the frames of the result; add beats by tapping.")

    def groups_needed(self, task: Task) -> Groups:
        """Return no groups: any examples have accents."""
        return ()

    def bound(self, task: Task) -> Constraint:
        """Return the constraint with the beats inside the result, the examples' accents and the pace of the result.

        Raises InputError for fewer than two such beats.
        """
        inside = OnBeat(self.beats[(self.beats >= 0) & (self.beats <= task.frames - 1)])
        found = [accents(motion) for motion in task.prepared.motions]
        if not any(map(len, found)):
            return UNCONSTRAINED
        is_fixed = task.cyclic or any(constraint.poses is not None for constraint in task.constraints)
        pace = 1.0 if is_fixed else _pace(inside.beats, found)
        firsts = task.prepared.bounds.starts
        every = np.concatenate([first + frames for first, frames in zip(firsts, found, strict=True)])
        return _BoundOnBeat(inside.beats, every.astype(np.float64), np.full(task.frames, pace))


@dataclass(frozen=True, eq=False)
class _BoundOnBeat(OnBeat):
    """Beats, the accents `(A,)` among the N frames of the examples, and the example frames `(F,)` that pass in each."""

    accents: Float64
    paces: Float64

    @property
    def rates(self) -> Float64:
        """Return the pace of the result."""
        return self.paces

    def at_rates(self, planned: Float64) -> "OnBeat":
        """Return the constraint with the beats at the planned frames."""
        return replace(self, beats=np.interp(self.beats, np.arange(len(planned)), planned))

    def path_costs(self, task: Task, plan: PartPlan, initial_path: Int64, costs: PathCosts) -> PathCosts:
        """Add the cost of frames around the beats that do not lead to an accent in time and away from it."""
        if not task.leads(plan) and plan is not task.prepared.parts[task.prepared.planning.root_part]:
            return costs
        length, rate, ratio = len(initial_path), task.prepared.frames_per_second, task.prepared.planning.finest.ratio
        stage, middles = self.beats / task.frames * length, np.arange(length) + 0.5
        # The beat nearest to each stage frame, and how many frames later it is.
        later = stage[np.abs(middles[:, None] - stage).argmin(axis=1)] - middles
        near = np.abs(later) <= max(APPROACH_SECONDS * rate * ratio, 0.5)
        rows = np.where(near, np.cumsum(near) - 1, -1)
        frames = task.prepared.examples.speeds.sampled[plan.source_frames]
        votes = self._votes(frames + later[near, None] / ratio, rate)
        # Bad transitions would blur the accents.
        followed = costs.with_signal(FrameCost(votes.astype(np.float32), rows), budget_of(STRENGTH))
        return replace(followed, shortest=min(costs.shortest, SHORTEST_SHARE), by_poses=True)

    def settled(self, task: Task, plan: PartPlan, settled: Settled, reach: int) -> Settled:
        """Return the segments, with votes against shifts by which their accents miss beats."""
        segments = settled.segments
        if not segments.plain or plan is not task.prepared.parts[task.prepared.planning.root_part]:
            return settled
        number = np.searchsorted(segments.starts, self.beats, side="right") - 1
        source_frames = segments.sources[number] + self.beats - segments.starts[number]
        source_frames = source_frames[:, None] + np.arange(-2 * reach, 2 * reach + 1)
        votes = np.zeros((len(segments.starts), source_frames.shape[1]), np.float32)
        np.add.at(votes, number, self._votes(source_frames, task.prepared.frames_per_second).astype(np.float32))
        return replace(settled, votes=votes if settled.votes is None else settled.votes + votes)

    def _votes(self, places: Float64, rate: float) -> Float64:
        """Return the votes against showing places of the examples on a beat, by their distances to accents."""
        return WORST_COST * np.minimum(np.square(_distance(places, self.accents) / (2.0 * HEARD_SECONDS * rate)), 1.0)

    def paced(self, task: Task, draft: Callable[[Float64], Motion], planned: Float64) -> Float64:
        """Return the planned frames by which accents of the motion come onto the beats."""
        if np.ptp(np.diff(planned)) > 1e-6:
            return planned
        fixed = [constraint.poses.frames for constraint in task.constraints if constraint.poses is not None]
        ends = [task.frames - 1] if task.cyclic else []
        pinned = np.concatenate([ends, *fixed]).astype(np.float64)
        rate = task.prepared.frames_per_second
        slack, width = 0.5 * HEARD_SECONDS * rate, SWAY_SECONDS * rate
        best, most, times = planned, -1, planned
        for _ in range(DRAFTS):
            # Crossfades and planted feet move accents, so they are those of the composed motion.
            found = accents(motion := draft(times))
            if (count := self._hits(motion)) > most:
                best, most = times, count
            at = np.interp(found, np.arange(task.frames), times)
            times = map_onto_beats(self.beats, at, pinned, task.frames, round(planned[-1]) + 1, slack, width)
        return best

    def _hits(self, motion: Motion) -> int:
        """Return the number of beats on which an accent of a motion falls."""
        found, near = accents(motion).astype(np.float64), HEARD_SECONDS * motion.frames_per_second
        return int((_distance(self.beats, found) <= near + 1e-9).sum()) if len(found) else 0

    def finished(self, task: Task, composed: Composed, walk: Walk, span: Span) -> Composed:
        """Return the motion, with the number of beats on which an accent falls."""
        motion = composed.motion.slice(span.margin, span.margin + span.frames)
        match = SignalMatch("beats", None, len(self.beats), self._hits(motion))
        return replace(composed, followed=(*composed.followed, match))


def _distance(values: Float64, places: Float64) -> Float64:
    """Return the distance of each value to the nearest of ascending places."""
    after = np.searchsorted(places, values)
    low, high = np.maximum(after - 1, 0), np.minimum(after, len(places) - 1)
    return np.asarray(np.minimum(np.abs(values - places[low]), np.abs(values - places[high])))


def _pace(beats: Float64, found: Sequence[Int64]) -> float:
    """Return the pace nearest to that at which the examples' accents follow each other as beats, or two to one, do."""
    intervals = np.concatenate([np.diff(frames) for frames in found])
    if not len(intervals):
        return 1.0
    own, beat = float(np.median(intervals)), float(np.median(np.diff(beats)))
    paces = np.array([own / (beat * count) for count in (0.5, 1.0, 2.0)])
    nearest = float(paces[np.abs(np.log(paces)).argmin()])
    return float(np.clip(nearest, SLOWEST, FASTEST))
