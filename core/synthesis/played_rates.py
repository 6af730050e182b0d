# SPDX-License-Identifier: GPL-3.0-or-later
"""Rates at which a result plays its examples, where a constraint sets them: it is planned with as many more frames."""

from dataclasses import replace

import numpy as np

from ..arrays import Float64
from ..constraints.constraint import Task
from ..examples.transition_costs import Bounds
from ..planning.segments import Segments


def planned_frames(task: Task) -> Float64 | None:
    """Return the planned frame `(F,)` of each frame of the result; None if they are the same."""
    rates = next((constraint.rates for constraint in task.constraints if constraint.rates is not None), None)
    if rates is None:
        return None
    passed = np.concatenate(([0.0], np.cumsum(rates[:-1])))
    return np.asarray(passed * (np.ceil(passed[-1]) / max(passed[-1], 1e-9)))


def is_unchanged(planned: Float64) -> bool:
    """Return whether each frame of the result is a frame of the plan."""
    return bool(np.allclose(np.diff(planned), 1.0))


def planned_task(task: Task, planned: Float64) -> Task:
    """Return the task for planning all of the planned frames."""
    constraints = (constraint.at_rates(planned) for constraint in task.constraints)
    kept = tuple(constraint for constraint in constraints if constraint is not None)
    return replace(task, frames=round(float(planned[-1])) + 1, constraints=kept)


def played(segments: Segments, planned: Float64, bounds: Bounds) -> Segments:
    """Return the segments of a plan as the result plays them, whose frames are the planned frames `(F,)`."""
    rounding = 1e-6
    starts = np.searchsorted(planned, segments.starts - rounding)
    # A segment that no frame shows is left out.
    number = np.flatnonzero(np.diff(np.append(starts, len(planned))) > 0)
    starts = starts[number]
    ends = np.append(starts[1:], len(planned))
    example, spans = bounds.example_of(segments.sources[number]), planned[ends - 1] - planned[starts]
    # A frame of the result lies up to one planned frame before or after those of its segment.
    room = np.maximum(bounds.ends[example] - 1 - bounds.starts[example] - rounding, 0.0)
    slower = np.minimum(1.0, room / np.maximum(spans, 1e-9))
    latest = bounds.ends[example] - 1 - slower * spans - rounding
    sources = segments.sources[number] + planned[starts] - segments.starts[number]
    sources = np.maximum(np.minimum(sources, latest), bounds.starts[example])
    within = np.repeat(slower, ends - starts)
    within[ends - 1] = 1.0
    rates = np.append(np.diff(planned), planned[-1] - planned[-2]) * within
    return Segments(starts, sources, len(planned), rates)
