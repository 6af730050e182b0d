# SPDX-License-Identifier: GPL-3.0-or-later
"""The flesh of a character's body: its capsules and masses, from its skin where it has one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import bpy
import numpy as np
from bpy.types import Context, Depsgraph, Object, Scene

from ..animation.points import placed, vertices_of
from ..core import Float64, Int64, Motion, Skeleton
from ..core.evaluation import (
    BodyModel,
    Capsules,
    RestSkin,
    body_model_of_skin,
    capsules_of_skin,
    find_body_model,
    find_capsules,
    usual_depths,
)
from ..core.motion import SAMPLE, evenly
from ..core.repair import frames_through_body
from .belongings import objects_of_character
from .skin import RestSurface, bones_of_groups, shown_at_rest


@dataclass(frozen=True, eq=False)
class Flesh:
    """The capsules and masses around a skeleton, from its skin, or from its bones if that is None."""

    skeleton: Skeleton
    skin: RestSkin | None

    @cached_property
    def capsules(self) -> Capsules:
        """Return the capsules of the limbs and the trunk."""
        return find_capsules(self.skeleton) if self.skin is None else capsules_of_skin(self.skeleton, self.skin)

    @cached_property
    def masses(self) -> BodyModel:
        """Return the masses of the joints' segments."""
        return find_body_model(self.skeleton) if self.skin is None else body_model_of_skin(self.skeleton, self.skin)


@dataclass(frozen=True, eq=False)
class ExampleBody:
    """The capsules of a character, and its examples, which show how deep limbs are usually in them."""

    capsules: Capsules
    examples: tuple[Motion, ...]

    @cached_property
    def usual(self) -> Float64:
        """Return the depths `(P,)` of pairs of capsules that are no flaw."""
        return usual_depths(self.examples[0].skeleton, self.capsules, self.examples)

    def frames_through(self, motion: Motion) -> int | None:
        """Return the number of frames at which limbs go through the body; None if there is nothing to go through."""
        return frames_through_body(motion, self.capsules, self.usual) if len(self.capsules.pairs) else None


def read_example_body(armature: Object, examples: Sequence[Motion], scene: Scene) -> ExampleBody:
    """Return the body of a character with the examples that were read for it."""
    return ExampleBody(flesh_of_character(armature, examples[0].skeleton, scene).capsules, tuple(examples))


def flesh_of_character(armature: Object, skeleton: Skeleton, scene: Scene) -> Flesh:
    """Return the flesh of a character's skeleton, from the skin that it has at rest, or else from its bones."""
    return Flesh(skeleton, read_rest_skin(armature, skeleton, scene, bpy.context))


def read_rest_skin(armature: Object, skeleton: Skeleton, scene: Scene, context: Context) -> RestSkin | None:
    """Read points of all that the character shows at rest; None if nothing has a surface.

    What a bone holds, as a sword or a hat, does not count where a skin covers that bone or one above it.
    """
    numbers = {bone.name: number for number, bone in enumerate(armature.data.bones)}
    with shown_at_rest(armature, objects_of_character(armature, scene), context) as (surfaces, depsgraph):
        pieces = [(surface.holder, *_faces(surface, numbers, armature, depsgraph)) for surface in surfaces]
    covered = np.zeros(len(numbers) + 1, bool)
    for holder, *_, bones in pieces:
        if not holder:
            covered[bones] = True
    worn = {
        bone.name
        for bone in armature.data.bones
        if covered[[numbers[part.name] for part in (bone, *bone.parent_recursive)]].any()
    }
    body = [piece[1:] for piece in pieces if piece[0] not in worn and len(piece[1])]
    if not body:
        return None
    points, outward, areas, bones = (np.concatenate(columns) for columns in zip(*body, strict=True))
    return RestSkin(points, areas, _joints_of_bones(armature, skeleton)[bones], outward)


def _joints_of_bones(armature: Object, skeleton: Skeleton) -> Int64:
    """Return the joint that each bone follows, its own or that of the nearest bone above; -1 without one, and last."""
    joints = {name: number for number, name in enumerate(skeleton.names)}
    chains = [[bone.name, *(above.name for above in bone.parent_recursive)] for bone in armature.data.bones]
    return np.array([*(next((joints[name] for name in chain if name in joints), -1) for chain in chains), -1])


def _faces(
    surface: RestSurface, numbers: dict[str, int], armature: Object, depsgraph: Depsgraph
) -> tuple[Float64, Float64, Float64, Int64]:
    """Return points on a surface and their outward areas, both `(K, 3)`, the areas `(K,)` they stand for, and the
    numbers `(K,)` of their bones, or -1.

    They are the middle and a corner of each face, since a coarse skin is thicker at its corners than in between; of a
    mesh that bones deform, SAMPLE faces at most, because reading the weights of a corner takes microseconds.
    """
    try:
        mesh = surface.thing.to_mesh(preserve_all_data_layers=True, depsgraph=depsgraph)
    except RuntimeError:  # no surface, such as an empty metaball
        return np.empty((0, 3)), np.empty((0, 3)), np.empty(0), np.empty(0, np.int64)
    try:
        count, bones_of = len(mesh.polygons), bones_of_groups(surface, armature)
        chosen = evenly(count, SAMPLE) if bones_of else np.arange(count)
        middles, normals, vertices = np.empty(3 * count, np.float32), np.empty(3 * count, np.float32), vertices_of(mesh)
        areas, first = np.empty(count, np.float32), np.empty(count, np.int32)
        corners = np.empty(len(mesh.loops), np.int32)
        mesh.polygons.foreach_get("center", middles)
        mesh.polygons.foreach_get("normal", normals)
        mesh.polygons.foreach_get("area", areas)
        mesh.polygons.foreach_get("loop_start", first)
        mesh.loops.foreach_get("vertex_index", corners)
        at = corners[first[chosen]]
        bones = np.full(len(chosen), numbers.get(surface.holder, -1))
        for face, vertex in enumerate(at.tolist() if bones_of else ()):
            groups = mesh.vertices[vertex].groups
            weights = [(group.weight, group.group) for group in groups if group.group in bones_of]
            bones[face] = numbers[bones_of[max(weights)[1]]] if weights else -1
    finally:
        surface.thing.to_mesh_clear()
    points = placed(surface.space, np.concatenate((middles.reshape(-1, 3)[chosen].astype(np.float64), vertices[at])))
    to_armature, own = surface.space[:3, :3], areas[chosen].astype(np.float64) * count / max(len(chosen), 1)
    volume = np.abs(np.linalg.det(to_armature))
    outward = own[:, None] * (normals.reshape(-1, 3)[chosen] @ np.linalg.pinv(to_armature)) * volume
    shares = np.tile(np.cbrt(volume) ** 2 * own, 2)
    sound = np.isfinite(points).all(axis=1) & np.isfinite(shares)
    return points[sound], np.concatenate((outward, 0 * outward))[sound], shares[sound], np.tile(bones, 2)[sound]
