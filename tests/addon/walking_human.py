# SPDX-License-Identifier: GPL-3.0-or-later
"""A Rigify human that walks, with legs by forward kinematics, by inverse kinematics, and by both in turn."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import addon_utils
import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import registered, select
from numpy.typing import NDArray
from other_rigs import walking_rigify

from genmm_addon.animation import actions
from genmm_addon.character.sample.sample_character import add_sample_character

FRAMES = 90
SWITCHES = {"forward": ((1, 1.0),), "inverse": ((1, 0.0),), "mixed": ((1, 1.0), (30, 1.0), (50, 0.0))}
"""Keys of the legs' switch; 1 is forward kinematics."""
FEET = ("DEF-foot.L", "DEF-toe.L", "DEF-foot.R", "DEF-toe.R")


@contextmanager
def walking_human() -> Iterator[Object]:
    """Yield Rigify's human, walking by forward kinematics, opened from a file: building it takes ten times as long."""
    with registered():
        if addon_utils.enable("rigify", default_set=True) is None:
            pytest.skip("Rigify is not part of this Blender.")
        content = file_of_walking_human()
        with TemporaryDirectory() as folder:
            path = Path(folder, "human.blend")
            path.write_bytes(content)
            # As a startup file, so that the open file has no path, as a new one.
            bpy.ops.wm.read_homefile(filepath=str(path), load_ui=False)
        yield bpy.data.objects["rig"]
        addon_utils.disable("rigify", default_set=True)


@cache
def file_of_walking_human() -> bytes:
    """Return the content of a file with the walking human, which is built once in each process."""
    bpy.context.scene.render.fps = 30
    made = add_sample_character(bpy.context)
    select(made.armature)
    actions.assign(made.armature, next(one for one in made.actions if one.name == "GenMM Walk"))
    walking_rigify(made.armature, FRAMES)
    with TemporaryDirectory() as folder:
        path = Path(folder, "human.blend")
        bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
        return path.read_bytes()


def follow(rig: Object, switch: str) -> None:
    """Key the feet's inverse kinematics controls at the positions from forward kinematics, and the switch."""
    key_controls(rig, "foot")
    for side in "LR":
        parent = rig.pose.bones[f"thigh_parent.{side}"]
        for frame, value in SWITCHES[switch]:
            parent["IK_FK"] = value
            parent.keyframe_insert('["IK_FK"]', frame=frame)


def key_controls(rig: Object, name: str) -> None:
    """Key the inverse kinematics controls of feet or hands where forward kinematics has these."""
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        for side in "LR":
            bone, control = f"ORG-{name}.{side}", rig.pose.bones[f"{name}_ik.{side}"]
            moved = posed.pose.bones[bone].matrix @ rig.data.bones[bone].matrix_local.inverted()
            control.matrix = moved @ control.bone.matrix_local
            control.keyframe_insert("location", frame=frame)
            control.keyframe_insert("rotation_quaternion", frame=frame)


def places(rig: Object, bones: tuple[str, ...] = FEET) -> NDArray[np.float64]:
    """Return the evaluated positions `(T, B, 3)` of bones' heads."""
    found = []
    for frame in range(1, FRAMES + 1):
        bpy.context.scene.frame_set(frame)
        posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([(posed.matrix_world @ posed.pose.bones[bone].head).to_tuple() for bone in bones])
    return np.array(found)
