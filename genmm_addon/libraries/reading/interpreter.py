# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs for further processes: the Python beside Blender, and a Blender like this one."""

import os
import sys
from pathlib import Path

ADDON = Path(__file__).resolve().parents[2]
SINGLE_THREADED = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
"""Environment that limits NumPy to one thread, so that the window and other processes keep their cores."""


def python() -> str | None:
    """Return the program of Blender's Python; None if there is none beside Blender."""
    name = Path(sys.executable or "").name.lower()
    return sys.executable if name.startswith("python") and os.access(sys.executable, os.X_OK) else None


def own_code(module: str, call: str) -> str:
    """Return a line of Python that loads this extension and calls a function of it.

    The extension has the same name as here, so that pickles made by one of the processes can be read by the other.
    """
    script, name = str(ADDON / "batch.py"), __name__.rpartition(".libraries.")[0]
    return (
        f"import importlib, runpy; runpy.run_path({script!r})['package']({name!r});"
        f" importlib.import_module({f'{name}.{module}'!r}).{call}"
    )


def blender_words(binary: str, code: str) -> list[str]:
    """Return the words that make a Blender run a line of Python; without a binary, the module bpy is used."""
    if binary:
        return [binary, "--background", "--factory-startup", "--python-exit-code", "1", "--python-expr", code]
    return [str(python()), "-P", "-c", code]
