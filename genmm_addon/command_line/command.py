# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `genmm`: for `blender --command genmm`, for `batch.py`, and as `main` from Python."""

import argparse
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy

from ..core import InputError
from .arguments import parser
from .console import Console, Voice, own_console
from .crowd_command import crowd
from .errors import Failed, Stopped, stopped_by
from .gather_command import gather
from .generate_command import generate
from .info_command import info

NAME = "genmm"
COMMANDS: dict[str, Callable[[argparse.Namespace, Console], int]] = {
    "generate": generate,
    "crowd": crowd,
    "info": info,
    "gather": gather,
}


def main(arguments: Sequence[str]) -> int:
    """Run a command; its exit status: 0 done, 1 failed or stopped, 2 where what was asked cannot be."""
    try:
        options = parser().parse_args(list(arguments))
    except SystemExit as ended:  # argparse has said why
        return int(ended.code or 0)
    try:
        with own_console(_voice(options), options.log) as console, _interruptible():
            return _run(options, console)
    except OSError as error:
        print(f'genmm: The log "{options.log}" cannot be written: {error.strerror}.', file=sys.stderr)
        return 2


def _run(options: argparse.Namespace, console: Console) -> int:
    try:
        return COMMANDS[options.command](options, console)
    except BaseException as error:
        if stopped_by(error):
            console.error("Stopped; the files that are there are whole, and --resume makes the others.")
            return 1
        if isinstance(error, InputError | Failed):
            console.error(str(error))
            return 2 if isinstance(error, InputError) else 1
        if not isinstance(error, Exception):
            raise
        traceback.print_exc()
        name = type(error).__name__
        console.error(f"GenMM itself went wrong ({name}: {error}); run it again with --log FILE, and report that file.")
        return 1


def _voice(options: argparse.Namespace) -> Voice:
    named = (Voice.QUIET, options.quiet), (Voice.JSON, options.json), (Voice.OPENJD, options.openjd)
    return next((voice for voice, chosen in named if chosen), Voice.TEXT)


@contextmanager
def _interruptible() -> Iterator[None]:
    """Ctrl-C, and being asked to end, as Stopped: in Blender they end the process, whatever it is writing."""

    def stop(_signal: int, _frame: Any) -> None:
        raise Stopped

    signals = [signal.SIGINT, signal.SIGTERM]
    try:
        before = {number: signal.signal(number, stop) for number in signals}
    except ValueError:  # not the main thread, which alone hears them
        yield
        return
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler or signal.SIG_DFL)


_handles: list[Any] = []


def _run_in_program(arguments: list[str]) -> int:
    status = main(arguments)
    # What Blender says on its way out is nothing that a reader of our lines waits for.
    os.dup2(2, 1)
    return status


def register() -> None:
    """Add the command to the Blender program; its Python module runs none."""
    if bpy.app.binary_path:
        _handles.append(bpy.utils.register_cli_command(NAME, _run_in_program))


def unregister() -> None:
    """Take it out again."""
    while _handles:
        bpy.utils.unregister_cli_command(_handles.pop())
