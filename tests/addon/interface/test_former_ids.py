# SPDX-License-Identifier: GPL-3.0-or-later
"""Former ids of operators, which keymaps and scripts of users may have, and the operators that replace them."""

import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bpy
import pytest
from bpy.types import Object
from interface import new_action, new_character

from genmm_addon.interface.common.choice_operator import CHOICE
from genmm_addon.interface.lists.former_ids import FORMER

pytestmark = pytest.mark.usefixtures("extension")

STRETCH = {"first": 3, "last": 9}
CALLS: dict[str, dict[str, Any]] = {
    "add_foot_lock": {"bone": "root", "kind": "NEVER", **STRETCH},
    "add_label": STRETCH,
    "add_listed_bone": {"rows": "joint_weights"},
    "add_reach": {"bone": "root", "object": "Cube", "turned": True, **STRETCH},
    "add_waypoints": {"source": "CURSOR"},
    "remove_foot_lock": {"number": 0},
    "remove_label": {"number": 0},
    "remove_listed_bone": {"rows": "joint_weights"},
    "remove_reach": {"number": 0},
    "remove_waypoint": {"number": 0},
    "remove_library": {"number": 0},
    "remove_pin": {"frame": 4, "bones": "ALL"},
    "move_example": {"direction": "DOWN"},
    "move_part": {"direction": "DOWN"},
    "go_to_pin": {"frame": 4},
    "go_to_waypoint": {"number": 0},
    "go_to_transition": {"frame": 12},
    "go_to_flaw": {"frame": 12},
    "show_flaw": {"number": 0},
    "regenerate_stretch": {"first": 1, "last": 5},
    "swap_stretch": {"first": 1, "last": 5, "direction": "PREVIOUS"},
    "lock_stretch": {"first": 1, "last": 5},
}
"""The properties that each former id had; the others had none."""
UNAVAILABLE = {
    "guess_bone_names",
    "overlay_variations",
    "solo_variation",
    "restore_full_motion",
    "back_to_coarse_keys",
    "regenerate_stretch",
    "swap_stretch",
    "lock_stretch",
    "regenerate_unlocked",
    "import_bone_collections",
    "mirror_part",
    "grow_part",
}
"""Ids that the scene below refuses, as it has no results, coarse keys, bone collections or further bones."""

PRESENT = sorted({present for present, _ in FORMER.values()})
"""The operators with several choices."""


@pytest.fixture
def hero() -> Object:
    """Return a character with a row in each list, in Pose Mode with a selected bone."""
    hero = new_character()
    settings = hero.genmm
    for name in ("One", "Two"):
        new_action(hero, name)
        bpy.ops.genmm.add_example(action=name)
        bpy.ops.genmm.add_row(rows="part_list")
        bpy.ops.genmm.add_row(rows="feet")
        bpy.ops.genmm.add_row(rows="joint_weights")
        bpy.ops.genmm.add_row(rows="bone_names")
    settings.active_example = settings.active_part = 0
    bpy.data.objects.new("Cube", None)
    bpy.context.scene.collection.objects.link(bpy.data.objects["Cube"])
    bpy.ops.genmm.add_row(rows="foot_locks", bone="root", first=1, last=2)
    bpy.ops.genmm.add_row(rows="reaches", bone="root", object="Cube", first=1, last=2)
    settings.labels = "style=proud 1-2"
    settings.library_files.add().path = "//some.npz"
    bpy.context.scene.frame_set(20)
    bpy.ops.genmm.add_row(rows="waypoints")
    bpy.context.scene.frame_set(4)
    bpy.ops.genmm.pin_pose()
    bpy.context.scene.genmm.repair.flaws.add().first = 7
    bpy.context.scene.frame_set(1)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="SELECT")
    return hero


