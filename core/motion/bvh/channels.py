# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels of a BVH file, computed from world matrices of joints, or brought into the form that Blender reads."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...arrays import Float64, Mask
from ..comparing import ROUNDING
from ..skeleton import SAME_PLACE, UNIT
from .hierarchy import POSITIONS, ROTATIONS, SCALES, Hierarchy, Node

STILL = 2e-5
"""Largest distance of a joint from its offset that needs no position channels, in sizes of the skeleton; half a tenth
of a millimeter on a person."""


@dataclass(frozen=True, eq=False)
class BvhChannels:
    """The channels of a BVH file, in its own axes.

    offsets, positions: `(J, 3)`, `(T, J, 3)` relative to the parent joint; for roots, to the origin.
    angles: `(T, J, 3)` in degrees, in the order of each joint's rotation channels.
    has_positions: `(J,)` whether a joint needs position channels.
    """

    offsets: Float64
    positions: Float64
    angles: Float64
    has_positions: Mask


def bvh_channels(
    parents: Sequence[int], orders: Sequence[str], rest: Float64, poses: Float64, worlds: Float64, axes: Float64
) -> BvhChannels:
    """Return the BVH channels of a moving skeleton; the object's own motion is added to the roots.

    parents: of each joint, -1 for roots; parents come before their children. orders: of each joint's rotations, such as
    "ZXY". rest, poses: `(J, 4, 4)`, `(T, J, 4, 4)` of the joints in the object's space. worlds: `(T, 4, 4)` of the
    object. axes: `(3, 3)`, rotates the world's axes, whose Z is up, into the file's.
    The rest pose has the object's tilt and scale at the first frame, without its heading and location. BVH cannot store
    scales, so joints are put at their scaled positions.
    """
    upright = _without_heading(worlds[0, :3, :3])
    heads = rest[:, :3, 3] @ (axes @ upright).T
    placed = worlds[:, None] @ poses
    rest_turns = _turns(upright @ rest[:, :3, :3])
    turns = axes @ (_turns(placed[..., :3, :3]) @ rest_turns.swapaxes(-1, -2)) @ axes.T
    points = placed[..., :3, 3] @ axes.T
    offsets, positions, local = heads.copy(), points.copy(), turns.copy()
    for joint, parent in enumerate(parents):
        if parent >= 0:
            back = turns[:, parent].swapaxes(-1, -2)
            offsets[joint] -= heads[parent]
            positions[:, joint] = np.einsum("tij,tj->ti", back, points[:, joint] - points[:, parent])
            local[:, joint] = back @ turns[:, joint]
    strayed = np.abs(positions - offsets).max(axis=(0, 2))
    size = float(np.ptp(heads, axis=0).max())
    has_positions = strayed > STILL * size + ROUNDING * np.abs(points).max()
    has_positions[[parent < 0 for parent in parents]] = True
    angles = np.stack([euler_angles(local[:, joint], order) for joint, order in enumerate(orders)], axis=1)
    return BvhChannels(offsets, positions, np.degrees(angles), has_positions)


def end_offsets(rest: Float64, tails: Float64, worlds: Float64, axes: Float64) -> Float64:
    """Return the tails relative to the heads, `(J, 3)` in the file's axes; rest, tails: in the object's space."""
    return np.asarray((tails - rest[:, :3, 3]) @ (axes @ _without_heading(worlds[0, :3, :3])).T)


def euler_angles(turns: Float64, order: str) -> Float64:
    """Return angles `(T, 3)` in radians about the axes of `order`, whose product in that order is `turns` `(T, 3, 3)`.

    Of all equivalent angles, those nearest to the previous frame's are chosen.

    >>> euler_angles(np.eye(3)[None], "ZXY").tolist()
    [[0.0, 0.0, 0.0]]
    """
    a, b, c = ("XYZ".index(axis) for axis in order)
    sign = 1.0 if (b - a) % 3 == 1 else -1.0
    first = np.arctan2(-sign * turns[:, b, c], turns[:, c, c])
    remaining = _about(a, -first) @ turns
    second = np.arctan2(sign * remaining[:, a, c], remaining[:, c, c])
    third = np.arctan2(sign * remaining[:, b, a], remaining[:, b, b])
    ways = np.stack(
        (np.stack((first, second, third), axis=1), np.stack((first + np.pi, np.pi - second, third + np.pi), axis=1))
    )
    angles: Float64 = np.empty_like(ways[0])
    before = np.zeros(3)
    for frame in range(len(turns)):
        near = ways[:, frame] + 2 * np.pi * np.round((before - ways[:, frame]) / (2 * np.pi))
        before = angles[frame] = near[np.argmin(np.abs(near - before).sum(axis=1))]
    return angles


