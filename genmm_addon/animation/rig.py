# SPDX-License-Identifier: GPL-3.0-or-later
"""An armature object as a skeleton of the core."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import bpy
import numpy as np
from bpy.types import Bone, Object
from mathutils import Matrix

from ..core import Float64, InputError, Int64, Skeleton, rotations
from ..core.motion import NO_PARENT, Inheritance, below_parents
from ..core.transfer import attached, detached_ends

OBJECT_JOINT = ""
"""Name of joint 0 if the object itself is animated; it is the parent of all root bones."""

CARRYING = {"ARMATURE", "CHILD_OF", "COPY_LOCATION", "COPY_TRANSFORMS"}
"""Types of constraints that take a bone along with their target."""


def ancestors_of(thing: Object) -> Iterator[Object]:
    """Yield the ancestors of an object: its parent, its parent's parent, and so on."""
    while thing.parent is not None:
        thing = thing.parent
        yield thing


def roots_to_world(armature: Object, with_object: bool) -> Matrix:
    """Return the matrix from the space of a skeleton's roots to the world, at the present frame.

    with_object: the armature's object is itself a joint, so the roots are in the space of its parent.
    """
    if with_object:
        return armature.matrix_world @ armature.matrix_basis.inverted_safe()
    return armature.matrix_world.copy()


def read_skeleton(armature: Object, with_object: bool = False) -> Skeleton:
    """Return the armature's bones at rest as `read_bones` does, but with feet and hands below their limbs.

    Where constraints move a limb, its foot at the root is a control, and stays there.
    """
    bones = read_bones(armature, with_object)
    for end, above in detached_ends(bones).items():
        limb = (end, *bones.chain(above)[-2:])
        if any(armature.pose.bones[bones.names[joint]].constraints for joint in limb):
            return bones
    return attached(bones)


def read_bones(armature: Object, with_object: bool = False) -> Skeleton:
    """Return the armature's bones at rest, parents first, in the armature's units.

    with_object: add the object itself as joint 0 (OBJECT_JOINT, with an identity rest), the parent of all root bones;
    the roots are then in the space of the object's parent, otherwise in the armature's.
    Raises InputError for anything but an armature with bones.
    """
    check_armature(armature)
    bones = armature.data.bones  # Blender lists them parents first
    columns = np.empty(len(bones) * 16, np.float32)
    bones.foreach_get("matrix_local", columns)
    matrices = columns.reshape(-1, 4, 4).transpose(0, 2, 1).astype(np.float64)
    globals_ = rotations.from_matrix(matrices[:, :3, :3])
    heads = matrices[:, :3, 3]
    index = {bone.name: position for position, bone in enumerate(bones)}
    parents = np.array([index[bone.parent.name] if bone.parent else NO_PARENT for bone in bones], np.int64)
    turned, moved = below_parents(parents, globals_, heads)
    inheritance = np.array([inheritance_of(bone) for bone in bones], np.int64)
    names = tuple(bone.name for bone in bones)
    carriers = _carriers(armature, index, parents)
    if with_object:
        names = (OBJECT_JOINT, *names)
        parents, carriers = (np.concatenate(([NO_PARENT], above + 1)) for above in (parents, carriers))
        turned = np.concatenate(([[1.0, 0, 0, 0]], turned))
        moved = np.concatenate((np.zeros((1, 3)), moved))
        inheritance = np.concatenate(([Inheritance.FULL], inheritance)).astype(np.int64)
    partly = inheritance if inheritance.any() else None
    up = up_direction(armature, with_object)
    return Skeleton(names, parents, turned, moved, up, carriers=carriers, inheritance=partly)


def inheritance_of(bone: Bone) -> Inheritance:
    """Return the part of its parent's scale that a bone inherits."""
    # The object that bones without a parent belong to scales them in every case.
    return Inheritance.FULL if bone.parent is None else Inheritance[bone.inherit_scale]


def _carriers(armature: Object, index: Mapping[str, int], parents: Int64) -> Int64:
    """Return the parents `(J,)`, replaced by the bone that a bone follows by a constraint where there is one."""
    carriers = parents.copy()
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            leader = index.get(_leader(armature, constraint), NO_PARENT)
            if leader >= 0 and not constraint.mute and not _is_carried(leader, index[bone.name], carriers):
                carriers[index[bone.name]] = leader
    return carriers


def _leader(armature: Object, constraint: Any) -> str:
    """Return the name of the bone of this armature whose place a constraint gives to another one; "" without one."""
    targets = constraint.targets if constraint.type == "ARMATURE" else [constraint]
    targets_here = [target for target in targets if constraint.type in CARRYING and target.target == armature]
    return str(max(targets_here, key=lambda target: getattr(target, "weight", 1.0)).subtarget) if targets_here else ""


def _is_carried(joint: int, by: int, carriers: Int64) -> bool:
    while joint not in (by, NO_PARENT):
        joint = int(carriers[joint])
    return joint == by


def check_armature(armature: Object) -> None:
    """Raise InputError unless this is an armature object with bones."""
    if armature is None or armature.type != "ARMATURE":
        raise InputError("The object is not an armature; select a character's armature.")
    if not armature.data.bones:
        raise InputError(f'Armature "{armature.name}" has no bones; add bones or select another character.')
    if armature.pose is None:
        raise InputError(f'"{armature.name}" has no pose yet; show it in a scene once.')


def up_direction(armature: Object, with_object: bool = False) -> tuple[float, float, float]:
    """Return the world's Z in the armature's space or, with `with_object`, in the space of the object's parent."""
    # The dot product of this row and a position is the height, at any scale of the object.
    row = np.array(roots_to_world(armature, with_object), np.float64)[2, :3]
    length = float(np.linalg.norm(row))
    x, y, z = row / length if length > 0 else (0.0, 0.0, 1.0)
    return float(x), float(y), float(z)


def scale_of(character: Object) -> float:
    """Return the character's scale in the world, averaged over its axes; that of a mirrored one is positive, too."""
    return float(sum(map(abs, character.matrix_world.to_scale()[:]))) / 3


def location_axes(armature: Object, names: Iterable[str]) -> dict[str, Float64]:
    """Return, by name, the rest rotations `(4,)` relative to the parent of those bones whose Local Location is off.

    Blender stores the location of such a bone in its parent's axes; motions have it in the axes of its own rest pose.
    """
    axes: dict[str, Float64] = {}
    for name in names:
        bone = armature.data.bones.get(name)
        if bone is not None and not bone.use_local_location:
            rest, above = bone.matrix_local, bone.parent.matrix_local if bone.parent is not None else Matrix()
            matrix = np.array((above.to_3x3().inverted_safe() @ rest.to_3x3()), np.float64)
            axes[name] = rotations.from_matrix(matrix).astype(np.float64)
    return axes


def bone_path(name: str) -> str:
    """Return the data path of a pose bone from its armature object, with the name escaped."""
    return f'pose.bones["{bpy.utils.escape_identifier(name)}"]'
