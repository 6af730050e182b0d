# SPDX-License-Identifier: GPL-3.0-or-later
"""From a request to results: read, compute, write.

`read` and `write` touch Blender and belong to the main thread; `compute` works on arrays alone.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from bpy.types import Context, Scene
from numpy.typing import NDArray

from ..animation.reading import Reading, example_range, read_examples
from ..animation.scene_time import scene_rate
from ..character import tags
from ..core import Motion, Part, Prepared, Synthesis, prepare, synthesize
from ..core.parts import complete, limb_partition, whole_body
from ..core.stance import with_typical_pose
from . import outputs
from .measures import Measures, measure, store_measures
from .request import Output, PartMode, Request
from .result_writing import Press, write_results
from .results import Result
from .sources import ShownExample

__all__ = [
    "Computed",
    "Output",
    "PartMode",
    "Request",
    "SceneReading",
    "compute",
    "compute_and_measure",
    "generate",
    "read",
    "same_reading",
    "write",
]

Progress = Callable[[float], bool | None]


@dataclass(frozen=True, eq=False)
class SceneReading:
    """What was read for a request: arrays and names only, fit for a thread.

    frames_per_second: the scene's rate, at which the result is made.
    """

    reading: Reading
    frames_per_second: float

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the user about the reading."""
        return self.reading.notes


@dataclass(frozen=True, eq=False)
class Computed:
    """What a thread makes of a request: the motions, how good they are, and which feet were found (their names)."""

    syntheses: list[Synthesis]
    measures: tuple[Measures, ...]
    feet: tuple[str, ...]


def read(request: Request, scene: Scene) -> SceneReading:
    """Read the request's examples at the scene's rate.

    Raises InputError naming what cannot be read, or a character that cannot take the output.
    """
    outputs.check_output(request.armature, request.output)
    reading = read_examples(request.armature, request.examples, scene=scene, visual=request.visual)
    for example, motion in zip(request.examples, reading.motions, strict=True):
        motion.check_finite(f'Action "{example.action.name}"' if example.action else "The evaluated pose")
    return SceneReading(reading, scene_rate(scene))


def compute(reading: SceneReading, request: Request, progress: Progress | None = None) -> list[Synthesis]:
    """One synthesis for each of the request's seeds; touches no Blender data, so that a thread may run it.

    progress: called with 0 to 1; returning False stops. Raises InputError, or Cancelled when it was stopped.
    """
    return _synthesize(_prepare(reading, request), request, progress)


def compute_and_measure(reading: SceneReading, request: Request, progress: Progress | None = None) -> Computed:
    """As `compute`, and how good the results are."""
    prepared = _prepare(reading, request)
    syntheses = _synthesize(prepared, request, progress)
    names = prepared.motions[0].skeleton.names
    feet = tuple(names[foot.joint] for foot in prepared.feet)
    return Computed(syntheses, measure(prepared, syntheses), feet)


def write(
    context: Context,
    request: Request,
    reading: SceneReading,
    syntheses: Sequence[Synthesis],
    measures: Sequence[Measures] = (),
) -> list[Result]:
    """Write the syntheses, one result each, as one batch; should one fail, all that was made is removed.

    measures: kept with each result, where they are given. Selection and frame are left alone.
    Raises InputError naming what cannot be written to.
    """
    outputs.check_output(request.armature, request.output)
    start = float(context.scene.frame_start) if request.frame_start is None else request.frame_start
    # What was found out on the way is part of the recipe: it shall give the same result in a scene that has changed.
    settled = replace(request, frame_start=start, visual=reading.reading.visual)
    with ExitStack() as undoing:
        press = Press(
            context=context,
            request=settled,
            reading=reading.reading,
            examples=_shown_examples(request, reading, context.scene),
            part_names=_part_names(reading.reading.motions[0], request.part_mode),
            frame_start=start,
            batch=tags.new_batch(),
            undoing=undoing,
        )
        first, *others = write_results(press, syntheses)
        for result, measured in zip((first, *others), measures, strict=False):
            store_measures(result.action, measured)
        if request.extend_playback:
            _extend_playback(context.scene, start + request.frames - 1, undoing)
        undoing.pop_all()
    return [replace(first, notes=first.notes + _notes_on_showing(request)), *others]


