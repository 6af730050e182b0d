# SPDX-License-Identifier: GPL-3.0-or-later
"""The bone that moves the part of a character's mesh under the cursor."""

from dataclasses import dataclass
from typing import Any

from bpy.types import Context, Depsgraph, Object
from bpy_extras.view3d_utils import region_2d_to_origin_3d, region_2d_to_vector_3d
from mathutils import Vector

from ...character.belongings import objects_of_character


@dataclass(frozen=True, eq=False)
class Hit:
    """The first hit of a ray on a mesh: its distance from the ray's origin, and the evaluated mesh's face."""

    distance: float
    skin: Object
    face: int


def meshes_of(context: Context, character: Object) -> tuple[str, ...]:
    """Return the names of the visible meshes that the character deforms or carries."""
    things = objects_of_character(character, context.scene)
    shown = (thing for thing in things if thing.type == "MESH" and thing.visible_get())
    return tuple(thing.name_full for thing in shown)


def bone_at(context: Context, character: Object, meshes: tuple[str, ...], point: tuple[float, float]) -> str | None:
    """Return the deforming bone that moves the face under a point of the region most; None beside the meshes."""
    origin = region_2d_to_origin_3d(context.region, context.region_data, point)
    direction = region_2d_to_vector_3d(context.region, context.region_data, point)
    depsgraph = context.evaluated_depsgraph_get()
    skins = [thing for thing in context.view_layer.objects if thing.name_full in meshes]
    hits = [hit for skin in skins if (hit := ray_cast(skin, origin, direction, depsgraph)) is not None]
    if not hits:
        return None
    return bone_of(character, min(hits, key=lambda hit: hit.distance), depsgraph)


def ray_cast(skin: Object, origin: Vector, direction: Vector, depsgraph: Depsgraph) -> Hit | None:
    """Return the first hit of a ray, given in the world, on the evaluated mesh; None where it misses."""
    posed = skin.evaluated_get(depsgraph)
    inverse = posed.matrix_world.inverted_safe()
    start, along = inverse @ origin, inverse.to_3x3() @ direction
    if not posed.data.polygons:
        return None
    is_hit, place, _, face = posed.ray_cast(start, along)
    return Hit((posed.matrix_world @ place - origin).length, skin, face) if is_hit else None


def bone_of(character: Object, hit: Hit, depsgraph: Depsgraph) -> str | None:
    """Return the deforming bone with the largest sum of weights on the face, or the bone that is the mesh's parent."""
    posed: Any = hit.skin.evaluated_get(depsgraph)
    names = [group.name for group in hit.skin.vertex_groups]
    weights: dict[str, float] = {}
    for vertex in posed.data.polygons[hit.face].vertices:
        for group in posed.data.vertices[vertex].groups:
            name = names[group.group]
            bone = character.data.bones.get(name)
            if bone is not None and bone.use_deform:
                weights[name] = weights.get(name, 0.0) + group.weight
    if any(weights.values()):
        return max(weights, key=weights.__getitem__)
    hangs = hit.skin.parent == character and hit.skin.parent_type == "BONE"
    return hit.skin.parent_bone if hangs and hit.skin.parent_bone else None
