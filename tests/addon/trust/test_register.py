# SPDX-License-Identifier: GPL-3.0-or-later
"""Registration: enabling adds all classes and menus, and disabling leaves nothing behind."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import bpy
import pytest
from interface import registered

import genmm_addon
from genmm_addon.interface.common.choice_operator import ChoiceOperator
from genmm_addon.state import bone_lists, properties
from genmm_addon.state.registration import classes_in

OPERATORS = (
    "add_example",
    "add_fitting_examples",
    "add_row",
    "add_method_preset",
    "choose_part",
    "find_feet",
    "generate_motion",
    "go_to_source",
    "keep_character_settings",
    "keep_variation",
    "load_method_preset",
    "move_row",
    "paint_part",
    "remove_row",
    "select_source",
    "show_variation",
)


def state() -> dict[str, object]:
    """Return everything that an add-on may have added to Blender and Python."""
    handlers = [name for name in dir(bpy.app.handlers) if isinstance(getattr(bpy.app.handlers, name), list)]
    configuration = bpy.context.window_manager.keyconfigs.addon
    return {
        "types": sorted(name for name in dir(bpy.types) if "genmm" in name.lower()),
        "object": hasattr(bpy.types.Object, "genmm"),
        "scene": hasattr(bpy.types.Scene, "genmm"),
        "handlers": {name: len(getattr(bpy.app.handlers, name)) for name in handlers},
        "operators": sorted(dir(bpy.ops.genmm)),
        "menu": len(bpy.types.VIEW3D_MT_armature_add.draw._draw_funcs)
        if hasattr(bpy.types.VIEW3D_MT_armature_add.draw, "_draw_funcs")
        else 0,
        "presets": bpy.utils.preset_paths("genmm/method"),
        "keymaps": len(configuration.keymaps) if configuration else 0,
    }


def is_ours(operator: type[bpy.types.Operator]) -> bool:
    return operator.__module__.startswith("genmm_addon.") and operator.is_registered


@pytest.fixture
def enabled() -> Iterator[None]:
    with registered():
        yield


def test_disabling_leaves_nothing_behind() -> None:
    with registered():
        pass  # Blender keeps a menu's list of drawing functions after the first entry
    before = state()
    for _ in range(2):
        with registered():
            assert state() != before
    assert state() == before
    assert not before["types"] and not before["object"] and not before["presets"]


@pytest.mark.usefixtures("enabled")
@pytest.mark.parametrize("name", OPERATORS)
def test_unavailable_operator_asks_for_a_selection(name: str) -> None:
    with pytest.raises(RuntimeError, match="Select a character"):
        getattr(bpy.ops.genmm, name)()


@pytest.mark.usefixtures("enabled")
def test_every_button_and_value_has_a_sentence_without_a_full_stop() -> None:
    ours = [operator for operator in bpy.types.Operator.__subclasses__() if is_ours(operator)]
    texts = {operator.bl_idname: getattr(operator, "bl_description", operator.__doc__) for operator in ours}
    names = {operator.bl_idname: operator.bl_label for operator in ours}
    for operator in ChoiceOperator.__subclasses__():
        texts |= {f"{operator.bl_idname} {name}": choice.tooltip for name, choice in operator.choices.items()}
        names |= {f"{operator.bl_idname} {name}": choice.label for name, choice in operator.choices.items()}
    types = [getattr(bpy.ops.genmm, operator.bl_idname.split(".")[1]).get_rna_type() for operator in ours]
    for owner in (*types, *(group.bl_rna for group in (*classes_in(properties), *classes_in(bone_lists)))):
        for item in owner.properties:
            if item.is_runtime and not item.is_hidden and item.type not in {"COLLECTION", "POINTER"}:
                texts[f"{owner.identifier}.{item.identifier}"] = item.description
                names[f"{owner.identifier}.{item.identifier}"] = item.name
    assert len(texts) > 60
    assert [where for where, text in texts.items() if not text or text.endswith(".")] == []
    assert [where for where, name in names.items() if not all(map(is_title, name.split()))] == []


def is_title(word: str) -> bool:
    return word[0].isupper() or word in {"per", "from", "to", "in", "as", "on", "or"}


@pytest.mark.usefixtures("enabled")
def test_settings_say_their_version() -> None:
    thing = bpy.data.objects.new("Thing", None)
    assert thing.genmm.version == 1
    assert bpy.context.scene.genmm.version == 1


@pytest.mark.parametrize("last", ["", "genmm_addon.register()"])
def test_blender_as_a_module_ends_well_when_the_script_does(last: str) -> None:
    root = str(Path(genmm_addon.__file__).parents[1])
    code = f"import sys; sys.path.insert(0, {root!r}); import bpy, genmm_addon; genmm_addon._modules(); {last}"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert ended.returncode == 0, ended.stderr


@pytest.mark.usefixtures("enabled")
def test_of_all_stored_values_only_the_amount_of_a_blend_takes_keys() -> None:
    groups = [kind for kind in bpy.types.PropertyGroup.__subclasses__() if kind.__name__.startswith("GENMM_")]
    keyed = {
        item.identifier
        for group in groups
        for item in group.bl_rna.properties
        if item.is_runtime and item.is_animatable
    }
    assert keyed == {"blend_share"}
