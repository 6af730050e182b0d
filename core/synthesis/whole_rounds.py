# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops of one cycle: whole rounds of it, at a slightly different pace, need no plan and show no cut."""

import math

import numpy as np
from numpy.typing import NDArray

from ..constraints.constraint import Task
from ..examples.example_data import Examples
from ..examples.shortlist import GOLDEN_RATIO
from ..motion.comparing import ROUNDING
from ..planning.segments import Segments
from ..planning.sources import HIGHEST_RATE, LOWEST_RATE, values_at


def whole_rounds(task: Task, seed: int) -> list[Segments] | None:
    """Return the segments of a loop of the only example, a cycle, at the pace at which the loop holds whole rounds.

    None for other tasks, and where the cycle would play at less than half or more than twice its speed. Seeds begin at
    different moments of the cycle.
    """
    examples, parts = task.prepared.examples, task.prepared.parts
    is_alone = len(task.constraints) == 1 if task.cyclic else not task.constraints and len(parts) == 1
    if not is_alone or len(examples.motions) > 1 or math.isinf(examples.rounds[0]):
        return None
    length = examples.rounds[0] / examples.positions[0][1]
    rate, count = 1.0, task.frames / length
    if task.cyclic:
        below = max(math.floor(count), 1)
        # Accelerations grow with the square of the pace: rather somewhat slower than faster.
        count = min((below, below + 1), key=lambda count: _strain(count * length / task.frames))
        rate = count * length / task.frames
    if not LOWEST_RATE <= rate <= HIGHEST_RATE:
        return None
    # Half a round stays free at both ends of the example, since crossfades reach beyond a segment's ends.
    most = max(round(examples.motions[0].frames / length) - 2, 1)
    first = (0.5 + (seed + 1) * GOLDEN_RATIO % 1.0) * length
    starts = np.ceil(np.arange(0, count, most) * length / rate).astype(np.int64)
    sources = first + starts * rate - np.arange(0, count, most) * length
    rates = None if math.isclose(rate, 1.0) else np.full(task.frames, rate)
    sources = np.rint(sources).astype(np.int64) if rates is None else sources
    return [Segments(starts, sources, task.frames, rates)] * len(parts)


def is_seamless(segments: Segments, examples: Examples) -> NDArray[np.bool_]:
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


def _strain(rate: float) -> float:
    return max(2 * math.log(rate), -math.log(rate))


def pace_note(segments: Segments) -> tuple[str, ...]:
    """Return a sentence on the pace of a loop of whole rounds, if it is not the example's."""
    if segments.rates is None:
        return ()
    return (
        f"The cycle plays at {100 * segments.rates[0]:.0f} % of its speed, so that the loop holds whole rounds of it.",
    )
