# SPDX-License-Identifier: GPL-3.0-or-later
"""Stances: the times and places at which a foot stands, and steps between stances that a transition has separated."""

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, Float64, Int64, Mask
from ..motion import rotations
from ..motion.spans import joined_spans, spans

SHORTEST_STANCE_SECONDS = 0.1
"""Shortest stance, in seconds; a shorter contact is a touch."""
LONGEST_GAP_SECONDS = 0.07
"""Longest gap between contacts, in seconds, over which a stance continues. With 0.1, gaps of 30 frames were filled up
to three fifths farther from captured motion."""
STEP_FROM = 0.04
"""Smallest displacement across a transition, as a share of the skeleton's size, for which a standing foot steps."""
STEP_SECONDS = 0.2
"""Duration, in seconds, of steps up to a tenth of the size, about the shortest swing of a run; the duration of longer
steps grows with their length."""
LONGEST_STEP = 3.0
"""Longest duration of a step, in multiples of STEP_SECONDS."""
MOST_RISE = 0.13
"""Largest rise or fall of a step, as a share of the size: one stair of 15 cm is 0.09 at human size, two are 0.17. With
two stairs a step, knees of recorded walks accelerate up to 1.9 times as much as on flat ground. If the ground beside a
gap rises more, it is a leap, in which feet do not show the ground."""
LIFT = 0.1
"""Height of a step, as a share of the geometric mean of its length and the size: 4 cm for 10 cm at a size of 1.7 m. In
the Bandai Namco data set toes are up to 3.3 cm above the ground in steps of 6 to 15 cm (median of 58); feet lifted by
0.3 of the length, 2 cm, seemed to glide."""
HIGHEST_LIFT = 0.06
"""Largest height of a step, as a share of the skeleton's size."""


@dataclass(frozen=True, eq=False)
class Stance:
    """A foot's stance from frame `first` up to `end` at `place` `(3,)` on the ground."""

    first: int
    end: int
    place: Float64


def stances(
    contacts: Mask,
    level: Float64,
    transitions: Int64,
    rate: float,
    size: float,
    by_itself: Float64 | None = None,
) -> list[Stance]:
    """Return the stances of one foot, without touches and short gaps, divided where a transition displaces the foot.

    contacts: `(T,)`. level: `(T, 3)` place of the foot along the ground. transitions: the frames that begin another
    segment, ascending. by_itself: `(T, 3)` place without the constraints that guide the root, from which displacements
    by transitions are measured; None is `level`.
    """
    divided: list[Stance] = []
    for first, end in joined_spans(contacts, LONGEST_GAP_SECONDS * rate, SHORTEST_STANCE_SECONDS * rate):
        inside = transitions[np.searchsorted(transitions, first, side="right") : np.searchsorted(transitions, end)]
        edges = np.concatenate(([first], inside, [end]))
        for start, stop in itertools.pairwise(edges):
            place = _median(level[start:stop])
            before = divided[-1] if divided and divided[-1].end == start else None
            if before is None or _displacement(before, place, by_itself, start, stop) > STEP_FROM * size:
                divided.append(Stance(int(start), int(stop), place))
                continue
            share = (stop - start) / (stop - before.first)
            divided[-1] = Stance(before.first, int(stop), before.place + share * (place - before.place))
    return [stance for stance in divided if stance.end - stance.first >= SHORTEST_STANCE_SECONDS * rate]


def _displacement(before: Stance, place: Float64, by_itself: Float64 | None, start: int, stop: int) -> float:
    """Return the distance by which a transition at `start` displaces a foot, to `place` up to `stop`.

    A body that is guided more slowly than it moves by itself slides over its foot all the time. That is not a
    displacement, and a step in the middle of the stance would be a shuffle.
    """
    if by_itself is None:
        return rotations.length(place - before.place)
    return rotations.length(_median(by_itself[start:stop]) - _median(by_itself[before.first : before.end]))


def with_limited_drift(movement: Float64, planned: list[Stance], longest: float) -> Float64:
    """Return the foot's own movement `(T, 3)`, limited in each stance to `longest` from its beginning to its end.

    In a stance with a transition, the movements of both halves would add up to more than the examples have.
    """
    limited = movement.copy()
    for stance in planned:
        inside = slice(stance.first, stance.end)
        distance = rotations.length(movement[stance.end - 1] - movement[stance.first])
        if distance > longest:
            middle = _median(movement[inside])
            limited[inside] = middle + longest / distance * (movement[inside] - middle)
    return limited