def state(hero: Object) -> dict[str, Any]:
    """Return all that the operators may change."""
    settings = hero.genmm
    lists = ("feet", "joint_weights", "examples", "part_list", "bone_names", "waypoints", "library_files")
    pins = settings.pins_action
    return {
        "rows": {name: [row.name or str(row.items()) for row in getattr(settings, name)] for name in lists},
        "actions": [row.action.name for row in settings.examples],
        "parts": [[bone.name for bone in part.bones] for part in settings.part_list],
        "texts": (settings.labels, settings.reaches, settings.foot_locks),
        "selected": [bone.name for bone in bpy.context.selected_pose_bones],
        "pinned": None if pins is None else tuple(pins.frame_range),
        "collections": len(hero.data.collections_all),
        "frame": bpy.context.scene.frame_current,
    }


def outcome(run: Callable[..., set[str]], **values: Any) -> str:
    try:
        return str(run(**values))
    except RuntimeError as error:
        return re.split(r"Error: |poll\(\) ", str(error))[-1].strip(".\n")


@pytest.mark.parametrize("name", FORMER)
def test_former_id_has_the_same_effect_as_its_replacement(name: str, hero: Object, tmp_path: Path) -> None:
    present, choice = FORMER[name]
    operator: Any = getattr(bpy.types, f"GENMM_OT_{present}")
    values = CALLS.get(name, {})
    file = str(tmp_path / "before.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    said = outcome(getattr(bpy.ops.genmm, name), **values)
    after = state(hero)
    bpy.ops.wm.open_mainfile(filepath=file)
    hero = bpy.context.object
    chosen = {operator.chosen_by: choice} if choice else {}
    again = outcome(getattr(bpy.ops.genmm, present), **chosen, **values)
    assert state(hero) == after
    assert said == again
    assert ("FINISHED" in said) == (name not in UNAVAILABLE), said


def test_former_ids_are_found_in_no_search() -> None:
    for name in FORMER:
        assert "INTERNAL" in getattr(bpy.types, f"GENMM_OT_{name}").bl_options


@pytest.mark.parametrize("present", PRESENT)
def test_button_is_disabled_with_the_reason_of_its_choice(present: str) -> None:
    hero = new_character()
    operator: Any = getattr(bpy.types, f"GENMM_OT_{present}")
    for name, choice in operator.choices.items():
        context: Any = SimpleNamespace(
            **{key: getattr(bpy.context, key) for key in ("scene", "mode", "view_layer")}, **{CHOICE: name}
        )
        assert operator.why_not(context, hero) == choice.why_not(context, hero)


def test_without_a_button_an_operator_is_refused_where_none_of_its_choices_can_act() -> None:
    new_character()
    with pytest.raises(RuntimeError, match="There is no part yet; add one first"):
        bpy.ops.genmm.edit_part()
    with pytest.raises(RuntimeError, match="There are no pins yet"):
        bpy.ops.genmm.clear_rows(rows="pins")


@pytest.mark.parametrize("present", sorted(set(PRESENT) - {"close_list"}))
def test_call_without_a_choice_changes_nothing_and_asks_for_one(present: str, hero: Object) -> None:
    operator: Any = getattr(bpy.types, f"GENMM_OT_{present}")
    before = state(hero)
    said = outcome(getattr(bpy.ops.genmm, present))
    assert state(hero) == before
    reasons = {operator.choices[name].why_not(bpy.context, hero).split(".")[0] for name in operator.choices}
    assert said.startswith("Choose what to do") or said in reasons


@pytest.mark.parametrize("rows", ("cuts", "leg_flaws", "waypoints", "flaws"))
def test_without_a_number_or_a_frame_no_frame_is_gone_to(rows: str, hero: Object) -> None:
    bpy.context.scene.frame_set(9)
    assert outcome(bpy.ops.genmm.go_to_frame, rows=rows).startswith("Give the ")
    assert bpy.context.scene.frame_current == 9


@pytest.mark.parametrize("rows", ("labels", "foot_locks", "reaches", "waypoints", "library_files"))
def test_without_a_number_no_row_is_removed(rows: str, hero: Object) -> None:
    before = state(hero)
    assert outcome(bpy.ops.genmm.remove_row, rows=rows).startswith("Give the number of the ")
    assert state(hero) == before


def test_a_row_without_a_bone_asks_for_one(hero: Object) -> None:
    assert outcome(bpy.ops.genmm.add_row, rows="reaches", first=1, last=2) == 'Choose a bone of "Hero"'
