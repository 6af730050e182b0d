# SPDX-License-Identifier: GPL-3.0-or-later
"""Pickles over the pipes between this process and a Blender that it started, as both ends see them, and its end."""

import os
import pickle
import signal
import subprocess
import sys
import threading
from queue import SimpleQueue
from typing import Any, BinaryIO

READY = b"\0genmm ready\0"
"""Marks the beginning of the answers, after the output of Blender's start."""
ENDING = 5.0
"""Maximum time between asking a process to end, or closing its pipe, and its end, in seconds."""


def wait_until_ready(child: "subprocess.Popen[bytes]") -> None:
    """Skip the output of a Blender's start. Raises EOFError if it ends before it is ready."""
    assert child.stdout is not None
    received = b""
    while not received.endswith(READY):
        byte = child.stdout.read(1)
        if not byte:
            raise EOFError("Blender ended before it was ready.")
        received = received[-len(READY) :] + byte


def ending_of(child: "subprocess.Popen[bytes]") -> str:
    """Return a description of how a process ended, which may take a moment after its pipe has closed."""
    try:
        status = child.wait(timeout=ENDING)
    except subprocess.TimeoutExpired:
        return "has stopped answering"
    if status >= 0:
        return f"ended (status {status})"
    try:
        return f"was ended by the signal {signal.Signals(-status).name}"
    except ValueError:
        return f"was ended by the signal {-status}"


class ParentPipes:
    """The pipes of a process to the one that started it; the process ends when its input does."""

    def __init__(self) -> None:
        """Say that this process is ready; from here on, anything printed goes to standard error."""
        # Ctrl-C is meant for the parent, which ends this process.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        self._answers, self._requests = os.fdopen(os.dup(1), "wb"), os.fdopen(os.dup(0), "rb")
        os.dup2(2, 1)
        if sys.platform == "win32":
            import msvcrt

            for stream in (self._answers, self._requests):
                msvcrt.setmode(stream.fileno(), os.O_BINARY)
        self._write(self._answers, READY)
        self._queue: SimpleQueue[Any] = SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def next(self) -> Any:
        """Return the next request."""
        return self._queue.get()

    def answer(self, value: object) -> None:
        """Answer a request."""
        self._write(self._answers, pickle.dumps(value, pickle.HIGHEST_PROTOCOL))

    def _listen(self) -> None:
        """Queue requests; the end of the input ends this process at once, even while it works."""
        try:
            while True:
                self._queue.put(pickle.load(self._requests))
        except BaseException:
            os._exit(0)

    @staticmethod
    def _write(stream: BinaryIO, text: bytes) -> None:
        stream.write(text)
        stream.flush()
