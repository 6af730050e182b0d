# SPDX-License-Identifier: GPL-3.0-or-later
"""The list of parts: added, filled, mirrored, grown, converted to and from bone collections, also when linked."""

from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest
from bpy.types import Object
from interface import registered, select

from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.requests.part_values import add_part, bones_of, missing_bones, uncovered_bones
from genmm_addon.state.properties import GENMM_PG_character, readable_settings


@pytest.fixture
def character() -> Iterator[Object]:
    with registered():
        armature = add_sample_character(bpy.context).armature
        select(armature)
        yield armature


def settings_of(character: Object) -> GENMM_PG_character:
    return readable_settings(character, bpy.context.scene)


def parts_of(character: Object) -> dict[str, set[str]]:
    return {part.name: set(bones_of(part)) for part in settings_of(character).part_list}


def fill(character: Object, **parts: list[str]) -> None:
    for name, bones in parts.items():
        add_part(settings_of(character), name, bones)


def only_in(character: Object, bone: str, collection: str = "") -> None:
    for other in list(character.data.bones[bone].collections):
        other.unassign(character.data.bones[bone])
    if collection:
        character.data.collections.new(collection).assign(character.data.bones[bone])


def select_bones(character: Object, *names: str) -> None:
    bpy.ops.object.mode_set(mode="POSE")
    for bone in character.pose.bones:
        chosen = bone.name in names
        (bone if hasattr(bone, "select") else bone.bone).select = chosen


def test_a_part_is_made_of_the_selected_bones(character: Object) -> None:
    select_bones(character, "UpperArm.L", "Forearm.L")
    assert bpy.ops.genmm.add_row(rows="part_list") == {"FINISHED"}
    assert parts_of(character) == {"Part": {"UpperArm.L", "Forearm.L"}}
    assert settings_of(character).parts == "PAINTED"


def test_bones_go_in_and_out_by_selection(character: Object) -> None:
    assert bpy.ops.genmm.add_row(rows="part_list") == {"FINISHED"}
    with pytest.raises(RuntimeError, match="Go to Pose Mode and select bones first"):
        bpy.ops.genmm.edit_part(action="ASSIGN")
    select_bones(character, "Head", "Neck")
    assert bpy.ops.genmm.edit_part(action="ASSIGN") == {"FINISHED"}
    select_bones(character, "Neck")
    assert bpy.ops.genmm.edit_part(action="REMOVE") == {"FINISHED"}
    assert parts_of(character) == {"Part": {"Head"}}
    assert bpy.ops.genmm.edit_part(action="SELECT") == {"FINISHED"}
    assert [bone.name for bone in bpy.context.selected_pose_bones] == ["Head"]


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("LIMBS", {"Trunk and Legs", "Shoulder.L", "Shoulder.R"}),
        ("EVERY_LIMB", {"Trunk", "Shoulder.L", "Shoulder.R", "Thigh.L", "Thigh.R"}),
        ("UPPER_LOWER", {"Lower Body", "Upper Body"}),
        ("LEFT_RIGHT", {"Left", "Right"}),
    ],
)
def test_parts_are_found_from_the_skeleton(character: Object, kind: str, names: set[str]) -> None:
    assert bpy.ops.genmm.make_parts(kind=kind) == {"FINISHED"}
    assert set(parts_of(character)) == names
    assert uncovered_bones(settings_of(character), character) == []
    colors = {tuple(part.color) for part in settings_of(character).part_list}
    assert len(colors) == len(names)


def test_a_mirrored_part_has_the_bones_of_the_other_side(character: Object) -> None:
    select_bones(character, "UpperArm.L", "Forearm.L", "Chest")
    bpy.ops.genmm.add_row(rows="part_list")
    settings_of(character).part_list[0].name = "Arm.L"
    assert bpy.ops.genmm.edit_part(action="MIRROR") == {"FINISHED"}
    assert parts_of(character)["Arm.R"] == {"UpperArm.R", "Forearm.R", "Chest"}
    settings_of(character).active_part = 0
    assert bpy.ops.genmm.edit_part(action="MIRROR") == {"FINISHED"}
    assert len(parts_of(character)) == 2


def test_part_of_any_name_is_mirrored_only_once(character: Object) -> None:
    fill(character, Part=["Hand.L"])
    for _ in range(2):
        settings_of(character).active_part = 0
        bpy.ops.genmm.edit_part(action="MIRROR")
    assert list(parts_of(character).values()) == [{"Hand.L"}, {"Hand.R"}]


