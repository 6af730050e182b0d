# SPDX-License-Identifier: GPL-3.0-or-later
"""A shortlist of clips: of hundreds, those that one result is made from, such as lead to each other with ease.

What is planned over a shortlist is planned with all of its edges, as over a few clips: so a result out of a library
takes as long as one out of them, and is as good. Another seed has another shortlist.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..features.graph_size import ALL_EDGES_FRAMES
from ..motion.channels import Channels
from .example_data import ExampleFeet, Examples
from .examples import Prepared
from .part_plans import PlanningData, Stage, plan_part
from .sparse_graph import SparseGraph
from .transition_costs import Bounds
from .transition_graph import Groups, Sampled

Numbers = NDArray[np.int64]

FEWEST_EXAMPLES = 64
"""No fewer examples than these are shortlisted: whoever gave a few wants all of them seen."""
SHORTLIST_EXAMPLES = 16
"""Of so many clips at least a result is made, and ..."""
TIMES_AS_LONG = 3.0
"""... of so many times its own length of motion."""
TASTE = 12.0
"""Mean spread, in edge cost, of the chance by which the shortlists of seeds differ."""
GOLDEN_RATIO = 0.6180339887498949


def shortlist(prepared: Prepared, frames: int, groups: Groups, seed: int) -> Numbers | None:
    """Return the numbers, ascending, of the examples that a result of `frames` frames is made from; None is all.

    groups: numbers of examples, of each of which there are some; none where any will do.
    """
    bounds, count = prepared.planning.finest.bounds, len(prepared.motions)
    graph = prepared.parts[prepared.planning.root_part].graph
    whole = all(plan.part.examples is None for plan in prepared.parts)
    target = max(ALL_EDGES_FRAMES, round(TIMES_AS_LONG * frames * prepared.planning.finest.ratio))
    if count < FEWEST_EXAMPLES or not whole or 2 * target > bounds.frames or not isinstance(graph, SparseGraph):
        return None
    random = np.random.default_rng(seed)
    lengths, taken = bounds.ends - bounds.starts, np.zeros(count, bool)
    costs = np.full(count, np.inf)
    taste = TASTE * random.standard_exponential(count)
    members = [np.array(sorted(group)) for group in groups if len(group)] or [np.arange(count)]
    total, picked = 0, 0
    while (total < target or picked < SHORTLIST_EXAMPLES) and not taken.all():
        # Of each group in turn; of one that is used up, as of all.
        free = members[picked % len(members)]
        free = free[~taken[free]] if not taken[free].all() else np.flatnonzero(~taken)
        if picked == 0:
            number = int(free[int((seed + 1) * GOLDEN_RATIO % 1.0 * len(free))])
        else:
            scores = np.minimum(costs[free], 1e6) + taste[free]
            number = int(free[np.argmin(scores)])
        taken[number] = True
        total, picked = total + int(lengths[number]), picked + 1
        others, least = graph.nearness.ways_from(number, count)
        costs[others] = np.minimum(costs[others], least)
    return np.flatnonzero(taken)


def only(prepared: Prepared, numbers: Numbers) -> Prepared:
    """Return some of the examples, by number and ascending, prepared as all of them were."""
    planning, finest = prepared.planning, prepared.planning.finest
    stages = tuple(
        Stage(stage.rows[_frames(stage.bounds, numbers)], _bounds(stage.bounds, numbers), stage.ratio)
        for stage in planning.stages
    )
    leading = planning.parts[planning.root_part].part
    all_of_all = planning.parts[planning.root_part].graph.sampled
    own = _frames(finest.bounds, numbers)
    sampled = Sampled(all_of_all.poses[own], all_of_all.headings[own], all_of_all.paces[own])
    in_step = any(plan.in_step for plan in planning.parts)
    how = (planning.features.joints, stages[-1], sampled, prepared.frames_per_second, prepared.settings, in_step)
    full = _frames(prepared.bounds, numbers)
    return Prepared(
        examples=_examples(prepared.examples, numbers, own),
        planning=PlanningData(
            replace(planning.features, rows=planning.rows[full]),
            stages,
            tuple(plan_part(plan.part, leading, *how) for plan in planning.parts),
            planning.root_part,
        ),
        example_feet=_feet(prepared.example_feet, full),
        settings=prepared.settings,
    )


def _examples(examples: Examples, numbers: Numbers, stage_frames: Numbers) -> Examples:
    """Return some of the examples; stage_frames: theirs, of the finest stage."""
    full, bounds, channels, speeds = (
        _frames(examples.bounds, numbers),
        examples.bounds,
        examples.channels,
        examples.speeds,
    )
    there = _bounds(bounds, numbers)
    number_there = np.searchsorted(numbers, bounds.example_of(speeds.sampled[stage_frames]))
    moved = there.starts[number_there] - bounds.starts[numbers[number_there]]
    return replace(
        examples,
        motions=tuple(examples.motions[number] for number in numbers),
        positions=tuple(examples.positions[number] for number in numbers),
        bounds=there,
        channels=Channels(channels.orientations[full], channels.linear[full], channels.rates),
        tracks=tuple(examples.tracks[number] for number in numbers),
        speeds=replace(
            speeds,
            sampled=speeds.sampled[stage_frames] + moved,
            poses=speeds.poses[stage_frames],
            fastest=speeds.fastest[stage_frames],
        ),
        leading=tuple(range(len(numbers))),
    )


def _feet(feet: ExampleFeet, full: Numbers) -> ExampleFeet:
    footing = replace(feet.footing, drifts=feet.footing.drifts[full])
    return ExampleFeet(feet.feet, feet.contacts[full], feet.heights[full], footing)


def _frames(bounds: Bounds, numbers: Numbers) -> Numbers:
    """Return the frames of some of the examples, one after another."""
    return np.concatenate([np.arange(bounds.starts[number], bounds.ends[number]) for number in numbers])


def _bounds(bounds: Bounds, numbers: Numbers) -> Bounds:
    return Bounds.of_lengths((bounds.ends - bounds.starts)[numbers])
