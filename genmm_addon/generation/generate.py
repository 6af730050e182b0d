# SPDX-License-Identifier: GPL-3.0-or-later
"""Generation in three steps: read, compute, write.

`read` and `write` use Blender's data and belong to the main thread; `compute` works on arrays only.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from bpy.types import Context, Scene

from ..animation.mesh_channels.reading import MeshReading, read_meshes
from ..animation.reading.evaluation import at_frame
from ..animation.reading.example_spec import check_example, example_ranges, fixed_frame, repetition_of, used_examples
from ..animation.reading.examples import ExampleSpec, Reading, read_examples
from ..animation.rig import check_armature
from ..animation.scene_time import extend_playback, first_frame, scene_rate
from ..character import tags
from ..character.belongings import mesh_blocks
from ..character.flesh import ExampleBody, read_example_body
from ..control_rigs.root_motion.left_over import as_without_keys
from ..core import Prepared, Progress, Synthesis, computing, same_values, synthesize
from ..core.examples import Repetition, note_on_lengths, with_noise
from ..core.library import prepare_kept
from ..core.synthesis import with_stepped_poses
from ..libraries.choosing import FIRST_OF_CLIP, LibraryChoice, preparations_beside
from ..libraries.clip_reading import read_clips
from ..libraries.kept_preparation import prepared_again, same_motions
from . import outputs
from .directing import ResolvedConstraints, covers_ground, resolve_constraints, same_direction, settings_for
from .estimates import check_output_memory, purpose_of
from .measures import Measures, measure, store_measures
from .request import DEFAULT_SETTINGS, Output, PartMode, Request
from .result_writing import Places, WriteContext, notes_on_sameness, notes_on_showing, write_results
from .results import Result, results_muted
from .sources import SourceExample
from .stretches.replay import as_asked

__all__ = [
    "Computed",
    "Output",
    "PartMode",
    "Request",
    "SceneReading",
    "check_results",
    "compute",
    "compute_and_measure",
    "generate",
    "prepare_reading",
    "read",
    "same_reading",
    "with_body",
    "write",
    "write_for_now",
]


@dataclass(frozen=True, eq=False)
class SceneReading:
    """The reading for a request: arrays and names only, fit for a thread.

    frames_per_second: the scene's rate, at which the result is made. resolved: parts and constraints as arrays.
    examples: the examples read, clips of a library included. names, repetitions: of the motions. library: the choice
    of clips, with the libraries' present fingerprints. meshes: the values of the character's meshes in the examples.
    keeps_preparation: the preparation is kept in memory, since the same examples will be used again, as while a slider
    is dragged. preparations: the folder in which preparations of libraries are kept.
    body: of the character, for its measures; None until `with_body` reads it.
    """

    reading: Reading
    frames_per_second: float
    resolved: ResolvedConstraints
    examples: tuple[ExampleSpec, ...] = ()
    names: tuple[str, ...] = ()
    repetitions: tuple[Repetition, ...] | None = None
    library: LibraryChoice | None = None
    meshes: MeshReading = field(default_factory=MeshReading)
    keeps_preparation: bool = False
    preparations: Path | None = None
    body: ExampleBody | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Return sentences for the user about the reading."""
        short = note_on_lengths(self.reading.motions, self.repetitions)
        return (*self.reading.notes, *((short,) if short else ()), *self.resolved.notes, *self.meshes.notes)


@dataclass(frozen=True, eq=False)
class Computed:
    """The product of a thread: the motions, their measures, and the names of the feet found."""

    syntheses: list[Synthesis]
    measures: tuple[Measures, ...]
    feet: tuple[str, ...]


