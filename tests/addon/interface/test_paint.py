# SPDX-License-Identifier: GPL-3.0-or-later
"""Painting of parts by name, the brush's settings, the tool's registration, and the overlay's content."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import KeyMap, Object
from characters import link_hero, save_hero
from interface import BONES, new_character, registered

from genmm_addon.interface.parts.bone_picking import Lines
from genmm_addon.interface.parts.overlay import (
    RIM,
    RIM_COLOR,
    UNCOVERED,
    WIDTH,
    Layer,
    parts_of_bones,
    plan_overlay,
)
from genmm_addon.interface.parts.paint_tool import KEYS, TOOL
from genmm_addon.requests.part_values import add_part
from genmm_addon.state.properties import ensure_settings, readable_settings

RED, GREEN, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)
ROW = Lines(np.array([[(0, 0), (100, 0)], [(0, 50), (100, 50)], [(0, 90), (100, 90)]], np.float64), np.arange(3))


@pytest.fixture(autouse=True)
def enabled() -> Iterator[None]:
    with registered():
        yield


def stroke(*bones: str, mode: str = "ADD") -> set[str]:
    return set(bpy.ops.genmm.paint_part(bones=[{"name": name} for name in bones], mode=mode))


def painted(rig: Object) -> list[list[str]]:
    return [[row.name for row in part.bones] for part in rig.genmm.part_list]


def test_the_first_stroke_makes_a_part_and_has_it_generated_by() -> None:
    rig = new_character()
    assert stroke("arm", "hand") == {"FINISHED"}
    assert painted(rig) == [["arm", "hand"]]
    assert rig.genmm.parts == "PAINTED"


def test_strokes_go_into_the_active_part_and_bones_may_be_in_several() -> None:
    rig = new_character()
    add_part(rig.genmm, "Arm", ("arm",))
    add_part(rig.genmm, "Body", ())
    stroke("spine", "arm")
    bpy.ops.genmm.choose_part(part=0)
    stroke("hand", "arm")
    assert painted(rig) == [["arm", "hand"], ["spine", "arm"]]


def test_a_stroke_takes_bones_out_and_leaves_the_others() -> None:
    rig = new_character()
    stroke(*BONES)
    stroke("spine", "head", mode="REMOVE")
    assert painted(rig) == [["root", "arm", "hand"]]


def test_removing_bones_before_a_part_exists_is_rejected() -> None:
    rig = new_character()
    with pytest.raises(RuntimeError, match="paint one first"):
        stroke("arm", mode="REMOVE")
    assert painted(rig) == [] and rig.genmm.parts != "PAINTED"


def test_missing_bone_is_reported_and_nothing_is_painted() -> None:
    rig = new_character()
    with pytest.raises(RuntimeError, match="no bone 'tail'"):
        stroke("arm", "tail")
    assert painted(rig) == []


def test_a_linked_character_keeps_its_parts_in_the_scene(tmp_path: Path) -> None:
    save_hero(tmp_path / "hero.blend")
    linked = next(thing for thing in link_hero(tmp_path / "hero.blend").objects if thing.type == "ARMATURE")
    holder = bpy.data.objects.new("Holder", None)
    bpy.context.scene.collection.objects.link(holder)
    bpy.context.view_layer.objects.active = linked
    stroke("spine")
    part = readable_settings(linked, bpy.context.scene).part_list[0]
    assert [row.name for row in part.bones] == ["spine"] and not linked.genmm.part_list
    stroke("hand")
    assert [row.name for row in ensure_settings(linked, bpy.context.scene).part_list[0].bones] == ["spine", "hand"]


def test_choosing_a_missing_part_is_rejected() -> None:
    rig = new_character()
    add_part(rig.genmm, "Arm", ("arm",))
    with pytest.raises(RuntimeError, match="Part 4 is not in the list"):
        bpy.ops.genmm.choose_part(part=3)


@pytest.mark.parametrize("radius", [1, 2, 30, 1999])
def test_the_brush_grows_and_shrinks_with_every_press(radius: int) -> None:
    smaller, larger = (dict(pressed["properties"]) for name, _, pressed in KEYS if name == "wm.context_scale_int")
    brush = bpy.context.scene.genmm
    brush.brush_radius = radius
    bpy.ops.wm.context_scale_int(**larger)
    after = brush.brush_radius
    assert after > radius
    bpy.ops.wm.context_scale_int(**smaller)
    assert 1 <= brush.brush_radius < after


def tools() -> dict[str, list[str]]:
    from bl_ui.space_toolsystem_common import ToolSelectPanelHelper

    toolbar = ToolSelectPanelHelper._tool_class_from_space_type("VIEW_3D")
    return {
        mode: [tool.idname for tool in ToolSelectPanelHelper._tools_flatten(toolbar._tools[mode]) if tool is not None]
        for mode in ("OBJECT", "POSE")
    }


def keymaps() -> list[KeyMap]:
    configurations = bpy.context.window_manager.keyconfigs
    both = (configurations.addon, configurations.default)
    return [keymap for configuration in both for keymap in configuration.keymaps if "Paint Parts" in keymap.name]


def test_the_tool_is_in_the_toolbar_of_both_modes() -> None:
    assert all(names.count(TOOL) == 1 for names in tools().values())
    pressed = {(item.idname, item.type, bool(item.ctrl)) for keymap in keymaps() for item in keymap.keymap_items}
    assert ("genmm.paint_part", "LEFTMOUSE", True) in pressed and ("wm.radial_control", "F", False) in pressed


def test_disabling_takes_the_tool_and_its_keys_away_again() -> None:
    import genmm_addon

    within = tools()
    for _ in range(2):
        genmm_addon.unregister()
        assert {mode: [name for name in names if name != TOOL] for mode, names in within.items()} == tools()
        assert keymaps() == []
        genmm_addon.register()
    assert tools() == within


def fills(layers: Sequence[Layer]) -> list[Layer]:
    """Return the layers above the dark outlines."""
    return [layer for layer in layers if not np.allclose(layer.colors, RIM_COLOR)]


def test_a_bone_in_one_part_has_its_color_and_one_in_two_has_both_side_by_side() -> None:
    layers = fills(plan_overlay(ROW, [(1,), (0, 2), (2,)], [RED, GREEN, BLUE]))
    single, left, right = layers
    assert single.width == WIDTH and np.allclose(single.colors, [GREEN, BLUE])
    assert np.allclose([left.colors, right.colors], [[RED], [BLUE]])
    apart = right.ends[0] - left.ends[0]
    assert np.allclose(apart, [[0.0, WIDTH]] * 2)
    assert np.allclose((left.ends + right.ends)[0, :, 1] / 2, 50.0)


def test_every_bone_lies_on_a_dark_rim_that_is_wider_than_its_colors() -> None:
    layers = plan_overlay(ROW, [(0,), (0, 1, 2), ()], [RED, GREEN, BLUE], scale=2.0)
    rims = [layer for layer in layers if np.allclose(layer.colors, RIM_COLOR)]
    assert sum(len(layer.ends) for layer in rims) == 3 and list(layers[: len(rims)]) == rims
    assert max(layer.width for layer in rims) == 2.0 * (3 * WIDTH + 2 * RIM)


def test_a_bone_in_no_part_is_dashed_from_end_to_end() -> None:
    (dashed,) = fills(plan_overlay(Lines(ROW.ends[:1], ROW.bones[:1]), [()], []))
    assert np.allclose(dashed.colors, UNCOVERED) and len(dashed.ends) > 5
    lengths = np.linalg.norm(dashed.ends[:, 1] - dashed.ends[:, 0], axis=1)
    assert 0.4 * 100 < lengths.sum() < 0.8 * 100
    assert dashed.ends[:, :, 0].min() >= 0.0 and dashed.ends[:, :, 0].max() <= 100.0


def test_a_bone_that_points_at_the_viewer_is_still_seen() -> None:
    point = Lines(np.full((1, 2, 2), 7.0), np.zeros(1, np.int64))
    for parts in ((), (0,), (0, 1)):
        for layer in plan_overlay(point, [parts], [RED, GREEN]):
            assert np.isfinite(layer.ends).all()
            assert np.linalg.norm(layer.ends[0, 1] - layer.ends[0, 0]) > 0.5


def test_parts_name_the_bones_that_are_there_each_once() -> None:
    assert parts_of_bones(("a", "b", "c"), [["b", "gone", "b"], ["b", "a"]]) == ((1,), (0, 1), ())
