# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion as plain arrays in its file's axes and units, for measures by other programs.

`position(child) = position(parent) + global_rotation(parent) @ offset(child)`, where a joint's global rotation is its
parent's, followed by its own. The rest pose has no rotations, so that for a BVH file these are the file's numbers.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Motion, rotations

Array = NDArray[np.float64]

STILL = 1e-3
"""Largest deviation from its mean position, in sizes of the skeleton, for a joint that counts as fixed."""


@dataclass(frozen=True, eq=False)
class Layout:
    """The joints that are saved, and their hierarchy.

    joints: `(J,)` indices into the motion's skeleton, parents first; the first is the one that carries the travel.
    parents: `(J,)` indices into `joints`, -1 for the first. offsets: `(J, 3)`.
    axes: `(3, 4)`, from the motion's space to the file's.
    """

    names: tuple[str, ...]
    joints: NDArray[np.int64]
    parents: NDArray[np.int64]
    offsets: Array
    axes: Array


def layout_of(example: Motion, axes: Array) -> Layout:
    """Return the layout of a character, from one of its motions.

    axes: `(3, 4)`, from that motion's space to the file's.
    """
    turned, positions = _globals(example, axes)
    parents = example.skeleton.parents
    below = parents >= 0
    local = positions - np.where(below[:, None], positions[:, parents], 0.0)
    local = np.where(below[:, None], rotations.rotate(rotations.inverse(turned[:, parents]), local), local)
    joints = np.flatnonzero(example.skeleton.descendants(_traveling_joint(example, local, positions)))
    place = {int(joint): number for number, joint in enumerate(joints)}
    offsets = local.mean(axis=0)[joints]
    offsets[0] = 0.0
    return Layout(
        tuple(example.skeleton.names[joint] for joint in joints),
        joints,
        np.array([place.get(int(parents[joint]), -1) for joint in joints], np.int64),
        offsets,
        axes,
    )


def _traveling_joint(example: Motion, local: Array, positions: Array) -> int:
    """Return the deepest joint that moves relative to its parent and has most of the skeleton below it.

    Without such a joint, return the one with most descendants.
    """
    size = float(np.ptp(positions, axis=1).max())
    strays = np.abs(local - local.mean(axis=0)).max(axis=(0, 2)) > STILL * size
    most = len(local[0]) / 2
    below = [int(example.skeleton.descendants(joint).sum()) for joint in range(len(local[0]))]
    moving = [joint for joint in range(len(below)) if strays[joint] and below[joint] > most]
    return moving[-1] if moving else int(np.argmax(below))


def _globals(motion: Motion, axes: Array) -> tuple[Array, Array]:
    """Return global rotations `(F, J, 4)` relative to the rest pose, and positions `(F, J, 3)`, in the file's axes."""
    matrices, positions = motion.pose()
    identity = np.tile(np.array([1.0, 0, 0, 0]), (1, len(motion.skeleton.names), 1))
    rest = Motion(motion.skeleton, motion.frames_per_second, identity.astype(np.float32)).pose()[0]
    left, _, right = np.linalg.svd(axes[:, :3])
    turn = rotations.from_matrix(left @ right * np.sign(np.linalg.det(left @ right)))
    scales = np.linalg.norm(matrices, axis=-2, keepdims=True)
    posed = rotations.from_matrix((matrices / np.maximum(scales, 1e-12)).astype(np.float64))
    resting = rotations.from_matrix(rest.astype(np.float64))
    turned = rotations.multiply(posed, np.broadcast_to(rotations.inverse(resting), posed.shape))
    turned = rotations.multiply(rotations.multiply(np.broadcast_to(turn, posed.shape), turned), rotations.inverse(turn))
    return turned.astype(np.float64), positions.astype(np.float64) @ axes[:, :3].T + axes[:, 3]


def arrays_of(motion: Motion, layout: Layout) -> dict[str, Any]:
    """Return the arrays to save: names, parents, offsets, fps, rotations `(F, J, 4)` w x y z, root `(F, 3)`."""
    turned, positions = _globals(motion, layout.axes)
    turned = turned[:, layout.joints]
    above = rotations.inverse(turned[:, layout.parents])
    local = np.where(layout.parents[:, None] >= 0, rotations.multiply(above, turned), turned)
    return {
        "names": np.array(layout.names),
        "parents": layout.parents,
        "offsets": layout.offsets.astype(np.float32),
        "fps": np.array(motion.frames_per_second),
        "rotations": rotations.make_continuous(local).astype(np.float32),
        "root": positions[:, layout.joints[0]].astype(np.float32),
    }


def position_error(motion: Motion, layout: Layout) -> float:
    """Return the largest distance of a joint from its position in the saved arrays, in sizes of the skeleton.

    It exceeds rounding if bones are stretched or slide, which the arrays cannot store.
    """
    exact = _globals(motion, layout.axes)[1][:, layout.joints]
    saved = positions_of(arrays_of(motion, layout))
    return float(np.abs(saved - exact).max() / max(np.ptp(exact, axis=1).max(), 1e-12))


def positions_of(arrays: dict[str, Any]) -> Array:
    """Return the joint positions `(F, J, 3)` of saved arrays."""
    turned = np.array(arrays["rotations"], np.float64)
    positions = np.zeros((*turned.shape[:2], 3))
    positions[:, 0] = arrays["root"]
    for joint in range(1, turned.shape[1]):
        parent = int(arrays["parents"][joint])
        positions[:, joint] = positions[:, parent] + rotations.rotate(turned[:, parent], arrays["offsets"][joint])
        turned[:, joint] = rotations.multiply(turned[:, parent], turned[:, joint])
    return positions


def save(folder: Path, name: str, motion: Motion, layout: Layout) -> None:
    """Write the arrays of a motion to `NAME.npz`."""
    np.savez_compressed(folder / f"{name}.npz", **arrays_of(motion, layout))
