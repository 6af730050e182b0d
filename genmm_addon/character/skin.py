# SPDX-License-Identifier: GPL-3.0-or-later
"""The skin of a character: the outermost points of all that it shows, each carried by a bone."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import Context, Depsgraph, Object
from numpy.typing import NDArray

from ..animation.points import placed, vertices_of
from ..animation.rig import OBJECT_JOINT
from ..core import Float64, Int64, Motion

SURFACES = {"MESH", "CURVE", "SURFACE", "META", "FONT"}
"""Types of objects that have a surface."""
HOLDERS = {"CHILD_OF", "ARMATURE", "COPY_TRANSFORMS"}
"""Types of constraints by which a bone holds an object."""
SAMPLE_SECONDS = 0.1
"""Time between samples of a motion for its reach, in seconds; a limb turns little in between."""
COMPARED = 1 << 20
"""Most pairs of points and bones, or points and frames, in memory at a time: about 50 MB."""


@dataclass(frozen=True, eq=False)
class Skin:
    """The outermost points of a character at rest.

    points: `(K, 3)` in the armature's space. bones: the names of the bones that carry points. carriers: `(K,)` indices
    among them. scale: `(3,)` of the object.
    """

    points: Float64
    bones: tuple[str, ...]
    carriers: Int64
    scale: Float64


@dataclass(frozen=True, eq=False)
class RestSurface:
    """An evaluated object with a surface. space: from its space to the armature's. holder: the bone that moves all of
    it; "" without one."""

    thing: Object
    space: Float64
    holder: str


def read_skin(armature: Object, objects: Sequence[Object], context: Context) -> Skin:
    """Read the surfaces of the character's objects as evaluated at rest, so that the present pose does not matter.

    Objects that are not rendered do not count; without any surface, the bones do.
    """
    data: Any = armature.data
    with shown_at_rest(armature, objects, context) as (surfaces, depsgraph):
        parts = [_outermost(*_surface(surface, armature, depsgraph)) for surface in surfaces]
    solid = [bone for bone in data.bones if bone.use_deform] or list(data.bones)
    names = np.array([bone.name for bone in solid], np.object_)
    ends = np.array([(bone.head_local, bone.tail_local) for bone in solid], np.float64).reshape(-1, 2, 3)
    points, carriers = [], []
    for spots, named in parts:
        unnamed = named == ""
        named[unnamed] = names[_nearest(spots[unnamed], ends)]
        points.append(spots)
        carriers.append(named)
    if not any(len(spots) for spots in points):
        points, carriers = [ends.reshape(-1, 3)], [np.repeat(names, 2)]
    bones, index = np.unique(np.concatenate(carriers).astype(str), return_inverse=True)
    scale = np.abs(np.array(armature.matrix_basis.to_scale(), np.float64))
    return Skin(np.concatenate(points), tuple(bones.tolist()), index.reshape(-1), scale)


@contextmanager
def shown_at_rest(
    armature: Object, objects: Sequence[Object], context: Context
) -> Iterator[tuple[list[RestSurface], Depsgraph]]:
    """Yield the surfaces of the character's objects and of their instances at rest, unless they are not rendered."""
    data: Any = armature.data
    before = data.pose_position
    data.pose_position = "REST"
    try:
        depsgraph = context.evaluated_depsgraph_get()
        shown = {thing.evaluated_get(depsgraph): thing for thing in objects if not thing.hide_render}
        pieces = [(evaluated, evaluated.matrix_world, thing) for evaluated, thing in shown.items()]
        pieces += [
            (instance.instance_object, instance.matrix_world.copy(), shown[instance.parent])
            for instance in depsgraph.object_instances
            if instance.is_instance and instance.parent in shown
        ]
        space = armature.evaluated_get(depsgraph).matrix_world.inverted_safe()
        yield (
            [
                RestSurface(surface, np.array(space @ matrix, np.float64), bone_holding(thing, armature))
                for surface, matrix, thing in pieces
                if surface.type in SURFACES
            ],
            depsgraph,
        )
    finally:
        data.pose_position = before
        context.view_layer.update()


def sampled_frames(motion: Motion) -> Int64:
    """Return frames of a motion between which limbs turn little, its first and last among them."""
    step = max(round(SAMPLE_SECONDS * motion.frames_per_second), 1)
    return np.unique(np.append(np.arange(0, motion.frames, step), motion.frames - 1))