@computing()
def read(request: Request, scene: Scene) -> SceneReading:
    """Read the request's examples at the scene's rate, and its directions.

    Raises InputError that names what cannot be read, or a character that cannot take the output.
    """
    outputs.check_output(request.armature, request.output)
    with _at_fixed_frame(request, scene):
        request, reading = _read(request, scene)
        for example, motion in zip(used_examples(request.examples), reading.motions, strict=True):
            check_example(request.armature, example, motion, scene)
        if request.completion is None:
            # For one result; callers that keep several together check them all with `check_results`.
            check_output_memory(request, reading, scene, frames=request.frames, count=1, written=False)
        resolved = resolve_constraints(request, reading, scene)
    with results_muted(request.armature):
        meshes = read_meshes(request.armature, request.examples, mesh_blocks(request.armature, scene), scene)
    folder = None if request.library is None else preparations_beside(request.library)
    used = used_examples(request.examples)
    return SceneReading(
        reading,
        scene_rate(scene),
        resolved,
        request.examples,
        tuple(example.name for example in used),
        tuple(repetition_of(example.spec) for example in used),
        request.library,
        meshes,
        preparations=folder,
    )


def _at_fixed_frame(request: Request, scene: Scene) -> AbstractContextManager[None]:
    """Return `at_frame` at the frame at which the request's examples are read, so that the playhead has no effect."""
    check_armature(request.armature)
    return at_frame(request.armature, scene, fixed_frame(request.armature, request.examples, scene))


def _read(request: Request, scene: Scene) -> tuple[Request, Reading]:
    """Return the examples, and the request with those of its library."""
    purpose = purpose_of(request, scene)
    if request.library is not None:
        specs, reading, library = read_clips(
            request.armature,
            request.library,
            request.bone_names,
            purpose,
            labels=request.labels,
            travel=request.path is not None or bool(request.waypoints),
            keep_contacts=request.keep_contacts,
        )
        return replace(request, examples=specs, library=library), reading
    played = [(spec.action, spec.slot) for spec in request.examples if spec.armature in (None, request.armature)]
    with results_muted(request.armature), as_without_keys(request.armature, played):
        reading = read_examples(
            request.armature,
            request.examples,
            scene=scene,
            visual=request.visual,
            bone_names=request.bone_names,
            purpose=purpose,
            keep_contacts=request.keep_contacts,
        )
    return request, reading


def check_results(reading: SceneReading, request: Request, scene: Scene, *, written: bool = True) -> None:
    """Raise InputError, naming what would fit, where all results of a request need too much memory together.

    written: they are also keyed in the file. Uses Blender's data, so call it in the main thread.
    """
    frames, count = reading.resolved.given_frames or request.frames, len(request.seeds)
    curves = sum(len(block.channels) for block in reading.meshes.blocks)
    check_output_memory(request, reading.reading, scene, frames=frames, count=count, written=written, curves=curves)


def with_body(reading: SceneReading, request: Request, scene: Scene) -> SceneReading:
    """Return the reading with the character's body, if results will be measured: its skin takes longer than the rest.

    Uses Blender's data, so call it in the main thread.
    """
    with _at_fixed_frame(request, scene):
        return replace(reading, body=read_example_body(request.armature, reading.reading.motions, scene))


@computing()
def read_again(request: Request, before: SceneReading, scene: Scene) -> SceneReading:
    """Return the reading for another request with the same examples, without reading these again.

    Raises InputError that names a direction that is impossible, or the memory that it would take.
    """
    outputs.check_output(request.armature, request.output)
    with _at_fixed_frame(request, scene):
        resolved = resolve_constraints(request, before.reading, scene)
    reading = replace(before, resolved=resolved, examples=before.examples if before.library else request.examples)
    check_results(reading, request, scene, written=False)
    return reading


@computing()
def compute(reading: SceneReading, request: Request, progress: Progress | None = None) -> list[Synthesis]:
    """Return one synthesis for each of the request's seeds; uses no Blender data, so that it may run in a thread.

    progress: called with 0 to 1; returning False stops. Raises InputError, or Cancelled when it was stopped.
    """
    return _synthesize(prepare_reading(reading, request), reading, request, progress)


