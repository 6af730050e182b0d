# SPDX-License-Identifier: GPL-3.0-or-later
"""Results and loops of one cycle: they go on through its rounds without a plan or a cut, each step at its own pace.

Paces differ within what the cycle's own two steps differ by: one cycle shows no other variation.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..arrays import Float64, Int64, Mask
from ..constraints.constraint import PosedMoments, Task
from ..examples.example_data import Examples
from ..examples.preparing import Prepared
from ..examples.shortlist import GOLDEN_RATIO
from ..feet.calm_paths import ALLOWED, NOTICED
from ..motion import rotations
from ..motion.comparing import ROUNDING
from ..motion.filters import smoothstep
from ..motion.interpolation import monotone_cubic
from ..motion.motion import Motion
from ..planning.segments import Segments
from ..planning.sources import HIGHEST_RATE, LOWEST_RATE, values_at


def whole_rounds(task: Task, seed: int) -> list[Segments] | None:
    """Return the segments of a result of the only example, a cycle, that is a loop, or is free but for fixed poses.

    A loop has the pace nearest to the cycle's at which it holds whole rounds, but none so quick that accelerations are
    noticed, unless it is shorter than the cycle. Fixed poses come where the cycle's nearest ones do, at a pace that
    changes little. None where the pace would be less than half or more than twice the cycle's, and for other tasks.
    Seeds begin at different moments of the cycle, and their steps differ in pace.
    """
    examples, parts = task.prepared.examples, task.prepared.parts
    if len(examples.motions) > 1 or math.isinf(examples.rounds[0]) or len(task.constraints) > 1:
        return None
    length = examples.rounds[0] / examples.positions[0][1]
    of_round, poses = _rates_of_round(task, length) if task.cyclic else np.ones(1), None
    for constraint in () if task.cyclic else task.constraints:
        moments = constraint.posed_moments(task)
        poses = None if moments is None else _timed_poses(moments, length)
        if poses is None:
            return None
        of_round = np.array([poses.highest_rate])
    rate = mean_rate(of_round)
    if not (task.cyclic or len(parts) == 1) or not LOWEST_RATE <= rate <= HIGHEST_RATE:
        return None
    # Half a round stays free at both ends of the example, since crossfades reach beyond a segment's ends.
    most = max(round(examples.motions[0].frames / length) - 2, 1) * length
    first: float = round((0.5 + (seed + 1) * GOLDEN_RATIO % 1.0) * length)
    # At the quickest pace, accelerations stay within what nobody notices; the slowest stays within the limits of rates.
    slowest, highest = of_round.min(), max(math.sqrt(ALLOWED) / of_round.max() - 1.0, 0.0)
    unevenness = min(_unevenness(task.prepared, length), highest, (slowest - LOWEST_RATE) / (slowest + LOWEST_RATE))
    steps = math.ceil(2 * task.frames * (rate if task.cyclic else 1.0) / length - ROUNDING)
    paces = _paces(task, seed, steps, unevenness)
    rates = _played(of_round, length, first, paces / paces.mean()) if task.cyclic else paces
    if poses is not None and len(poses.frames):
        first, rates = poses.passed(paces, length)
    passed = np.concatenate(([0.0], np.cumsum(rates[:-1])))
    starts = np.searchsorted(passed + ROUNDING, np.arange(0, passed[-1] + ROUNDING, most))
    sources = first + passed[starts] - np.arange(len(starts)) * most
    whole = np.rint(sources).astype(np.int64)
    if np.allclose(rates, 1.0) and np.allclose(sources, whole, rtol=0.0, atol=ROUNDING):
        return [Segments(starts, whole, task.frames)] * len(parts)
    return [Segments(starts, sources, task.frames, rates)] * len(parts)


def _rates_of_round(task: Task, length: float) -> Float64:
    """Return the rates at evenly spaced places of a round for a loop that holds whole ones, if possible at most 2.

    Their mean is nearest to 1 among those whose accelerations are not noticed. Paces differ least up to accelerations
    that nobody notices.
    """
    three = task.prepared.motions[0].slice(0, min(math.ceil(3 * length) + 1, task.prepared.motions[0].frames))
    rates = quickest_rates(points_of(three), ALLOWED)
    inside = length * (1.0 + np.arange(0.0, 1.0, 0.125 / math.ceil(length)))
    quickest = np.interp(inside, np.arange(len(rates)), rates)
    count = task.frames / length
    below, above = max(math.floor(count), 1) / count, (max(math.floor(count), 1) + 1) / count
    nearer = above * below < 1.0 and above <= math.sqrt(NOTICED / ALLOWED) * mean_rate(quickest)
    rate = above if nearer else below
    return rates_of_mean(quickest, rate) if rate <= HIGHEST_RATE else np.array([rate])


def _played(of_round: Float64, length: float, first: float, paces: Float64) -> Float64:
    """Return the rates `(F,)` of a loop that begins at a place, at paces of mean 1 times the rates of a round."""
    ends = np.append(of_round, of_round[0])
    times = np.append(0.0, np.cumsum(1.0 / ends[1:] + 1.0 / ends[:-1]))
    times *= len(paces) / round(len(paces) * mean_rate(of_round) / length) / times[-1]
    places = np.linspace(0.0, length, len(times))
    passed = np.interp(first % length, places, times) + np.append(0.0, np.cumsum(paces))
    rounds = np.floor(passed / times[-1])
    return np.diff(rounds * length + np.interp(passed - rounds * times[-1], times, places))


@dataclass(frozen=True, eq=False)
class _TimedPoses:
    """Frames `(K,)` of a result, and the places `(K,)` in the cycle's rounds, ascending, that it passes there."""

    frames: Int64
    places: Float64

    @property
    def highest_rate(self) -> float:
        """Return the highest rate from one to the next, at least 1."""
        return float(np.max(np.diff(self.places) / np.diff(self.frames), initial=1.0))

    def passed(self, paces: Float64, length: float) -> tuple[float, Float64]:
        """Return the first place, in the second half of a round, and the rates `(F,)` for steps of some paces `(F,)`.

        Between the poses the rate changes smoothly; before and after them it is that of the paces.
        """
        times = np.concatenate(([0.0], np.cumsum(paces)))
        knots, beyond = times[self.frames], np.array([2.0, 1.0]) * times[-1]
        knots = np.concatenate((knots[0] - beyond, knots, knots[-1] + beyond[::-1]))
        values = np.concatenate((self.places[0] - beyond, self.places, self.places[-1] + beyond[::-1]))
        places = monotone_cubic(knots, values, times)
        return float(places[0] - math.floor(places[0] / length - 0.5) * length), np.diff(places)