def reach_of(motion: Motion, joint: int, skin: Skin, space: Float64) -> Float64:
    """Return the largest distance `(T,)` on the ground, in the world, of the skin from the motion's root joint.

    space: the matrix `(4, 4)` from the space of the skeleton's roots to the world. Bones that do not follow the root
    joint, as those of a rig with separate controls, count at their rest place beside it.
    """
    carriers, local = _carried(motion, joint, skin)
    frames = sampled_frames(motion)
    reaches = np.zeros(len(frames))
    for first in range(0, len(frames), max(COMPARED // len(local), 1)):
        block = slice(first, first + max(COMPARED // len(local), 1))
        matrices, heads = (np.asarray(values, np.float64) for values in motion.take(frames[block]).pose())
        offsets = np.einsum("tkab,kb->tka", matrices[:, carriers], local) + heads[:, carriers] - heads[:, joint, None]
        if motion.skeleton.names[0] == OBJECT_JOINT and 0 not in motion.scaled:
            turned = np.einsum("tba,tkb->tka", matrices[:, 0], offsets) * skin.scale
            offsets = np.einsum("tab,tkb->tka", matrices[:, 0], turned)
        on_ground = offsets @ space[:2, :3].T
        reaches[block] = np.sqrt(np.einsum("tkc,tkc->tk", on_ground, on_ground).max(axis=1))
    # Between two samples, the larger reach counts.
    after = np.minimum(np.searchsorted(frames, np.arange(motion.frames)), len(frames) - 1)
    return np.asarray(np.maximum(reaches[after], reaches[np.maximum(after - 1, 0)]))


def _carried(motion: Motion, joint: int, skin: Skin) -> tuple[Int64, Float64]:
    """Return the joint `(K,)` that carries each point of the skin, and the point `(K, 3)` in its axes."""
    skeleton = motion.skeleton
    number = {name: index for index, name in enumerate(skeleton.names)}
    follows = np.zeros(len(skeleton.names), bool)
    for index, parent in enumerate(skeleton.parents.tolist()):
        follows[index] = index == joint or (parent >= 0 and follows[parent])
    joints = np.array([number.get(name, joint) for name in skin.bones], np.int64)
    carriers = np.where(follows[joints], joints, joint)[skin.carriers]
    still = np.zeros((1, len(skeleton.names), 4), np.float32)
    still[..., 0] = 1.0
    matrices, heads = (np.asarray(values[0], np.float64) for values in Motion(skeleton, 1.0, still).pose())
    return carriers, np.einsum("kba,kb->ka", matrices[carriers], skin.points - heads[carriers])


def _surface(surface: RestSurface, armature: Object, depsgraph: Depsgraph) -> tuple[Float64, NDArray[np.object_]]:
    """Return the vertices `(N, 3)` of a surface in the armature's space, and their bones, "" if unknown."""
    evaluated, holder = surface.thing, surface.holder
    try:
        mesh = evaluated.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
    except RuntimeError:  # no surface, such as an empty metaball
        return np.empty((0, 3)), np.empty(0, np.object_)
    try:
        points = vertices_of(mesh)
        bones = np.full(len(mesh.vertices), holder, np.object_)
        bones_of = bones_of_groups(surface, armature)
        for number, vertex in enumerate(mesh.vertices if bones_of else ()):
            weights = [(group.weight, group.group) for group in vertex.groups if group.group in bones_of]
            bones[number] = bones_of[max(weights)[1]] if weights else ""
    finally:
        evaluated.to_mesh_clear()
    spots = placed(surface.space, points)
    sound = np.isfinite(spots).all(axis=1)
    return spots[sound], bones[sound]


def bones_of_groups(surface: RestSurface, armature: Object) -> dict[int, str]:
    """Return the bones that deform a surface, by the numbers of their vertex groups; none of one that a bone holds."""
    groups = () if surface.holder else surface.thing.vertex_groups
    return {group.index: group.name for group in groups if group.name in armature.data.bones}


def bone_holding(thing: Object, armature: Object) -> str:
    """Return the bone that holds an object or one of its ancestors, as parent or by a constraint; "" if none does."""
    while thing is not None:
        leaders = [(thing.parent, thing.parent_bone)] if thing.parent_type == "BONE" else []
        constraint: Any
        for constraint in thing.constraints:
            targets = constraint.targets if constraint.type == "ARMATURE" else [constraint]
            leaders += [(target.target, target.subtarget) for target in targets if constraint.type in HOLDERS]
        for target, bone in leaders:
            if target == armature and bone in armature.data.bones:
                return str(bone)
        thing = thing.parent
    return ""


def _outermost(points: Float64, bones: NDArray[np.object_]) -> tuple[Float64, NDArray[np.object_]]:
    """Return each bone's points that are the farthest along one of 26 directions."""
    steps = np.array([(x, y, z) for x in (-1, 0, 1) for y in (-1, 0, 1) for z in (-1, 0, 1) if x or y or z], np.float64)
    directions = steps / np.linalg.norm(steps, axis=1, keepdims=True)
    kept = []
    names, index = np.unique(bones.astype(str), return_inverse=True)
    order = np.argsort(index, kind="stable")
    for members in np.split(order, np.cumsum(np.bincount(index, minlength=len(names)))[:-1]) if len(points) else ():
        kept.append(members[np.unique(np.argmax(points[members] @ directions.T, axis=0))])
    chosen = np.concatenate(kept) if kept else np.empty(0, np.int64)
    return points[chosen], bones[chosen]


def _nearest(points: Float64, ends: Float64) -> Int64:
    """Return the index of the nearest of the bones, segments with `ends` `(B, 2, 3)`, for each point `(N, 3)`."""
    starts, ways = ends[:, 0], ends[:, 1] - ends[:, 0]
    lengths = np.maximum(np.einsum("bc,bc->b", ways, ways), np.finfo(np.float64).tiny)
    nearest = [np.empty(0, np.int64)]
    block = max(COMPARED // len(ends), 1)
    for first in range(0, len(points), block):
        away = points[first : first + block, None] - starts
        along = np.clip(np.einsum("nbc,bc->nb", away, ways) / lengths, 0.0, 1.0)
        away = away - along[..., None] * ways
        nearest.append(np.argmin(np.einsum("nbc,nbc->nb", away, away), axis=1))
    return np.concatenate(nearest)
