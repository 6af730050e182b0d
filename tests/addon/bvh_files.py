# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files for tests: a small walking body, the sentence on an invalid file, and the poses of an imported one."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from numpy.typing import NDArray

from genmm_addon.core import InputError
from genmm_addon.files.import_file import import_file

FRAMES = 40


def walker(up: str = "Y", frame_time: str = "0.0333333") -> str:
    """Return the text of a BVH file of a body two units tall that nods and walks with its feet on the ground."""

    def place(across: float, height: float, ahead: float) -> str:
        return f"{across} {height} {ahead}" if up == "Y" else f"{across} {-ahead} {height}"

    turned = f"CHANNELS 3 Zrotation {'Xrotation Yrotation' if up == 'Y' else 'Yrotation Xrotation'}"
    moved = turned.replace("CHANNELS 3", "CHANNELS 6 Xposition Yposition Zposition")
    lines = ["HIERARCHY", "ROOT Hips", "{", f"OFFSET {place(0, 1, 0)}", moved]
    for name, tip, reach in (("Spine", "Head", 1.0), ("LeftLeg", "LeftFoot", -1.0)):
        lines += [f"JOINT {name}", "{", f"OFFSET {place(0.1, 0, 0)}", turned]
        lines += [f"JOINT {tip}", "{", f"OFFSET {place(0, reach, 0)}", turned]
        lines += ["End Site", "{", f"OFFSET {place(0, 0, 0.2)}", "}", "}", "}"]
    lines += ["}", "MOTION", f"Frames: {FRAMES}", f"Frame Time: {frame_time}"]
    for frame in range(FRAMES):
        nod = 20 * np.sin(frame / 3)
        lines.append(f"{place(0, 1, 0.02 * frame)} 0 0 0 0 {nod:.4f}" + 10 * " 0")
    return "\n".join(lines) + "\n"


def lifting(degrees: float, up: str = "Y", frame_time: str = "0.0333333") -> str:
    """Return the text of a BVH file of a walking body with a leg lifted sideways."""
    return walker(up, frame_time).replace(10 * " 0", 4 * " 0" + f" {degrees}" + 5 * " 0")


def said_of(path: Path) -> str:
    """Return the sentence with which the file is refused; check that it is one sentence and that no data are left."""
    there_before = set(bpy.data.user_map())
    with pytest.raises(InputError) as refusal:
        import_file(path, bpy.context)
    assert set(bpy.data.user_map()) == there_before
    text = str(refusal.value)
    assert text.endswith(".") and "\n" not in text and "Traceback" not in text
    return text


def poses(armature: bpy.types.Object) -> NDArray[np.float64]:
    """Return the evaluated bone matrices at a few frames."""
    matrices = []
    for frame in (1, 11, 23):
        bpy.context.scene.frame_set(frame)
        evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
        matrices.append([np.array(bone.matrix) for bone in evaluated.pose.bones])
    return np.array(matrices)
