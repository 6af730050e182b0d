# SPDX-License-Identifier: GPL-3.0-or-later
"""The program of a separate Blender that reads motion files; a crash by a broken file affects nothing else.

`reader_process` starts it and is the only one to communicate with it, in pickles over its standard input and output.
Blender's own output goes to the standard error.
"""

import os
import pickle
import signal
import sys
import threading
from pathlib import Path
from queue import SimpleQueue
from typing import Any, BinaryIO

import bpy

from ...core import InputError
from ..takes import Skipped, SourceFile
from .blender_files import read_with_blender
from .reader_process import READY, Read, sendable


def serve() -> None:
    """Read the files that are named until the input ends; the process then ends, even during a file."""
    # Ctrl-C is meant for the build, which ends this process.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # The streams are used as bytes on every system; anything printed from here on goes elsewhere.
    answers, hear = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    if sys.platform == "win32":
        import msvcrt

        for stream in (answers, hear):
            msvcrt.setmode(stream.fileno(), os.O_BINARY)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True, load_ui=False)
    answers.write(READY)
    answers.flush()
    messages: SimpleQueue[Any] = SimpleQueue()
    threading.Thread(target=_listen, args=(hear, messages), daemon=True).start()
    while True:
        path, name, fingerprint, assets = messages.get()
        pickle.dump(_read(SourceFile(Path(path), name), fingerprint, assets), answers, pickle.HIGHEST_PROTOCOL)
        answers.flush()


def _read(file: SourceFile, fingerprint: str, assets: bool) -> Read:
    try:
        takes = read_with_blender(file, fingerprint, assets=assets)
    except InputError as error:
        return Read(refused=str(error))
    except Exception as error:
        return Read(refused=f"{type(error).__name__} while it was read: {error}")
    return Read(
        takes=tuple(sendable(take) for take in takes if not isinstance(take, Skipped)),
        skipped=tuple(skip for skip in takes if isinstance(skip, Skipped)),
    )


def _listen(hear: BinaryIO, messages: "SimpleQueue[Any]") -> None:
    """Pass on messages; if the input ends, the build has ended, and this process ends too."""
    try:
        while True:
            messages.put(pickle.load(hear))
    except BaseException:
        os._exit(0)
