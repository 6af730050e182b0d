# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples that are measured: the sample character's actions, and those of all motion files in a folder."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import bpy
from bpy.types import Object

from genmm_addon.animation.reading.examples import ExampleSpec, has_rest_start
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.files.import_file import ENDINGS, Z_UP, Axes, import_file
from genmm_addon.generation.generate import Request, read

RATE = 30


@dataclass(frozen=True, eq=False)
class Clip:
    """An example in the open file; file_axes: from the world's axes to those of its source."""

    name: str
    armature: Object
    example: ExampleSpec
    file_axes: Axes


def sample_clips() -> Iterator[Clip]:
    """Yield the sample character's actions."""
    _empty_file()
    sample = add_sample_character(bpy.context)
    for action in sample.actions:
        yield Clip(_file_name(action.name), sample.armature, ExampleSpec(action), Z_UP)


def file_clips(path: Path, name: str) -> Iterator[Clip]:
    """Yield the actions of a motion file. Raises InputError."""
    _empty_file()
    characters = import_file(path, bpy.context)
    found = [(character, example) for character in characters for example in character.examples]
    for character, example in found:
        own = name if len(found) == 1 else f"{name}_{_file_name(example.action.name)}"
        yield Clip(own, character.armature, example, character.file_axes)


def _empty_file() -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = RATE, 1.0


def _file_name(text: str) -> str:
    return re.sub(r"\W+", "_", text).strip("_")


def sources(folder: Path | None) -> Iterator[tuple[str, Callable[[], Iterator[Clip]]]]:
    """Yield names and openers of the sample character and of every motion file below the folder."""
    yield "sample", sample_clips
    if folder is None:
        return
    taken: set[str] = set()
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() not in ENDINGS:
            continue
        name = path.stem if path.stem not in taken else f"{path.stem}_{path.suffix[1:]}"
        taken.add(name)
        yield name, lambda path=path, name=name: file_clips(path, name)  # type: ignore[misc]


def without_rest_start(request: Request) -> Request:
    """Return the request without a T-pose in its example's first frame."""
    motion = read(request, bpy.context.scene).reading.motions[0]
    if not has_rest_start(motion):
        return request
    return replace(request, examples=(replace(request.examples[0], skip_first_frame=True),))
