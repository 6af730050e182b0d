# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files written from a playing character, in any axes; Blender's exporter writes Z up only."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from bpy.types import Bone, Object, Scene
from numpy.typing import NDArray

from ...animation.reading.evaluation import evaluated_motion, stage
from ...animation.scene_time import scene_rate
from .channels import BvhChannels, bvh_channels, end_offsets

AXES = "XYZ"


def write_bvh(
    path: Path, armature: Object, scene: Scene, frames: NDArray[np.float64], axes: NDArray[np.float64]
) -> None:
    """Write the character's evaluated motion at scene frames `(T,)`, with its object's motion in the root.

    axes: `(3, 3)`, rotates the world's axes into the file's. Raises OSError if the file cannot be written.
    """
    bones = list(_in_order(armature))
    names = [bone.name for bone in armature.pose.bones]
    with stage(armature, scene) as temporary:
        poses, worlds = evaluated_motion(armature, temporary, frames)
    taken = poses[:, [names.index(bone.name) for bone in bones]].astype(np.float64)
    rest = np.array([bone.matrix_local for bone in bones], np.float64)
    tails = np.array([bone.tail_local for bone in bones], np.float64)
    parents = [-1 if bone.parent is None else bones.index(bone.parent) for bone in bones]
    orders = [_order(armature, bone) for bone in bones]
    channels = bvh_channels(parents, orders, rest, taken, worlds, axes)
    reach = end_offsets(rest, tails, worlds, axes)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write("\n".join(_hierarchy(bones, orders, channels, reach)) + "\n")
        file.write(f"MOTION\nFrames: {len(frames)}\nFrame Time: {1 / scene_rate(scene):.8f}\n")
        for values in _rows(channels):
            file.write(" ".join([f"{value:.6f}" for value in values]) + "\n")


def _in_order(armature: Object) -> Iterator[Bone]:
    """Yield the bones in the order of a BVH file: each before its children."""
    waiting = [bone for bone in reversed(armature.data.bones) if bone.parent is None]
    while waiting:
        bone = waiting.pop()
        yield bone
        waiting += reversed(bone.children)


def _order(armature: Object, bone: Bone) -> str:
    """Return the order of the bone's rotations: its own Euler order, which imported files set, or XYZ."""
    mode: str = armature.pose.bones[bone.name].rotation_mode
    return mode if set(mode) == set(AXES) else AXES


def _hierarchy(
    bones: list[Bone], orders: list[str], channels: BvhChannels, reach: NDArray[np.float64]
) -> Iterator[str]:
    roots = [bone for bone in bones if bone.parent is None]
    numbers = {bone.name: number for number, bone in enumerate(bones)}
    yield "HIERARCHY"
    if len(roots) > 1:  # a file has a single root
        yield from (f"ROOT {_free_name(numbers)}", "{", "\tOFFSET 0.000000 0.000000 0.000000", "\tCHANNELS 0")
    depth = int(len(roots) > 1)
    open_bones: list[Bone] = []
    for bone in bones:
        while open_bones and open_bones[-1] != bone.parent:
            yield "\t" * (depth + len(open_bones) - 1) + "}"
            open_bones.pop()
        number, indent = numbers[bone.name], "\t" * (depth + len(open_bones))
        yield f"{indent}{'JOINT' if depth or open_bones else 'ROOT'} {bone.name}"
        yield indent + "{"
        yield f"{indent}\tOFFSET {_three(channels.offsets[number])}"
        rotations = " ".join(f"{axis}rotation" for axis in orders[number])
        positions = " ".join(f"{axis}position" for axis in AXES) + " "
        has_positions = bool(channels.has_positions[number])
        yield f"{indent}\tCHANNELS {6 if has_positions else 3} {positions if has_positions else ''}{rotations}"
        open_bones.append(bone)
        if not bone.children:
            yield from (f"{indent}\tEnd Site", indent + "\t{", f"{indent}\t\tOFFSET {_three(reach[number])}")
            yield indent + "\t}"
    for count in reversed(range(depth + len(open_bones))):
        yield "\t" * count + "}"


def _free_name(taken: dict[str, int]) -> str:
    """Return a name that no bone has, for the root above several roots."""
    return next(name for name in (f"__{number}" for number in range(len(taken) + 1)) if name not in taken)


def _three(values: NDArray[np.float64]) -> str:
    return " ".join(f"{value:.6f}" for value in np.round(values, 6) + 0.0)


def _rows(channels: BvhChannels) -> Iterator[list[float]]:
    """Yield the values of each frame, in channel order."""
    columns = []
    for joint, has_positions in enumerate(channels.has_positions):
        if has_positions:
            columns.append(channels.positions[:, joint])
        columns.append(channels.angles[:, joint])
    # Adding zero turns "-0.000000" into "0.000000", so that the same motion gives the same text.
    yield from (np.round(np.concatenate(columns, axis=1), 6) + 0.0).tolist()
