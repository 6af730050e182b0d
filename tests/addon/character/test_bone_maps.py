# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of bone names: matched, corrected, saved as a map, read from one, and drawn in the viewport."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import registered, select
from other_rigs import make_mixamo_like

from genmm_addon.animation.actions import assigned
from genmm_addon.animation.curves import collect_curves
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.interface.mixing.map_drawing import COLORS, SELECTED, shown_lines
from genmm_addon.requests.direction_values import bone_names_of
from genmm_addon.state.settings_versions import CHARACTER_MIGRATIONS


@pytest.fixture
def hero() -> Iterator[Object]:
    """Yield a sample character that learns from another one, whose bones have other names."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with registered():
        other, own = (add_sample_character(bpy.context).armature for _ in range(2))
        for bone in other.data.bones:
            bone.name = f"{bone.name} there"
        item = own.genmm.examples.add()
        item.action, item.armature = other.animation_data.action, other
        select(own)
        yield own


def table(hero: Object) -> dict[str, str]:
    return {row.name: row.target for row in hero.genmm.bone_names}


def row_of(hero: Object, name: str) -> Any:
    number, row = next((place, row) for place, row in enumerate(hero.genmm.bone_names) if row.name == name)
    hero.genmm.active_bone_name = number
    return row


def match() -> None:
    assert bpy.ops.genmm.edit_bone_names(what="MATCH") == {"FINISHED"}


def test_a_match_says_how_sure_it_is_and_a_correction_is_the_users(hero: Object) -> None:
    match()
    assert table(hero) == {f"{bone.name} there": bone.name for bone in hero.data.bones}
    assert {row.shown_certainty for row in hero.genmm.bone_names} <= {"SURE", "DOUBTFUL"}
    row = row_of(hero, "Neck there")
    row.target = "Head"
    assert row.shown_certainty == "SET"
    row.target = "Neck"
    assert row.shown_certainty != "SET", "as it was matched"


def test_a_bone_that_never_turns_in_the_action_has_no_counterpart(hero: Object) -> None:
    other = hero.genmm.examples[0].armature
    select(other)
    bpy.ops.object.mode_set(mode="EDIT")
    bones = other.data.edit_bones
    for side in "LR":
        thigh, shin = (bones[f"{name}.{side} there"] for name in ("Thigh", "Shin"))
        twist = bones.new(f"Twist.{side} there")
        middle = thigh.head.lerp(thigh.tail, 0.2)
        twist.head, twist.tail, twist.parent, twist.roll = middle, thigh.tail.copy(), thigh, thigh.roll
        thigh.tail, shin.parent = middle, twist
    bpy.ops.object.mode_set(mode="OBJECT")
    names = {bone.name: f"b{number:02}" for number, bone in enumerate(other.data.bones)}
    for bone in other.data.bones:
        bone.name = names[bone.name]
    select(hero)
    match()
    assert {names[f"{name}.{side} there"] for name in ("Twist",) for side in "LR"} == {
        name for name, target in table(hero).items() if not target
    }
    assert table(hero)[names["Shin.L there"]] == "Shin.L"


def test_the_table_is_offered_with_another_character_selected_and_used_to_bring_its_action(hero: Object) -> None:
    other = hero.genmm.examples[0].armature
    hero.genmm.examples.clear()
    panel = bpy.types.GENMM_PT_bone_names
    assert not panel.poll(bpy.context)
    other.select_set(True)
    assert panel.poll(bpy.context)
    match()
    row_of(hero, "Neck there").target = ""
    name = other.animation_data.action.name
    assert bpy.ops.genmm.bring_action(origin="ARMATURE", armature=other.name, action=name) == {"FINISHED"}
    turned = set(collect_curves(hero, *assigned(hero)).transforms["rotation_quaternion"])
    assert "Head" in turned and "Neck" not in turned


def test_a_second_match_keeps_what_the_user_set(hero: Object) -> None:
    match()
    row_of(hero, "Neck there").target = ""
    match()
    assert table(hero)["Neck there"] == ""
    assert ("Neck there", "") in bone_names_of(hero.genmm), "left out, and not matched by shape"


def test_a_bone_that_the_match_finds_no_counterpart_for_may_still_be_matched_by_shape(hero: Object) -> None:
    match()
    row = row_of(hero, "Neck there")
    row.target = row.matched = ""
    assert row.shown_certainty == "NONE"
    assert "Neck there" not in dict(bone_names_of(hero.genmm))


def test_the_active_bone_is_picked_and_taken_from_the_row_that_had_it(hero: Object) -> None:
    match()
    row_of(hero, "Neck there")
    hero.data.bones.active = hero.data.bones["Head"]
    assert bpy.ops.genmm.edit_bone_names(what="PICK") == {"FINISHED"}
    assert (table(hero)["Neck there"], table(hero)["Head there"]) == ("Head", "")
    assert row_of(hero, "Neck there").shown_certainty == "SET"


def test_a_map_brings_the_same_table_and_fits_in_the_other_direction(hero: Object, tmp_path: Path) -> None:
    match()
    row_of(hero, "Neck there").target = ""
    before, path = table(hero), tmp_path / "map.json"
    assert bpy.ops.genmm.edit_bone_names(what="SAVE", filepath=str(path)) == {"FINISHED"}
    hero.genmm.bone_names.clear()
    assert bpy.ops.genmm.edit_bone_names(what="LOAD", filepath=str(path)) == {"FINISHED"}
    assert table(hero) == before
    assert {row.shown_certainty for row in hero.genmm.bone_names} == {"SET"}
    other = hero.genmm.examples[0].armature
    item = other.genmm.examples.add()
    item.action, item.armature = hero.animation_data.action, hero
    select(other)
    assert bpy.ops.genmm.edit_bone_names(what="LOAD", filepath=str(path)) == {"FINISHED"}
    there = {row.target: row.name for row in other.genmm.bone_names if row.target}
    assert there == {name: target for name, target in before.items() if target} | {"Neck there": ""}


def refused(path: Path) -> str:
    with pytest.raises(RuntimeError) as refusal:
        bpy.ops.genmm.edit_bone_names(what="LOAD", filepath=str(path))
    return str(refusal.value)


def test_a_map_that_does_not_fit_changes_nothing(hero: Object, tmp_path: Path) -> None:
    match()
    row_of(hero, "Neck there").target = ""
    path = tmp_path / "map.json"
    bpy.ops.genmm.edit_bone_names(what="SAVE", filepath=str(path))
    values, before = json.loads(path.read_text()), table(hero)

    def written(pairs: list[list[str | None]]) -> Path:
        path.write_text(json.dumps({**values, "pairs": pairs}))
        return path

    assert "has no pair of bones" in refused(written([]))
    assert "of another skeleton" in refused(written([["a", "b"], ["c", "d"]]))
    assert "cyclic" in refused(written([["Head there", "Neck"], ["Neck there", "Head"]]))
    assert 'that the target does not have: "Skull"' in refused(
        written([["Hips there", "Hips"], ["Neck there", "Neck"], ["Head there", "Skull"]])
    )
    assert "cannot be read" in refused(tmp_path / "missing.json")
    assert table(hero) == before


def test_a_bone_of_two_rows_and_a_folder_without_permission_are_named(hero: Object, tmp_path: Path) -> None:
    match()
    row = row_of(hero, "Neck there")
    row.target = "Head"
    with pytest.raises(RuntimeError, match='more than one pair with "Head"'):
        bpy.ops.genmm.edit_bone_names(what="SAVE", filepath=str(tmp_path / "map.json"))
    row.target = "Neck"
    with pytest.raises(RuntimeError, match="cannot be written"):
        bpy.ops.genmm.edit_bone_names(what="SAVE", filepath=str(tmp_path / "missing" / "map.json"))
    assert os.listdir(tmp_path) == []


def test_a_renamed_bone_stays_a_match(hero: Object) -> None:
    match()
    before = row_of(hero, "Neck there").shown_certainty
    bpy.context.view_layer.update()
    hero.data.bones["Neck"].name = "Nape"
    hero.data.update_tag()
    bpy.context.view_layer.update()
    assert row_of(hero, "Neck there").target == "Nape"
    assert row_of(hero, "Neck there").shown_certainty == before


def test_incomplete_rows_of_older_files_still_have_no_effect(hero: Object) -> None:
    rows = (("Hips there", "Hips"), ("Neck there", ""), ("", "Head"), ("", ""))
    for name, target in rows:
        row = hero.genmm.bone_names.add()
        row.name, row.target = name, target
    CHARACTER_MIGRATIONS[1](hero.genmm)
    assert bone_names_of(hero.genmm) == (("Hips there", "Hips"),)


@pytest.mark.parametrize("y_up", [False, True])
def test_both_skeletons_are_drawn_with_a_line_for_each_pair(hero: Object, y_up: bool) -> None:
    assert shown_lines(bpy.context, hero, hero.genmm) is None
    if y_up:
        make_mixamo_like(hero)
    match()
    hero.location = (5.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    row_of(hero, "Neck there").target = ""
    lines = shown_lines(bpy.context, hero, hero.genmm)
    assert lines is not None
    bones = len(hero.data.bones)
    roots = sum(bone.parent is None for bone in hero.data.bones)
    assert len(lines.points) == 2 * (2 * (bones - roots) + bones - 1)
    ends = lines.points[-2 * (bones - 1) :].reshape(-1, 2, 3)
    heads = [hero.matrix_world @ hero.pose.bones[row.target].head for row in hero.genmm.bone_names if row.target]
    np.testing.assert_allclose(ends[:, 1], np.array(heads), atol=1e-5)
    away = ends[:, 0] - ends[:, 1]
    width = np.ptp(ends[:, 1, 0])
    assert away[:, 0].min() > width, "beside it"
    rest = [hero.matrix_world @ hero.data.bones[row.target].head_local for row in hero.genmm.bone_names if row.target]
    steps = ends[:, 0] - np.array(rest)
    np.testing.assert_allclose(
        steps, np.broadcast_to(steps[0], steps.shape), atol=1e-4, err_msg="as tall, turned alike"
    )
    set_by_user = np.isclose(lines.colors, COLORS["SET"]).all(axis=1)
    assert set_by_user.sum() == 2, "the bone of the row without a counterpart"
    row_of(hero, "Head there")
    lines = shown_lines(bpy.context, hero, hero.genmm)
    assert lines is not None
    assert np.isclose(lines.colors, SELECTED).all(axis=1).sum() == 2
