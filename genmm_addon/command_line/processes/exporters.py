# SPDX-License-Identifier: GPL-3.0-or-later
"""Many exports of one input on all cores; the number of Blenders does not change the files."""

import copyreg
import io
import os
import pickle
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, fields, replace
from pathlib import Path
from queue import SimpleQueue
from types import MappingProxyType
from typing import Any

import bpy

from ...core import InputError
from ...core.examples import fits
from ...core.storage import OwnFolder, new_folder_if_possible
from ...generation.recipe import recipe_from_request, to_json
from ...libraries.reading.interpreter import SINGLE_THREADED, own_code, python
from ...libraries.reading.pipes import wait_until_ready
from ..console import Console
from ..errors import Failed
from ..outputs.exports import Scored, export
from ..outputs.whole_files import whole_file
from ..stopping import check_stop, last_step, result_of, uninterrupted
from .child_process import bury, heard, kill, lost, tell
from .exporter import ExportedFile, ExportSource, Refusal, read_only
from .workers import AHEAD, cores

WORK = "exports"
"""The work of the processes, for messages."""
WORTH_A_PROCESS = 4.0
"""Minimum remaining export time per additional Blender, in seconds: opening the input takes 1.5 to 3 s."""
PROCESS_BYTES = 305e6
"""Memory of a Blender with an open character, without the data of the input, in bytes (/usr/bin/time, 5.0)."""
OWN = ("seeds", "syntheses", "measures")
"""Fields of `Scored` that differ between files."""

File = tuple[Path, Scored]
Notes = tuple[str, ...]
"""Notes of an additional Blender on a file."""


@dataclass(frozen=True, eq=False)
class Further:
    """Additional Blenders, each with a thread that communicates with it; the threads share these fields.

    jobs: waiting files; None ends a thread. ready: one entry for each Blender that has opened the input. failed:
    the reasons of those that have not.
    """

    started: "list[subprocess.Popen[bytes]]"
    jobs: "SimpleQueue[tuple[File, Future[Notes]] | None]"
    ready: list[bool]
    failed: list[str]
    asked: "list[Future[Notes]]"

    def has_room(self) -> bool:
        """Return whether one of the Blenders can soon write another file."""
        return sum(not future.done() for future in self.asked) < AHEAD * len(self.ready)

    def write(self, file: File) -> "Future[Notes]":
        """Queue a file for writing; the returned future can be canceled until a Blender begins it."""
        future: Future[Notes] = Future()
        self.asked[:] = [pending for pending in self.asked if not pending.done()] + [future]
        self.jobs.put((file, future))
        return future


def exported(
    files: Iterable[File], count: int, source: ExportSource | None, jobs: int | None, console: Console
) -> Iterator[File]:
    """Write `count` files and yield each one once it is written, in order.

    source: the input for additional Blenders; None means without them. jobs: number of writing Blenders; None is one
    per core, if the remaining exports take long enough. Raises as `export` does, and Failed if a process ends
    unexpectedly.
    """
    with ExitStack() as ending:
        further: Further | None = None
        waiting: deque[tuple[File, Future[Notes] | None]] = deque()
        begun = time.monotonic()
        for number, file in enumerate(files):
            if source is not None and further is None:
                left = (time.monotonic() - begun) / max(number, 1) * (count - number)
                more = _that_fit(_worth(left, count, jobs), source) if number or jobs else 0
                further = ending.enter_context(_further(source, more)) if more else None
            waiting.append((file, _written(file, further, console)))
            while waiting and _is_done(waiting[0]):
                yield _next(waiting, console)
        # The newest files are taken back first, since a Blender may begin the others at any moment.
        for place in reversed(range(len(waiting))):
            file, future = waiting[place]
            if future is not None and _is_taken_back(future):
                waiting[place] = file, _written(file, None, console)
        while waiting:
            yield _next(waiting, console)
        if further is not None and further.failed:
            console.note(f"Some export processes could not be used: {further.failed[0]}")


def _worth(seconds: float, count: int, jobs: int | None) -> int:
    """Return the number of additional Blenders to start, if the remaining exports take `seconds` in one process."""
    if jobs:
        return min(jobs, count) - 1
    return min(cores() - 1, int(seconds / WORTH_A_PROCESS))


def _that_fit(more: int, source: ExportSource) -> int:
    """Return the number of additional Blenders that fit into memory, at most `more`."""
    while more > 0 and not fits(more * (PROCESS_BYTES + source.path.stat().st_size)):
        more -= 1
    return more


def _written(file: File, further: Further | None, console: Console) -> "Future[Notes] | None":
    """Queue a file for an additional Blender that is idle, or write it here."""
    if further is not None:
        with uninterrupted():
            if further.has_room():
                return further.write(file)
    for note in export(*file):
        console.note(note)
    check_stop()
    return None


def _is_done(first: "tuple[File, Future[Notes] | None]") -> bool:
    with uninterrupted():
        return first[1] is None or first[1].done()


def _is_taken_back(future: "Future[Notes]") -> bool:
    with uninterrupted():
        return future.cancel()


def _next(waiting: "deque[tuple[File, Future[Notes] | None]]", console: Console) -> File:
    file, future = waiting.popleft()
    for note in () if future is None else result_of(future):
        console.note(note)
    return file


