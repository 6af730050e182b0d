# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample character's bones: a person 1.7 m tall in an A-pose, facing -Y, with the left side towards +X."""

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from ...core import Array, Skeleton, rotations

Point = tuple[float, float, float]

UP: Point = (0.0, 0.0, 1.0)
FORWARD: Point = (0.0, -1.0, 0.0)
BACKWARD: Point = (0.0, 1.0, 0.0)

SIDES = ("L", "R")
"""Suffixes of left and right bones, in this order everywhere."""


@dataclass(frozen=True)
class SampleBone:
    """A bone in the rest pose, in meters; z_axis: the direction nearest to which its local Z points."""

    name: str
    parent: str | None
    head: Point
    tail: Point
    z_axis: Point


_MIDDLE = (
    SampleBone("Hips", None, (0.0, 0.0, 0.93), (0.0, 0.0, 1.03), FORWARD),
    SampleBone("Spine", "Hips", (0.0, 0.0, 1.03), (0.0, 0.005, 1.14), FORWARD),
    SampleBone("Chest", "Spine", (0.0, 0.005, 1.14), (0.0, 0.01, 1.26), FORWARD),
    SampleBone("UpperChest", "Chest", (0.0, 0.01, 1.26), (0.0, 0.02, 1.42), FORWARD),
    SampleBone("Neck", "UpperChest", (0.0, 0.02, 1.42), (0.0, 0.005, 1.50), FORWARD),
    SampleBone("Head", "Neck", (0.0, 0.005, 1.50), (0.0, 0.005, 1.70), FORWARD),
)
_LEFT = (
    SampleBone("Shoulder.L", "UpperChest", (0.025, 0.01, 1.385), (0.165, 0.015, 1.390), FORWARD),
    SampleBone("UpperArm.L", "Shoulder.L", (0.165, 0.015, 1.390), (0.363, 0.015, 1.192), FORWARD),
    SampleBone("Forearm.L", "UpperArm.L", (0.363, 0.015, 1.192), (0.533, 0.015, 1.022), FORWARD),
    SampleBone("Hand.L", "Forearm.L", (0.533, 0.015, 1.022), (0.650, 0.015, 0.905), FORWARD),
    SampleBone("Thigh.L", "Hips", (0.092, 0.0, 0.90), (0.092, -0.006, 0.49), BACKWARD),
    SampleBone("Shin.L", "Thigh.L", (0.092, -0.006, 0.49), (0.092, 0.012, 0.082), BACKWARD),
    SampleBone("Foot.L", "Shin.L", (0.092, 0.012, 0.082), (0.092, -0.118, 0.022), UP),
    SampleBone("Toes.L", "Foot.L", (0.092, -0.118, 0.022), (0.092, -0.188, 0.022), UP),
)


def _mirrored(bone: SampleBone) -> SampleBone:
    parent = bone.parent.replace(".L", ".R") if bone.parent else None
    head, tail = ((-point[0], point[1], point[2]) for point in (bone.head, bone.tail))
    return replace(bone, name=bone.name.replace(".L", ".R"), parent=parent, head=head, tail=tail)


BONES = (*_MIDDLE, *_LEFT, *(_mirrored(bone) for bone in _LEFT))
INDEX = {bone.name: index for index, bone in enumerate(BONES)}


def head_of(name: str) -> Array:
    """Return the position `(3,)` of the bone's joint in the rest pose, in meters."""
    return np.array(BONES[INDEX[name]].head)


@cache
def rest_matrices() -> Array:
    """Return the bones' rest orientations in the armature's space `(22, 3, 3)`: columns X, Y along the bone, Z."""
    tails, heads = np.array([bone.tail for bone in BONES]), np.array([bone.head for bone in BONES])
    along = tails - heads
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    target = np.array([bone.z_axis for bone in BONES])
    across = np.cross(along, target)
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    return np.stack((across, along, np.cross(across, along)), axis=-1)


def sample_skeleton(units_per_meter: float = 1.0) -> Skeleton:
    """Return the bones as a skeleton, in units of which a meter has `units_per_meter`."""
    matrices = rest_matrices()
    parents = np.array([-1 if bone.parent is None else INDEX[bone.parent] for bone in BONES])
    heads = np.array([bone.head for bone in BONES]) * units_per_meter
    # The root's parent, index -1, is replaced by the armature's own space.
    above = np.where((parents < 0)[:, None, None], np.eye(3), matrices[parents])
    origins = np.where((parents < 0)[:, None], 0.0, heads[parents])
    to_parent = above.swapaxes(1, 2)
    return Skeleton(
        names=tuple(bone.name for bone in BONES),
        parents=parents,
        rest_rotations=rotations.from_matrix(to_parent @ matrices).astype(np.float64),
        rest_translations=(to_parent @ (heads - origins)[..., None])[..., 0],
    )
