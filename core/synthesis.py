# SPDX-License-Identifier: GPL-3.0-or-later
"""The loop: from examples to a new motion (paper, sections 3.2 and 3.3).

Coarse to fine, each stage matches the patches of what is there against the examples' and blends
what they say. The patches of the finest stage then vote for a path through the examples' own frames.
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from . import pyramid
from .blending import average_votes
from .composition import Synthesis, compose
from .cuts import WINDOW_SECONDS
from .errors import Cancelled, InputError
from .examples import PartPlan, Prepared, prepare
from .first_guess import plan_tour
from .landscape import LONGEST_SHARE
from .matching import nearest_patches
from .motion import Motion
from .runs import Leader, Phase, Runs, at_full_rate, likeliest_path, refine_cuts, without_short_runs
from .tour_price import price

Rows = NDArray[np.float32]

REACH = 3
"""How many frames of the full rate a cut may move from where the finest stage put it, at least."""
TRUST = 0.5
"""How many votes the first guess has beside the patches'."""
PHASES_PER_SECOND = 6.0
"""Seeds of different phases never show the same frame at once; a phase is wide enough not to be seen in a cut."""
KEPT_ORDER = 0.75
"""The share of the first guess that a path must still show at the same time."""
MISMATCH_WEIGHT = 100.0
"""What it costs a path, in cut cost per second, to differ from its leader by one vote throughout."""

Progress = Callable[[float], bool | None]


def synthesize(
    examples: Prepared | Sequence[Motion], frames: int, *, seed: int = 0, progress: Progress | None = None
) -> Synthesis:
    """A new motion of exactly `frames` frames at the examples' rate.

    The same examples, settings, length and seed give the same motion. progress is told the share done,
    0 to 1; where it returns False, Cancelled is raised. Raises InputError for fewer than one frame and for a
    negative seed.
    """
    if frames < 1:
        raise InputError("The length must be 1 frame or more.")
    if seed < 0:
        raise InputError("The seed must be 0 or more.")
    prepared = examples if isinstance(examples, Prepared) else prepare(examples)
    random = np.random.default_rng(seed)
    steps = _Steps(progress, len(prepared.stages) * prepared.settings.iterations + 4)
    rows, tours = _first_guess(prepared, frames, seed, random)
    steps.done()
    chosen: list[NDArray[np.int64]] = []
    for stage, examples_there in enumerate(prepared.stages):
        if chosen:
            rows = _blend(prepared, stage - 1, chosen, len(rows))
        rows = pyramid.resample_rows(rows, pyramid.stage_length(frames, examples_there.ratio))
        for iteration in range(prepared.settings.iterations):
            if iteration:
                rows = _blend(prepared, stage, chosen, len(rows))
            chosen = _match(prepared, stage, rows)
            steps.done()
    paths = _paths_of_parts(prepared, chosen, tours)
    steps.done()
    count = max(1, round(prepared.frames_per_second / PHASES_PER_SECOND))
    phase = Phase(seed % count, count)
    # A stage frame stands for several of the full rate: which of them is up to the seed.
    shift = int(random.integers(max(1, round(1 / prepared.stages[-1].ratio))))
    runs = [
        _runs_of_path(prepared, plan, path, frames, shift, phase, random)
        for plan, path in zip(prepared.parts, paths, strict=True)
    ]
    steps.done()
    result = compose(prepared, runs)
    steps.done()
    return result


class _Steps:
    """Counts steps for the progress callback, which can cancel."""

    def __init__(self, progress: Progress | None, count: int) -> None:
        self.progress, self.count, self.finished = progress, count, 0
        self._tell()

    def done(self) -> None:
        self.finished += 1
        self._tell()

    def _tell(self) -> None:
        if self.progress is not None and self.progress(self.finished / self.count) is False:
            raise Cancelled("Cancelled.")


def patch_length(prepared: Prepared, stage: int, frames: int) -> int:
    """p, or as much of it as the result and the shortest example have at a stage."""
    bounds = prepared.stages[stage].bounds
    return min(prepared.settings.patch_frames, frames, int((bounds.ends - bounds.starts).min()))