def _timed_poses(moments: PosedMoments, length: float) -> _TimedPoses | None:
    """Return the places in the rounds of a cycle for poses, with the least sum of the costs of poses and of paces.

    A pace whose accelerations are just noticed costs as much as a pose at a distance of one. None if there is no pace
    within the limits of rates.
    """
    first, spans = round(0.5 * length), np.diff(moments.frames)
    if not len(moments.frames):
        return _TimedPoses(moments.frames, np.zeros(0))
    costs = moments.costs[:, first : first + math.floor(length)]
    inside, total, before = np.arange(costs.shape[1]), costs[0], list[Int64]()
    for span, costs_there in zip(spans, costs[1:], strict=True):
        rates = _advances(inside - inside[:, None], span, length) / span
        strains = np.square(2 * np.log(np.maximum(rates, LOWEST_RATE / 2)) / math.log(NOTICED))
        paced = total[:, None] + np.where((rates >= LOWEST_RATE) & (rates <= HIGHEST_RATE), strains, np.inf)
        before.append(paced.argmin(axis=0))
        total = paced.min(axis=0) + costs_there
    if not np.isfinite(total.min()):
        return None
    path = [int(total.argmin())]
    for earlier in reversed(before):
        path.insert(0, int(earlier[path[0]]))
    advances = _advances(np.diff(path), spans, length)
    return _TimedPoses(moments.frames, first + path[0] + np.concatenate(([0.0], np.cumsum(advances))))


