# SPDX-License-Identifier: GPL-3.0-or-later
"""Refinement of transitions: they move to the cheapest frames nearby, at the full rate.

A transition is planned in stage frames, each of which stands for several frames; the best frames at the full rate are
one or two frames away. A move of a transition changes the lengths of the segments around it. Usually times remain about
as planned, and the cheapest moves are found for all transitions together. In a long result, the changes in length would
add up, and a few bad transitions would have to make up for them; if nothing fixes its times, each transition is moved
by itself, and everything after it is shown earlier or later.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Indices, Mask, Rows
from ..examples.coupling import Gait
from ..examples.transition_costs import Bounds, movement_unit
from ..motion.piecewise import pieces
from ..planning.segments import Segments

GAIT_WEIGHT = 4.0
"""Weight of gait phase relative to transitions: a segment out of phase by some distance, as the quadratic mean over
its frames, costs this many times as much as a transition between poses that distance apart. A larger weight keeps arms
and legs in step at the price of more visible transitions; with a smaller one each drifts by some frames. Chosen on 38
walks and runs (docs/quality.md, Gaits)."""
NO_TRANSITION = np.float32(1e12)
"""Cost of a transition to about the frame at which the segment before would have continued: no transition at all."""
NEVER = np.float32(np.inf)
"""Cost of leaving an example, or of moving farther than is allowed."""


@dataclass(frozen=True, eq=False)
class Nearby:
    """The frames near transitions that are compared.

    half: number of frames on each side that are compared, see `window_costs`. reach: number of frames by which a
    transition may move. rate: frames per second.
    """

    rows: Rows
    bounds: Bounds
    rate: float
    half: int
    reach: int

    @property
    def unit(self) -> np.float32:
        """Return the cost of a transition between poses one unit of movement apart."""
        return np.float32(2 * self.half * movement_unit(self.rows, self.bounds, self.rate) ** 2)

    def costs(self, leaves: Indices, arrivals: Indices, earliest: int) -> Rows:
        """Return the costs `(K, U, V)` of leaving at frames around `leaves` `(K,)` for frames around `arrivals` `(K,)`.

        earliest: largest number of frames by which other frames are before or after `leaves`; for arrivals it is
        `reach`.
        """
        compared = 2 * (self.half + earliest) * self.rows.shape[1]
        blocks = pieces(len(leaves), compared)
        return np.concatenate([self._costs(leaves[block], arrivals[block], earliest) for block in blocks])

    def _costs(self, leaves: Indices, arrivals: Indices, earliest: int) -> Rows:
        half, reach = self.half, self.reach
        out, into = leaves[:, None] + _around(earliest), arrivals[:, None] + _around(reach)
        left = self._rows_around(leaves, np.arange(1 - half - earliest, earliest + half + 1))
        come = self._rows_around(arrivals, np.arange(-half - reach, reach + half))
        squares = np.einsum("kuc,kuc->ku", left, left)[:, :, None] + np.einsum("kvc,kvc->kv", come, come)[:, None]
        squares -= np.float32(2.0) * (left @ come.transpose(0, 2, 1))
        costs = np.zeros((*out.shape, into.shape[1]), np.float32)
        for frame in range(2 * half):
            costs += squares[:, frame : frame + out.shape[1], frame : frame + into.shape[1]]
        # The cheapest would be no transition at all: to continue where the segment before would have continued.
        costs[np.abs(into[:, None] - out[:, :, None] - 1) < half] = NO_TRANSITION
        stay = costs[:, earliest, reach]
        # A transition without alternatives stays as it is.
        stay[stay == NO_TRANSITION] = np.nextafter(NO_TRANSITION, np.float32(0.0))
        costs[self._outside(leaves, out)[:, :, None] | self._outside(arrivals, into)[:, None]] = NEVER
        return costs

    def _rows_around(self, frames: Indices, around: Indices) -> Rows:
        """Return the rows `(K, A, C)` around frames; beyond an example, its first and last row are repeated."""
        first, last = self._ends(frames)
        return np.asarray(self.rows[np.clip(frames[:, None] + around, first, last)])

    def _outside(self, frames: Indices, others: Indices) -> Mask:
        """Return a mask of those frames `others` `(K, A)` that are in another example than frames `(K,)`."""
        first, last = self._ends(frames)
        return np.asarray((others < first) | (others > last))

    def _ends(self, frames: Indices) -> tuple[Indices, Indices]:
        example = self.bounds.example_of(frames)
        return self.bounds.starts[example][:, None], self.bounds.ends[example][:, None] - 1


def refine_transitions(
    segments: Segments,
    nearby: Nearby,
    fixed: Mask | None = None,
    slides: Indices | None = None,
    moments: Indices | None = None,
    gait: Gait | None = None,
    asked: Rows | None = None,
) -> Segments:
    """Return the segments with their transitions moved to the cheapest frames nearby, at the full rate.

    The time of a transition and the frame at which it arrives each move by up to `reach` frames. All moves together are
    the cheapest (Viterbi 1967, over the number of frames by which each segment is ahead of its original place). fixed:
    `(R,)` segments that must show each frame at its original time. slides: `(R,)` largest number of frames by which the
    beginning of each may move, if less than `reach`. moments: `(K,)` output frames, ascending, over which no transition
    moves, so that the same segment shows them. gait: the gait with which each segment shall be in phase. asked:
    `(R, 4 reach + 1)` the cost of each segment's being ahead by -2 reach to 2 reach frames, in the unit of
    `Nearby.costs`. Segments with rates or several sources are final already and do not change.
    """
    if not segments.plain or len(segments.starts) < 2:
        return segments
    reach, lengths, last = nearby.reach, segments.lengths, segments.sources + segments.lengths - 1
    ahead = _around(2 * reach)
    costs = nearby.costs(last[:-1], segments.sources[1:], 3 * reach)
    penalties = np.zeros((len(lengths) - 1, len(ahead)), np.float32)
    if gait is not None:
        out_of_step = gait.costs(segments.starts, segments.sources, 2 * reach)[1:]
        penalties += GAIT_WEIGHT * nearby.unit * out_of_step
    if asked is not None:
        penalties += asked[1:]
    if fixed is not None:
        penalties[fixed[1:, None] & (ahead != 0)] = NEVER
    most = np.full(len(lengths), reach) if slides is None else np.minimum(reach, slides)
    back, on = _room(lengths, most[1:])
    if moments is not None:
        back, on = _within(segments.starts[1:], moments, back, on)
    possible = (_around(reach) >= -back[:, None]) & (_around(reach) <= on[:, None])
    room = nearby.bounds.ends[nearby.bounds.example_of(last[-1:])] - 1 - last[-1]
    later, further = _cheapest(costs, penalties, possible, int(room[0]))
    starts, sources = segments.starts.copy(), segments.sources.copy()
    starts[1:] += later
    sources[1:] += later + further
    return Segments(starts, sources, segments.frames)


def refine_untimed_transitions(segments: Segments, nearby: Nearby, shortest: int) -> Segments:
    """Return the segments with each transition at the cheapest frames nearby, without keeping times.

    The frames before and after a transition each move by up to `reach`. The last segments make up for the total change
    in length; if they cannot, times are kept as by `refine_transitions`. shortest: number of frames of a segment.
    """
    if not segments.plain or len(segments.starts) < 2:
        return segments
    lengths, reach = segments.lengths, nearby.reach
    begins, ends = segments.sources.copy(), segments.sources + lengths
    costs = nearby.costs(ends[:-1] - 1, begins[1:], reach)
    back, on = _room(lengths, np.full(len(lengths) - 1, reach))
    by = _around(reach)
    costs[(by < -back[:, None])[:, :, None] | (by > on[:, None])[:, None]] = NEVER
    leave, arrive = np.divmod(costs.reshape(len(costs), -1).argmin(axis=1), costs.shape[2])
    least = costs[np.arange(len(costs)), leave, arrive]
    ends[:-1] += by[leave]
    begins[1:] += by[arrive]
    shortest = min(shortest, int(lengths[-1]))
    fitting = _of_length(begins, ends, least, segments.frames, nearby.bounds, shortest)
    return refine_transitions(segments, nearby) if fitting is None else fitting


def _around(count: int) -> Indices:
    return np.arange(-count, count + 1)


def _room(lengths: Indices, most: Indices) -> tuple[Indices, Indices]:
    """Return the numbers of frames, at most `most` `(K,)`, by which transitions may come earlier and later.

    lengths: `(R,)` of the segments. No segment loses more than a quarter of its length at either end, so that there is
    room for a crossfade.
    """
    return np.minimum(most, lengths[:-1] // 4), np.minimum(most, lengths[1:] // 4)


def _within(starts: Indices, moments: Indices, back: Indices, ahead: Indices) -> tuple[Indices, Indices]:
    """Return `back` and `ahead` `(K,)`, limited so that no transition at `starts` moves over any of `moments`."""
    none = np.iinfo(np.int64).max // 2
    around, after = np.concatenate(([-none], moments, [none])), np.searchsorted(moments, starts)
    return np.minimum(back, starts - 1 - around[after]), np.minimum(ahead, around[after + 1] - starts)


def _cheapest(costs: Rows, penalties: Rows, possible: Mask, room: int) -> tuple[Indices, Indices]:
    """Return the frames `(K,)` by which each transition comes later, and those by which the next segment is ahead.

    costs: `(K, U, V)`. penalties: `(K, D)` of being ahead. possible: `(K, T)` allowed moves in time. room: largest
    number of frames by which the last segment may be ahead.
    """
    count, steps, ahead = penalties.shape[1], np.arange(possible.shape[1]), _around(penalties.shape[1] // 2)
    # The frames of a transition depend on the move in time and on how far the segments before and after are ahead.
    padded = np.full((len(costs), costs.shape[1], costs.shape[1]), NEVER, np.float32)
    beside = (costs.shape[1] - costs.shape[2]) // 2
    padded[:, :, beside : beside + costs.shape[2]] = costs
    never = np.where(possible, np.float32(0.0), NEVER)
    edge_costs = np.full((len(costs), count, count), NEVER, np.float32)
    for step in steps:
        edge_cost = padded[:, step : step + count, step : step + count] + never[:, step, None, None]
        np.minimum(edge_costs, edge_cost, out=edge_costs)
    edge_costs += penalties[:, None]
    totals = np.empty((len(costs) + 1, count))
    totals[0] = np.where(ahead == 0, 0.0, np.inf)
    for index, edge_cost in enumerate(edge_costs):
        totals[index + 1] = (totals[index][:, None] + edge_cost).min(axis=0)
    here = int(np.where(ahead <= room, totals[-1], np.inf).argmin())
    later, further = np.empty(len(costs), np.int64), np.empty(len(costs), np.int64)
    for index in reversed(range(len(costs))):
        further[index] = ahead[here]
        before = int((totals[index] + edge_costs[index, :, here]).argmin())
        chosen = int((padded[index, before + steps, here + steps] + never[index]).argmin())
        later[index], here = chosen - len(steps) // 2, before
    return later, further


def _of_length(
    begins: Indices, ends: Indices, costs: Array, frames: int, bounds: Bounds, shortest: int
) -> Segments | None:
    """Return the segments from `begins` up to `ends` `(R,)` in the examples, cut or continued to `frames` frames.

    costs: `(R - 1,)` of their transitions. If the example of the last segment has no more frames, the segment continues
    by the cheapest of these transitions, and then as the segments did there; if that leads nowhere, the segment before
    it continues instead. The result is None if no segment can, or if a last one would be shorter than `shortest`.
    """
    starts = np.concatenate(([0], np.cumsum(ends - begins)))[:-1]
    count = max(1, int(np.searchsorted(starts, frames - shortest, side="right")))
    order = list(range(count))
    begun = starts[:count].tolist()
    example, stuck = bounds.example_of(begins), np.zeros(len(begins), bool)
    while begun[-1] + bounds.ends[example[order[-1]]] - begins[order[-1]] < frames:
        last = order[-1]
        later = begun[-1] + ends[:-1] - begins[last]
        goes_on = (example[:-1] == example[last]) & (later - begun[-1] >= shortest) & (frames - later >= shortest)
        goes_on &= ~stuck[1:]
        if not goes_on.any():
            stuck[order.pop()] = True
            begun.pop()
            if not order:
                return None
            continue
        as_planned = last < len(goes_on) and goes_on[last]
        best = last if as_planned else int(np.where(goes_on, costs, np.inf).argmin())
        order.append(best + 1)
        begun.append(int(later[best]))
    return Segments(np.array(begun), begins[order], frames)
