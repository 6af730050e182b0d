# SPDX-License-Identifier: GPL-3.0-or-later
"""BVH files written from poses of joints, in any axes."""

from collections.abc import Iterator
from dataclasses import dataclass
from os import PathLike
from pathlib import Path

import numpy as np

from ...arrays import Array, Float64
from ...storage import whole_file
from .. import rotations
from ..motion import Motion
from ..skeleton import NO_PARENT
from .axes import Axes
from .channels import BvhChannels, bvh_channels, end_offsets

AXES = "XYZ"
_UP_IN_FILES = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class BvhJoints:
    """The joints of a BVH file in its order: each directly follows its parent or the last joint below a sibling.

    parents: `(J,)` of each joint, -1 for roots. orders: of each joint's rotations, such as "ZXY".
    rest: `(J, 4, 4)` of the joints in the object's space. tails: `(J, 3)` ends of the joints' bones in that space.

    >>> BvhJoints(("hips",), (-1,), ("XYZ",), rest=np.eye(4)[None], tails=np.ones((1, 3))).names
    ('hips',)
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    orders: tuple[str, ...]
    rest: Float64
    tails: Float64


def save_bvh(path: str | PathLike[str], motion: Motion) -> None:
    """Write a motion to a BVH file as a whole, Y up, and replace an existing one; raise OSError if that fails.

    A BVH file has no scales and no further values; joints are at their scaled places.

    >>> save_bvh(folder / "swing.bvh", swing)
    >>> bool(np.allclose(load_bvh(folder / "swing.bvh").pose()[1], swing.pose()[1], atol=1e-5))
    True
    """
    skeleton = motion.skeleton
    order = list(_in_order(skeleton.parents.tolist()))
    place = {joint: number for number, joint in enumerate(order)}
    parents = tuple(place.get(parent, NO_PARENT) for parent in skeleton.parents[order].tolist())
    heads = skeleton.rest_positions[order]
    rest = _transforms(rotations.to_matrix(skeleton.rest_orientations[order]), heads)
    # The end of a bone is not stored in a motion; the last bone of a limb is written as long as the one above it.
    above = np.array([joint if parent < 0 else parent for joint, parent in enumerate(parents)])
    tails = 2 * heads - heads[above]
    joints = BvhJoints(tuple(skeleton.names[joint] for joint in order), parents, (AXES,) * len(order), rest, tails)
    turns, places = motion.pose()
    poses = _transforms(turns[:, order], places[:, order])
    axes = np.asarray(rotations.to_matrix(rotations.shortest_turn(np.array(skeleton.up), _UP_IN_FILES)), np.float64)
    worlds = np.tile(np.eye(4), (motion.frames, 1, 1))
    with whole_file(Path(path)) as unfinished:
        write_bvh_poses(unfinished, joints, poses, worlds, axes, motion.frames_per_second)


def write_bvh_poses(
    path: Path, joints: BvhJoints, poses: Float64, worlds: Float64, axes: Axes, frames_per_second: float
) -> None:
    """Write poses `(T, J, 4, 4)` in the space of an object, with the motion `(T, 4, 4)` of that object in the roots.

    axes: `(3, 3)`, rotates the world's axes into the file's. Raises OSError if the file cannot be written.

    >>> joints = BvhJoints(("hips",), (-1,), ("XYZ",), rest=np.eye(4)[None], tails=np.ones((1, 3)))
    >>> still = np.tile(np.eye(4), (5, 1, 1))
    >>> write_bvh_poses(folder / "still.bvh", joints, still[:, None], still, np.eye(3), 30.0)
    """
    channels = bvh_channels(joints.parents, joints.orders, joints.rest, poses, worlds, axes)
    reach = end_offsets(joints.rest, joints.tails, worlds, axes)
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write("\n".join(_hierarchy(joints, channels, reach)) + "\n")
        file.write(f"MOTION\nFrames: {len(poses)}\nFrame Time: {1 / frames_per_second:.8f}\n")
        for values in _rows(channels):
            file.write(" ".join([f"{value:.6f}" for value in values]) + "\n")


def _in_order(parents: list[int]) -> Iterator[int]:
    """Yield joints in the order of a BVH file."""
    children: dict[int, list[int]] = {}
    for joint in reversed(range(len(parents))):
        children.setdefault(parents[joint], []).append(joint)
    waiting = children.get(NO_PARENT, [])
    while waiting:
        joint = waiting.pop()
        yield joint
        waiting += children.get(joint, ())


def _transforms(turns: Array, places: Array) -> Float64:
    """Return matrices `(..., 4, 4)` of orientations and positions."""
    result = np.zeros((*places.shape[:-1], 4, 4))
    result[..., :3, :3], result[..., :3, 3], result[..., 3, 3] = turns, places, 1.0
    return result


def _hierarchy(joints: BvhJoints, channels: BvhChannels, reach: Float64) -> Iterator[str]:
    names, parents = joints.names, joints.parents
    yield "HIERARCHY"
    depth = int(sum(parent < 0 for parent in parents) > 1)
    if depth:  # a file has a single root
        yield from (f"ROOT {_free_name(names)}", "{", "\tOFFSET 0.000000 0.000000 0.000000", "\tCHANNELS 0")
    opened: list[int] = []
    for joint, (name, parent) in enumerate(zip(names, parents, strict=True)):
        while opened and opened[-1] != parent:
            yield "\t" * (depth + len(opened) - 1) + "}"
            opened.pop()
        indent = "\t" * (depth + len(opened))
        yield f"{indent}{'JOINT' if depth or opened else 'ROOT'} {name}"
        yield indent + "{"
        yield f"{indent}\tOFFSET {_three(channels.offsets[joint])}"
        turns = " ".join(f"{axis}rotation" for axis in joints.orders[joint])
        positions = " ".join(f"{axis}position" for axis in AXES) + " "
        has_positions = bool(channels.has_positions[joint])
        yield f"{indent}\tCHANNELS {6 if has_positions else 3} {positions if has_positions else ''}{turns}"
        opened.append(joint)
        if joint not in parents:
            yield from (f"{indent}\tEnd Site", indent + "\t{", f"{indent}\t\tOFFSET {_three(reach[joint])}")
            yield indent + "\t}"
    for count in reversed(range(depth + len(opened))):
        yield "\t" * count + "}"


def _free_name(taken: tuple[str, ...]) -> str:
    """Return a name that no joint has, for the root above several roots."""
    return next(name for name in (f"__{number}" for number in range(len(taken) + 1)) if name not in taken)


def _three(values: Float64) -> str:
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
