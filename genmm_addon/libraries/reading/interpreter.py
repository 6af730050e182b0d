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


def own_name() -> str:
    """Return the extension's name in this process, under which other processes can load pickles made here."""
    return __name__.rpartition(".libraries.")[0]


def blender_words(binary: str, code: str) -> list[str]:
    """Return the words that make a Blender run a line of Python; without a binary, the module bpy is used."""
    if binary:
        return [binary, "--background", "--factory-startup", "--python-exit-code", "1", "--python-expr", code]
    return [str(python()), "-P", "-c", code]
