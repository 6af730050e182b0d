# SPDX-License-Identifier: GPL-3.0-or-later
"""Motions of a folder for a gallery, from their records or from the files themselves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import bpy
import numpy as np

from ...animation.reading.examples import ExampleSpec, read_examples
from ...core import InputError, load_motion
from ...core.motion import FORMAT as MOTION
from ...core.motion import format_of, read_bvh_motion
from ...core.storage import Arrays, Malformed, read_arrays
from ...files.import_file import import_alone
from ...generation.measures import Measures, measures_of
from ...generation.recipe import PROPERTY as RECIPE
from ...generation.recipe import recipe_of
from ...generation.sources import SourceExample, SourcePart, Sources, sources_of, stretches_of
from ...pages.figures import Figure, figure_of
from ...pages.gallery_page import ClipPart, Example, Gallery, GalleryClip, GalleryExample
from ..outputs.clip_records import ClipRecord, recorded_clips, recorded_examples
from .opening import longest, open_blend, playing_characters

SOURCES = {"seed": "i", "source_examples": "i T P", "source_frames": "n T P", "source_rates": "f T P"}
"""Forms of the additional arrays in generated motions; files of earlier versions have fewer."""
LAST_FRAME = 2.0**31
ENDINGS = (".npz", ".bvh", ".blend", ".fbx", ".glb", ".gltf")


@dataclass(frozen=True, eq=False)
class FoundClip:
    """A motion of a file without a record. character: its name in a file with several, otherwise ""."""

    figure: Figure
    character: str = ""
    seed: int | None = None
    sources: Sources | None = None
    measures: Measures | None = None


def motion_files(folder: Path) -> list[Path]:
    """Return all files below a folder that may contain motions, sorted by name, without hidden files.

    Raises InputError if there are none.
    """
    if not folder.is_dir():
        raise InputError(f'There is no folder "{folder}"; check its name.')
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.suffix.lower() in ENDINGS
        and not any(part.startswith(".") for part in path.relative_to(folder).parts)
        and path.is_file()
    )
    if not files:
        raise InputError(f'The folder "{folder}" contains no motion ({", ".join(ENDINGS)}); choose another.')
    return files


class GalleryReader:
    """Reader that adds the motions of files to a gallery, and each example once."""

    def __init__(self, gallery: Gallery, folder: Path) -> None:
        self._gallery, self._folder = gallery, folder
        self._numbers: dict[tuple[Path, str], list[int]] = {}
        self._titles: dict[str, int] = {}

    def add(self, path: Path) -> int:
        """Add the motions of a file and return their number. Raises InputError if the file cannot be read."""
        records = recorded_clips(path)
        if records:
            for record in records:
                self._add_recorded(path, record, is_one_of_several=len(records) > 1)
            return len(records)
        clips = list(_clips_in(path))
        for clip in clips:
            examples = () if clip.sources is None else clip.sources.examples
            numbers = [self._number_of(example.title) for example in examples]
            self._gallery.add(
                self._clip(path, clip.sources, clip.measures, numbers, clip.seed, clip.character), clip.figure
            )
        return len(clips)

    def _add_recorded(self, path: Path, record: ClipRecord, *, is_one_of_several: bool) -> None:
        place = path.parent, record.examples
        if place not in self._numbers:
            examples = recorded_examples(path, record.examples)
            self._numbers[place] = [self._gallery.add_example(Example(title, figure)) for title, figure in examples]
        every = self._numbers[place]
        sources = record.sources
        if sources is not None and all(0 <= number < len(every) for number in record.shown):
            numbers = [every[number] for number in record.shown]
        else:
            numbers = [self._number_of(example.title) for example in sources.examples] if sources else []
        clip = self._clip(path, sources, record.measures, numbers, record.seed)
        if is_one_of_several:
            clip = replace(clip, name=f"{clip.name} {record.seed}")
        self._gallery.add(replace(clip, source=record.input), record.figure)

    def _number_of(self, title: str) -> int:
        """Return the number of an example that is known only by name."""
        if title not in self._titles:
            self._titles[title] = self._gallery.add_example(Example(title))
        return self._titles[title]

    def _clip(
        self,
        path: Path,
        sources: Sources | None,
        measures: Measures | None,
        numbers: Sequence[int],
        seed: int | None,
        character: str = "",
    ) -> GalleryClip:
        file = path.relative_to(self._folder).as_posix()
        measured = measures or Measures()
        if sources is None or len(numbers) != len(sources.examples):
            sources = None
        shown = zip(numbers, () if sources is None else sources.examples, strict=False)
        return GalleryClip(
            name=f"{file}: {character}" if character else file,
            file=file,
            character=character,
            seed=seed,
            examples=tuple(GalleryExample(number, example.step, example.frames) for number, example in shown),
            parts=() if sources is None else tuple(_part(part) for part in sources.parts),
            coverage=measured.coverage,
            skate=measured.skate,
            visible_transitions=measured.visible_transitions,
            frames_through_body=measured.frames_through_body,
            followed=tuple(f"{match.driven} {match.text}" for match in measured.followed),
        )


def _part(part: SourcePart) -> ClipPart:
    rows = part.stretches.tolist()
    return ClipPart(part.name, tuple(tuple(row if row[4] != 1.0 else row[:4]) for row in rows))


def _clips_in(path: Path) -> Iterator[FoundClip]:
    suffix = path.suffix.lower()
    if suffix == ".npz":
        yield from _clips_in_arrays(path)
    elif suffix == ".bvh":
        yield FoundClip(figure_of(read_bvh_motion(path, path.read_bytes()).motion))
    elif suffix == ".blend":
        yield from _clips_in_blend(path)
    else:
        characters = import_alone(path)
        for character in characters:
            spec = longest(character.armature, character.examples)
            motion = read_examples(character.armature, [spec], scene=bpy.context.scene).motions[0]
            yield FoundClip(figure_of(motion), character.armature.name if len(characters) > 1 else "")


def _clips_in_arrays(path: Path) -> Iterator[FoundClip]:
    """Yield the motion of a .npz file, with the sources in it; nothing for libraries and crowds."""
    try:
        if format_of(path) != MOTION:
            return
        values = read_arrays(path, SOURCES, optional=SOURCES)
    except (OSError, Malformed) as error:
        raise InputError(f'"{path.name}" cannot be read as a motion; write it again.') from error
    motion = load_motion(path)
    seed = int(values["seed"]) if "seed" in values else None
    yield FoundClip(figure_of(motion), seed=seed, sources=_sources_of_arrays(values, motion.frames))


def _sources_of_arrays(values: Arrays, length: int) -> Sources | None:
    """Return sources `(T, P)` as segments, with unnamed examples; None if the arrays do not have T frames."""
    if not {"source_examples", "source_frames"} <= values.keys():
        return None
    which, frames = values["source_examples"], values["source_frames"].astype(np.float64)
    speeds = values.get("source_rates", np.ones(frames.shape)).astype(np.float64)
    allowed = (frames >= 0) & (frames < LAST_FRAME) & (which >= 0) & (speeds > 0)
    if len(which) != length or not which.size or not allowed.all():
        return None
    steps = np.diff(frames, axis=0)
    forward = steps[steps > 0]
    step = float(np.median(forward)) if len(forward) else 1.0
    numbers, inverse = np.unique(which, return_inverse=True)
    last = np.zeros(len(numbers))
    np.maximum.at(last, inverse.ravel(), frames.ravel())
    examples = [
        SourceExample(f"Example {number + 1}", 0.0, int(end) + 1, step)
        for number, end in zip(numbers.tolist(), last.tolist(), strict=True)
    ]
    rows = zip(np.searchsorted(numbers, which).T, frames.T, speeds.T, strict=True)
    parts = [SourcePart(f"Part {number}", stretches_of(*row, examples)) for number, row in enumerate(rows, start=1)]
    return Sources(0.0, length, tuple(examples), tuple(parts))


def _clips_in_blend(path: Path) -> Iterator[FoundClip]:
    """Yield the motions that the characters of a .blend play: the generated ones or, without any, all of them."""
    open_blend(path)
    scene = bpy.context.scene
    playing = [(rig, rig.animation_data.action) for rig in playing_characters()]
    made = [(rig, action) for rig, action in playing if action.get(RECIPE) is not None] or playing
    for rig, action in made:
        motion = read_examples(rig, [ExampleSpec(action)], scene=scene).motions[0]
        recipe = recipe_of(action)
        yield FoundClip(
            figure_of(motion),
            rig.name if len(made) > 1 else "",
            None if recipe is None else recipe.seed,
            sources_of(action),
            measures_of(action),
        )