@contextmanager
def _further(source: ExportSource, count: int) -> Iterator[Further]:
    """Yield `count` additional Blenders, which end with the block."""
    further, folder = Further([], SimpleQueue(), [], [], []), new_folder_if_possible()

    def end_at_once() -> None:
        kill(further.started)
        if folder is not None:
            folder.remove()

    threads: list[threading.Thread] = []
    try:
        with last_step(end_at_once):
            for _ in range(count):
                with uninterrupted():
                    further.started.append(_start(folder))
                    threads.append(
                        threading.Thread(target=_speak, args=(further, further.started[-1], source), daemon=True)
                    )
                    threads[-1].start()
            yield further
    finally:
        with uninterrupted():
            # The processes end before the threads, which wait for their answers and then remove unfinished files.
            for future in further.asked:
                future.cancel()
            for _ in threads:
                further.jobs.put(None)
            kill(further.started)
            for thread in threads:
                thread.join()
            bury(further.started)
            if folder is not None:
                folder.remove()


def _start(folder: OwnFolder | None) -> "subprocess.Popen[bytes]":
    """Start a Blender like this one, with the extension under the same name."""
    code = own_code("command_line.processes.exporter", "serve()")
    if bpy.app.binary_path:
        plain = [word for word in ("--factory-startup", "--offline-mode") if word in sys.argv]
        command = [bpy.app.binary_path, "--background", *plain, "--python-exit-code", "1", "--python-expr", code]
    else:
        command = [str(python()), "-P", "-c", code]
    environment = os.environ | SINGLE_THREADED | ({} if folder is None else folder.environment())
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment)


def _speak(further: Further, process: "subprocess.Popen[bytes]", source: ExportSource) -> None:
    """Have a Blender open the input, then send it one file after another."""
    try:
        _open(process, further, source)
    except Exception as error:
        further.failed.append(str(error))
        return
    further.ready.append(True)
    while (job := further.jobs.get()) is not None:
        file, future = job
        if not future.set_running_or_notify_cancel():
            continue
        try:
            future.set_result(_have_written(process, *file))
        except BaseException as error:
            future.set_exception(error)
            if process.poll() is not None:
                further.ready.pop()
                return


def _open(process: "subprocess.Popen[bytes]", further: Further, source: ExportSource) -> None:
    try:
        wait_until_ready(process)
    except EOFError as error:
        raise Failed(lost(process, WORK)) from error
    tell(process, _pickled(source), WORK)
    refusal: Refusal | None = heard(process, WORK)
    if refusal is not None:
        raise Failed(refusal.text)


def _have_written(process: "subprocess.Popen[bytes]", path: Path, made: Scored) -> Notes:
    values = {name: getattr(made, name) for name in OWN}
    with whole_file(path, may_replace=made.may_replace) as unfinished:
        tell(process, _pickled(ExportedFile(unfinished.absolute(), values)), WORK)
        answer: Refusal | Notes = heard(process, WORK)
        if isinstance(answer, Refusal):
            raise (InputError if answer.refused else RuntimeError)(answer.text)
        return answer


def _pickled(value: object) -> bytes:
    """Return a pickle of a value, including read-only mappings, which pickle does not support."""
    text = io.BytesIO()
    pickler = pickle.Pickler(text, pickle.HIGHEST_PROTOCOL)
    known: dict[type, Any] = dict(copyreg.dispatch_table)
    known[MappingProxyType] = lambda mapping: (read_only, (dict(mapping),))
    pickler.dispatch_table = known
    pickler.dump(value)
    return text.getvalue()


def source_of(
    path: Path | None, armature: str, rate: float | None, together: Iterable[Path], shared: Scored
) -> ExportSource | None:
    """Return the input that gives additional Blenders the same data; None if the data are not in a file.

    path: the input; None is the open file. shared: the data of any of the files.
    """
    if path is None:
        path = Path(bpy.data.filepath) if bpy.data.filepath and _is_as_saved() else None
    if path is None or (not bpy.app.binary_path and python() is None):
        return None
    values = {field.name: getattr(shared, field.name) for field in fields(shared)}
    shared_fields = {name: value for name, value in values.items() if name not in (*OWN, "request")}
    if shared.request.library is None:
        # Actions are data-blocks; the other Blender finds those of the recipe in the file that it opens.
        shared_fields["reading"] = replace(shared.reading, examples=())
    recipe = to_json(recipe_from_request(shared.request, shared.request.seeds[0]))
    return ExportSource(
        path.absolute(), armature, rate, tuple(other.absolute() for other in together), recipe, shared_fields
    )


def _is_as_saved() -> bool:
    """Return whether another Blender that opens this file has the same data."""
    if not bpy.data.is_dirty:
        return True
    # In the background, Blender marks a file opened by the command line as changed, but a script may have changed it.
    words = sys.argv[: sys.argv.index("--")] if "--" in sys.argv else sys.argv
    if not bpy.app.binary_path or not bpy.app.background or set(words) & {"-y", "--enable-autoexec"}:
        return False
    scripts = sum(word in ("-P", "--python", "--python-expr", "--python-text") for word in words)
    return scripts <= int("--command" not in words)
