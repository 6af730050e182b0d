# SPDX-License-Identifier: GPL-3.0-or-later
"""The transition graph of the examples: transition costs, similar frames, and the bodies' paces and headings."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ..motion.filters import wrap_angle
from ..settings import Settings
from .transition_costs import Bounds, Transitions

SHORTEST_SEGMENT_SECONDS = 0.8
USUAL_SEGMENT_SECONDS = 2.5
"""A transition's cost counts whole for a segment of this length, less for a longer one: cost per second matters."""
LONGEST_SEGMENT_SECONDS = 5.0
LONGEST_SHARE = 0.75
"""No segment shows more than this share of all examples: copying is not synthesis."""
LOOKAHEAD_SECONDS = 1.5
"""Time ahead in which the initial path counts visit deficits, in seconds."""
COVERAGE_WEIGHT = 48.0
"""Reward, in transition cost, for showing motion whose visit deficit is one."""
LEAST_COVERAGE_WEIGHT = 6.0
USUAL_PATCH = 11
USUAL_COMPLETENESS = 0.01
"""The paper's p and alpha, for which the values here are meant."""
GRAPH_TRANSITION_COST = 4.0
"""Base cost of any transition, even an invisible one."""
FOREIGN_COST = 8.0
"""Upper bound of the cheapest transition from one example to another, in transition cost."""
SEEN_WITHIN = 0.25
"""Radians by which a motion may be turned and still counts, half, as shown."""


@dataclass(frozen=True, eq=False)
class Sampled:
    """The examples' bodies at N stage frames.

    poses: `(N, J, 3)` where the joints are, seen from the root. headings: `(N,)` radians, which way they face; zero
    where that is kept anyway. paces: `(N,)` how far the joints move per frame of the full rate, on the mean.
    """

    poses: NDArray[np.float32]
    headings: NDArray[np.float32]
    paces: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class TransitionGraph:
    """The transition graph of the examples' N stage frames (Kovar, Gleicher, Pighin 2002).

    transition_costs: `(N, N)` what each transition counts: its squared cost, since two visible ones are better than
    one that hurts.
    similarity: `(N, N)` how much of the row's frame is seen when the column's is shown, rows summing to one.
    begins, ends: `(N,)` where the example of each frame begins and ends. sampled: the bodies. shortest, usual `(N,)`,
    longest, lookahead: lengths of segments, in stage frames. rate, full_rate: stage frames and full frames per second.
    coverage_weight, noise: how strongly an initial path is drawn to what is unseen, and how much is left to chance.
    """

    transitions: Transitions
    transition_costs: NDArray[np.float32]
    similarity: NDArray[np.float32]
    ends: NDArray[np.int64]
    begins: NDArray[np.int64]
    sampled: Sampled
    shortest: int
    usual: NDArray[np.floating]
    longest: int
    lookahead: int
    rate: float
    full_rate: float
    coverage_weight: float
    noise: float

    @cached_property
    def lookahead_ends(self) -> NDArray[np.int64]:
        """`(N,)` up to where each frame looks ahead."""
        return np.minimum(np.arange(len(self.ends)) + self.lookahead, self.ends)

    @cached_property
    def near_begin(self) -> NDArray[np.bool_]:
        """`(N,)` whether less than a usual segment lies before a frame."""
        return np.asarray(np.arange(len(self.ends)) - self.begins < self.usual)

    @cached_property
    def near_end(self) -> NDArray[np.bool_]:
        """`(N,)` whether less than a usual segment is left from a frame on."""
        return np.asarray(self.ends - np.arange(len(self.ends)) < self.usual)

    @cached_property
    def turns(self) -> bool:
        """True where a result may face elsewhere than the examples do."""
        return bool(self.sampled.headings.any())


def build_transition_graph(
    transitions: Transitions, sampled: Sampled, bounds: Bounds, rate: float, full_rate: float, settings: Settings
) -> TransitionGraph:
    """The transition graph of N stage frames at `rate` per second, of `full_rate` frames.

    Larger patches make longer segments, a smaller alpha pulls harder, more noise leaves more to chance.
    """
    scale = settings.patch_frames / USUAL_PATCH
    total = bounds.frames
    example = bounds.example_of(np.arange(total))
    shortest = max(1, min(round(scale * SHORTEST_SEGMENT_SECONDS * rate), total // 3))
    ends, begins = bounds.ends[example], bounds.starts[example]
    return TransitionGraph(
        transitions=transitions,
        transition_costs=_within_reach(GRAPH_TRANSITION_COST + transitions.costs**2, bounds),
        similarity=_facing_similarity(transitions.similarity, sampled.headings),
        ends=ends,
        begins=begins,
        sampled=sampled,
        shortest=shortest,
        usual=np.minimum(scale * USUAL_SEGMENT_SECONDS * rate, (ends - begins) / 2),
        longest=max(shortest + 1, min(round(scale * LONGEST_SEGMENT_SECONDS * rate), round(LONGEST_SHARE * total))),
        lookahead=max(1, min(round(LOOKAHEAD_SECONDS * rate), total)),
        rate=rate,
        full_rate=full_rate,
        coverage_weight=_coverage_weight(settings.completeness),
        noise=settings.noise,
    )


def _within_reach(transition_costs: NDArray[np.float32], bounds: Bounds) -> NDArray[np.float32]:
    """The transition costs `(N, N)` with the best way from each example to each other one within reach.

    Between two styles every transition is costly; yet both were given to be seen.
    """
    for start, end in zip(bounds.starts, bounds.ends, strict=True):
        for begin, stop in zip(bounds.starts, bounds.ends, strict=True):
            least = float(transition_costs[start:end, begin:stop].min())
            if start != begin and np.isfinite(least) and least > FOREIGN_COST:
                transition_costs[start:end, begin:stop] *= FOREIGN_COST / least
    return transition_costs


def _facing_similarity(similarity: NDArray[np.float32], headings: NDArray[np.float32]) -> NDArray[np.float32]:
    """Similarity `(N, N)` of frames that also face the same way, rows summing to one."""
    facing = similarity * same_heading(headings[:, None] - headings)
    return np.asarray(facing / facing.sum(axis=1, keepdims=True), np.float32)


def same_heading(turned: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the share, 0 to 1, of a motion that counts as seen when it is shown turned by an angle."""
    return seen_facing(np.cos(turned))


def seen_facing(cosines: NDArray[np.floating]) -> NDArray[np.floating]:
    """As `same_heading`, of the cosine of the angle."""
    return np.asarray(np.exp((cosines - 1.0) / SEEN_WITHIN**2))


def commonest_turn(turned: NDArray[np.floating]) -> float:
    """The angle by which most of a result is turned away from its sources, radians."""
    if not turned.any():
        return 0.0
    candidates = np.linspace(-np.pi, np.pi, 72, endpoint=False)
    # Quarter-degree steps are finer than anybody sees; most frames share a few values.
    values, counts = np.unique(np.round(turned, 3), return_counts=True)
    agreement = same_heading(values - candidates[:, None]) @ counts
    near = same_heading(values - candidates[int(np.argmax(agreement))]) * counts
    center = candidates[int(np.argmax(agreement))]
    away = wrap_angle(values - center)
    return float(center + np.sum(away * near) / np.sum(near))


def _coverage_weight(completeness: float | None) -> float:
    """Return the weight of coverage in a path for an alpha; plain matching keeps a small one."""
    if completeness is None:
        return LEAST_COVERAGE_WEIGHT
    return max(COVERAGE_WEIGHT * float((USUAL_COMPLETENESS / completeness) ** 0.25), LEAST_COVERAGE_WEIGHT)