@computing()
def compute_and_measure(reading: SceneReading, request: Request, progress: Progress | None = None) -> Computed:
    """Return the syntheses of `compute` with their measures."""
    prepared = prepare_reading(reading, request)
    return _measured(prepared, reading, _synthesize(prepared, reading, request, progress))


@computing()
def measured(reading: SceneReading, request: Request, syntheses: list[Synthesis]) -> Computed:
    """Return syntheses of `compute` with their measures."""
    return _measured(prepare_reading(reading, request), reading, syntheses)


def _measured(prepared: Prepared, reading: SceneReading, syntheses: list[Synthesis]) -> Computed:
    names = prepared.motions[0].skeleton.names
    feet = tuple(names[foot.joint] for foot in prepared.feet)
    return Computed(syntheses, measure(prepared, syntheses, reading.body), feet)


@computing()
def write(
    context: Context,
    request: Request,
    reading: SceneReading,
    syntheses: Sequence[Synthesis],
    measures: Sequence[Measures] = (),
    places: Places = (),
) -> list[Result]:
    """Write the syntheses, one result each, as one batch; if one fails, everything written is removed.

    measures: stored with each result, where given. places: world offsets at which new characters stand, where these
    are free. Selection and frame stay as they are. Raises InputError that names what cannot be written to.
    """
    with ExitStack() as undoing:
        results = write_for_now(context, request, reading, syntheses, undoing, measures, places)
        undoing.pop_all()
    return results


@computing()
def write_for_now(
    context: Context,
    request: Request,
    reading: SceneReading,
    syntheses: Sequence[Synthesis],
    undoing: ExitStack,
    measures: Sequence[Measures] = (),
    places: Places = (),
) -> list[Result]:
    """Write as `write` does; closing the stack `undoing` removes everything again."""
    outputs.check_output(request.armature, request.output)
    start = first_frame(request.frame_start, context.scene)
    # Automatic choices become part of the recipe, so that it gives the same result after the scene has changed.
    visual = request.visual if reading.library is not None else reading.reading.visual
    settled = replace(request, frame_start=start, visual=visual, library=reading.library)
    writing = WriteContext(
        context=context,
        request=settled,
        reading=reading.reading,
        examples=source_examples(request, reading, context.scene),
        part_names=reading.resolved.part_names,
        stands=reading.resolved.stands,
        grounded=reading.resolved.constraints if reading.resolved.grounds_controls else None,
        reached=reading.resolved.reaches_controls,
        meshes=reading.meshes,
        parts=reading.resolved.parts,
        frame_start=start,
        batch=tags.new_batch(),
        undoing=undoing,
        places=places,
    )
    first, *others = write_results(writing, syntheses)
    for result, measured in zip((first, *others), measures, strict=False):
        store_measures(result.action, measured)
    if request.extend_playback:
        undoing.callback(setattr, context.scene, "frame_end", context.scene.frame_end)
        extend_playback(context.scene, start + (reading.resolved.given_frames or request.frames) - 1)
    notes = tuple(dict.fromkeys(note for synthesis in syntheses for note in synthesis.notes))
    notes += notes_on_sameness(syntheses)
    return [replace(first, notes=first.notes + notes + notes_on_showing(request)), *others]


def generate(context: Context, request: Request, progress: Progress | None = None) -> list[Result]:
    """Read, compute and write at once; the first result's notes begin with the reading's."""
    reading = read(request, context.scene)
    check_results(reading, request, context.scene)
    reading = with_body(reading, request, context.scene)
    computed = compute_and_measure(reading, request, progress)
    notes = reading.notes
    first, *others = write(context, request, reading, computed.syntheses, computed.measures)
    return [replace(first, notes=notes + first.notes), *others]


def same_reading(first: SceneReading, second: SceneReading) -> bool:
    """Return whether two readings hold the same examples and directions, value for value."""
    return same_examples(first, second) and same_direction(first.resolved, second.resolved)