def test_a_part_without_counterpart_makes_no_empty_part(character: Object) -> None:
    character.data.bones["Hand.R"].name = "Hook"
    fill(character, Part=["Hand.L"])
    assert bpy.ops.genmm.edit_part(action="MIRROR") == {"CANCELLED"}
    assert parts_of(character) == {"Part": {"Hand.L"}}


def test_without_its_last_part_a_list_that_is_not_used_changes_no_mode(character: Object) -> None:
    fill(character, Part=["Head"])
    settings_of(character).parts = "LIMBS"
    assert bpy.ops.genmm.remove_row(rows="part_list") == {"FINISHED"}
    assert settings_of(character).parts == "LIMBS"


def test_symmetric_part_is_not_mirrored(character: Object) -> None:
    select_bones(character, "Head", "Neck")
    bpy.ops.genmm.add_row(rows="part_list")
    assert bpy.ops.genmm.edit_part(action="MIRROR") == {"CANCELLED"}
    assert len(parts_of(character)) == 1


def test_growing_adds_the_neighbors(character: Object) -> None:
    select_bones(character, "Forearm.L")
    bpy.ops.genmm.add_row(rows="part_list")
    assert bpy.ops.genmm.edit_part(action="GROW") == {"FINISHED"}
    assert parts_of(character)["Part"] == {"UpperArm.L", "Forearm.L", "Hand.L"}


def test_bones_in_no_part_are_told(character: Object) -> None:
    select_bones(character, "Head")
    bpy.ops.genmm.add_row(rows="part_list")
    left = uncovered_bones(settings_of(character), character)
    assert len(left) == len(character.data.bones) - 1
    assert "Head" not in left


def test_parts_are_moved_and_removed(character: Object) -> None:
    bpy.ops.genmm.make_parts(kind="UPPER_LOWER")
    assert bpy.ops.genmm.move_row(rows="part_list", direction="DOWN") == {"FINISHED"}
    assert list(parts_of(character)) == ["Upper Body", "Lower Body"]
    assert bpy.ops.genmm.remove_row(rows="part_list") == {"FINISHED"}
    assert bpy.ops.genmm.remove_row(rows="part_list") == {"FINISHED"}
    with pytest.raises(RuntimeError, match="There is no part yet"):
        bpy.ops.genmm.remove_row(rows="part_list")
    assert settings_of(character).parts == "WHOLE_BODY"


def visible(character: Object) -> set[str]:
    return {
        bone.name
        for bone in character.data.bones
        if not bone.collections or any(one.is_visible_effectively for one in bone.collections)
    }


def test_bone_collections_become_parts(character: Object) -> None:
    collection = character.data.collections.new("Hands")
    collection.assign(character.data.bones["Hand.L"])
    collection.assign(character.data.bones["Hand.R"])
    assert bpy.ops.genmm.part_collections(action="IMPORT") == {"FINISHED"}
    assert parts_of(character)["Hands"] == {"Hand.L", "Hand.R"}
    assert bpy.ops.genmm.part_collections(action="IMPORT") == {"CANCELLED"}


def test_parts_become_bone_collections_and_no_bone_appears_or_vanishes(character: Object) -> None:
    hidden = character.data.collections.new("Hidden")
    hidden.assign(character.data.bones["Hand.L"])
    for collection in list(character.data.bones["Hand.L"].collections):
        if collection != hidden:
            collection.unassign(character.data.bones["Hand.L"])
    hidden.is_visible = False
    before = visible(character)
    assert "Hand.L" not in before
    bpy.ops.genmm.make_parts(kind="LIMBS")
    assert bpy.ops.genmm.part_collections(action="EXPORT") == {"FINISHED"}
    assert visible(character) == before
    assert {bone.name for bone in character.data.collections_all["Shoulder.R"].bones} == parts_of(character)[
        "Shoulder.R"
    ]


@pytest.mark.parametrize("is_shown", [False, True])
def test_a_collection_of_the_parts_name_keeps_its_bones_and_hides_and_shows_none(
    character: Object, is_shown: bool
) -> None:
    only_in(character, "Hand.L", "Other")
    character.data.collections["Other"].is_visible = is_shown
    before = visible(character)
    fill(character, Other=["Head"])
    assert bpy.ops.genmm.part_collections(action="EXPORT") == {"FINISHED"}
    assert visible(character) == before
    assert character.data.collections["Other"].bones.keys() == ["Hand.L"]
    assert character.data.collections["Other.001"].bones.keys() == ["Head"]


