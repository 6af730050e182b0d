# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading of files in a separate Blender, started for the first file, and again after a file crashed it."""

import os
import pickle
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType

from ...core import InputError
from ...core.library import LeftOut
from ...core.storage import OwnFolder, new_folder_if_possible
from ..takes import SourceFile, Take
from .interpreter import SINGLE_THREADED, blender_words, own_code
from .pipes import ending_of, wait_until_ready

MOST_SECONDS = 600.0
"""Longest time for reading a file, in seconds; hundreds of actions take one or two minutes."""


@dataclass(frozen=True, eq=False)
class Read:
    """The content of one file. refused: a sentence on why it cannot be used at all."""

    takes: tuple[Take, ...] = ()
    skipped: tuple[LeftOut, ...] = ()
    refused: str = ""


def sendable(take: Take) -> Take:
    """Return a take that can be pickled: its tags as a dict, since pickle does not support read-only mappings."""
    return replace(take, tags=dict(take.tags))


class ReaderProcess:
    """Reader of files in a Blender, one after another. binary: Blender's program; "" is the module bpy."""

    def __init__(self, binary: str, assets: bool = False) -> None:
        self._binary, self._assets = binary, assets
        self._process: subprocess.Popen[bytes] | None = None
        self._folder: OwnFolder | None = None

    def read(self, file: SourceFile, fingerprint: str) -> list[Take | LeftOut]:
        """Return the takes of a file.

        Raises InputError if the file cannot be used, crashes the Blender that reads it, or takes longer than
        MOST_SECONDS.
        """
        late = threading.Event()
        waiting = threading.Timer(MOST_SECONDS, self._end_late, (late,))
        try:
            process = self._running()
            waiting.start()
            assert process.stdin is not None and process.stdout is not None
            pickle.dump((str(file.path), file.name, fingerprint, self._assets), process.stdin, pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()
            read: Read = pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            how = "could not be started" if self._process is None else ending_of(self._process)
            self.stop()
            if late.is_set():
                how = f"did not end in {MOST_SECONDS / 60:g} minutes"
            raise InputError(f"Blender {how} while it read the file; open it there and save it again.") from error
        finally:
            waiting.cancel()
        if read.refused:
            raise InputError(read.refused)
        whole = (replace(take, tags=MappingProxyType(dict(take.tags))) for take in read.takes)
        return [*whole, *read.skipped]

    def stop(self) -> None:
        """End the process, if it runs, and remove its temporary files."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None
        if self._folder is not None:
            self._folder.remove()
            self._folder = None

    def _running(self) -> "subprocess.Popen[bytes]":
        if self._process is None or self._process.poll() is not None:
            self.stop()
            self._folder = new_folder_if_possible()
            self._process = _start(self._binary, self._folder)
        return self._process

    def _end_late(self, late: threading.Event) -> None:
        """End the Blender that reads for too long; the thread that waits for its answer then sees its end."""
        late.set()
        if self._process is not None:
            self._process.kill()


@contextmanager
def reader_process(binary: str, assets: bool = False) -> Iterator[ReaderProcess]:
    """Yield a reader of files in a Blender that ends with the block."""
    reader = ReaderProcess(binary, assets)
    try:
        yield reader
    finally:
        reader.stop()


def _start(binary: str, folder: OwnFolder | None) -> "subprocess.Popen[bytes]":
    """Start a Blender with the extension under the name that it has here, and wait until it is ready.

    Raises OSError or EOFError if it does not start.
    """
    process = subprocess.Popen(
        blender_words(binary, own_code("libraries.reading.file_reader", "serve()")),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | SINGLE_THREADED | ({} if folder is None else folder.environment()),
    )
    try:
        wait_until_ready(process)
    except EOFError:
        process.kill()
        raise
    return process
