# SPDX-License-Identifier: GPL-3.0-or-later
"""Limits on what the tab holds: levels of panels, controls at first sight, and buttons and fields in all."""

import ast
import contextlib
import importlib
import inspect
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import blf
import bpy
import pytest
from interface import new_character, select
from recorded_layout import drawn

import genmm_addon
from genmm_addon.interface.generate.panels import GENMM_PT_generate
from genmm_addon.interface.help import tip

pytestmark = pytest.mark.usefixtures("extension")
INTERFACE = Path(genmm_addon.__file__).parent / "interface"
BUTTONS = ("operator", "operator_enum", "operator_menu_enum", "menu", "draw_choice", "draw_choices")
FIELDS = ("prop", "prop_search")
DRAWING_FOR_OTHERS = (
    "timeline.menus",
    "common.choice_operator",
    "generate.sample_operator",
    "refining.simplify_operator",
)
"""Modules that are not counted: the entries of menus, and the function through which others draw choices."""


def panels() -> list[Any]:
    """Return the registered panels of the tab."""
    named = [getattr(bpy.types, name) for name in dir(bpy.types) if name.startswith("GENMM_PT_")]
    return [panel for panel in named if getattr(panel, "bl_category", "") == "GenMM"]


def level(panel: Any) -> int:
    parent = getattr(panel, "bl_parent_id", "")
    return 1 + level(getattr(bpy.types, parent)) if parent else 1


def is_open(panel: Any) -> bool:
    parent = getattr(panel, "bl_parent_id", "")
    is_closed = "DEFAULT_CLOSED" in getattr(panel, "bl_options", set())
    return not is_closed and (not parent or is_open(getattr(bpy.types, parent)))


def controls(panel: Any) -> int:
    """Return the number of buttons, menus and fields that a panel draws now, without the help in its header."""
    layout = drawn(panel, bpy.context)
    return len(layout.values) + len(layout.buttons) + len(layout.menus)


def test_the_tab_has_two_levels() -> None:
    assert panels()
    assert [panel.__name__ for panel in panels() if level(panel) > 2] == []


def test_ten_controls_are_shown_at_first_with_a_character(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tip, "preferences", lambda: SimpleNamespace(show_tip=True))
    select(new_character())
    shown = [panel for panel in panels() if panel.bl_space_type == "VIEW_3D" and is_open(panel)]
    shown = [panel for panel in shown if not hasattr(panel, "poll") or panel.poll(bpy.context)]
    assert sum(controls(panel) for panel in shown) <= 10


def test_the_first_steps_are_shown_until_they_are_dismissed(monkeypatch: pytest.MonkeyPatch) -> None:
    select(new_character())
    kept = SimpleNamespace()
    monkeypatch.setattr(tip, "preferences", lambda: kept)
    for kept.show_tip in (True, False):
        layout = drawn(GENMM_PT_generate, bpy.context)
        assert ("show_tip" in layout.values) == kept.show_tip
        assert (tip.TIP[0] in layout.labels) == kept.show_tip
    blf.size(0, 11)
    assert all(blf.dimensions(0, text)[0] < 160 for text, _ in tip.TIP)  # pixels, in a sidebar as wide as at first


def modules() -> Iterator[tuple[ModuleType, ast.Module]]:
    """Yield the modules whose buttons and fields are counted, with their source."""
    for path in sorted(INTERFACE.rglob("*.py")):
        place = ".".join(path.relative_to(INTERFACE).with_suffix("").parts).removesuffix(".__init__")
        if "presets.genmm" not in place and place not in DRAWING_FOR_OTHERS:
            module = importlib.import_module(f"genmm_addon.interface.{place}")
            yield module, ast.parse(inspect.getsource(module))


def is_of_operator(call: ast.Call) -> bool:
    """Return whether a call draws a value of the operator itself, for its dialog or Adjust Last Operation."""
    return bool(call.args) and isinstance(call.args[0], ast.Name) and call.args[0].id == "self"


def drawing_calls(tree: ast.AST, module: ModuleType, rounds: int = 1) -> Iterator[tuple[str, int]]:
    """Yield the names of called functions, each with the rounds of the loops around it whose length is known."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call) and not is_of_operator(node):
            called = node.func
            yield called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", ""), rounds
        within = rounds
        if isinstance(node, ast.For):
            # Of rows of data, the controls of one row are counted.
            with contextlib.suppress(Exception):
                within *= len(list(eval(ast.unparse(node.iter), dict(vars(module)))))
        yield from drawing_calls(node, module, within)


def number_of(names: tuple[str, ...]) -> int:
    """Return how many buttons or fields the panels, their menus and lists draw in all states together."""
    return sum(rounds for module, tree in modules() for name, rounds in drawing_calls(tree, module) if name in names)


def test_the_tab_has_at_most_90_buttons_and_100_fields() -> None:
    assert number_of(BUTTONS) <= 90
    assert number_of(FIELDS) <= 100