def test_a_bone_that_another_collections_solo_would_hide_is_left_out(character: Object) -> None:
    only_in(character, "Head")
    only_in(character, "Neck", "Alone")
    character.data.collections["Alone"].is_solo = True
    before = visible(character)
    fill(character, Top=["Head", "Neck"])
    assert bpy.ops.genmm.part_collections(action="EXPORT") == {"FINISHED"}
    assert visible(character) == before
    assert character.data.collections["Top"].bones.keys() == ["Neck"]


def test_exporting_again_refills_the_same_collections(character: Object) -> None:
    fill(character, One=["Head"], Two=["Neck"])
    bpy.ops.genmm.part_collections(action="EXPORT")
    bpy.ops.genmm.edit_part(action="GROW")
    before, count = visible(character), len(character.data.collections_all)
    bpy.ops.genmm.part_collections(action="EXPORT")
    assert visible(character) == before
    assert len(character.data.collections_all) == count
    assert set(character.data.collections["Two"].bones.keys()) == parts_of(character)["Two"]


def test_two_parts_of_one_name_become_two_collections(character: Object) -> None:
    fill(character, One=["Head"], Two=["Neck"])
    settings_of(character).part_list[1].name = "One"
    bpy.ops.genmm.part_collections(action="EXPORT")
    bpy.ops.genmm.part_collections(action="EXPORT")
    made = [one.bones.keys() for one in character.data.collections_all if one.name.startswith("One")]
    assert made == [["Head"], ["Neck"]]


def test_parts_survive_saving_and_loading(character: Object, tmp_path: Path) -> None:
    bpy.ops.genmm.make_parts(kind="LEFT_RIGHT")
    before = parts_of(character)
    name = character.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "parts.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "parts.blend"))
    assert parts_of(bpy.data.objects[name]) == before


def test_each_change_of_the_parts_is_undone_alone(character: Object) -> None:
    name = character.name
    bpy.ops.ed.undo_push(message="Start")
    bpy.ops.genmm.make_parts(kind="UPPER_LOWER")
    bpy.ops.ed.undo_push(message="Make Parts")
    bpy.ops.genmm.remove_row(rows="part_list")
    bpy.ops.ed.undo_push(message="Remove Part")
    bpy.ops.ed.undo()
    assert set(parts_of(bpy.data.objects[name])) == {"Lower Body", "Upper Body"}
    bpy.ops.ed.undo()
    assert parts_of(bpy.data.objects[name]) == {}
    bpy.ops.ed.redo()
    assert set(parts_of(bpy.data.objects[name])) == {"Lower Body", "Upper Body"}


def test_a_linked_character_keeps_its_parts_in_the_scene(character: Object, tmp_path: Path) -> None:
    name = character.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hero.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "hero.blend"), link=True) as (_, wanted):
        wanted.objects = [name]
    linked = wanted.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    select(linked)
    assert bpy.ops.genmm.make_parts(kind="UPPER_LOWER") == {"FINISHED"}
    with pytest.raises(RuntimeError, match="is linked and cannot be changed"):
        bpy.ops.genmm.part_collections(action="EXPORT")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    assert set(parts_of(bpy.data.objects[name])) == {"Lower Body", "Upper Body"}


def test_without_parts_generate_says_so(character: Object) -> None:
    settings_of(character).parts = "PAINTED"
    with pytest.raises(RuntimeError, match="The list of parts is empty"):
        bpy.ops.genmm.generate_motion()


def test_a_renamed_bone_keeps_its_part(character: Object) -> None:
    select_bones(character, "UpperArm.L", "Forearm.L")
    bpy.ops.genmm.add_row(rows="part_list")
    bpy.ops.object.mode_set(mode="OBJECT")
    settings_of(character).feet.add().name = "Toes.L"
    bpy.context.view_layer.update()
    character.data.bones["Forearm.L"].name = "Unterarm.L"
    bpy.context.view_layer.update()
    character.data.bones["Toes.L"].name = "Zehen.L"
    bpy.context.view_layer.update()
    assert parts_of(character)["Part"] == {"UpperArm.L", "Unterarm.L"}
    assert settings_of(character).feet[0].name == "Zehen.L"


def test_removed_bone_stays_listed_and_is_reported(character: Object) -> None:
    select_bones(character, "Head")
    bpy.ops.genmm.add_row(rows="part_list")
    bpy.context.view_layer.update()
    bpy.ops.object.mode_set(mode="EDIT")
    character.data.edit_bones.remove(character.data.edit_bones["Head"])
    bpy.ops.object.mode_set(mode="OBJECT")
    assert missing_bones(settings_of(character), character) == ["Head"]
