# SPDX-License-Identifier: GPL-3.0-or-later
"""Shortlist of clips: the few of hundreds from which one result is made, with cheap transitions between them.

A path over a shortlist is planned with all edges, as over a few clips, so a result from a library takes as long as one
from a few clips, and is as good. Each seed has its own shortlist.
"""

from dataclasses import replace

import numpy as np

from ..arrays import Int64
from ..features.graph_size import ALL_EDGES_FRAMES
from ..motion.channels import Channels
from .example_data import ExampleFeet, Examples
from .part_plans import PlanningData, Stage, plan_part
from .preparing import Prepared
from .transition_costs import Bounds
from .transition_graph import Groups, SampledBodies

Numbers = Int64

FEWEST_EXAMPLES = 64
"""Smallest number of examples from which a shortlist is made: a user who gives a few wants to see all of them."""
TIMES_AS_LONG = 3.0
"""Length of motion in a shortlist, in multiples of the result's length."""
TASTE = 12.0
"""Mean of the random cost, in edge cost, by which the shortlists of seeds differ."""
GOLDEN_RATIO = (5**0.5 - 1.0) / 2.0
"""Golden ratio less one: its multiples, modulo 1, spread evenly however many there are."""


def shortlist(prepared: Prepared, frames: int, groups: Groups, seed: int) -> Numbers | None:
    """Return the ascending numbers of the examples from which a result of `frames` frames is made; None is all.

    groups: groups of examples that must each be represented; empty if any examples will do.
    """
    bounds, count = prepared.planning.finest.bounds, len(prepared.motions)
    graph = prepared.parts[prepared.planning.root_part].graph
    all_drawn = all(plan.part.examples is None for plan in prepared.parts)
    target = max(ALL_EDGES_FRAMES, round(TIMES_AS_LONG * frames * prepared.planning.finest.ratio))
    if count < FEWEST_EXAMPLES or not all_drawn or 2 * target > bounds.frames:
        return None
    random = np.random.default_rng(seed)
    lengths, taken = bounds.ends - bounds.starts, np.zeros(count, bool)
    costs = np.full(count, np.inf)
    taste = TASTE * random.standard_exponential(count)
    members = [np.array(sorted(group)) for group in groups if len(group)] or [np.arange(count)]
    total, picked = 0, 0
    while (total < target or picked < len(members)) and not taken.all():
        # Each group takes its turn; a used-up group is replaced by all examples.
        free = members[picked % len(members)]
        free = free[~taken[free]] if not taken[free].all() else np.flatnonzero(~taken)
        if picked == 0:
            number = int(free[int((seed + 1) * GOLDEN_RATIO % 1.0 * len(free))])
        else:
            scores = np.minimum(costs[free], 1e6) + taste[free]
            number = int(free[np.argmin(scores)])
        taken[number] = True
        total, picked = total + int(lengths[number]), picked + 1
        others, least = graph.nearness.reached_from(number, count)
        costs[others] = np.minimum(costs[others], least)
    return np.flatnonzero(taken)


def only(prepared: Prepared, numbers: Numbers) -> Prepared:
    """Return some of the prepared examples; numbers: of these examples, ascending."""
    planning, finest = prepared.planning, prepared.planning.finest
    stages = tuple(
        Stage(stage.rows[_frames(stage.bounds, numbers)], _bounds(stage.bounds, numbers), stage.ratio)
        for stage in planning.stages
    )
    leading = planning.parts[planning.root_part].part
    bodies = planning.parts[planning.root_part].graph.sampled
    stage_frames = _frames(finest.bounds, numbers)
    sampled = SampledBodies(bodies.poses[stage_frames], bodies.headings[stage_frames], bodies.paces[stage_frames])
    in_step = any(plan.in_step for plan in planning.parts)
    shared = (planning.features.joints, stages[-1], sampled, prepared.frames_per_second, prepared.settings, in_step)
    full = _frames(prepared.bounds, numbers)
    return Prepared(
        examples=_examples(prepared.examples, numbers, stage_frames),
        planning=PlanningData(
            replace(planning.features, rows=planning.rows[full]),
            stages,
            tuple(plan_part(plan.part, leading, *shared) for plan in planning.parts),
            planning.root_part,
        ),
        example_feet=_feet(prepared.example_feet, full),
        settings=prepared.settings,
    )


def _examples(examples: Examples, numbers: Numbers, stage_frames: Numbers) -> Examples:
    """Return some of the examples; stage_frames: their frames at the finest stage."""
    full, bounds, channels, speeds = (
        _frames(examples.bounds, numbers),
        examples.bounds,
        examples.channels,
        examples.speeds,
    )
    listed = _bounds(bounds, numbers)
    number = np.searchsorted(numbers, bounds.example_of(speeds.sampled[stage_frames]))
    moved = listed.starts[number] - bounds.starts[numbers[number]]
    return replace(
        examples,
        motions=tuple(examples.motions[kept] for kept in numbers),
        positions=tuple(examples.positions[kept] for kept in numbers),
        rounds=examples.rounds[numbers],
        bounds=listed,
        channels=Channels(channels.orientations[full], channels.linear[full], channels.rates),
        tracks=tuple(examples.tracks[kept] for kept in numbers),
        speeds=replace(
            speeds,
            sampled=speeds.sampled[stage_frames] + moved,
            poses=speeds.poses[stage_frames],
            fastest=speeds.fastest[stage_frames],
        ),
        leading=tuple(range(len(numbers))),
    )


def _feet(feet: ExampleFeet, full: Numbers) -> ExampleFeet:
    footing = replace(feet.footing, drifts=feet.footing.drifts[full], grounds=feet.footing.grounds[full])
    return ExampleFeet(feet.feet, feet.contacts[full], feet.heights[full], footing)


def _frames(bounds: Bounds, numbers: Numbers) -> Numbers:
    """Return the frames of some of the examples, one after another."""
    return np.concatenate([np.arange(bounds.starts[number], bounds.ends[number]) for number in numbers])


def _bounds(bounds: Bounds, numbers: Numbers) -> Bounds:
    return Bounds.of_lengths((bounds.ends - bounds.starts)[numbers])
