# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters with a second rig, a lattice or pieces in excluded collections: results are led to the copies alone."""

import bpy
import pytest
from bpy.types import Object
from rigs import make_rig

from genmm_addon.character.belongings import objects_of_character
from genmm_addon.character.character import Copy, duplicate


def mesh(name: str, *rigs: Object) -> Object:
    """Return a linked mesh that armature modifiers bind to the rigs."""
    thing = bpy.data.objects.new(name, bpy.data.meshes.new(name))
    bpy.context.scene.collection.objects.link(thing)
    for rig in rigs:
        thing.modifiers.new(rig.name, "ARMATURE").object = rig
    return thing


@pytest.fixture
def rigs() -> tuple[Object, Object]:
    body = make_rig(("hips", "head"))
    face = make_rig(("jaw", "brow"))
    body.name, face.name = "Body", "Face"
    return body, face


def copied(body: Object) -> Copy:
    bpy.context.view_layer.update()
    return duplicate(bpy.context, body, number=1)


def exclude(*things: Object) -> None:
    """Move the objects into a collection that is excluded from the view layer."""
    collection = bpy.data.collections.new("Away")
    bpy.context.scene.collection.children.link(collection)
    for thing in things:
        collection.objects.link(thing)
        bpy.context.scene.collection.objects.unlink(thing)
    bpy.context.view_layer.layer_collection.children["Away"].exclude = True


@pytest.mark.every_case
@pytest.mark.parametrize("held", ["free", "parent", "object constraint", "bone constraint"])
@pytest.mark.parametrize("excluded", [False, True])
def test_both_armature_modifiers_point_to_copies(rigs: tuple[Object, Object], held: str, excluded: bool) -> None:
    body, face = rigs
    head = mesh("Head", body, face)
    if held == "parent":
        face.parent = body
    elif held != "free":
        owner = face if held.startswith("object") else face.pose.bones["jaw"]
        owner.constraints.new("CHILD_OF").target = body
        mesh("Teeth", face)
    if excluded:
        exclude(face)
    made = copied(body)
    targets = [modifier.object for modifier in made.copies[head].modifiers]
    assert targets == [made.copies[body], made.copies[face]]
    if "constraint" in held:
        copy = made.copies[face]
        owner = copy if held.startswith("object") else copy.pose.bones["jaw"]
        assert owner.constraints[0].target == made.armature
        assert made.copies[bpy.data.objects["Teeth"]].modifiers[0].object == copy
    assert not made.notes and (not excluded or made.copies[face].hide_get())


def test_another_character_that_deforms_the_same_mesh_is_not_copied(rigs: tuple[Object, Object]) -> None:
    one, other = rigs
    rope = mesh("Rope", one, other)
    mesh("Skin", one)
    mesh("Other Skin", other)
    assert other not in objects_of_character(one, bpy.context.scene)
    made = copied(one)
    assert [modifier.object for modifier in made.copies[rope].modifiers] == [made.armature, other]


def test_a_lattice_that_deforms_the_character_alone_is_copied(rigs: tuple[Object, Object]) -> None:
    body, _ = rigs
    skin = mesh("Skin", body)
    lattice = bpy.data.objects.new("Squash", bpy.data.lattices.new("Squash"))
    bpy.context.scene.collection.objects.link(lattice)
    skin.modifiers.new("Squash", "LATTICE").object = lattice
    made = copied(body)
    assert made.copies[skin].modifiers["Squash"].object == made.copies[lattice] != lattice


def test_meshes_in_an_excluded_collection_are_left_out_with_a_note(rigs: tuple[Object, Object]) -> None:
    body, _ = rigs
    mesh("Skin", body)
    exclude(mesh("Coat", body), mesh("Hat", body))
    made = copied(body)
    assert bpy.data.objects["Coat"] not in made.copies
    (note,) = made.notes
    assert '"Coat" and 1 more' in note and "excluded" in note
