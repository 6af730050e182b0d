# SPDX-License-Identifier: GPL-3.0-or-later
"""Transform and Repair on characters and actions of other files: new actions if possible, otherwise a sentence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import pytest
from bpy.types import Object
from characters import action_of, make_body, walking_sample
from commands import run
from rigs import key

from genmm_addon.animation import actions
from genmm_addon.animation.actions import assign, assigned
from genmm_addon.animation.mesh_channels.playing import play
from genmm_addon.animation.stretches.key_tables import read_keys
from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core.library import Clip, library_of, save_library
from genmm_addon.editing.transforming.record import recipe_of, recipe_text
from genmm_addon.state.properties import scene_properties
from genmm_addon.state.selection import character_or_reason

pytestmark = pytest.mark.usefixtures("extension")

Capture = pytest.CaptureFixture[str]
WALK, TIRED, HERO = "GenMM Walk", "GenMM Walk Tired", "GenMM Sample"


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Return a file with the sample character in the collection Hero; an empty file is open."""
    rig = walking_sample()
    hero = bpy.data.collections.new("Hero")
    bpy.context.scene.collection.children.link(hero)
    smiling = make_body(rig, "Head")
    for thing in (rig, *rig.children):
        bpy.context.scene.collection.objects.unlink(thing)
        hero.objects.link(thing)
    for name in ("Basis", "Smile"):
        smiling.shape_key_add(name=name)
    face, slot = actions.new_action_for("Smiling", "KEY", smiling.data.shape_keys.name)
    key(face, slot, 'key_blocks["Smile"].value', 0, [(1, 0.0), (301, 1.0)])
    play(smiling.data.shape_keys, face, slot)
    path = tmp_path / "hero.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    empty()
    return path


def empty() -> None:
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.render.fps = 30


def chosen(thing: Object) -> Object:
    bpy.context.view_layer.update()
    for other in bpy.context.view_layer.objects:
        other.select_set(other == thing)
    bpy.context.view_layer.objects.active = thing
    return thing


def linked(source: Path) -> Object:
    """Return the character linked from its file, with all its actions."""
    with bpy.data.libraries.load(str(source), link=True) as (there, here):
        here.collections, here.actions = ["Hero"], list(there.actions)
    bpy.context.scene.collection.children.link(here.collections[0])
    return chosen(bpy.data.objects[HERO])


def overridden(source: Path) -> Object:
    """Return the character as an editable library override, which plays its linked action."""
    hero = linked(source).users_collection[0]
    hero.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
    return chosen(own_character())


def system_overridden(source: Path) -> Object:
    """Return the character as an override that cannot be edited."""
    hero = linked(source).users_collection[0]
    hero.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    return chosen(own_character())