def _about(axis: int, angles: Float64) -> Float64:
    """Return rotation matrices `(T, 3, 3)` about one axis."""
    result = np.zeros((len(angles), 3, 3))
    first, second = (axis + 1) % 3, (axis + 2) % 3
    result[:, axis, axis] = 1.0
    result[:, first, first] = result[:, second, second] = np.cos(angles)
    result[:, second, first] = np.sin(angles)
    result[:, first, second] = -result[:, second, first]
    return result


def _turns(matrices: NDArray[Any]) -> Float64:
    """Return the orientations `(..., 3, 3)` of matrices that may also scale, mirror and shear."""
    lengths = np.linalg.norm(matrices, axis=-2, keepdims=True)
    result: Float64 = matrices / np.where(lengths > 0, lengths, 1.0)
    products = result.swapaxes(-1, -2) @ result
    sheared = np.asarray(np.abs(products - np.eye(3)).max(axis=(-1, -2)) > ROUNDING)
    if sheared.any():
        left, _, right = np.linalg.svd(result[sheared])
        result[sheared] = left @ right
    result[np.linalg.det(result) < 0] *= -1.0
    return result


def _without_heading(matrix: Float64) -> Float64:
    """Return the tilt and scale `(3, 3)` of an object, without its rotation about the world's Z."""
    turn = _turns(matrix)
    heading = np.arctan2(turn[1, 0] - turn[0, 1], turn[0, 0] + turn[1, 1])
    return np.asarray(_about(2, np.array([-heading]))[0] @ matrix)


def usual_channels(file: str, hierarchy: Hierarchy, values: Float64) -> tuple[Hierarchy, Float64, tuple[str, ...]]:
    """Return the joints and values `(T, C)` with channels as Blender reads them, and notes on what was changed.

    Scales are left out, rotations without a channel are zero, and positions without one are the offset's. Positions
    that are zero throughout, on joints below a root that have an offset, are left out as well: such files mean the
    offsets. Returns the same objects if nothing is to be changed.
    """
    nodes: list[Node] = []
    parts: list[Float64] = []
    unplaced, scaled = [], []
    start = 0
    for node in hierarchy.nodes:
        channels = dict(zip((name.lower() for name in node.channels), values.T[start:], strict=False))
        start += len(channels)
        if any(np.abs(channels[name] - 1.0).max() > UNIT for name in SCALES if name in channels):
            scaled.append(node.name)
        kept = {name: column for name, column in channels.items() if name not in SCALES}
        if node.parent >= 0 and _is_unplaced(node, kept):
            unplaced.append(node.name)
            kept = {name: column for name, column in kept.items() if name not in POSITIONS}
        kept |= _missing(node, kept, len(values))
        nodes.append(node if kept.keys() == channels.keys() else replace(node, channels=tuple(kept)))
        parts += kept.values()
    if all(node is other for node, other in zip(nodes, hierarchy.nodes, strict=True)):
        return hierarchy, values, ()
    notes = []
    if scaled:
        notes.append(f'"{file}" scales {_listed(scaled)}; scales are left out, and bones keep their length.')
    if unplaced:
        notes.append(f'"{file}" has no positions but zero for {_listed(unplaced)}; the offsets are used instead.')
    return Hierarchy(tuple(nodes)), np.stack(parts, axis=1), tuple(notes)


def _is_unplaced(node: Node, channels: dict[str, Float64]) -> bool:
    placed = [channels[name] for name in POSITIONS if name in channels]
    length = float(np.linalg.norm(node.offset_values))
    return bool(placed and length > 0 and max(np.abs(column).max() for column in placed) <= SAME_PLACE * length)


def _missing(node: Node, channels: dict[str, Float64], frames: int) -> dict[str, Float64]:
    """Return the channels that make a joint's positions and rotations three each, if there are any."""
    added: dict[str, Float64] = {}
    for names, defaults in ((POSITIONS, node.offset_values), (ROTATIONS, (0.0, 0.0, 0.0))):
        if any(name in channels for name in names):
            added |= {name: np.full(frames, defaults[axis]) for axis, name in enumerate(names) if name not in channels}
    return added


def _listed(names: list[str]) -> str:
    return f'"{names[0]}"' + (f" and {len(names) - 1} more joints" if len(names) > 1 else "")