def _median(places: Float64) -> Float64:
    """Return the median `(3,)` of places `(T, 3)`; faster than NumPy's own for few places."""
    ordered, middle = np.sort(places, axis=0), len(places) // 2
    return np.asarray(ordered[middle] if len(places) % 2 else (ordered[middle - 1] + ordered[middle]) / 2)


def between(fixed: Mask) -> Int64:
    """Return the frames halfway between neighboring stretches of `fixed` `(T,)` frames."""
    edges = np.array(spans(fixed), np.int64).reshape(-1, 2)
    return np.asarray((edges[:-1, 1] + edges[1:, 0]) // 2)


@dataclass(frozen=True)
class Step:
    """A foot's step from frame `first` up to `end` over a distance of `length`."""

    first: int
    end: int
    length: float


@dataclass(frozen=True)
class Swing(Step):
    """A foot's swing, a step for which it has time, and the distance by which it is `displaced` from its own path."""

    displaced: float


def swings(planned: Sequence[Stance], steps: Sequence[Step], movement: Float64, level: Float64) -> list[Swing]:
    """Return the swings of a foot between its stances that are not among its steps.

    movement: `(T, 3)` of the foot while it stands. level: `(T, 3)` its place along the ground without that.
    """
    found, stepping = list[Swing](), {step.first for step in steps}
    for before, after in itertools.pairwise(planned):
        first, end = before.end, after.first
        if end > first and first not in stepping:
            step = after.place - before.place
            length = rotations.length(step + movement[end] - movement[first - 1])
            found.append(Swing(first, end, length, rotations.length(step - level[end] + level[first - 1])))
    return found


@dataclass(frozen=True, eq=False)
class SwingHeights:
    """Heights of swings in the examples, as shares of their lengths: the least, and the median; 0 without swings.

    frames: mask `(T,)` of the frames at which swings may be flatter, since they are crossfaded with stances.
    """

    flattest: float
    usual: float
    frames: Mask

    def needed(self, swing: Swing, height: float, size: float) -> float:
        """Return the height of a crossfaded swing that is displaced, or flatter than any in the examples; 0 for others.

        height: the largest that it has by itself. size: of the skeleton.
        """
        natural = swing.displaced <= STEP_FROM * size and height >= self.flattest * swing.length
        if natural or not self.frames[swing.first : swing.end].any():
            return 0.0
        return min(self.usual * swing.length, HIGHEST_LIFT * size)


def with_support(
    planted: Sequence[list[Stance]], whole: Sequence[Mask], rate: float, size: float, largest: Sequence[float]
) -> list[list[Stance]]:
    """Return the stances of each foot, with steps inside a stance moved to the nearest time at which another stands.

    A transition may divide the stance of the only foot on the ground. Its step before the other foot has left, or after
    it has landed, is no hop. Steps for which there is no such time stay; those at the same frame take turns.
    whole: mask `(T,)` for each foot of the frames at which its stances may change; no step moves across others.
    largest: for each foot. rate, size, largest: see take_steps.
    """
    stands = np.zeros((len(planted), len(whole[0]) if whole else 0), bool)
    for foot, planned in enumerate(planted):
        for stance in planned:
            stands[foot, stance.first : stance.end] = True
    every = (pair for feet in planted for pair in itertools.pairwise(feet))
    stepping = Counter(after.first for before, after in every if before.end == after.first)
    least, moved = math.ceil(SHORTEST_STANCE_SECONDS * rate), [list(planned) for planned in planted]
    for foot, planned in enumerate(moved):
        others = np.asarray(np.delete(stands, foot, axis=0).any(axis=0), np.bool_)
        limits = np.array([-1, *np.flatnonzero(~whole[foot]).tolist(), stands.shape[1]])
        for index in range(len(planned) - 1):
            before, after = planned[index : index + 2]
            if before.end != after.first or stepping[after.first] > 1:
                continue
            seconds = _seconds_in_stance(rotations.length(after.place - before.place), rate, size, largest[foot])
            half = _half_of(seconds, rate)
            lowest, highest = limits[np.searchsorted(limits, after.first) + np.array([-1, 0])].tolist()
            first, end = max(before.first + least, lowest + 1), min(after.end - least, highest)
            middle = _nearest_free(others, after.first, half, first, end)
            planned[index], planned[index + 1] = replace(before, end=middle), replace(after, first=middle)
            stands[foot, max(middle - half, 0) : middle + half] = False
    return moved


def _nearest_free(free: Mask, frame: int, half: int, first: int, end: int) -> int:
    """Return the middle nearest to a frame of 2 * `half` free frames between `first` and `end`; without any, the frame.

    free: mask `(T,)`.
    """
    taken, middles = np.flatnonzero(~free[first:end]) + first, np.arange(first + half, end - half + 1)
    possible = middles[np.searchsorted(taken, middles - half) == np.searchsorted(taken, middles + half)]
    return int(possible[np.abs(possible - frame).argmin()]) if len(possible) else frame


def _seconds_in_stance(length: float, rate: float, size: float, largest: float) -> float:
    """Return the duration of a step between two stances without a gap, see take_steps."""
    # Of a cubic along the ground, and of a half wave above it.
    acceleration = math.hypot(6.0 * length, math.pi**2 * float(step_heights(length, size)))
    calm = math.sqrt(acceleration / largest) / rate
    return max(step_seconds(length, size), min(calm, LONGEST_STEP * STEP_SECONDS))


def _half_of(seconds: float, rate: float) -> int:
    """Return half of the frames of a step."""
    return max(1, round(seconds * rate / 2))


def take_turns(planted: list[list[Stance]]) -> list[dict[int, int]]:
    """Return for each foot the turns of its steps, by frame, when several feet step at once: -1 is early, 1 is late.

    A foot that steps alone has no turn.
    """
    stepping: dict[int, list[int]] = {}
    for foot, planned in enumerate(planted):
        for before, after in itertools.pairwise(planned):
            if before.end == after.first:
                stepping.setdefault(after.first, []).append(foot)
    turns: list[dict[int, int]] = [{} for _ in planted]
    for frame, feet in stepping.items():
        for order, foot in enumerate(feet if len(feet) > 1 else []):
            turns[foot][frame] = 1 if order % 2 else -1
    return turns


def step_seconds(length: float, size: float) -> float:
    """Return the duration of a step, in seconds; size: of the skeleton."""
    return STEP_SECONDS * min(max(length / (0.1 * size), 1.0), LONGEST_STEP)


def step_heights(lengths: Array | float, size: float) -> Float64:
    """Return the heights of steps over lengths; size: of the skeleton."""
    return np.asarray(np.minimum(LIFT * np.sqrt(lengths * size), HIGHEST_LIFT * size))


def calm_step_acceleration(size: float, rate: float) -> float:
    """Return the acceleration of the highest step in the longest time, in units per frame squared."""
    return math.pi**2 * HIGHEST_LIFT * size / (LONGEST_STEP * STEP_SECONDS * rate) ** 2


def take_steps(
    planned: list[Stance], turns: dict[int, int], level: Float64, rate: float, size: float, largest: float = np.inf
) -> tuple[list[Stance], list[Step]]:
    """Return the stances of a foot, shortened by the time for steps between them, and these steps.

    level: `(T, 3)` place of the foot along the ground. largest: the largest acceleration of a foot, in units per frame
    squared, for which steps take longer, up to the longest. If the foot already swings long enough for the remaining
    distance, the stances do not change. A stance that becomes too short is dropped, and the foot stays in the air.
    """
    firsts, ends, steps = [stance.first for stance in planned], [stance.end for stance in planned], []
    for index, (before, after) in enumerate(itertools.pairwise(planned)):
        gap, displacement = after.first - before.end, after.place - before.place
        if gap:
            displacement -= level[after.first] - level[before.end - 1]
        length = rotations.length(displacement)
        if gap:
            seconds = min(step_seconds(length, size), STEP_SECONDS * length / (0.1 * size))
        else:
            seconds = _seconds_in_stance(length, rate, size, largest)
        if gap >= seconds * rate:
            continue
        half = _half_of(seconds, rate)
        middle = (before.end + after.first) // 2 + half * turns.get(after.first, 0)
        ends[index], firsts[index + 1] = min(middle - half, ends[index]), max(middle + half, firsts[index + 1])
        steps.append(Step(ends[index], firsts[index + 1], length))
    least = SHORTEST_STANCE_SECONDS * rate
    kept = [
        Stance(first, end, stance.place)
        for first, end, stance in zip(firsts, ends, planned, strict=True)
        if end - first >= least
    ]
    return kept, steps
