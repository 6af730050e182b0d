# SPDX-License-Identifier: GPL-3.0-or-later
"""Results and loops of one cycle: they go on through its rounds without a plan or a cut, each step at its own pace.

Paces differ within what the cycle's own two steps differ by: one cycle shows no other variation.
"""

import math
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ..constraints.constraint import Task
from ..examples.example_data import Examples
from ..examples.preparing import Prepared
from ..examples.shortlist import GOLDEN_RATIO
from ..feet.calm_paths import ALLOWED
from ..motion import rotations
from ..motion.comparing import ROUNDING
from ..motion.filters import smoothstep
from ..planning.segments import Segments
from ..planning.sources import HIGHEST_RATE, LOWEST_RATE, values_at


def whole_rounds(task: Task, seed: int) -> list[Segments] | None:
    """Return the segments of a result of the only example, a cycle, that follows no constraint or is a loop.

    A loop has the pace at which it holds whole rounds; None where that is less than half or more than twice the
    cycle's, and for other tasks. Seeds begin at different moments of the cycle, and their steps differ in pace.
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
    most = max(round(examples.motions[0].frames / length) - 2, 1) * length
    first = round((0.5 + (seed + 1) * GOLDEN_RATIO % 1.0) * length)
    # At the quickest pace, accelerations stay within what nobody notices.
    unevenness = min(_unevenness(task.prepared, length), max(math.sqrt(ALLOWED) / rate - 1.0, 0.0))
    paces = _paces(task, seed, math.ceil(2 * count), unevenness)
    rates = rate * paces / (paces.mean() if task.cyclic else 1.0)
    passed = np.concatenate(([0.0], np.cumsum(rates[:-1])))
    starts = np.searchsorted(passed + ROUNDING, np.arange(0, passed[-1] + ROUNDING, most))
    sources = first + passed[starts] - np.arange(len(starts)) * most
    whole = np.rint(sources).astype(np.int64)
    if np.allclose(rates, 1.0) and np.allclose(sources, whole, rtol=0.0, atol=ROUNDING):
        return [Segments(starts, whole, task.frames)] * len(parts)
    return [Segments(starts, sources, task.frames, rates)] * len(parts)


def _paces(task: Task, seed: int, steps: int, unevenness: float) -> NDArray[np.float64]:
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


def pace_note(task: Task, segments: Segments) -> tuple[str, ...]:
    """Return a sentence on the mean pace of a loop of whole rounds, if it is not the example's."""
    if segments.rates is None or not task.cyclic or np.isclose(segments.rates.mean(), 1.0):
        return ()
    percent = 100 * segments.rates.mean()
    return (f"The cycle plays at {percent:.0f} % of its speed, so that the loop holds whole rounds of it.",)