def _advances(inside: Int64, frames: Int64 | np.int64, length: float) -> Float64:
    """Return the frames of a cycle nearest to some in number that pass by a distance inside a round and whole ones."""
    return np.asarray(inside + np.rint((frames - inside) / length) * length)


def _paces(task: Task, seed: int, steps: int, unevenness: float) -> Float64:
    """Return the pace `(F,)` of a result of several steps, each of which differs from 1 by at most the unevenness."""
    paces = 1.0 + unevenness * np.random.default_rng(seed).uniform(-1.0, 1.0, steps)
    paces = np.append(paces, paces[:1] if task.cyclic else paces[-1:])
    place = np.arange(task.frames) * (steps / task.frames)
    before = place.astype(np.int64)
    return np.asarray(paces[before] + smoothstep(place - before) * (paces[before + 1] - paces[before]))


def _unevenness(prepared: Prepared, length: float) -> float:
    """Return the difference of the times from one foot's passing the other to its being passed, as a share of a round.

    The least of all pairs of feet that pass each other twice in a round. Half a frame is no difference.
    """
    motion, count = prepared.motions[0], math.ceil(2 * length)
    positions, up = motion.pose()[1][: count + 1].astype(np.float64), np.array(motion.skeleton.up)
    back, uneven = rotations.inverse(prepared.examples.tracks[0].heading[: count + 1].astype(np.float64)), list[float]()
    for foot, other in combinations([foot.joint for foot in prepared.feet], 2):
        between = rotations.rotate(back, positions[:, foot] - positions[:, other])
        between -= (between @ up)[:, None] * up
        ahead = between @ np.linalg.svd(between - between.mean(axis=0), full_matrices=False)[2][0]
        passing = np.flatnonzero((ahead[1:] > 0) != (ahead[:-1] > 0))
        steps = np.diff(passing + ahead[passing] / (ahead[passing] - ahead[passing + 1]))
        if len(steps) > 1 and abs(steps[0] + steps[1] - length) < 1.0:
            uneven.append(abs(float(steps[0] - steps[1])))
    least = min(uneven, default=0.0)
    return least / length if least > 0.5 else 0.0


def leaves_slides(task: Task, rounds: Sequence[Segments]) -> bool:
    """Return whether the feet of a cycle in place move as in it: on a treadmill they slide, which locking would end.

    Near fixed poses, feet that stand in the cycle for most of the time are locked.
    """
    contacts, examples = task.prepared.example_feet.contacts, task.prepared.examples
    is_changed = not task.cyclic and bool(task.constraints) and 2 * np.count_nonzero(contacts) >= contacts.size
    seamless = all(is_seamless(part, examples)[1:].all() for part in rounds)
    return examples.root.in_place and seamless and not is_changed


def is_seamless(segments: Segments, examples: Examples) -> Mask:
    """Return a mask `(R,)` of the segments that begin where the one before leads, but in another round of a cycle."""
    seamless = np.zeros(len(segments.starts), bool)
    if np.isinf(examples.rounds).all():
        return seamless
    starts, lasts = segments.starts[1:], segments.starts[1:] - 1
    seamless[1:], positions = True, np.concatenate(examples.positions)
    steps = np.array([positions_of[-1] / max(len(positions_of) - 1, 1) for positions_of in examples.positions])
    for source in segments.weighted_sources():
        left, arrived = source.positions[lasts], source.positions[starts]
        before, after = (examples.bounds.example_of(np.floor(place).astype(np.int64)) for place in (left, arrived))
        passed = values_at(positions, arrived) - values_at(positions, left) - source.rates[lasts] * steps[before]
        rounds = passed / examples.rounds[before]
        is_whole = np.abs(rounds - np.rint(rounds)) <= ROUNDING
        seamless[1:] &= (before == after) & is_whole & np.isfinite(examples.rounds[before])
    return seamless


def without_seamless(segments: Segments, examples: Examples) -> Segments:
    """Return the segments joined where they go on in another round of a cycle; their sources are those of the first."""
    seen = ~is_seamless(segments, examples)
    return Segments(segments.starts[seen], segments.sources[seen], segments.frames)


