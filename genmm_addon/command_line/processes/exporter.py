# SPDX-License-Identifier: GPL-3.0-or-later
"""The program of a separate Blender that opens the command's input and exports files on request.

`exporters` starts it and is the only one to communicate with it, in pickles over its standard input and output.
Blender's own output goes to the standard error.
"""

import os
import pickle
import signal
import sys
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from types import MappingProxyType
from typing import Any, BinaryIO

from ...core import InputError
from ...files.reasons import reason_of
from ...generation.recipe import from_json, request_from_recipe
from ..inputs.opening import add_examples, open_input
from ..outputs.exports import Scored, write_into

READY = b"\0genmm exporter\0"
"""Marks the beginning of the answers, after the output of Blender's start."""


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
    # Ctrl-C is meant for the command, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The streams are binary on every system; anything printed from here on goes to standard error.
    answers, hear = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    if sys.platform == "win32":
        import msvcrt

        for stream in (answers, hear):
            msvcrt.setmode(stream.fileno(), os.O_BINARY)
    answers.write(READY)
    answers.flush()
    messages: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_listen, args=(hear, messages), daemon=True).start()
    source: ExportSource = messages.get()
    try:
        opened = open_input(source.path, source.armature, source.frames_per_second)
        for other in source.together:
            add_examples(other)
        request = request_from_recipe(from_json(source.recipe), armature=opened.armature)
    except Exception as error:
        _answer(answers, Refusal(str(error), refused=True))
        return
    _answer(answers, None)
    shared = dict(source.shared)
    if request.library is None:
        shared["reading"] = replace(shared["reading"], examples=request.examples)
    while True:
        job: ExportedFile = messages.get()
        _answer(answers, _done(job, Scored(request=request, **shared, **job.values)))


def _done(job: ExportedFile, made: Scored) -> Refusal | tuple[str, ...]:
    try:
        return write_into(job.path, made)
    except InputError as error:
        return Refusal(str(error), refused=True)
    except Exception as error:
        return Refusal(reason_of(error), refused=False)


def _listen(hear: BinaryIO, messages: "SimpleQueue[Any]") -> None:
    """Queue incoming messages; if the input ends, the command has ended, and this process ends too."""
    try:
        while True:
            messages.put(pickle.load(hear))
    except BaseException:
        os._exit(0)


def _answer(answers: BinaryIO, answer: object) -> None:
    pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
    answers.flush()
