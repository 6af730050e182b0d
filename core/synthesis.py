# SPDX-License-Identifier: GPL-3.0-or-later
"""The loop: from examples to a new motion (paper, sections 3.2 and 3.3).

Coarse to fine, each stage matches the patches of what is there against the examples' and blends
what they say. The patches of the finest stage then vote for a path through the examples' own frames.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from . import assembly, pyramid
from .assembly import Channels
from .blending import average_votes
from .cuts import WINDOW_SECONDS
from .errors import Cancelled, InputError
from .examples import Prepared, prepare
from .first_guess import plan_tour
from .matching import nearest_patches
from .motion import Motion
from .root import apply_root, integrate
from .runs import Runs, at_full_rate, likeliest_path, refine_cuts
from .settings import Facing

Rows = NDArray[np.float32]
Progress = Callable[[float], bool | None]


@dataclass(frozen=True, eq=False)
class Synthesis:
    """A new motion, and where each of its frames came from.

    source_examples, source_frames: `(T, P)` for P parts: which example, and which frame of it, counted
    from 0 in the frames that were handed in (fractional where the example was resampled).
    facing: KEEP or FREE, as used. root: the name of the joint that carries the travel.
    """

    motion: Motion
    source_examples: NDArray[np.int64]
    source_frames: NDArray[np.float64]
    facing: Facing
    root: str


def synthesize(
    examples: Prepared | Sequence[Motion], frames: int, *, seed: int = 0, progress: Progress | None = None
) -> Synthesis:
    """A new motion of exactly `frames` frames at the examples' rate.

    The same examples, settings, length and seed give the same motion. progress is told the share done,
    0 to 1; where it returns False, Cancelled is raised. Raises InputError for fewer than one frame.
    """
    if frames < 1:
        raise InputError("The length must be 1 frame or more.")
    prepared = examples if isinstance(examples, Prepared) else prepare(examples)
    random = np.random.default_rng(seed)
    steps = _Steps(progress, len(prepared.stages) * prepared.settings.iterations + 2)
    rows = _first_guess(prepared, frames, seed, random)
    steps.done()
    chosen: list[NDArray[np.int64]] = []
    for stage, examples_there in enumerate(prepared.stages):
        rows = pyramid.resample_rows(rows, pyramid.stage_length(frames, examples_there.ratio))
        for _ in range(prepared.settings.iterations):
            rows, chosen = _match_and_blend(prepared, stage, rows)
            steps.done()
    runs = [_runs_of_part(prepared, part, votes, len(rows), frames) for part, votes in enumerate(chosen)]
    result = _put_together(prepared, runs)
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


def _first_guess(prepared: Prepared, frames: int, seed: int, random: np.random.Generator) -> Rows:
    """Rows `(F, C)` at the coarsest stage: a tour for each part, and noise."""
    finest = prepared.stages[-1]
    rate = finest.ratio * prepared.frames_per_second
    length = pyramid.stage_length(frames, finest.ratio)
    total = np.zeros((length, finest.rows.shape[1]), np.float32)
    votes = np.zeros(finest.rows.shape[1], np.float32)
    for plan in prepared.parts:
        tour = plan_tour(plan.cuts, finest.bounds, length, rate, seed, random)
        total[:, plan.columns] += finest.rows[tour][:, plan.columns]
        votes[plan.columns] += 1.0
    rows = pyramid.resample_rows(total / np.maximum(votes, 1.0), pyramid.stage_length(frames, prepared.stages[0].ratio))
    deviations = prepared.stages[0].rows.std(axis=0) * prepared.settings.noise
    return rows + random.standard_normal(rows.shape, np.float32) * deviations


def _match_and_blend(prepared: Prepared, stage: int, rows: Rows) -> tuple[Rows, list[NDArray[np.int64]]]:
    """One iteration: the blended rows `(F, C)`, and the chosen patch starts of each part."""
    there = prepared.stages[stage]
    length = patch_length(prepared, stage, len(rows))
    starts = there.bounds.patch_starts(length)
    total, votes = np.zeros_like(rows), np.zeros(rows.shape[1], np.float32)
    chosen = []
    for plan in prepared.parts:
        own = there.rows[:, plan.columns]
        patches = nearest_patches(rows[:, plan.columns], own, starts, length, prepared.settings.completeness)
        total[:, plan.columns] += average_votes(own, patches, length)
        votes[plan.columns] += 1.0
        chosen.append(patches)
    return total / np.maximum(votes, 1.0), chosen


def _runs_of_part(prepared: Prepared, part: int, chosen: NDArray[np.int64], length: int, frames: int) -> Runs:
    """The runs of the full rate that a part's patches vote for."""
    finest, plan, rate = prepared.stages[-1], prepared.parts[part], prepared.frames_per_second
    patch = patch_length(prepared, len(prepared.stages) - 1, length)
    path = likeliest_path(chosen, patch, plan.cuts, finest.bounds)
    runs = at_full_rate(Runs.of_path(path, finest.bounds), finest.bounds, prepared.bounds, frames)
    half = max(1, round(WINDOW_SECONDS * rate))
    reach = max(1, round(1.5 / finest.ratio))
    return refine_cuts(runs, prepared.rows[:, plan.columns], prepared.bounds, half, reach)