def pace_note(task: Task, segments: Segments) -> tuple[str, ...]:
    """Return a sentence on the mean pace of a loop of whole rounds and on lengths without it, if it is not 1."""
    if segments.rates is None or not task.cyclic or np.isclose(segments.rates.mean(), 1.0):
        return ()
    rate, examples = float(segments.rates.mean()), task.prepared.examples
    length = examples.rounds[0] / examples.positions[0][1]
    below = math.floor(task.frames / length)
    fitting = " or ".join(str(round(count * length)) for count in (below, below + 1) if count)
    return (
        f"The cycle plays at {100 * rate:.0f} % of its speed, so that the loop holds whole rounds of it; "
        f"loops of {fitting} frames play at its own speed.",
    )


def points_of(motion: Motion) -> Float64:
    """Return the positions `(T, P, 3)` of all joints, and of a point beside each last one, which moves as it turns."""
    orientations, positions = motion.pose()
    last = np.setdiff1d(np.arange(len(motion.skeleton.parents)), motion.skeleton.parents)
    lengths = np.linalg.norm(motion.skeleton.rest_translations[last], axis=1)
    beside = orientations[:, last].mean(axis=3) * np.where(lengths > 0, lengths, 1.0)[:, None]
    return np.concatenate((positions, positions[:, last] + beside), axis=1).astype(np.float64)


def quickest_rates(points: Float64, factor: float) -> Float64:
    """Return the highest rates `(T,)`, at most 2, that raise no point's largest acceleration by more than a factor.

    points: `(T, P, 3)`. Half the square of the rate, u, changes so slowly that 2 u |x''| + |u'| |x'|, above which no
    point accelerates, stays below its limit (time-optimal path parameterization: Bobrow, Dubowsky, Gibson 1985). Rates
    near the ends do not know what is beyond them.
    """
    speeds = np.linalg.norm(np.gradient(points, axis=0), axis=2)
    bends = np.zeros_like(speeds)
    bends[1:-1] = np.linalg.norm(np.diff(points, 2, axis=0), axis=2)
    limits = factor * bends.max(axis=0) + ROUNDING * (bends.max() or 1.0)
    highest = np.minimum((limits / np.maximum(2 * bends, ROUNDING * limits)).min(axis=1), HIGHEST_RATE**2 / 2)
    moved = np.maximum(speeds[1:], speeds[:-1])
    resisted = np.maximum(moved + 2 * np.maximum(bends[1:], bends[:-1]), ROUNDING * limits)
    for at in range(1, len(points)):
        reached = (limits + highest[at - 1] * moved[at - 1]) / resisted[at - 1]
        highest[at] = min(highest[at], reached.min())
    for at in range(len(points) - 2, -1, -1):
        left = (limits + highest[at + 1] * moved[at]) / resisted[at]
        highest[at] = min(highest[at], left.min())
    return np.asarray(np.sqrt(2 * highest))


def rates_of_mean(quickest: Float64, rate: float) -> Float64:
    """Return rates `(N,)` at evenly spaced places, of a given mean over the time in which they are played.

    quickest: `(N,)`, of `quickest_rates`. Above 1, rates are as even as these allow, or if they are not enough, raised
    in proportion, but to no more than 2. Below 1, they are lowest where the quickest are highest.
    """
    low, high = 0.0, 2 * HIGHEST_RATE
    while high - low > ROUNDING:
        middle = (low + high) / 2
        low, high = (middle, high) if mean_rate(_limited(quickest, middle, rate)) < rate else (low, middle)
    return _limited(quickest, high, rate)


def mean_rate(rates: Float64) -> float:
    """Return the mean rate over the time in which evenly spaced places are played at some rates `(N,)`."""
    return float(1.0 / np.mean(1.0 / rates))


def _limited(quickest: Float64, limit: float, rate: float) -> Float64:
    """Return the quickest rates up to a limit, beyond 2 raised in proportion; or below 1, its quotients by them."""
    if rate < 1:
        return np.clip(limit / quickest, (LOWEST_RATE + rate) / 2, 1.0)
    return np.minimum(quickest * max(limit / HIGHEST_RATE, 1.0), min(limit, HIGHEST_RATE))