def generate(context: Context, request: Request, progress: Progress | None = None) -> list[Result]:
    """Read, compute and write in one go; the first result's notes begin with the reading's."""
    reading = read(request, context.scene)
    computed = compute_and_measure(reading, request, progress)
    first, *others = write(context, request, reading, computed.syntheses, computed.measures)
    return [replace(first, notes=reading.notes + first.notes), *others]


def same_reading(first: SceneReading, second: SceneReading) -> bool:
    """Whether two readings hold the same examples, value for value: nothing changed between them."""
    one, other = first.reading, second.reading
    if (first.frames_per_second, one.visual, one.keyed) != (second.frames_per_second, other.visual, other.keyed):
        return False
    return len(one.motions) == len(other.motions) and all(map(_same_motion, one.motions, other.motions))


def _prepare(reading: SceneReading, request: Request) -> Prepared:
    motions = reading.reading.motions
    return prepare(
        motions,
        frames_per_second=reading.frames_per_second,
        parts=_parts(motions[0], request.part_mode),
        settings=request.settings,
    )


def _synthesize(prepared: Prepared, request: Request, progress: Progress | None) -> list[Synthesis]:
    count = len(request.seeds)
    return [
        synthesize(prepared, request.frames, seed=seed, progress=_share(progress, done, count))
        for done, seed in enumerate(request.seeds)
    ]


def _parts(example: Motion, mode: PartMode) -> tuple[Part, ...] | None:
    return limb_partition(with_typical_pose([example])[0].skeleton) if mode is PartMode.LIMBS else None


def _part_names(example: Motion, mode: PartMode) -> tuple[str, ...]:
    """The names of the parts in a synthesis, in their order."""
    parts = _parts(example, mode) or whole_body(example.skeleton)
    return tuple(part.name for part in complete(parts, example.skeleton))


def _shown_examples(request: Request, reading: SceneReading, scene: Scene) -> tuple[ShownExample, ...]:
    return tuple(
        ShownExample(
            name=spec.action.name if spec.action else "NLA and constraints",
            first=example_range(request.armature, spec, scene)[0] + spec.skip_first_frame,
            frames=motion.frames,
            step=motion.frames_per_second / reading.frames_per_second,
        )
        for spec, motion in zip(request.examples, reading.reading.motions, strict=True)
    )


def _share(progress: Progress | None, done: int, count: int) -> Progress | None:
    """The progress of one of `count` equal pieces, `done` of them finished, as that of the whole."""
    return None if progress is None else lambda fraction: progress((done + fraction) / count)


def _notes_on_showing(request: Request) -> tuple[str, ...]:
    if request.armature.data.pose_position == "REST":
        return (f'"{request.armature.name}" is shown in Rest Position: switch to Pose Position to see the motion.',)
    return ()


def _extend_playback(scene: Scene, last: float, undoing: ExitStack) -> None:
    """Move the scene's end so that the motion's last frame plays; never nearer."""
    undoing.callback(setattr, scene, "frame_end", scene.frame_end)
    scene.frame_end = max(scene.frame_end, math.ceil(last))


def _same_motion(first: Motion, second: Motion) -> bool:
    one, other = first.channels(), second.channels()
    if first.frames_per_second != second.frames_per_second or first.scalar_names != second.scalar_names:
        return False
    old, new = first.skeleton, second.skeleton
    if old.names != new.names or old.up != new.up:
        return False
    pairs: list[tuple[NDArray[Any], NDArray[Any]]] = [(one[name], other[name]) for name in one]
    pairs += [(first.translated, second.translated), (first.scaled, second.scaled), (old.parents, new.parents)]
    pairs += [(old.rest_rotations, new.rest_rotations), (old.rest_translations, new.rest_translations)]
    return all(np.array_equal(left, right) for left, right in pairs)
