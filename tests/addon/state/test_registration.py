# SPDX-License-Identifier: GPL-3.0-or-later
"""Modules registered with Blender by what they define."""

from types import ModuleType
from typing import Any

import bpy
import pytest
from bpy.types import Menu

from genmm_addon.state.registration import classes_in, register_module, unregister_module


class GENMM_MT_registered(Menu):
    bl_label = "Registered"

    def draw(self, _context: bpy.types.Context) -> None:
        """Draw nothing."""


def listen(*_: Any) -> None:
    """Do nothing."""


def draw_entry(_menu: Menu, _context: bpy.types.Context) -> None:
    """Draw nothing."""


@pytest.fixture
def module() -> ModuleType:
    made: Any = ModuleType(__name__)
    made.GENMM_MT_registered = GENMM_MT_registered
    made.HANDLERS = {"undo_post": listen}
    made.ENTRIES = {"VIEW3D_MT_object": draw_entry, "VIEW3D_MT_unknown": draw_entry}
    made.steps = []
    made.register = lambda: made.steps.append(hasattr(bpy.types, "GENMM_MT_registered"))
    made.unregister = lambda: made.steps.append(listen in bpy.app.handlers.undo_post)
    return made  # type: ignore[no-any-return]


def test_a_module_is_registered_by_its_names_and_its_own_steps_come_last(module: Any) -> None:
    register_module(module)
    try:
        assert listen in bpy.app.handlers.undo_post
        assert hasattr(listen, "_bpy_persistent"), "the handler stays when another file is opened"
        assert draw_entry in bpy.types.VIEW3D_MT_object._dyn_ui_initialize()
    finally:
        unregister_module(module)
    assert module.steps == [True, True], "the classes and handlers were there for the module's own steps"
    assert listen not in bpy.app.handlers.undo_post
    assert draw_entry not in bpy.types.VIEW3D_MT_object._dyn_ui_initialize()
    assert not hasattr(bpy.types, "GENMM_MT_registered")


def test_classes_that_a_module_imports_are_not_its_own(module: Any) -> None:
    assert classes_in(module) == [GENMM_MT_registered]
    other: Any = ModuleType("another")
    other.GENMM_MT_registered = GENMM_MT_registered
    assert classes_in(other) == []
