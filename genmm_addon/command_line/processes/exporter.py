# SPDX-License-Identifier: GPL-3.0-or-later
"""The program of a separate Blender that opens the command's input and exports files on request.

`exporters` starts it and is the only one to communicate with it, in pickles over its standard input and output.
Blender's own output goes to the standard error.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ...core import InputError
from ...files.reasons import reason_of
from ...generation.recipe import from_json, request_from_recipe
from ...libraries.reading.pipes import ParentPipes
from ..inputs.opening import add_examples, open_input
from ..outputs.exports import Scored, write_into


@dataclass(frozen=True)
class ExportSource:
    """The input of the command, which another Blender opens in the same way.

    together: further files that were added. recipe: the request as text, with data-blocks by name.
    """

    path: Path
    armature: str
    frames_per_second: float | None
    together: tuple[Path, ...]
    recipe: str
    shared: dict[str, Any]
    """Fields of `Scored` shared by all files, except the request."""


@dataclass(frozen=True)
class ExportedFile:
    """One file to write: its path, and the fields of `Scored` that differ between files."""

    path: Path
    values: dict[str, Any]


@dataclass(frozen=True)
class Refusal:
    """A job that was not done. refused: whether the request is invalid; otherwise something failed."""

    text: str
    refused: bool


def read_only(values: dict[Any, Any]) -> MappingProxyType[Any, Any]:
    """Return a read-only mapping; pickle does not support the type itself."""
    return MappingProxyType(values)


def serve() -> None:
    """Run the requested jobs until the input ends; the process then ends, even while it writes a file."""
    pipes = ParentPipes()
    source: ExportSource = pipes.next()
    try:
        opened = open_input(source.path, source.armature, source.frames_per_second)
        for other in source.together:
            add_examples(other)
        request = request_from_recipe(from_json(source.recipe), armature=opened.armature)
    except Exception as error:
        pipes.answer(Refusal(str(error), refused=True))
        return
    pipes.answer(None)
    shared = dict(source.shared)
    if request.library is None:
        shared["reading"] = replace(shared["reading"], examples=request.examples)
    while True:
        job: ExportedFile = pipes.next()
        pipes.answer(_done(job, Scored(request=request, **shared, **job.values)))


def _done(job: ExportedFile, made: Scored) -> Refusal | tuple[str, ...]:
    try:
        return write_into(job.path, made)
    except InputError as error:
        return Refusal(str(error), refused=True)
    except Exception as error:
        return Refusal(reason_of(error), refused=False)
