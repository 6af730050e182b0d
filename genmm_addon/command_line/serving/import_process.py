# SPDX-License-Identifier: GPL-3.0-or-later
"""Import of a dropped file in a separate Blender, which is ended when the job is canceled or the session ends."""

import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...animation.reading.examples import ExampleSpec
from ...core import Cancelled, InputError
from ...core.storage import new_folder, parse_json_file
from ...files.import_file import ImportedCharacter
from ...generation.job import INSTANT_SECONDS
from ...libraries.reading.interpreter import SINGLE_THREADED, blender_words, own_code
from ...libraries.reading.pipes import ending_of
from ...libraries.reading.reader_process import MOST_SECONDS
from ..processes.child_process import bury
from ..stopping import last_step

SAVED, DESCRIBED = "imported.blend", "imported.json"
"""Files in the folder of the dropped one: the imported scene, and its description."""


def open_imported(path: Path, goes_on: Callable[[], bool]) -> tuple[ImportedCharacter, ...]:
    """Open the content of a dropped file, which is imported the first time.

    goes_on: called during the import; False cancels it. Raises InputError and Cancelled.
    """
    described, saved = path.with_name(DESCRIBED), path.with_name(SAVED)
    if not described.exists():
        _import(path, saved, described, goes_on)
    values = parse_json_file(described)
    if "refused" in values:
        raise InputError(str(values["refused"]))
    bpy.ops.wm.open_mainfile(filepath=str(saved), load_ui=False, use_scripts=False)
    return tuple(_character(character) for character in values["characters"])


def _import(path: Path, saved: Path, described: Path, goes_on: Callable[[], bool]) -> None:
    process = _start(path, saved, described)
    try:
        with last_step(process.kill):
            end = time.monotonic() + MOST_SECONDS
            while process.poll() is None:
                if not goes_on():
                    raise Cancelled("Cancelled.")
                if time.monotonic() > end:
                    raise InputError(
                        f'"{path.name}" could not be read within {MOST_SECONDS / 60:g} minutes; save it again.'
                    )
                time.sleep(INSTANT_SECONDS)
    finally:
        if process.returncode is None:
            bury([process])
    if not described.exists():
        raise InputError(
            f'"{path.name}" could not be read: the Blender that read it {ending_of(process)}; open it in Blender and '
            "save it again."
        )


def _start(path: Path, saved: Path, described: Path) -> "subprocess.Popen[bytes]":
    words = [str(path), str(saved), str(described)]
    code = own_code("command_line.serving.importer", f"main(*{words!r})")
    # The process may be killed, so its temporary files are in the folder of the session.
    environment = os.environ | SINGLE_THREADED | new_folder(path.parent).environment()
    return subprocess.Popen(blender_words(bpy.app.binary_path, code), stdin=subprocess.DEVNULL, env=environment)


def _character(values: dict[str, Any]) -> ImportedCharacter:
    examples = tuple(
        ExampleSpec(bpy.data.actions[example["action"]], example["slot"], frames_per_second=example["rate"])
        for example in values["examples"]
    )
    return ImportedCharacter(
        bpy.data.objects[values["armature"]], examples, np.array(values["axes"]), tuple(values["notes"])
    )
