# SPDX-License-Identifier: GPL-3.0-or-later
"""Generate, undo, redo and undo repeated in a window: the content of the file each time, and the memory."""

import gc
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))
sys.path.insert(2, str(Path(__file__).resolve().parents[2] / "addon"))

import bpy
import window
from window import context, facts

import genmm_addon
from bench.soaking.fingerprints import fingerprint

CYCLES = 35
LOOKED_AT = 5
"""Number of cycles whose data are compared, which takes seconds; the memory is measured in all cycles."""


def set_up() -> None:
    genmm_addon.register()
    facts["undone"], facts["redone"], facts["megabytes"] = [], [], []
    window.only_sample()
    settings = bpy.data.objects["GenMM Sample"].genmm
    settings.frames, settings.new_seed = 120, False
    with context():
        bpy.ops.ed.undo_push(message="Start")


def content() -> dict[str, str]:
    """Return the content of the file, apart from active objects of scenes and windows."""
    return fingerprint("Object", "Action", "Mesh", "Armature", "Material", "Collection")


def there_and_back() -> None:
    with context():
        bpy.ops.genmm.generate_motion("EXEC_DEFAULT", True)
    made = content()
    with context():
        bpy.ops.ed.undo()
    facts["undone"].append(content() == start)
    with context():
        bpy.ops.ed.redo()
    facts["redone"].append(content() == made != start)
    with context():
        bpy.ops.ed.undo()


def there_and_back_unseen() -> None:
    """Repeat the cycle without comparing data, which would use memory of its own."""
    with context():
        bpy.ops.genmm.generate_motion("EXEC_DEFAULT", True)
        bpy.ops.ed.undo()
    with context():
        bpy.ops.ed.redo()
        bpy.ops.ed.undo()
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    facts["megabytes"].append(pages * os.sysconf("SC_PAGE_SIZE") / 2**20)


start: dict[str, str] = {}


def begin() -> None:
    start.update(content())


def end() -> None:
    facts["blocks"] = [len(start), len(content())]


window.run(
    [
        (set_up, 0.0),
        (begin, 0.1),
        *(LOOKED_AT * [(there_and_back, 0.02)]),
        *(CYCLES * [(there_and_back_unseen, 0.02)]),
        (end, 0.1),
    ]
)