def same_examples(first: SceneReading, second: SceneReading) -> bool:
    """Return whether two readings hold the same examples, whatever their directions."""
    mine, theirs = first.reading, second.reading
    if (first.frames_per_second, mine.visual, mine.keyed) != (second.frames_per_second, theirs.visual, theirs.keyed):
        return False
    if first.repetitions != second.repetitions:
        return False
    if not same_values(first.meshes, second.meshes):
        return False
    return same_motions(mine.motions, theirs.motions)


def prepare_reading(reading: SceneReading, request: Request) -> Prepared:
    """Return the preparation that all seeds of a request share; uses no Blender data.

    A library's preparation is kept in memory and on disk, since its clips are many and do not change. That of other
    examples is kept in memory for the next result.
    """
    motions = reading.reading.motions

    def prepare() -> Prepared:
        return prepare_kept(
            motions,
            reading.preparations,
            names=reading.names,
            frames_per_second=reading.frames_per_second,
            parts=reading.resolved.parts,
            repetitions=reading.repetitions,
            settings=settings_for(request).settings,
            travels=covers_ground(request),
        )

    of_library, noise = reading.keeps_preparation or reading.library is not None, request.settings.noise
    prepared = prepared_again(Prepared, motions, _purpose(reading, request), prepare, of_library=of_library)
    return prepared if prepared.settings.noise == noise else with_noise(prepared, noise)


def _purpose(reading: SceneReading, request: Request) -> object:
    """Return all values that a preparation depends on beside the motions, except the noise, cheap to change."""
    settings = replace(settings_for(request).settings, noise=DEFAULT_SETTINGS.noise)
    rate, parts = reading.frames_per_second, reading.resolved.parts
    return rate, parts, reading.repetitions, settings, reading.names, covers_ground(request)


def _synthesize(
    prepared: Prepared, reading: SceneReading, request: Request, progress: Progress | None
) -> list[Synthesis]:
    resolved, count = reading.resolved, len(request.seeds)
    syntheses = [
        synthesize(
            prepared,
            resolved.given_frames or request.frames,
            constraints=resolved.constraints,
            seed=seed,
            progress=_share(progress, done, count),
        )
        for done, seed in enumerate(request.seeds)
    ]
    stepped = [_stepped(synthesis, reading) for synthesis in syntheses]
    return [as_asked(synthesis, request.redone, prepared, resolved) for synthesis in stepped]


def _stepped(synthesis: Synthesis, reading: SceneReading) -> Synthesis:
    """Return the result with the holds of stepped examples, except at frames whose pose is given."""
    fixed = np.zeros(synthesis.motion.frames, bool)
    for constraint in reading.resolved.constraints:
        if constraint.poses is not None:
            # The closing frame of a loop is added to the frames that constraints count.
            fixed[: constraint.poses.motion.frames] |= constraint.poses.joints.any(axis=1)
    return with_stepped_poses(synthesis, reading.reading.motions, fixed)


def source_examples(request: Request, reading: SceneReading, scene: Scene) -> tuple[SourceExample, ...]:
    """Return the examples of a request for its sources, in the order of the motions that were read."""
    used = used_examples(reading.examples)
    actions = [example.spec for example in used if not example.spec.clip]
    ranges = iter(example_ranges(request.armature, actions, scene))
    return tuple(
        SourceExample(
            name=example.spec.clip or (example.spec.action.name if example.spec.action else "NLA and constraints"),
            first=FIRST_OF_CLIP if example.spec.clip else next(ranges)[0] + example.spec.skip_first_frame,
            frames=motion.frames,
            step=motion.frames_per_second / reading.frames_per_second,
            is_mirrored=example.is_mirrored,
        )
        for example, motion in zip(used, reading.reading.motions, strict=True)
    )


def _share(progress: Progress | None, done: int, count: int) -> Progress | None:
    """Return a progress for one of `count` equal pieces, `done` of them finished, that reports the whole's progress."""
    return None if progress is None else lambda fraction: progress((done + fraction) / count)
