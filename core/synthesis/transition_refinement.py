# SPDX-License-Identifier: GPL-3.0-or-later
"""Transitions moved to the cheapest frame nearby, at the full rate."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..library.transition_costs import Bounds, movement_unit
from ..planning.segments import Segments

Rows = NDArray[np.float32]

OUT_OF_CLASS_PENALTY = 1.0
"""Penalty, in multiples of the visibility threshold, for leaving the result's alignment class."""
INVISIBLE = 0.2
"""Transitions whose costs differ by less than this are as good as equal."""


@dataclass(frozen=True)
class AlignmentClass:
    """A result's own share of all alignments with the examples.

    After a transition, output frame t preferably shows example frames n where n - t leaves the remainder `own` by
    `count`, so that results of different alignment classes do not show the same frame at the same time, though their
    transitions lie in the same places.
    """

    own: int = 0
    count: int = 1


def refine_transitions(
    segments: Segments,
    rows: Rows,
    bounds: Bounds,
    rate: float,
    half: int,
    reach: int,
    alignment: AlignmentClass,
    random: np.random.Generator,
    fixed: NDArray[np.bool_] | None = None,
    slides: NDArray[np.int64] | None = None,
    moments: NDArray[np.int64] | None = None,
) -> Segments:
    """Return the same segments with each transition at the cheapest frame nearby, at the full rate.

    The moment of a transition and the place it leads to each move by up to `reach` frames; half: see window_costs;
    rate: frames per second. Among transitions that are about as cheap, chance decides. fixed: `(R,)` the segments that
    must go on showing each frame when they do. slides: `(R,)` the most frames that the beginning of each may move by,
    where that is less than `reach`. moments: `(K,)` output frames, ascending, that no transition passes over: what
    shows them goes on showing them. Segments with rates or several sources are settled already, and stay.
    """
    if not segments.plain:
        return segments
    starts, sources = segments.starts.copy(), segments.sources.copy()
    moments = np.zeros(0, np.int64) if moments is None else moments
    blur = 2 * half * (INVISIBLE * movement_unit(rows, bounds, rate)) ** 2
    for index in range(1, len(starts)):
        previous = (int(starts[index - 1]), int(sources[index - 1]))
        following = int(starts[index + 1]) if index + 1 < len(starts) else segments.frames
        starts[index], sources[index] = _best_transition(
            rows,
            bounds,
            half,
            reach,
            previous,
            (int(starts[index]), int(sources[index])),
            following,
            blur,
            alignment,
            random,
            fixed is not None and bool(fixed[index]),
            _slide(int(starts[index]), moments, reach if slides is None else min(reach, int(slides[index]))),
        )
    return Segments(starts, sources, segments.frames)


def _slide(start: int, moments: NDArray[np.int64], most: int) -> tuple[int, int]:
    """Return the frames by which a transition may move back, and ahead, at most `most`, and over none of `moments`."""
    at = int(np.searchsorted(moments, start))
    back = start - 1 - int(moments[at - 1]) if at else most
    ahead = int(moments[at]) - start if at < len(moments) else most
    return min(most, back), min(most, ahead)


def _best_transition(
    rows: Rows,
    bounds: Bounds,
    half: int,
    reach: int,
    previous: tuple[int, int],
    transition: tuple[int, int],
    following: int,
    blur: float,
    alignment: AlignmentClass,
    random: np.random.Generator,
    fixed: bool,
    slide: tuple[int, int],
) -> tuple[int, int]:
    """Return the cheapest (output frame, example frame) for one transition, moved by at most `slide` frames back, and
    ahead.

    It lies between the segment before and where the next one begins.
    """
    start, source = transition
    leave = previous[1] + start - 1 - previous[0]
    out_end = int(bounds.ends[bounds.example_of(np.array(leave))])
    example = int(bounds.example_of(np.array(source)))
    # Neither segment loses more than a quarter of its length, so that there is room for a crossfade.
    back = min(slide[0], (start - previous[0]) // 4)
    ahead = min(slide[1], (following - start) // 4, out_end - 1 - leave)
    low = max(source - reach, int(bounds.starts[example]))
    high = min(source + reach, int(bounds.ends[example]) - (following - start))
    if high < low or ahead < 0:
        return transition
    leaves, arrivals = np.arange(leave - back, leave + ahead + 1), np.arange(low, high + 1)
    costs = _costs_between(rows, bounds, leaves, arrivals, half)
    offsets = arrivals[None] - (start + leaves - leave)[:, None]
    if fixed:
        costs[offsets != source - start] = np.inf
    else:
        costs[(offsets - alignment.own) % alignment.count != 0] += OUT_OF_CLASS_PENALTY * blur
    # The cheapest transition of all would be none: to go on where the segment before would have gone.
    costs[np.abs(arrivals[None] - leaves[:, None] - 1) < half] = np.inf
    costs += blur * random.random(costs.shape, np.float32)
    shifts = leaves - leave
    # An earlier transition makes the segment after it longer, which must not leave its example.
    costs[arrivals[None] + (following - start - shifts)[:, None] > int(bounds.ends[example])] = np.inf
    if not np.isfinite(costs).any():
        return transition
    row, column = np.unravel_index(int(np.argmin(costs)), costs.shape)
    return start + int(shifts[row]), int(arrivals[column])


def _costs_between(
    rows: Rows, bounds: Bounds, leaves: NDArray[np.int64], arrivals: NDArray[np.int64], half: int
) -> Rows:
    """Squared window distances `(A, B)` of leaving after each of `leaves` and going on at each of `arrivals`."""
    out = _window(rows, bounds, leaves, np.arange(-half + 1, half + 1))
    into = _window(rows, bounds, arrivals, np.arange(-half, half))
    squares = np.einsum("aj,aj->a", out, out)[:, None] + np.einsum("bj,bj->b", into, into)
    return np.asarray(squares - 2.0 * out @ into.T)


def _window(rows: Rows, bounds: Bounds, frames: NDArray[np.int64], around: NDArray[np.int64]) -> Rows:
    example = bounds.example_of(frames)
    index = np.clip(frames[:, None] + around, bounds.starts[example][:, None], bounds.ends[example][:, None] - 1)
    return np.asarray(rows[index].reshape(len(frames), -1))
