# SPDX-License-Identifier: GPL-3.0-or-later
"""A crowd from a request: which motions it takes, who plays which of them from when, and all of it in the file."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Collection, Context
from numpy.typing import NDArray

from ..animation.writing import Written, write_action
from ..character.naming import base_name, named
from ..character.results_collection import remove_made
from ..core import InputError, Loop, Prepared, Synthesis
from ..core.memory import memory_errors_told
from ..core.motion import resample
from ..generation.generate import SceneReading
from ..generation.outputs import object_channels
from ..generation.recipe import recipe_from_request, store
from ..generation.request import LARGEST_SEED, Request
from .agents import Showing, make_agents
from .places import Places
from .request import CrowdRequest
from .standing import Trail, matrices, places_of, trail_of

SPARE = 2
"""A clip that is no loop is so many times as long as what is shown of it, so that everyone shows something else."""


@dataclass(frozen=True, eq=False)
class Crowd:
    """A crowd in the file. clips: how many motions its agents share."""

    collection: Collection
    agents: int
    clips: int
    notes: tuple[str, ...]


def clips_request(request: Request, crowd: CrowdRequest) -> Request:
    """The request for the motions that the agents share; with a loop all of each is shown, round and round."""
    count = min(crowd.clips, crowd.agents)
    frames = request.frames if request.loop is not Loop.OFF else SPARE * request.frames
    return replace(request, frames=frames, seeds=seeds_from(crowd.seed, count))


def seeds_from(first: int, count: int) -> tuple[int, ...]:
    """That many seeds, beginning again at 0 after the largest."""
    return tuple((first + number) % (LARGEST_SEED + 1) for number in range(count))


def check_direction(reading: SceneReading) -> None:
    """Raise InputError where the motions have their place in the world, since each agent has its own."""
    if reading.directed.stands:
        raise InputError("A crowd has places of its own; switch the path off, and leave the pins their place.")


def example_trail(reading: SceneReading, prepared: Prepared, request: Request) -> Trail:
    """The trail of the first example."""
    example = resample(reading.reading.motions[0], reading.frames_per_second)[0]
    return trail_of(example, prepared.root, request.armature)


def world_matrices(
    crowd: CrowdRequest, places: Places, trails: Sequence[tuple[Trail, int]], home: Trail, request: Request
) -> NDArray[np.float64]:
    """For each agent the matrix `(N, 4, 4)` that takes its motion from where the character is to its own place."""
    return matrices(crowd, places, trails, home, float(request.armature.matrix_world.translation.z))


@memory_errors_told()
def write_crowd(
    context: Context,
    request: Request,
    crowd: CrowdRequest,
    reading: SceneReading,
    prepared: Prepared,
    syntheses: Sequence[Synthesis],
) -> Crowd:
    """Write the clips and the agents that share them; should anything fail, all that was made is removed.

    request: as it was asked for, of which `clips_request` made the syntheses. Raises InputError.
    """
    check_direction(reading)
    if any(synthesis.loop is not None and not synthesis.loop.closes for synthesis in syntheses):
        raise InputError(
            "This motion turns too far in a round to be repeated; let it loop in place, or switch Loop off."
        )
    scene = context.scene
    start = float(scene.frame_start) if request.frame_start is None else request.frame_start
    random = np.random.default_rng((crowd.seed, 0))
    length = syntheses[0].motion.frames
    loops = request.loop is not Loop.OFF
    shown = max(int(scene.frame_end - start) + 1, request.frames) if loops else min(request.frames, length)
    phases = random.integers(0, length - 1 if loops else length - shown + 1, crowd.agents)
    clips = random.permutation(np.arange(crowd.agents) % len(syntheses))
    places = places_of(crowd, request.armature, context)
    home = example_trail(reading, prepared, request)
    trails = [trail_of(synthesis.motion, prepared.root, request.armature, home) for synthesis in syntheses]
    with ExitStack() as undoing:
        written = _write_clips(context, request, crowd, reading, syntheses, start, undoing)
        found = world_matrices(
            crowd,
            places,
            [(trails[clip], phase) for clip, phase in zip(clips, phases.tolist(), strict=True)],
            home,
            request,
        )
        showings = [
            Showing(written[clip], start + phase, shown, start)
            for clip, phase in zip(clips, phases.tolist(), strict=True)
        ]
        animated = object_channels(reading.reading.keyed)
        collection = make_agents(context, request.armature, showings, found, animated, undoing)
        undoing.pop_all()
    notes = tuple(dict.fromkeys(note for synthesis in syntheses for note in synthesis.notes))
    return Crowd(collection, crowd.agents, len(syntheses), (*reading.notes, *notes))


def _write_clips(
    context: Context,
    request: Request,
    crowd: CrowdRequest,
    reading: SceneReading,
    syntheses: Sequence[Synthesis],
    start: float,
    undoing: ExitStack,
) -> list[Written]:
    settled = replace(clips_request(request, crowd), frame_start=start, visual=reading.reading.visual)
    written = []
    for seed, synthesis in zip(settled.seeds, syntheses, strict=True):
        clip = write_action(
            synthesis.motion,
            reading.reading.keyed,
            request.armature,
            name=named(base_name(request.armature), f" Crowd {seed}"),
            frame_start=start,
            tolerance=request.tolerance,
            cyclic=synthesis.loop is not None,
        )
        undoing.callback(remove_made, context.scene, [clip.action])
        store(clip.action, recipe_from_request(settled, seed))
        written.append(clip)
    return written