def own_character() -> Object:
    return next(thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE" and thing.library is None)


def instanced(source: Path) -> Object:
    """Return an empty that instances the linked collection."""
    hero = linked(source).users_collection[0]
    bpy.context.scene.collection.children.unlink(hero)
    shown = bpy.data.objects.new("Hero Instance", None)
    shown.instance_type, shown.instance_collection = "COLLECTION", hero
    bpy.context.scene.collection.objects.link(shown)
    return chosen(shown)


def keys_of(character: Object) -> list[bytes]:
    playing = assigned(character)
    assert playing is not None
    return [read_keys(curve).places.tobytes() for curve in actions.fcurves_of(*playing)]


def saved_anew(source: Path) -> Object:
    """Save the open file beside the source, open it again, and return the character."""
    path = str(source.with_name("shot.blend"))
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    return chosen(own_character())


def test_an_override_that_plays_its_linked_action_is_transformed_and_keeps_that_in_its_file(source: Path) -> None:
    character = overridden(source)
    before = {action: len(keys_of(character)) for action in bpy.data.actions}
    for operator, values, kind in (
        (bpy.ops.genmm.restyle, {"other_action": TIRED}, "Restyled"),
        (bpy.ops.genmm.blend_action, {"other_action": TIRED, "share": 0.5}, "Blended"),
        (bpy.ops.genmm.edit_attributes, {"other_action": TIRED, "attributes": "arm_swing=0.95x"}, "Edited"),
    ):
        assign(character, bpy.data.actions[WALK])
        assert operator(**values) == {"FINISHED"}
        made = action_of(character)
        assert made.library is None and made.name == f"{WALK} {kind}"
    assert {action for action in bpy.data.actions if action.library is not None} == set(before)
    keys, name = keys_of(character), action_of(character).name
    opened = saved_anew(source)
    assert action_of(opened).name == name and keys_of(opened) == keys
    recipe = recipe_of(action_of(opened))
    assert recipe is not None and recipe.content == WALK
    assert bpy.ops.genmm.repair(what="EVERYTHING") == {"FINISHED"} and keys_of(opened) != keys


def test_values_and_flaws_of_a_linked_action_are_read_and_repair_asks_for_a_local_one(source: Path) -> None:
    character = overridden(source)
    assert bpy.ops.genmm.read_attributes(other_action=TIRED) == {"FINISHED"}
    assert len(scene_properties(bpy.context.scene).transform.attributes.values) >= 7
    assert bpy.ops.genmm.find_flaws() == {"FINISHED"}
    with pytest.raises(RuntimeError, match=f'Action "{WALK}" is linked; make it local'):
        bpy.ops.genmm.repair(what="EVERYTHING")
    action_of(character).make_local()
    assert action_of(character).library is None
    before = keys_of(character)
    assert bpy.ops.genmm.repair(what="EVERYTHING") == {"FINISHED"}
    assert keys_of(character) != before


@pytest.mark.parametrize("make", [linked, system_overridden])
def test_uneditable_character_is_reported_with_the_remedy(make: Callable[[Path], Object], source: Path) -> None:
    character = make(source)
    names = set(bpy.data.actions.keys())
    for operator, values in ((bpy.ops.genmm.restyle, {"other_action": TIRED}), (bpy.ops.genmm.blend_action, {})):
        with pytest.raises(RuntimeError, match="so no action can be assigned to it; make an editable library override"):
            operator(**values)
    with pytest.raises(RuntimeError, match="are linked; make an editable library override, and its action local"):
        bpy.ops.genmm.repair()
    assert bpy.ops.genmm.find_flaws() == {"FINISHED"}
    assert set(bpy.data.actions.keys()) == names and action_of(character).name == WALK


def test_instance_of_a_character_is_rejected_with_the_way_to_make_it_editable(source: Path) -> None:
    instanced(source)
    with pytest.raises(RuntimeError, match="Hero Instance shows a character as it is; make an editable library over"):
        bpy.ops.genmm.restyle(other_action=TIRED)


def test_a_linked_face_keeps_its_time_and_the_mend_is_one_that_can_be_had(source: Path, capfd: Capture) -> None:
    character = overridden(source)
    head = next(thing for thing in character.children if thing.name == "Head")
    assert head.library is None and head.data.library is not None
    assert bpy.ops.genmm.restyle(other_action=TIRED, keep_timing=False) == {"FINISHED"}
    said = capfd.readouterr().out
    assert "it keeps the time of its action; make an editable library override of it." in said
    assert "New Character" not in said and action_of(character).library is None
    assert head.data.shape_keys.animation_data.action.name == "Smiling"


@pytest.mark.parametrize("make", [overridden, instanced])
def test_a_library_that_was_moved_is_named(make: Callable[[Path], Object], source: Path) -> None:
    shown = make(source).name_full
    path = str(source.with_name("shot.blend"))
    bpy.ops.wm.save_as_mainfile(filepath=path)
    source.rename(source.with_name("elsewhere.blend"))
    bpy.ops.wm.open_mainfile(filepath=path)
    chosen(next(thing for thing in bpy.context.scene.objects if thing.name_full == shown))
    found, reason = character_or_reason(bpy.context)
    assert found is None and reason.endswith(
        f'the library "{source}" is missing; relocate the library in the Outliner'
    ), reason
    with pytest.raises(RuntimeError, match="is missing"):
        bpy.ops.genmm.repair()


def with_linked_actions(source: Path) -> Object:
    """Return a character of the file itself that plays an action of another file and uses a style there."""
    character = walking_sample()
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    with bpy.data.libraries.load(str(source), link=True) as (_, here):
        here.actions = [WALK, TIRED]
    assign(character, bpy.data.actions[WALK])
    # Data without users are not saved in a file.
    other = character.copy()
    bpy.context.scene.collection.objects.link(other)
    bpy.context.view_layer.update()
    assign(other, bpy.data.actions[TIRED])
    return chosen(character)


def test_actions_of_a_library_that_was_moved_are_named(source: Path, tmp_path: Path, capfd: Capture) -> None:
    with_linked_actions(source)
    assert bpy.ops.genmm.restyle(other_action=TIRED) == {"FINISHED"}
    assert f'Action "{WALK}" is linked and stays in its own file.' in capfd.readouterr().out
    path = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    source.unlink()
    bpy.ops.wm.open_mainfile(filepath=path)
    character = chosen(bpy.data.objects[HERO])
    made = action_of(character)
    before = keys_of(character)
    with pytest.raises(RuntimeError, match=rf'Action "{TIRED}" has no keys: the library .* is missing; relocate'):
        bpy.ops.genmm.restyle(other_action=TIRED)
    assign(bpy.data.objects[f"{HERO}.001"], made)
    chosen(bpy.data.objects[f"{HERO}.001"])
    assert bpy.ops.genmm.find_flaws() == {"FINISHED"}
    assert keys_of(character) == before and made.name == f"{WALK} Restyled"


def test_active_action_with_a_missing_library_is_reported(source: Path, tmp_path: Path, capfd: Capture) -> None:
    with_linked_actions(source)
    path = str(tmp_path / "shot.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    source.unlink()
    bpy.ops.wm.open_mainfile(filepath=path)
    chosen(bpy.data.objects[HERO])
    for operator, values in (
        (bpy.ops.genmm.restyle, {"other_action": TIRED}),
        (bpy.ops.genmm.read_attributes, {}),
        (bpy.ops.genmm.find_flaws, {}),
    ):
        with pytest.raises(RuntimeError, match=r"has no keys: the library .* is missing; relocate"):
            operator(**values)
    refused = run(capfd, "restyle", path, "--style", TIRED, "--output", tmp_path / "none.blend")
    assert refused.status == 2 and len(refused.errors) == 1 and "is missing" in refused.errors[0]


def test_a_linked_action_of_the_same_name_is_another_one(source: Path) -> None:
    """A walk of an asset library may have the name of the character's own."""
    character = walking_sample()
    with bpy.data.libraries.load(str(source), link=True) as (_, here):
        here.actions = [WALK]
    assert [action.name for action in bpy.data.actions].count(WALK) == 2
    assert bpy.ops.genmm.blend_action(other_action=WALK, share=0.5) == {"FINISHED"}
    assert action_of(chosen(character)).name == f"{WALK} Blended"


@pytest.mark.skipif(bpy.app.version < (5, 0), reason="Blender packs linked data-blocks from 5.0 on")
def test_a_packed_action_is_another_one(source: Path) -> None:
    character = walking_sample()
    for action in list(bpy.data.actions):
        if action.name != WALK:
            bpy.data.actions.remove(action)
    packed: dict[str, Any] = {"link": True, "pack": True}
    with bpy.data.libraries.load(str(source), **packed) as (_, here):
        here.actions = [TIRED]
    source.unlink()
    assert bpy.ops.genmm.restyle(other_action=TIRED) == {"FINISHED"}
    assign(character, here.actions[0])
    chosen(character)
    assert bpy.ops.genmm.restyle(other_action=WALK) == {"FINISHED"}
    assert action_of(character).library is None


def test_the_command_restyles_an_override_and_names_a_library_that_is_gone(
    source: Path, tmp_path: Path, capfd: Capture
) -> None:
    overridden(source)
    own = bpy.data.actions[TIRED].copy()
    own.name, own.use_fake_user = "Own Tired", True
    shot, made = tmp_path / "shot.blend", tmp_path / "made.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    said = run(capfd, "restyle", shot, "--style", "Own Tired", "--output", made)
    assert said.status == 0, said.errors
    bpy.ops.wm.open_mainfile(filepath=str(made))
    assert action_of(own_character()).name == f"{WALK} Restyled"
    refused = run(capfd, "repair", shot, "--everything", "--output", tmp_path / "none.blend")
    assert refused.status == 2 and "is linked; make it local" in refused.errors[-1]
    source.unlink()
    refused = run(capfd, "restyle", shot, "--style", "Own Tired", "--output", tmp_path / "none.blend")
    assert refused.status == 2 and len(refused.errors) == 1 and "is missing" in refused.errors[0]
    assert not (tmp_path / "none.blend").exists()


def test_a_library_of_clips_that_is_gone_is_named_and_the_action_made_of_it_stays(tmp_path: Path) -> None:
    character = walking_sample()
    motions = {name: motion for name, motion in sample_motions(30.0).items() if name == TIRED}
    library = tmp_path / "others.npz"
    save_library(library, library_of(list(motions.values()), [Clip(name, f"{name}.bvh", 0, 0) for name in motions]))
    asked = {"source": "LIBRARY", "library": str(library)}
    assert bpy.ops.genmm.restyle(**asked) == {"FINISHED"}
    library.rename(tmp_path / "moved.npz")
    keys, names = keys_of(character), set(bpy.data.actions.keys())
    recipe = recipe_of(action_of(character))
    assert recipe is not None and "a library" in recipe_text(recipe)
    for operator, values in (
        (bpy.ops.genmm.restyle, {"strength": 0.5}),
        (bpy.ops.genmm.blend_action, {}),
        (bpy.ops.genmm.read_attributes, {}),
        (bpy.ops.genmm.edit_attributes, {"attributes": "crouch=0.1"}),
        (bpy.ops.genmm.find_flaws, {}),
        (bpy.ops.genmm.repair, {}),
    ):
        with pytest.raises(RuntimeError, match=f'There is no library "{library}"; check its name and folder'):
            operator(**asked, **values)
    assert keys_of(character) == keys and set(bpy.data.actions.keys()) == names
    assert bpy.ops.genmm.restyle(source="LIBRARY", library=str(tmp_path / "moved.npz")) == {"FINISHED"}
