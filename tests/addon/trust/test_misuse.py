# SPDX-License-Identifier: GPL-3.0-or-later
"""Presses of Generate at the wrong moment: they give a complete result, or one sentence and an unchanged file."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import bpy
import pytest
from bpy.types import ID, Object
from interface import keys_of, new_action, new_character, play, results_of, select
from rigs import key

from bench.soaking.fingerprints import fingerprint
from genmm_addon.animation import actions
from genmm_addon.animation.actions import fcurves_of
from genmm_addon.core import InputError
from genmm_addon.generation.generate import generate
from genmm_addon.generation.recipe import from_json, request_from_recipe
from genmm_addon.interface.common import character_operator

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def hero() -> Object:
    # Undo restores brushes of tools that an earlier test has used, until Blender is reset.
    bpy.ops.wm.read_factory_settings(use_empty=True)
    rig = new_character()
    rig.genmm.frames, rig.genmm.new_seed = 30, False
    return rig


def press(**values: object) -> str:
    """Press Generate, and return the sentence with which it refuses; "" if it works."""
    try:
        outcome = bpy.ops.genmm.generate_motion(**values)
    except RuntimeError as error:
        text = str(error).strip().splitlines()[-1]
        assert "Traceback" not in str(error), error
        return text.removeprefix("Error: ")
    assert outcome == {"FINISHED"}
    return ""


def refused(words: str, **values: object) -> None:
    """Check that Generate refuses with these words and changes nothing."""
    before = fingerprint()
    said = press(**values)
    assert words in said, said
    after = fingerprint()
    assert {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)} == set()


def works(rig: Object) -> None:
    """Check that Generate makes a complete character and leaves the source unchanged."""
    before = fingerprint()
    assert press() == ""
    after = fingerprint()
    kept = [name for name in before if name.startswith(("Action", "Armature", "Mesh"))]
    assert all(after.get(name) == before[name] for name in kept)
    made = [thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing != rig and " Gen " in thing.name]
    assert made and len(keys_of(made[-1])) > 0


def test_fingerprint_reflects_changes(hero: Object) -> None:
    def changed(change: Callable[[], object]) -> set[str]:
        before = fingerprint()
        change()
        after = fingerprint()
        return {name.split()[0] for name in before.keys() | after.keys() if before.get(name) != after.get(name)}

    curve = fcurves_of(hero.animation_data.action)[0]
    assert changed(lambda: None) == set()
    assert changed(lambda: setattr(curve.keyframe_points[2], "co", (3, 0.5))) == {"Action"}
    assert changed(lambda: setattr(hero.pose.bones[1], "location", (0, 1, 0))) == {"Object"}
    assert "Object" in changed(lambda: hero.constraints.new("LIMIT_SCALE"))
    assert changed(lambda: setattr(hero.genmm, "frames", 31)) == {"Object"}
    assert changed(lambda: bpy.data.texts.new("x")) == {"Text"}


def test_nothing_selected(hero: Object) -> None:
    select(None)
    refused("Select a character")


@pytest.mark.parametrize("kind", ["MESH", "CAMERA", "EMPTY", "LIGHT"])
def test_the_wrong_object_selected(hero: Object, kind: str) -> None:
    makers: dict[str, Callable[[], ID | None]] = {
        "MESH": lambda: bpy.data.meshes.new("M"),
        "CAMERA": lambda: bpy.data.cameras.new("C"),
        "EMPTY": lambda: None,
        "LIGHT": lambda: bpy.data.lights.new("L", "SUN"),
    }
    thing = bpy.data.objects.new("Thing", makers[kind]())
    bpy.context.scene.collection.objects.link(thing)
    select(thing)
    refused("Select a character")


def test_no_action(hero: Object) -> None:
    actions.clear_assignment(hero)
    refused("plays no action")


def test_an_empty_action(hero: Object) -> None:
    action, _ = actions.new_action("Empty", hero)
    play(hero, action)
    refused("Empty")


def test_one_key(hero: Object) -> None:
    play(hero, new_action(hero, "Still", 1))
    refused("too short to vary; use one of 1.5 s or more.")


@pytest.mark.parametrize("channels", ["CHANNELS", "VISUAL"])
@pytest.mark.filterwarnings("error")
def test_non_finite_keys_are_rejected(hero: Object, channels: str) -> None:
    hero.genmm.channels = channels
    action, slot = actions.assigned(hero)
    key(action, slot, 'pose.bones["spine"].location', 0, [(1.0, 0.0), (5.0, math.nan), (9.0, 0.0)])
    before = press()
    assert "not a finite number" in before
    assert results_of(hero) == []


def test_a_hidden_character(hero: Object) -> None:
    hero.hide_set(True)
    bpy.context.view_layer.objects.active = hero
    works(hero)


def test_a_hidden_collection(hero: Object) -> None:
    _own_collection(hero).hide_viewport = True
    bpy.context.view_layer.objects.active = hero
    works(hero)


def test_an_excluded_collection(hero: Object) -> None:
    collection = _own_collection(hero)
    bpy.context.view_layer.layer_collection.children[collection.name].exclude = True
    refused("Select a character")


def _own_collection(hero: Object) -> bpy.types.Collection:
    collection = bpy.data.collections.new("Own")
    bpy.context.scene.collection.children.link(collection)
    collection.objects.link(hero)
    bpy.context.scene.collection.objects.unlink(hero)
    return collection


def test_edit_mode(hero: Object) -> None:
    bpy.ops.object.mode_set(mode="EDIT")
    before = press()
    assert "Go to Object Mode or Pose Mode first" in before
    bpy.ops.object.mode_set(mode="OBJECT")
    assert results_of(hero) == []


def test_pose_mode(hero: Object) -> None:
    bpy.ops.object.mode_set(mode="POSE")
    works(hero)
    assert bpy.context.mode == "POSE"


@pytest.mark.parametrize("mode", ["SCULPT", "EDIT", "WEIGHT_PAINT", "VERTEX_PAINT"])
def test_other_modes_of_its_mesh(hero: Object, mode: Literal["SCULPT", "EDIT", "WEIGHT_PAINT", "VERTEX_PAINT"]) -> None:
    data = bpy.data.meshes.new("Skin")
    data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    skin = bpy.data.objects.new("Skin", data)
    bpy.context.scene.collection.objects.link(skin)
    skin.modifiers.new("Armature", "ARMATURE").object = hero
    select(skin)
    bpy.ops.object.mode_set(mode=mode)
    said = press()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert "Go to Object Mode or Pose Mode first" in said
    assert results_of(hero) == []


def test_while_a_render_runs(hero: Object) -> None:
    said: list[str] = []

    def during(*_: object) -> None:
        said.append(press())

    bpy.app.handlers.render_pre.append(during)
    try:
        bpy.context.scene.render.engine = "BLENDER_WORKBENCH"  # type: ignore[assignment]  # the stub knows one engine alone
        bpy.context.scene.render.resolution_x = bpy.context.scene.render.resolution_y = 16
        bpy.context.scene.camera = bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera"))
        bpy.context.scene.collection.objects.link(bpy.context.scene.camera)
        try:
            bpy.ops.render.render()
        except RuntimeError as error:
            pytest.skip(f"Nothing can be rendered here: {error}")
    finally:
        bpy.app.handlers.render_pre.remove(during)
    assert said == [""]
    assert len(keys_of(results_of(hero)[0])) > 0


def test_another_scene(hero: Object) -> None:
    other = bpy.data.scenes.new("Other")
    bpy.context.window.scene = other
    refused("Select a character")


def test_the_character_deleted_between_set_up_and_pressing(hero: Object) -> None:
    recipe = _recipe_of_a_result(hero)
    made = results_of(hero)[0]
    bpy.data.objects.remove(hero)
    bpy.context.view_layer.update()
    select(made)
    refused('Character "Hero" is no longer in this file', recipe=recipe)


def test_a_bone_renamed_between_set_up_and_pressing(hero: Object) -> None:
    hero.genmm.feet_choice = "CHOSEN"
    hero.genmm.feet.add().name = "hand"
    bpy.context.view_layer.update()
    hero.data.bones["hand"].name = "paw"
    works(hero)
    assert [foot.name for foot in hero.genmm.feet] == ["paw"]


def test_a_bone_removed_between_set_up_and_pressing(hero: Object) -> None:
    from genmm_addon.requests.part_values import add_part

    add_part(hero.genmm, "Hand", ["hand"])
    hero.genmm.parts = "PAINTED"
    bpy.ops.object.mode_set(mode="EDIT")
    hero.data.edit_bones.remove(hero.data.edit_bones["hand"])
    bpy.ops.object.mode_set(mode="OBJECT")
    refused("'Hand' has no bone of this character")


def test_the_example_deleted_between_set_up_and_pressing(hero: Object) -> None:
    other = new_action(hero, "Other")
    bpy.ops.genmm.add_example(action="Other")
    for item in hero.genmm.examples:
        item.enabled = item.action == other
    bpy.data.actions.remove(other)
    refused("No example in the list is used")


def test_saved_between_set_up_and_pressing(hero: Object, tmp_path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hero.blend"))
    works(hero)


def test_undone_between_set_up_and_pressing(hero: Object) -> None:
    bpy.ops.ed.undo_push(message="Start")
    hero.genmm.frames = 25
    bpy.ops.ed.undo_push(message="Length")
    bpy.ops.ed.undo()
    works(bpy.data.objects["Hero"])


def test_reloaded_between_set_up_and_pressing(hero: Object, tmp_path: Path) -> None:
    hero.genmm.frames = 22
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hero.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "hero.blend"))
    rig = bpy.data.objects["Hero"]
    assert rig.genmm.frames == 22
    works(rig)


def test_a_linked_scene(hero: Object, tmp_path: Path) -> None:
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hero.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "hero.blend"), link=True) as (source, target):
        target.scenes = source.scenes
    bpy.context.window.scene = target.scenes[0]
    bpy.context.view_layer.objects.active = target.scenes[0].objects["Hero"]
    said = press()
    assert said.endswith(".") and results_of(target.scenes[0].objects["Hero"]) == []


def test_stopped_before_it_wrote_anything(hero: Object, monkeypatch: pytest.MonkeyPatch) -> None:
    from genmm_addon.core import Cancelled
    from genmm_addon.interface.generate import operators

    def stopped(*_: object) -> None:
        raise Cancelled("Cancelled.")

    before = fingerprint()
    monkeypatch.setattr(operators, "compute_and_measure", stopped)
    assert bpy.ops.genmm.generate_motion() == {"CANCELLED"}
    assert fingerprint() == before


@pytest.mark.parametrize("what", ["write_action", "store", "mark"])
@pytest.mark.parametrize("output", ["NEW_CHARACTER", "NEW_ACTION", "NLA_STRIP"])
def test_a_failure_at_any_stage_of_writing(
    hero: Object, monkeypatch: pytest.MonkeyPatch, what: str, output: str
) -> None:
    from genmm_addon.generation import result_writing

    target = result_writing.tags if what == "mark" else result_writing
    calls = {"number": 0}
    original = getattr(target, what)

    def failing(*arguments: object, **named: object) -> object:
        calls["number"] += 1
        if calls["number"] == 2:
            raise InputError("The second one fails.")
        return original(*arguments, **named)

    hero.genmm.output, hero.genmm.variations = output, 2
    monkeypatch.setattr(target, what, failing)
    refused("The second one fails.")


def test_ten_times_there_and_back(hero: Object) -> None:
    def content() -> dict[str, str]:
        # A scene's digest includes its active object, which undo does not restore reliably.
        return {name: digest for name, digest in fingerprint().items() if not name.startswith("Scene")}

    bpy.ops.ed.undo_push(message="Start")
    before = content()
    assert press() == ""
    bpy.ops.ed.undo_push(message="Generate")
    made = content()
    assert before != made
    for _ in range(10):
        bpy.ops.ed.undo()
        assert content() == before
        bpy.ops.ed.redo()
        assert content() == made


def test_recipe_from_another_file_names_its_missing_examples(hero: Object) -> None:
    recipe = from_json(_recipe_of_a_result(hero))
    bpy.data.actions.remove(hero.animation_data.action)
    with pytest.raises(InputError, match="is no longer in this file"):
        generate(bpy.context, request_from_recipe(recipe))


def _recipe_of_a_result(hero: Object) -> str:
    assert press() == ""
    made = results_of(hero)[0]
    text = str(made["genmm_recipe"])
    select(hero)
    return text


def test_a_second_press_while_one_runs(hero: Object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(character_operator, "running", lambda: object())
    refused("A motion is being generated; wait for it, or stop it with Esc")