def _first_guess(
    prepared: Prepared, frames: int, seed: int, random: np.random.Generator
) -> tuple[Rows, list[NDArray[np.int64]]]:
    """A tour `(F',)` at the finest stage for each part, and their rows `(F, C)` at the coarsest with noise."""
    finest = prepared.stages[-1]
    length = pyramid.stage_length(frames, finest.ratio)
    total = np.zeros((length, finest.rows.shape[1]), np.float32)
    votes = np.zeros(finest.rows.shape[1], np.float32)
    tours = [plan_tour(plan.landscape, length, seed, random) for plan in prepared.parts]
    for plan, tour in zip(prepared.parts, tours, strict=True):
        total[:, plan.columns] += finest.rows[tour][:, plan.columns]
        votes[plan.columns] += 1.0
    total /= np.maximum(votes, 1.0)
    rows = pyramid.resample_rows(total, pyramid.stage_length(frames, prepared.stages[0].ratio))
    noise = random.standard_normal(rows.shape, np.float32) * prepared.stages[0].rows.std(axis=0)
    return (rows + np.float32(prepared.settings.noise) * noise).astype(np.float32), tours


def _match(prepared: Prepared, stage: int, rows: Rows) -> list[NDArray[np.int64]]:
    """For each part, the starts `(F - p + 1,)` of the example patches nearest to those of `rows` `(F, C)`."""
    there, alpha = prepared.stages[stage], prepared.settings.completeness
    length = patch_length(prepared, stage, len(rows))
    starts = there.bounds.patch_starts(length)
    return [
        nearest_patches(rows[:, plan.columns], there.rows[:, plan.columns], starts, length, alpha)
        for plan in prepared.parts
    ]


def _blend(prepared: Prepared, stage: int, chosen: list[NDArray[np.int64]], frames: int) -> Rows:
    """The rows `(frames, C)` that the chosen patches of all parts make together."""
    examples = prepared.stages[stage].rows
    length = frames - len(chosen[0]) + 1
    if len(prepared.parts) == 1:
        return average_votes(examples, chosen[0], length)
    total, votes = np.zeros((frames, examples.shape[1]), np.float32), np.zeros(examples.shape[1], np.float32)
    for plan, patches in zip(prepared.parts, chosen, strict=True):
        total[:, plan.columns] += average_votes(examples[:, plan.columns], patches, length)
        votes[plan.columns] += 1.0
    total /= np.maximum(votes, 1.0)
    return total


def _paths_of_parts(
    prepared: Prepared, chosen: list[NDArray[np.int64]], tours: list[NDArray[np.int64]]
) -> list[NDArray[np.int64]]:
    """The path `(F,)` of each part through the finest stage: the root's part goes first, the others hang from it."""
    paths = list(tours)
    paths[prepared.root_part] = _path_of_part(prepared, prepared.root_part, chosen, tours, None)
    for part, plan in enumerate(prepared.parts):
        if part != prepared.root_part:
            leader = Leader(paths[prepared.root_part], plan.mismatch) if plan.mismatch is not None else None
            paths[part] = _path_of_part(prepared, part, chosen, tours, leader)
    return paths


def _path_of_part(
    prepared: Prepared,
    part: int,
    chosen: list[NDArray[np.int64]],
    tours: list[NDArray[np.int64]],
    leader: Leader | None,
) -> NDArray[np.int64]:
    """The path that a part's patches vote for, or its tour where that is better."""
    plan, bounds, tour = prepared.parts[part], prepared.stages[-1].bounds, tours[part]
    length = patch_length(prepared, len(prepared.stages) - 1, len(tour))
    voted = likeliest_path(chosen[part], length, plan.cuts, bounds, tour, TRUST, plan.landscape.shortest, leader)
    path = without_short_runs(Runs.of_path(voted, bounds), bounds, plan.landscape.shortest).source_frames()
    # The loop may mend the order of the first guess, not fall back to the example's own or copy it.
    longest = Runs.of_path(path, bounds).lengths.max()
    copies = longest > max(LONGEST_SHARE * bounds.frames, plan.landscape.longest)
    if copies or np.mean(np.abs(path - tour) <= 1) < KEPT_ORDER:
        return tour

    def cost(path: NDArray[np.int64]) -> float:
        apart = 0.0 if leader is None else float(np.mean(leader.mismatch[leader.path, path]))
        return price(plan.landscape, path) + MISMATCH_WEIGHT * apart

    return min((tour, path), key=cost)


def _runs_of_path(
    prepared: Prepared,
    plan: PartPlan,
    path: NDArray[np.int64],
    frames: int,
    shift: int,
    phase: Phase,
    random: np.random.Generator,
) -> Runs:
    """The runs of the full rate for a path through the finest stage."""
    finest, rate = prepared.stages[-1], prepared.frames_per_second
    runs = at_full_rate(Runs.of_path(path, finest.bounds), finest.bounds, prepared.bounds, frames, shift)
    half = max(1, round(WINDOW_SECONDS * rate))
    reach = max(REACH, round(1.5 / finest.ratio))
    return refine_cuts(runs, prepared.rows[:, plan.columns], prepared.bounds, rate, half, reach, phase, random)
