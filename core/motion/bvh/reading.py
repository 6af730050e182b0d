# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files read as motions without Blender, equal to the result of Blender's importer; uses NumPy alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from ...arrays import Array, Float64, Int64
from ...errors import InputError
from .. import rotations
from ..motion import Motion
from ..skeleton import NO_PARENT, Skeleton, forward_kinematics
from .axes import Y_UP, Z_UP, lies_down
from .channels import STILL
from .hierarchy import POSITIONS, ROTATIONS
from .text import BvhContent, parse_bvh


@dataclass(frozen=True, eq=False)
class BvhMotion:
    """The motion of a BVH file, in a world whose Z is up. notes: sentences for the user on assumed values.

    >>> BvhMotion(swing).notes
    ()
    """

    motion: Motion
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Joints:
    """Joints in the file's order, parents first. columns: the number of each joint's first channel."""

    names: tuple[str, ...]
    parents: Int64
    offsets: Float64
    channels: tuple[tuple[str, ...], ...]
    columns: tuple[int, ...]


def load_bvh(path: str | PathLike[str]) -> Motion:
    """Return the motion in a BVH file; raise InputError if it is not one, is damaged, or cannot be read.

    Z is up. `read_bvh_motion` also returns notes on values that were assumed.

    >>> save_bvh(folder / "swing.bvh", swing)
    >>> load_bvh(folder / "swing.bvh").skeleton.names
    ('hips', 'leg')
    """
    try:
        return read_bvh_motion(Path(path)).motion
    except OSError as error:
        raise InputError(f'"{path}" cannot be read ({error.strerror}); check its name and folder.') from error


def read_bvh_motion(path: Path, data: bytes | None = None) -> BvhMotion:
    """Return the motion in a BVH file. Raises InputError as `parse_bvh` does.

    data: the file's bytes, if they were read before. The joints' rest orientations are the file's axes, whereas
    Blender's bones point along themselves; the motion is the same.

    >>> save_bvh(folder / "swing.bvh", swing)
    >>> read_bvh_motion(folder / "swing.bvh").notes
    ()
    """
    content = parse_bvh(path, data)
    joints = _joints(content)
    turned = _rotations(content.values, joints)
    moved = _translations(content.values, joints)
    positions = _positions(joints, turned, moved)
    axes = Z_UP if lies_down(positions, joints.parents) else Y_UP
    upright = rotations.from_matrix(axes.T)
    is_root = joints.parents < 0
    rest = np.where(is_root[:, None], upright, [1.0, 0.0, 0.0, 0.0])
    offsets = np.where(is_root[:, None], joints.offsets @ axes, joints.offsets)
    skeleton = Skeleton(joints.names, joints.parents, rest, offsets)
    size = skeleton.size
    placed = [joint for joint, names in enumerate(joints.channels) if set(names) & set(POSITIONS)]
    moving = np.array([joint for joint in placed if np.abs(moved[:, joint]).max() > STILL * size], np.int64)
    motion = Motion(
        skeleton,
        content.frames_per_second,
        rotations.make_continuous(turned).astype(np.float32),
        moving,
        moved[:, moving].astype(np.float32),
    )
    return BvhMotion(motion, content.notes)


def _joints(content: BvhContent) -> _Joints:
    names: dict[str, int] = {}
    numbers: dict[int, int] = {-1: NO_PARENT}
    parents: list[int] = []
    offsets: list[Sequence[float]] = []
    channels: list[tuple[str, ...]] = []
    columns: list[int] = []
    column = 0
    for number, node in enumerate(content.hierarchy.nodes):
        if node.is_end:
            continue
        numbers[number] = len(parents)
        parents.append(numbers[node.parent])
        names[_distinct(node.name, names)] = 0
        offsets.append(node.offset_values)
        channels.append(tuple(name.lower() for name in node.channels))
        columns.append(column)
        column += len(node.channels)
    return _Joints(tuple(names), np.array(parents, np.int64), np.array(offsets), tuple(channels), tuple(columns))


def _distinct(name: str, counts: dict[str, int]) -> str:
    """Return the name, with a number as Blender adds it if another joint has the same name.

    counts: for each name before, the highest number added to it, which is raised.
    """
    numbered = name
    while numbered in counts:
        counts[name] += 1
        numbered = f"{name}.{counts[name]:03}"
    return numbered


def _rotations(values: Float64, joints: _Joints) -> Float64:
    """Return the joints' quaternions `(T, J, 4)`: the product of their rotations in channel order."""
    result = np.zeros((len(values), len(joints.names), 4))
    result[..., 0] = 1.0
    orders: dict[tuple[str, ...], list[int]] = {}
    for joint, names in enumerate(joints.channels):
        orders.setdefault(tuple(name for name in names if name in ROTATIONS), []).append(joint)
    for order, chosen in orders.items():
        for name in order:
            columns = [joints.columns[joint] + joints.channels[joint].index(name) for joint in chosen]
            half = np.radians(values[:, columns]) / 2
            turn = np.zeros((*half.shape, 4))
            turn[..., 0], turn[..., 1 + ROTATIONS.index(name)] = np.cos(half), np.sin(half)
            result[:, chosen] = rotations.multiply(result[:, chosen], turn)
    return result


def _translations(values: Float64, joints: _Joints) -> Float64:
    """Return the translations `(T, J, 3)` of joints from their offsets; a file's positions include the offsets."""
    result = np.zeros((len(values), len(joints.names), 3))
    for joint, names in enumerate(joints.channels):
        if not set(names) & set(POSITIONS):
            continue
        for axis, name in enumerate(POSITIONS):
            if name in names:
                result[:, joint, axis] = values[:, joints.columns[joint] + names.index(name)]
        result[:, joint] -= joints.offsets[joint]
    return result


def _positions(joints: _Joints, turned: Float64, moved: Float64) -> Array:
    identity = np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (len(joints.names), 1))
    return forward_kinematics(Skeleton(joints.names, joints.parents, identity, joints.offsets), turned, moved)[1]
