# SPDX-License-Identifier: GPL-3.0-or-later
"""Search for windows of a library that lead from one pose to another: all starts at once, one duration after another.

The cost of a window is the distance of its ends from the two poses and the motion around them, and the difference of
its travel and turn from those between the poses. The best window of each clip comes
first, then windows at other places of the clips.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Float32, Int64, Mask
from ..computation import computing
from ..errors import InputError
from ..features.cells import SEARCHED
from ..library.pose_index import PoseIndex, ground_and_turns, rows_of
from ..library.similar import OVERLAP
from ..motion import rotations
from ..motion.comparing import check_comparable
from ..motion.filters import wrap_angle
from ..motion.gap import Gap
from ..motion.motion import Motion
from .fillings import DurationCosts, GapWindow

CONTEXT = ((0.0, 1.0), (1 / 6, 0.3), (1 / 3, 0.3))
"""Times outside the gap, in seconds, and the weights of the poses there; chosen among a few on 757 captured clips."""
PLACE_WEIGHT = 0.1
"""Weight of squared distances along the ground, in sizes, relative to those of poses: travel can be changed, poses
cannot."""
TURN_WEIGHT = 0.01
"""Weight of squared turns, in radians, relative to squared distances of poses."""
RATES = (0.87, 0.93, 1.0, 1.07, 1.15)
"""Lengths of windows, in multiples of the gap's; windows are played faster or slower."""


@dataclass(frozen=True, eq=False)
class GapEnds:
    """Squared distances `(N,)` of all frames of an index from the ends of a gap.

    arrivals: `(N, 2)` the place where a window that begins at each frame would have to end for the gap's travel. turns:
    `(N,)` the heading there.
    """

    from_before: Float32
    from_after: Float32
    arrivals: Float32
    turns: Float32


def measure_ends(index: PoseIndex, gap: Gap) -> GapEnds:
    """Return the distances of all frames from the ends of a gap; a lone pose may have any speed.

    Raises InputError for a gap on another skeleton or at another rate.
    """
    space = index.space
    check_comparable(gap.before, space.joints, index.frames_per_second, "the library", who="The motion to fill")
    places, turns = ground_and_turns(space, gap.before)
    ground, turns_after = ground_and_turns(space, gap.after)
    offset = rotations.turn_on_ground(ground[0] - places[-1], -turns[-1])
    return GapEnds(
        from_before=_from_side(index, gap.before, -1),
        from_after=_from_side(index, gap.after, 1),
        arrivals=index.ground
        + rotations.turn_on_ground(np.broadcast_to(offset, index.ground.shape), index.turns).astype(np.float32),
        turns=index.turns + np.float32(turns_after[0] - turns[-1]),
    )


def window_costs(index: PoseIndex, ends: GapEnds, length: int) -> Float32:
    """Return the cost `(N,)` of the window of `length` frames from each frame; infinite if its motion ends before."""
    costs = np.full(index.frames, np.inf, np.float32)
    if length >= index.frames:
        return costs
    offset = index.ground[length:] - ends.arrivals[:-length]
    turn = wrap_angle(index.turns[length:] - ends.turns[:-length])
    totals = ends.from_before[:-length] + ends.from_after[length:]
    totals += PLACE_WEIGHT * np.einsum("nd,nd->n", offset, offset) + TURN_WEIGHT * turn * turn
    # A window must end in the motion in which it begins.
    within = index.clips[length:] == index.clips[:-length]
    costs[:-length] = np.where(within, totals, np.float32(np.inf))
    return costs


@dataclass(frozen=True, eq=False)
class Ranking:
    """Windows for a gap: `windows` at any of the rates, the best of each motion, the cheapest first; then windows at
    other places of the motions, also the cheapest first.

    similar: `(W,)` first frames, ascending, of the cheapest windows that last as long as the gap, neighbors included.
    """

    windows: list[GapWindow]
    similar: Int64


