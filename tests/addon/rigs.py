# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters for tests: small rigs, files from the motions folder, and their evaluated poses."""

import math
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Literal, TypeVar

import bpy
import numpy as np
import pytest
from _pytest.mark import ParameterSet
from bpy.types import Action, Object
from numpy.typing import NDArray

from genmm_addon.animation import actions

MOTIONS = Path(__file__).resolve().parents[3] / "shared" / "motions"
EVERY_NTH = 60
"""Interval of the library's hundreds of similar clips that are used in tests of files."""
MOST_ACTIONS = 4
"""Number of a file's actions that tests of files go through: one has 76, on one skeleton."""
ODD_NAMES = ("hips", 'a "quoted" name', "back\\slash", "with.dot", "mixamo:Spine", "[bracket]")

Thing = TypeVar("Thing")
Interpolation = Literal[
    "CONSTANT",
    "LINEAR",
    "BEZIER",
    "SINE",
    "QUAD",
    "CUBIC",
    "QUART",
    "QUINT",
    "EXPO",
    "CIRC",
    "BACK",
    "BOUNCE",
    "ELASTIC",
]
RotationMode = Literal["QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"]


def motion_files(endings: Collection[str]) -> list[Path]:
    """Return the shared motion files of these kinds: all single ones, and a few of the library's.

    Files of the folder `reported`, which other programs refuse, have tests of their own.
    """
    files = sorted(path for path in MOTIONS.glob("*/*") if path.suffix in endings and path.parent.name != "reported")
    library = [path for path in files if path.parent.name == "library"]
    return [path for path in files if path.parent.name != "library"] + library[::EVERY_NTH]


def cases_of(files: Iterable[Path]) -> list[ParameterSet]:
    """Return the files as cases of a test; every release reads the first of each kind."""
    kinds: set[str] = set()
    cases = []
    for path in files:
        marks = () if path.suffix in kinds else pytest.mark.every_case
        cases.append(pytest.param(path, marks=marks, id=path.name))
        kinds.add(path.suffix)
    return cases


def some_of(values: Sequence[Thing], most: int) -> list[Thing]:
    """Return at most so many of the values, evenly spread, including the first and the last."""
    return [values[place] for place in np.unique(np.linspace(0, len(values) - 1, min(len(values), most)).astype(int))]


def empty_file() -> None:
    """Open an empty file in Blender; preferences, which take five times as long, stay those of the factory."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def make_rig(names: Sequence[str] = ODD_NAMES, *, connected: bool = False) -> Object:
    """Return an armature with a chain of bones, each bent relative to its parent, linked and evaluated."""
    armature = bpy.data.objects.new("Rig", bpy.data.armatures.new("Rig"))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for number, name in enumerate(names):
        bone = armature.data.edit_bones.new(name)
        bone.head = (0.1 * number, 0.2 * number, 1.0 * number)
        bone.tail = (0.1 * number + 0.1, 0.2 * number + 0.2, number + (1.0 if connected else 0.7))
        bone.roll = 0.3 * number
        bone.parent = parent
        bone.use_connect = connected and parent is not None
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    return armature


def key(
    action: Action,
    slot: str,
    data_path: str,
    index: int,
    keys: Sequence[tuple[float, float]],
    interpolation: Interpolation = "LINEAR",
) -> bpy.types.FCurve:
    """Return a new curve with keys, each a frame and a value."""
    curve = actions.curve_factory(action, slot).new(data_path, index)
    curve.keyframe_points.add(len(keys))
    for point, (frame, value) in zip(curve.keyframe_points, keys, strict=True):
        point.co = frame, value
        point.interpolation = interpolation
    curve.update()
    return curve


def evaluated(armature: Object, frames: Iterable[float]) -> NDArray[np.float32]:
    """Return matrices `(T, 1 + B, 4, 4)` of the object's own channels and of the bones, as Blender evaluates them."""
    scene = bpy.data.scenes.new("Evaluation")
    scene.collection.objects.link(armature)
    poses = []
    for frame in frames:
        scene.frame_set(math.floor(frame), subframe=frame - math.floor(frame))
        posed = armature.evaluated_get(scene.view_layers[0].depsgraph)
        poses.append([posed.matrix_basis.copy(), *(bone.matrix.copy() for bone in posed.pose.bones)])
    bpy.data.scenes.remove(scene)
    return np.array(poses, np.float32)


def largest_difference(left: NDArray[np.float32], right: NDArray[np.float32], size: float) -> float:
    """Return the largest difference of matrices `(T, B, 4, 4)`: positions in `size`, axes in their lengths."""
    lengths = np.maximum(np.linalg.norm(left[..., :3, :3], axis=-2, keepdims=True), 1.0)
    turned = np.abs(left[..., :3, :3] - right[..., :3, :3]) / lengths
    moved = np.abs(left[..., :3, 3] - right[..., :3, 3]) / size
    return float(max(turned.max(), moved.max()))


def load(path: Path) -> None:
    """Open or import a motion file in an empty Blender."""
    empty_file()
    if path.suffix == ".bvh":
        bpy.ops.import_anim.bvh(filepath=str(path))
    elif path.suffix == ".blend":
        bpy.ops.wm.open_mainfile(filepath=str(path))
    else:
        bpy.ops.import_scene.gltf(filepath=str(path))
    bpy.context.view_layer.update()
