# SPDX-License-Identifier: GPL-3.0-or-later
"""Windows of a library that lead from one pose to another: all starts at once, for one duration after another.

A window costs how far its ends are from the two poses and from what is around them, and how far its way and turn are
from the way and turn between them. Only the best window of each clip is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..motion.filters import wrap_angle
from ..search.pose_index import Float32, PoseIndex, ground_and_turns, rows_of, turned
from .gap import DurationCosts, Gap, Window

CONTEXT = ((0.0, 1.0), (1 / 6, 0.3), (1 / 3, 0.3))
"""Seconds outside of the gap, and what the poses there count; chosen among a few on 757 captured clips."""
PLACE_WEIGHT = 0.1
"""Squared distance along the ground, in sizes, beside that of poses: a way can be changed, a pose cannot."""
TURN_WEIGHT = 0.01
"""The same of squared turns in radians."""
RATES = (0.87, 0.93, 1.0, 1.07, 1.15)
"""Windows are this many times as long as the gap, and are played faster or slower."""


@dataclass(frozen=True, eq=False)
class GapEnds:
    """Squared distances `(N,)` of all frames of an index from the ends of a gap; way `(2,)` and turn between these."""

    from_before: Float32
    from_after: Float32
    way: NDArray[np.floating]
    turn: float


def measure_ends(index: PoseIndex, gap: Gap, frames: int) -> GapEnds:
    """Return the distances of all frames from the ends of a gap; frames: its duration, where a lone pose has no speed.

    Raises InputError for a gap on another skeleton or at another rate.
    """
    if not np.isclose(gap.before.frames_per_second, index.frames_per_second, rtol=1e-4):
        raise InputError("The motion to fill has another frame rate than the library; resample one of them.")
    space = index.space
    root = space.plan.joint
    velocity = (gap.after.pose()[1][0, root] - gap.before.pose()[1][-1, root]) / max(frames, 1)
    before, after = (rows_of(space, side, velocity.astype(np.float64)) for side in (gap.before, gap.after))
    places, turns = ground_and_turns(space, gap.before)
    there, turns_there = ground_and_turns(space, gap.after)
    return GapEnds(
        from_before=_from_side(index, before[::-1], -1),
        from_after=_from_side(index, after, 1),
        way=turned(there[0] - places[-1], -turns[-1]),
        turn=float(turns_there[0] - turns[-1]),
    )


def best_windows(
    index: PoseIndex, ends: GapEnds, length: int, allowed: NDArray[np.bool_] | None = None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return for each motion `(M,)` the start of its cheapest window of `length` frames, and its cost.

    allowed: `(M,)`; motions that are not, and those too short, cost infinitely much.
    """
    if length >= index.frames:
        return index.starts, np.full(len(index.starts), np.inf)
    way = turned(index.ground[length:] - index.ground[:-length], -index.turns[:-length]) - ends.way.astype(np.float32)
    turn = wrap_angle(index.turns[length:] - index.turns[:-length] - np.float32(ends.turn))
    costs = np.full(index.frames, np.inf, np.float32)
    costs[:-length] = ends.from_before[:-length] + ends.from_after[length:]
    costs[:-length] += PLACE_WEIGHT * np.einsum("nd,nd->n", way, way) + TURN_WEIGHT * turn * turn
    costs[np.arange(index.frames) + length >= index.stops[index.clips]] = np.inf
    least = np.minimum.reduceat(costs, index.starts)
    # The first frame of each motion that costs as little.
    at = np.flatnonzero(costs == least[index.clips])
    _, first = np.unique(index.clips[at], return_index=True)
    if allowed is not None:
        least = np.where(allowed, least, np.inf)
    return at[first], least.astype(np.float64)


def rank_windows(
    index: PoseIndex, ends: GapEnds, frames: int, allowed: NDArray[np.bool_] | None = None
) -> list[Window]:
    """Return the best window of each motion for a gap of `frames` frames, at any of the rates, the cheapest first."""
    lengths = sorted({max(1, round(rate * frames)) for rate in RATES})
    found = [best_windows(index, ends, length, allowed) for length in lengths]
    costs = np.stack([least for _, least in found])
    which = np.argmin(costs, axis=0)
    order = np.argsort(costs.min(axis=0), kind="stable")
    return [
        Window(int(found[which[clip]][0][clip]), lengths[which[clip]], float(costs[which[clip], clip]))
        for clip in order.tolist()
        if np.isfinite(costs[which[clip], clip])
    ]


def cost_durations(
    index: PoseIndex, gap: Gap, durations: Sequence[int], allowed: NDArray[np.bool_] | None = None
) -> DurationCosts:
    """Return what each duration, in frames from pose to pose, would cost at the library's own speed.

    Raises InputError for durations below one frame.

    >>> index = prepare_filling([swing]).index
    >>> cost_durations(index, Gap(swing.slice(0, 20), swing.slice(40, 60)), [15, 21, 30]).best
    21
    """
    if not len(durations) or min(durations) < 1:
        raise InputError("A gap lasts one frame or more; choose durations above zero.")
    ends = measure_ends(index, gap, int(np.median(durations)))
    costs = [float(best_windows(index, ends, length, allowed)[1].min()) for length in durations]
    return DurationCosts(np.array(durations, np.int64), np.array(costs))


def _from_side(index: PoseIndex, rows: Float32, direction: int) -> Float32:
    """Return the distance `(N,)` of all frames from one end, its context included; rows: outwards from the end."""
    frames, total = np.arange(index.frames), np.zeros(index.frames, np.float32)
    first, last = index.starts[index.clips], index.stops[index.clips] - 1
    for seconds, weight in CONTEXT:
        away = round(seconds * index.frames_per_second)
        if away < len(rows):
            there = np.clip(frames + direction * away, first, last)
            total += weight * index.squared_distances(rows[away])[there]
    return total
