# SPDX-License-Identifier: GPL-3.0-or-later
"""Pieces of a character that are shown by instances or nodes: a copy is led alone, or a note says what is not."""

from collections.abc import Callable

import bpy
import pytest
from bpy.types import Object
from rigs import make_rig

from genmm_addon.character.character import Copy, duplicate


def mesh(rig: Object, name: str = "Body") -> Object:
    """Return a mesh that is deformed by the rig and in no scene."""
    thing = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    thing.modifiers.new("Armature", "ARMATURE").object = rig
    return thing


def linked(thing: Object) -> Object:
    bpy.context.scene.collection.objects.link(thing)
    return thing


def collection(*things: Object) -> bpy.types.Collection:
    made = bpy.data.collections.new("Pieces")
    for thing in things:
        made.objects.link(thing)
    return made


def instance(shown: bpy.types.Collection, parent: Object | None = None) -> Object:
    """Return an empty of the scene that shows a collection."""
    empty = linked(bpy.data.objects.new("Show", None))
    empty.instance_type, empty.instance_collection, empty.parent = "COLLECTION", shown, parent
    return empty


def nodes(kind: str, shown: Object | bpy.types.Collection, owner: Object) -> None:
    """Give an object geometry nodes that show an object or a collection."""
    tree = bpy.data.node_groups.new("Show", "GeometryNodeTree")
    node = tree.nodes.new(f"GeometryNode{kind}Info")
    node.inputs[0].default_value = shown
    outer = bpy.data.node_groups.new("Outer", "GeometryNodeTree")
    outer.nodes.new("GeometryNodeGroup").node_tree = tree
    owner.modifiers.new("Show", "NODES").node_group = outer


def particles(shown: Object, owner: Object) -> None:
    settings = owner.modifiers.new("Show", "PARTICLE_SYSTEM").particle_system.settings
    settings.render_type, settings.instance_object = "OBJECT", shown


def body_in_collection(rig: Object) -> None:
    instance(collection(mesh(rig)))


def body_below_the_rig(rig: Object) -> None:
    instance(collection(mesh(rig)), rig)


def body_also_in_the_scene(rig: Object) -> None:
    instance(collection(linked(mesh(rig))), rig)


def nested(rig: Object) -> None:
    inner = bpy.data.objects.new("Inner", None)
    inner.instance_type, inner.instance_collection = "COLLECTION", collection(mesh(rig))
    instance(collection(inner), rig)


def object_in_nodes(rig: Object) -> None:
    nodes("Object", linked(mesh(rig)), linked(mesh(rig, "Show")))


def collection_in_nodes(rig: Object) -> None:
    nodes("Collection", collection(linked(mesh(rig))), linked(mesh(rig, "Show")))


def particles_of_a_piece(rig: Object) -> None:
    particles(linked(mesh(rig)), linked(mesh(rig, "Show")))


def sword(rig: Object) -> None:
    instance(collection(bpy.data.objects.new("Sword", bpy.data.meshes.new("Sword"))), rig)


def double_of_all(rig: Object) -> None:
    instance(collection(rig, linked(mesh(rig))))


def nothing(rig: Object) -> None:
    linked(mesh(rig))


def own_leaf(rig: Object) -> None:
    particles(bpy.data.objects.new("Leaf", bpy.data.meshes.new("Leaf")), linked(mesh(rig, "Show")))


def copied(rig: Object) -> Copy:
    bpy.context.view_layer.update()
    return duplicate(bpy.context, rig, number=1)


@pytest.mark.parametrize(
    "case",
    [
        body_in_collection,
        body_below_the_rig,
        body_also_in_the_scene,
        nested,
        object_in_nodes,
        collection_in_nodes,
        particles_of_a_piece,
    ],
)
def test_note_names_objects_that_still_show_pieces_of_the_original(case: Callable[[Object], None]) -> None:
    rig = make_rig(("hips", "head"))
    case(rig)
    for _ in range(2):  # results of before do not count
        made = copied(rig)
        assert len(made.notes) == 1 and '"Show" still shows pieces' in made.notes[0]


@pytest.mark.parametrize("case", [sword, double_of_all, nothing, own_leaf])
def test_copies_that_show_only_their_own_pieces_get_no_note(case: Callable[[Object], None]) -> None:
    rig = make_rig(("hips", "head"))
    case(rig)
    assert not copied(rig).notes


def test_meshes_on_vertices_of_a_piece_are_copied() -> None:
    rig = make_rig(("hips", "head"))
    body, scale = linked(mesh(rig)), linked(bpy.data.objects.new("Scale", bpy.data.meshes.new("Scale")))
    scale.parent, body.instance_type = body, "VERTS"
    made = copied(rig)
    assert made.copies[body].instance_type == "VERTS" and made.copies[scale].parent == made.copies[body]
    assert not made.notes
