# SPDX-License-Identifier: GPL-3.0-or-later
"""The output of a command: results on standard output, progress on standard error, with Blender's output kept apart."""

import ctypes
import errno
import json
import math
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from enum import Enum
from typing import Any, TextIO

from ..core import InputError
from ..generation.job import INSTANT_SECONDS
from .errors import NOTHING_WRONG, Unheard

if sys.platform != "win32":
    import fcntl

NOBODY_READS = (errno.EPIPE, errno.EINVAL)
"""Error numbers of a pipe without a reader; the second is that of Windows."""


class Voice(Enum):
    """The forms of the output."""

    TEXT = "TEXT"
    """Results on standard output; progress and notes on standard error."""
    QUIET = "QUIET"
    """Only results, and errors."""
    JSON = "JSON"
    """Events on standard output, each a JSON object on a line of its own, which names it in `event`."""
    OLD_JSON = "OLD_JSON"
    """As JSON, with results as arrays and objects without `event`, as before."""
    OPENJD = "OPENJD"
    """Text, and the lines that an Open Job Description session parses."""


class Console:
    """The output of a command, flushed line by line.

    Each method except `error` raises Unheard if a line cannot be written, for example to a closed pipe.
    """

    def __init__(self, lines: TextIO, errors: TextIO, voice: Voice) -> None:
        self._lines, self._errors, self.voice = lines, errors, voice
        self._start = time.monotonic()
        self._last_progress = -math.inf
        self._has_ended = False

    @property
    def is_json(self) -> bool:
        """Return whether events are printed."""
        return self.voice in (Voice.JSON, Voice.OLD_JSON)

    def progress(self, event: str, text: str, share: float, **values: Any) -> None:
        """Report that a piece is done; share: overall progress, 0 to 1. values: further entries for JSON."""
        if self.is_json:
            self._object(event, progress=round(share, 4), **values)
        elif self.voice is Voice.OPENJD:
            self._line(text)
            self._line(f"openjd_progress: {100 * share:.1f}")
        elif time.monotonic() >= self._last_progress + INSTANT_SECONDS or share >= 1.0:
            # Lines that follow each other sooner could not be read, and would fill a log.
            self._aside(text)
            self._last_progress = time.monotonic()

    def note(self, text: str) -> None:
        """Report a note that is not an error."""
        if self.is_json:
            self._object("note", text=text)
        elif self.voice is Voice.OPENJD:
            self._line(f"Note: {text}")
        else:
            self._aside(f"Note: {text}")

    def status(self, text: str) -> None:
        """Report the present work, in the forms that support it."""
        if self.voice is Voice.OPENJD:
            self._line(f"openjd_status: {text}")

    def error(self, text: str) -> None:
        """Report an error, if it can be written."""
        with suppress(OSError):
            print(f"genmm: {text}", file=self._errors, flush=True)
        with suppress(Unheard):
            if self.is_json:
                self._object("error", text=text)
            if self.voice is Voice.OPENJD:
                self._line(f"openjd_fail: {text}")

    def end(self, text: str, *, status: int = NOTHING_WRONG, **values: Any) -> None:
        """Report the outcome of the command; status: the exit status."""
        self._has_ended = True
        if self.is_json:
            self._object("end", seconds=round(time.monotonic() - self._start, 3), **values, status=status)
        elif self.voice is not Voice.QUIET:
            self._line(text)

    def close(self, status: int) -> None:
        """Make `end` the last event of a command that has printed only results or an error, if it can be written."""
        if self.voice is Voice.JSON and not self._has_ended:
            with suppress(Unheard):
                self.end("", status=status)

    def answer(self, text: str, event: str, values: Sequence[Mapping[str, Any]], old: Any = None) -> None:
        """Print results, even where progress is not printed: as text, or as an event each.

        old: what the former form of JSON prints instead; None is a list of the values.
        """
        if self.voice is Voice.OLD_JSON:
            self._line(json.dumps(list(values) if old is None else old))
        elif self.voice is Voice.JSON:
            for each in values:
                self._object(event, **each)
        elif text:
            self._line(text)

    def of_one(self, name: str, number: int, count: int) -> "Console":
        """Return the console of one of several pieces; number: counted from 0."""
        return _OfOne(self, name, number, count)

    def _object(self, event: str, **values: Any) -> None:
        self._line(json.dumps({"event": event, **values}))

    def _aside(self, text: str) -> None:
        """Print what is not a result on standard error, unless only results are printed."""
        if self.voice is not Voice.QUIET:
            with suppress(OSError):
                print(text, file=self._errors, flush=True)

    def _line(self, text: str) -> None:
        try:
            self._lines.write(text + "\n")
            self._lines.flush()
        except OSError as error:
            if error.errno in NOBODY_READS:
                raise Unheard from error
            raise Unheard(f"The standard output cannot be written: {error.strerror}.") from error


