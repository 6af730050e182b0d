# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of linked and overridden characters."""

from pathlib import Path

import bpy
import pytest
from bpy.types import Action, Object
from characters import copy_of, link_hero, save_hero

from genmm_addon.animation.actions import assigned
from genmm_addon.animation.reading.examples import ExampleSpec
from genmm_addon.core import InputError
from genmm_addon.generation.generate import Output, generate
from genmm_addon.generation.recipe import recipe_of, request_from_recipe
from genmm_addon.generation.request import Request


def reload(path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.open_mainfile(filepath=str(path))


@pytest.mark.parametrize("overridden", [False, True])
def test_copies_of_linked_and_overridden_characters_survive_reloading(tmp_path: Path, overridden: bool) -> None:
    save_hero(tmp_path / "hero.blend")
    collection = link_hero(tmp_path / "hero.blend")
    if overridden:
        collection.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    source = next(
        thing
        for thing in bpy.context.scene.objects
        if thing.type == "ARMATURE" and (thing.override_library is not None) == overridden
    )
    name = copy_of(source).armature.name
    reload(tmp_path / "shot.blend")
    copy = bpy.data.objects[name]
    body = bpy.data.objects["Body Gen 001"]
    assert copy.library is None and copy.override_library is None
    assert copy.data.library is not None
    assert body.parent == body.modifiers["Armature"].object == copy
    assert copy.location.x > 2.0
    assert [collection.name for collection in copy.users_collection] == ["GenMM"]


@pytest.mark.parametrize("overridden", [False, True])
def test_a_linked_character_s_recipe_runs_again_in_another_session(tmp_path: Path, overridden: bool) -> None:
    save_hero(tmp_path / "hero.blend")
    collection = link_hero(tmp_path / "hero.blend")
    if overridden:
        collection.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    source = next(
        thing
        for thing in bpy.context.scene.objects
        if thing.type == "ARMATURE" and (thing.override_library is not None) == overridden
    )
    walk = next(action for action in bpy.data.actions if action.name == "Walk")
    assert walk.library is not None
    (result,) = generate(bpy.context, Request(source, (ExampleSpec(walk),), 25))
    name, source_name, library = result.object.name, source.name, source.library is not None
    reload(tmp_path / "shot.blend")
    again = request_from_recipe(recipe_of(bpy.data.objects[name]))
    assert again.armature.name == source_name
    assert (again.armature.library is not None) == library
    assert again.examples[0].action.library is not None
    assert generate(bpy.context, again)[0].object.name == "Rig Gen 002"


def override_hero(path: Path, *, system: bool) -> tuple[Object, Action]:
    collection = link_hero(path)
    collection.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    armature = next(thing for thing in bpy.context.scene.objects if thing.override_library and thing.type == "ARMATURE")
    armature.override_library.is_system_override = system
    return armature, next(action for action in bpy.data.actions if action.name == "Walk")


def test_an_editable_override_takes_a_new_action_that_survives_reloading(tmp_path: Path) -> None:
    save_hero(tmp_path / "hero.blend")
    armature, walk = override_hero(tmp_path / "hero.blend", system=False)
    (result,) = generate(bpy.context, Request(armature, (ExampleSpec(walk),), 25, output=Output.NEW_ACTION))
    names = armature.name, result.action.name
    reload(tmp_path / "shot.blend")
    action, _ = assigned(bpy.data.objects[names[0]])
    assert action.name == names[1]
    assert recipe_of(action).output is Output.NEW_ACTION


@pytest.mark.parametrize("output", [Output.NEW_ACTION, Output.NLA_STRIP])
def test_a_linked_character_cannot_take_a_new_action_itself(tmp_path: Path, output: Output) -> None:
    save_hero(tmp_path / "hero.blend")
    armature, walk = override_hero(tmp_path / "hero.blend", system=True)
    linked = armature.override_library.reference
    assert isinstance(linked, Object)
    for character in (armature, linked):
        with pytest.raises(InputError, match="New Character"):
            generate(bpy.context, Request(character, (ExampleSpec(walk),), 25, output=output))