def _put_together(prepared: Prepared, runs: list[Runs]) -> Synthesis:
    """The motion of the parts' runs: channels faded, parts averaged, the root led through space."""
    root_part = next(index for index, plan in enumerate(prepared.parts) if prepared.root.joint in plan.part.joints)
    channels = _blend_parts(prepared, runs, root_part)
    motion = _to_motion(prepared, runs[root_part], channels)
    sources = np.stack([part.source_frames() for part in runs], axis=1)
    examples = prepared.bounds.example_of(sources)
    positions = np.concatenate(prepared.positions)
    return Synthesis(
        motion=motion,
        source_examples=examples,
        source_frames=positions[sources],
        facing=prepared.root.facing,
        root=motion.skeleton.names[prepared.root.joint],
    )


def _blend_parts(prepared: Prepared, runs: list[Runs], root_part: int) -> Channels:
    """The channels of all parts: where they overlap, orientations meet half-way."""
    def of_part(part: int) -> Channels:
        fades = assembly.plan_fades(
            runs[part], prepared.bounds, prepared.channels, prepared.speeds, prepared.frames_per_second
        )
        return assembly.assemble(prepared.channels, runs[part], fades)

    result = of_part(root_part)
    if len(runs) == 1:
        return result
    raise NotImplementedError


def _to_motion(prepared: Prepared, runs: Runs, channels: Channels) -> Motion:
    """Channels as a motion: the root's velocities walked, and led back where the examples stay."""
    example, plan = prepared.motions[0], prepared.root
    start = int(runs.sources[0])
    which = int(prepared.bounds.example_of(np.array(start)))
    first = start - int(prepared.bounds.starts[which])
    at_start = replace(
        prepared.tracks[which],
        heading=prepared.tracks[which].heading[first : first + 1],
        ground=prepared.tracks[which].ground[first : first + 1],
    )
    count = len(plan.anchored)
    track = assembly.root_track(channels.straight, channels.turning[:, plan.anchored], at_start, plan)
    track = integrate(track, example.skeleton.up)
    if plan.in_place:
        places = np.concatenate([track.ground for track in prepared.tracks])[runs.source_frames()]
        track = assembly.anchor(track, places, runs, example.skeleton.size)
    widths = (3 * count + 4, 3 * len(example.translated), 3 * len(example.scaled), len(example.scalar_names))
    _, translations, scales, scalars = np.split(channels.straight, np.cumsum(widths)[:-1], axis=1)
    frames = len(channels.turning)
    motion = replace(
        example,
        rotations=channels.turning,
        translations=translations.reshape(frames, -1, 3),
        scales=scales.reshape(frames, -1, 3),
        scalars=scalars,
    )
    return apply_root(motion, plan, track)