def rank_windows(index: PoseIndex, ends: GapEnds, frames: int, allowed: Mask | None = None) -> Ranking:
    """Return the windows for a gap of `frames` frames.

    allowed: mask `(M,)` of the motions that may be used; None is all.
    """
    lengths = np.array(sorted({max(1, round(rate * frames)) for rate in RATES}))
    costs = np.stack([window_costs(index, ends, int(length)) for length in lengths])
    if allowed is not None:
        costs[:, ~allowed[index.clips]] = np.inf
    similar = _cheapest(costs[lengths.tolist().index(frames)], SEARCHED)
    rates, costs = np.argmin(costs, axis=0), costs.min(axis=0)
    best = np.minimum.reduceat(costs, index.starts)
    # The first of the cheapest frames of each motion.
    at = np.flatnonzero(costs == best[index.clips])
    _, first = np.unique(index.clips[at], return_index=True)
    chosen = at[first]
    chosen = chosen[np.argsort(costs[chosen], kind="stable")]
    starts = [*chosen.tolist(), *_other_places(index, costs, chosen, round((1.0 - OVERLAP) * frames))]
    windows = [
        GapWindow(start, int(lengths[rates[start]]), float(costs[start]))
        for start in starts
        if np.isfinite(costs[start])
    ]
    return Ranking(windows, similar)


def _cheapest(costs: Float32, most: int) -> Int64:
    """Return the frames of up to `most` lowest finite costs, ascending."""
    count = min(most, int(np.isfinite(costs).sum()))
    return np.sort(np.argpartition(costs, count - 1)[:count]) if count else np.empty(0, np.int64)


def _other_places(index: PoseIndex, costs: Float32, taken: Int64, beside: int) -> list[int]:
    """Return more frames at which windows begin, cheapest first, `beside` frames from the others of their motion."""
    cheapest = _cheapest(costs, SEARCHED)
    known: dict[int, list[int]] = {int(index.clips[start]): [start] for start in taken.tolist()}
    chosen = []
    for start in cheapest[np.argsort(costs[cheapest], kind="stable")].tolist():
        starts_of_clip = known[int(index.clips[start])]
        if min(abs(start - other) for other in starts_of_clip) >= max(beside, 1):
            starts_of_clip.append(start)
            chosen.append(start)
    return chosen


@computing()
def cost_durations(index: PoseIndex, gap: Gap, durations: Sequence[int], allowed: Mask | None = None) -> DurationCosts:
    """Return the cost of each duration, in frames from pose to pose, at the library's own speed.

    Raises InputError for durations below one frame.

    >>> index = index_motions([swing]).index
    >>> cost_durations(index, Gap(swing.slice(0, 20), swing.slice(40, 60)), [15, 21, 30]).best
    21
    """
    if not len(durations) or min(durations) < 1:
        raise InputError("A gap lasts one frame or more; choose durations above zero.")
    ends = measure_ends(index, gap)
    left_out = np.zeros(index.frames, bool) if allowed is None else ~allowed[index.clips]
    costs = [float(window_costs(index, ends, length).min(initial=np.inf, where=~left_out)) for length in durations]
    return DurationCosts(np.array(durations, np.int64), np.array(costs))


def _from_side(index: PoseIndex, side: Motion, direction: int) -> Float32:
    """Return the distance `(N,)` of all frames from one end, its context included; direction: outwards from the end."""
    if side.frames == 1:
        return index.pose_distances(side)
    rows = rows_of(index.space, side)[::direction]
    frames, total = np.arange(index.frames), np.zeros(index.frames, np.float32)
    first, last = index.starts[index.clips], index.stops[index.clips] - 1
    for seconds, weight in CONTEXT:
        away = round(seconds * index.frames_per_second)
        if away < len(rows):
            shifted = np.clip(frames + direction * away, first, last)
            total += weight * index.squared_distances(rows[away])[shifted]
    return total
