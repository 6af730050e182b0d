# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects that belong to a character, and the data-blocks of its meshes."""

from collections.abc import Collection
from typing import Any

import bpy
from bpy.types import ID, Object, Scene

from ..animation.mesh_channels.blocks import BlockAddress, MeshBlock, MeshBlocks, blocks_of_object
from .naming import without_number

WATCHERS = {"CAMERA", "SPEAKER"}
"""Types of objects that may follow a character without being a piece of it."""
# Deformers that move a mesh with their object, and the name of their property for this object.
CARRIERS = {"ARMATURE": "object", "SURFACE_DEFORM": "target", "MESH_DEFORM": "object"}
# Modifiers that deform a mesh by an object of the character's own, and the name of their property for this object.
DEFORMERS = CARRIERS | {"LATTICE": "object", "HOOK": "object", "CURVE": "object"}


def mesh_blocks(armature: Object, scene: Scene) -> MeshBlocks:
    """Return the data-blocks of all objects that follow the armature, each once, including linked ones."""
    blocks: dict[BlockAddress, MeshBlock] = {}
    seen = set()
    for thing in objects_of_character(armature, scene)[1:]:
        for block, name in blocks_of_object(thing):
            address = BlockAddress(block.id_type, without_number(name))
            if block not in seen and address not in blocks:
                seen.add(block)
                blocks[address] = MeshBlock(block, thing)
    return blocks


def objects_of_character(armature: Object, scene: Scene) -> list[Object]:
    """Return the armature first, then all objects that follow it, directly or through others, by name.

    If the armature is in the scene, only objects of the scene are returned.
    """
    present = set(scene.objects)
    pieces = _pieces(armature, present if armature in present else set(bpy.data.objects))
    return [armature, *sorted(pieces - {armature}, key=lambda thing: thing.name_full)]


def _pieces(armature: Object, among: set[Object]) -> set[Object]:
    """Return the armature and those of the objects that follow it, directly or through others."""
    pieces = {armature}
    waiting = {armature}
    while waiting:
        waiting = {thing for thing in (users_of(waiting) & among) - pieces if follows(thing, pieces)}
        pieces |= waiting
        others = (_deformers_of(pieces) & among) - pieces
        waiting |= {thing for thing in others if _is_own_deformer(thing, pieces)}
        pieces |= waiting
    return pieces


def still_shown(armature: Object, sources: Collection[Object], scene: Scene) -> list[str]:
    """Return the names of objects that show the character's pieces by instances or nodes, as their copies still do.

    Without any among `sources`, return those of the scene that show pieces outside it, which have no copies.
    """
    present = set(scene.objects)
    outside = _pieces(armature, set(bpy.data.objects)) - present
    showing = _showing({*sources, *outside}) & set(sources) or _showing(outside) & present
    return sorted(thing.name for thing in showing)


def _showing(things: set[Object]) -> set[Object]:
    """Return the objects that refer to any of `things` by collections, node groups or particles, nested or not."""
    between: set[ID] = set()
    waiting: set[ID] = set(things)
    while waiting:
        users = bpy.data.user_map(subset=waiting, value_types={"COLLECTION", "NODETREE", "PARTICLE"}).values()
        instances = {thing for thing in users_of(waiting) if thing.instance_collection in waiting}
        waiting = instances.union(*users) - between
        between |= waiting
    return users_of(between) if between else set()


def users_of(things: Collection[ID]) -> set[Object]:
    """Return the objects of the file that refer to any of `things`, in any way."""
    users = bpy.data.user_map(subset=set(things), value_types={"OBJECT"})
    return {user for group in users.values() for user in group if isinstance(user, Object)}


def follows(thing: Object, leaders: Collection[Object]) -> bool:
    """Return whether a leader moves or deforms `thing`: as its parent, by a deformer or by a Child Of constraint."""
    if thing.type in WATCHERS:
        return False
    return thing.parent in leaders or is_deformed(thing, leaders) or is_carried(thing, leaders)


def _deformers_of(things: Collection[Object]) -> set[Object]:
    """Return the objects that deform any of `things` by a modifier, such as the second rig of a face."""
    deformers = {
        getattr(modifier, DEFORMERS[modifier.type])
        for thing in things
        for modifier in thing.modifiers
        if modifier.type in DEFORMERS
    }
    return deformers - {None}


def _is_own_deformer(deformer: Object, pieces: Collection[Object]) -> bool:
    """Return whether an object that deforms a piece belongs to the same character, and is not a character beside it.

    It is held by a constraint to one of the pieces, or deforms nothing but these.
    """
    constraints: list[Any] = list(deformer.constraints)
    if deformer.pose is not None:
        constraints += [constraint for bone in deformer.pose.bones for constraint in bone.constraints]
    for constraint in constraints:
        targets = constraint.targets if constraint.type == "ARMATURE" else [constraint]
        if any(getattr(target, "target", None) in pieces for target in targets):
            return True
    return all(user in pieces for user in users_of({deformer}) if deformer in _deformers_of({user}))


def is_deformed(thing: Object, leaders: Collection[Object]) -> bool:
    """Return whether a modifier or an Armature constraint binds `thing` to one of the leaders.

    Neither moves it with the leader's object.
    """
    constraints: list[Any] = [
        constraint for constraint in thing.constraints if constraint.type == "ARMATURE" and thing.type != "ARMATURE"
    ]
    return any(target.target in leaders for constraint in constraints for target in constraint.targets) or any(
        modifier.type in CARRIERS and getattr(modifier, CARRIERS[modifier.type]) in leaders
        for modifier in thing.modifiers
    )


def is_carried(thing: Object, leaders: Collection[Object]) -> bool:
    """Return whether a constraint of `thing` acts as its parent; an armature held like this is its own character."""
    constraints: list[Any] = [
        constraint for constraint in thing.constraints if constraint.type == "CHILD_OF" and thing.type != "ARMATURE"
    ]
    return any(constraint.target in leaders for constraint in constraints)
