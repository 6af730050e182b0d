# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `genmm`: for `blender --command genmm`, for `batch.py`, and as `main` from Python."""

import argparse
import os
from collections.abc import Callable, Container, Sequence
from contextlib import suppress
from typing import Any

import bpy

from ..core import InputError, computing
from ..core.storage import new_folder, remove_unfinished
from .arguments.parser import parser
from .commands.crowd import crowd
from .commands.gather import gather
from .commands.generate import generate
from .commands.in_place import asset, fill, go_on, ground, natural, reach, repair
from .commands.info import info
from .commands.library import library
from .commands.measure import measure
from .commands.new_actions import blend, edit, locomotion, restyle, retarget
from .commands.pages.gallery import gallery
from .commands.pages.serve import serve
from .console import Console, Voice, open_missing_streams, own_console, say_error, say_rest
from .ending import status_of
from .errors import REFUSED
from .stopping import check_stop, interruptible, last_step

NAME = "genmm"
COMMANDS: dict[str, Callable[[argparse.Namespace, Console], int]] = {
    "generate": generate,
    "crowd": crowd,
    "info": info,
    "gather": gather,
    "gallery": gallery,
    "serve": serve,
    "fill": fill,
    "asset": asset,
    "continue": go_on,
    "natural": natural,
    "restyle": restyle,
    "blend": blend,
    "edit": edit,
    "repair": repair,
    "retarget": retarget,
    "ground": ground,
    "reach": reach,
    "set": locomotion,
    "library": library,
    "measure": measure,
}


def main(arguments: Sequence[str]) -> int:
    """Run a command and return its exit status: 0 success, 1 failed or stopped, 2 invalid request."""
    open_missing_streams()
    try:
        options = parser().parse_args(list(arguments))
    except SystemExit as ended:  # the help was printed
        say_rest()
        return int(ended.code or 0)
    except InputError as error:
        with own_console(_voice({word[2:].replace("-", "_") for word in arguments})) as console:
            console.error(str(error))
            console.close(REFUSED)
        return REFUSED
    try:
        with (
            own_console(_voice({name for name, value in vars(options).items() if value}), options.log) as console,
            interruptible(),
            last_step(remove_temporary_folder_of_blender),
            last_step(remove_unfinished),
        ):
            status = _run(options, console)
            console.close(status)
            return status
    except InputError as error:  # raised for the log, which is opened before the console
        say_error(str(error))
        return REFUSED


def _run(options: argparse.Namespace, console: Console) -> int:
    try:
        with computing():
            status = COMMANDS[options.command](options, console)
        # A request to stop that was raised in one of Blender's handlers was only printed there.
        check_stop()
        return status
    except BaseException as error:
        resuming = "; use --resume to continue" if "resume" in options else ""
        stopped = f"Stopped. All files written so far are complete{resuming}."
        return status_of(error, console, stopped, "Run the command again with --log FILE, and report that file.")
    finally:
        remove_unfinished()


def _voice(given: Container[str]) -> Voice:
    """Return the form of the output that is among the names of the given options."""
    return next((voice for voice in Voice if voice.value.lower() in given), Voice.TEXT)


_handles: list[Any] = []


def _run_in_program(arguments: list[str]) -> int:
    status = main(arguments)
    # Send Blender's output at exit to standard error, since readers of standard output do not expect it.
    os.dup2(2, 1)
    return status


def register() -> None:
    """Register the command in the Blender program; the bpy module does not support commands."""
    if bpy.app.binary_path:
        handle = bpy.utils.register_cli_command(NAME, _run_in_program)  # type: ignore[func-returns-value]
        _handles.append(handle)


def unregister() -> None:
    """Remove the command."""
    while _handles:
        bpy.utils.unregister_cli_command(_handles.pop())


def remove_temporary_folder_of_blender() -> None:
    """Have Blender remove its temporary folder, for a process that ends without Blender's clean-up.

    Only Blender knows whether it created the folder. When the preference changes, Blender removes that folder and
    creates another one, here in a folder that is then removed.
    """
    with suppress(OSError):
        replacement = new_folder()
        bpy.context.preferences.filepaths.temporary_directory = str(replacement.path)
        replacement.remove()
