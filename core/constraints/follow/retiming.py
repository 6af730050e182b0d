# SPDX-License-Identifier: GPL-3.0-or-later
"""Time maps that bring accents of a motion onto beats, at rates that change smoothly within a range."""

from itertools import pairwise

import numpy as np

from ...arrays import Float64
from ...motion.filters import smooth_line

SLOWEST, FASTEST = 0.85, 1.18
"""Rates, in example frames per frame, that are not noticed as slow or fast motion."""
OFF_BEAT = 0.1
"""Share of the worth of an accent on its beat that is lost at the largest distance at which both are still paired."""
SKIPPED = 4
"""Largest number of beats in a row that a time map may pass without an accent and still bring the next one onto its
beat. More leave time enough to begin again from any accent."""


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
