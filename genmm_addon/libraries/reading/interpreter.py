# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs that further processes run on: the Python beside Blender, and a Blender like this one."""

import os
import sys
from pathlib import Path

ADDON = Path(__file__).resolve().parents[2]
SINGLE_THREADED = {name: "1" for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")}
"""Leaves the cores to the window, and to other processes."""


def python() -> str | None:
    """Return the Python that Blender runs on, as a program; None where there is none beside it."""
    name = Path(sys.executable or "").name.lower()
    return sys.executable if name.startswith("python") and os.access(sys.executable, os.X_OK) else None


def own_name() -> str:
    """Return the name under which this process knows the extension: what is pickled here is found by it there."""
    return __name__.rpartition(".libraries.")[0]


def blender_words(binary: str, code: str) -> list[str]:
    """Return the words that have a Blender run a line of Python; without a binary the module bpy is used."""
    if binary:
        return [binary, "--background", "--factory-startup", "--python-exit-code", "1", "--python-expr", code]
    return [str(python()), "-P", "-c", code]