class _OfOne(Console):
    """The console of one of several pieces; its end is a step of the command, and its answers include its name."""

    def __init__(self, console: Console, name: str, number: int, count: int) -> None:
        super().__init__(console._lines, console._errors, console.voice)
        self._name, self._number, self._count = name, number, count

    def progress(self, event: str, text: str, share: float, **values: Any) -> None:
        # In text form, each piece has only its final line.
        if self.voice is not Voice.TEXT:
            super().progress(event, text, (self._number + share) / self._count, **values)

    def end(self, text: str, *, status: int = NOTHING_WRONG, **values: Any) -> None:
        done = self._number + 1
        said = f"{done}/{self._count} {self._name}: {text}"
        super().progress("file", said, done / self._count, input=self._name, **values)

    def note(self, text: str) -> None:
        super().note(self._named(text))

    def error(self, text: str) -> None:
        super().error(self._named(text))

    def answer(self, text: str, event: str, values: Sequence[Mapping[str, Any]], old: Any = None) -> None:
        lines = "\n".join(f"{self._name}: {line}" for line in text.splitlines())
        former = old if old is None else {"input": self._name, **old}
        super().answer(lines, event, [{"input": self._name, **each} for each in values], former)

    def _named(self, text: str) -> str:
        return text if self._name in text else f"{self._name}: {text}"


@contextmanager
def own_console(voice: Voice, log: str = os.devnull) -> Iterator[Console]:
    """Yield a console on standard output and error; all other output is redirected meanwhile.

    log: the file for the output of Blender and its importers; "-" means standard error. Raises InputError if it cannot
    be written.
    """
    open_missing_streams()
    _flush()
    target = _log(log)
    kept = {number: os.dup(number) for number in (1, 2) if _is_output(number)}
    lines, errors = (_text_to(os.dup(kept[number]) if number in kept else _nowhere()) for number in (1, 2))
    chatter = _text_to(os.dup(target))
    try:
        for number in kept:
            os.dup2(target, number)
        # Python's output is redirected too, in case sys.stdout was replaced.
        with redirect_stdout(chatter), redirect_stderr(chatter):
            yield Console(lines, errors, voice)
    finally:
        _flush()
        for number, descriptor in kept.items():
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.close(target)
        for stream in (lines, errors, chatter):
            with suppress(OSError):  # the error was already reported
                stream.close()


def open_missing_streams() -> None:
    """Open closed standard streams, so that no other file gets their descriptors and thus our output."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # the lowest free number, which is this one
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, _text_to(_nowhere()))


def say_error(text: str) -> None:
    """Print an error on standard error, if it can be written; for use without a console."""
    with suppress(OSError):
        print(f"genmm: {text}", file=sys.stderr, flush=True)


def say_rest() -> None:
    """Flush Python's buffer of standard output, and discard it if the pipe is closed."""
    try:
        sys.stdout.flush()
    except OSError:
        # Otherwise Python would try again at exit and print an error.
        nowhere = _nowhere()
        os.dup2(nowhere, 1)
        os.close(nowhere)


def _log(name: str) -> int:
    try:
        return os.dup(2) if name == "-" else os.open(name, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    except OSError as error:
        raise InputError(f'The log "{name}" cannot be written: {error.strerror}.') from error


def _nowhere() -> int:
    return os.open(os.devnull, os.O_WRONLY)


def _is_output(number: int) -> bool:
    """Return whether a descriptor can be written; one that was closed may have become a file that Blender reads."""
    if sys.platform == "win32":
        return True
    return fcntl.fcntl(number, fcntl.F_GETFL) & os.O_ACCMODE != os.O_RDONLY


def _text_to(descriptor: int) -> TextIO:
    return os.fdopen(descriptor, "w", encoding="utf-8", errors="backslashreplace", buffering=1)


def _flush() -> None:
    """Flush the buffers of Python and Blender to the present output."""
    say_rest()
    try:
        ctypes.CDLL(None).fflush(None)
    except (OSError, TypeError, AttributeError):
        # Windows: its C library has a name.
        ctypes.CDLL("ucrtbase").fflush(None)
