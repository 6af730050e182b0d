# SPDX-License-Identifier: GPL-3.0-or-later
"""Registration of modules with Blender, by what they define."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from inspect import get_annotations
from types import ModuleType
from typing import Any, Literal

import bpy

DrawFunction = Callable[[], None]


@dataclass(frozen=True)
class Shortcut:
    """A key or a mouse button that calls an operator in one kind of editor.

    keymap, space: the name of the editor's keymap and its type. modifiers: such as "ctrl". values: of the operator's
    properties.
    """

    keymap: str
    space: str
    operator: str
    key: str
    modifiers: tuple[str, ...] = ()
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Drawing:
    """A function that draws over an editor.

    stage: POST_VIEW for a drawing in world space, POST_PIXEL for one in pixels of the region.
    """

    space: type[bpy.types.Space]
    draw: DrawFunction
    stage: Literal["POST_VIEW", "POST_PIXEL"]


added: dict[DrawFunction, list[Any]] = {}
"""The handles of the drawings that are active, by their function."""
_shortcuts: dict[str, list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]]] = {}


def classes_in(module: ModuleType) -> list[Any]:
    """Return the classes for Blender that a module defines, whose names begin with GENMM, in their order."""
    named = [value for name, value in vars(module).items() if name.startswith("GENMM_")]
    return [value for value in named if value.__module__ == module.__name__]


def register_module(module: ModuleType) -> None:
    """Register a module's classes, what these names in it say, and what its function `register` does besides.

    SHORTCUTS: a list of Shortcut. HANDLERS: functions by the name of their list in `bpy.app.handlers`, where they stay
    when another file is opened. DRAWING: a Drawing. ENTRIES: functions that add to menus and headers, by the names of
    those; menus that this Blender does not have are left out. Without a window, there are no shortcuts and drawings.
    """
    for kind in classes_in(module):
        if issubclass(kind, bpy.types.PropertyGroup):
            _without_keys(kind)
        if issubclass(kind, bpy.types.WorkSpaceTool):
            bpy.utils.register_tool(kind, separator=True)
        else:
            bpy.utils.register_class(kind)
    _add_shortcuts(module)
    for name, handler in getattr(module, "HANDLERS", {}).items():
        getattr(bpy.app.handlers, name).append(bpy.app.handlers.persistent(handler))
    drawing = getattr(module, "DRAWING", None)
    if drawing is not None and not bpy.app.background:
        handle = drawing.space.draw_handler_add(drawing.draw, (), "WINDOW", drawing.stage)
        added.setdefault(drawing.draw, []).append(handle)
    for menu, entry in _entries(module):
        menu.append(entry)
    getattr(module, "register", lambda: None)()


def unregister_module(module: ModuleType) -> None:
    """Take back what `register_module` did, in the opposite order."""
    getattr(module, "unregister", lambda: None)()
    for menu, entry in _entries(module):
        menu.remove(entry)
    drawing = getattr(module, "DRAWING", None)
    for handle in [] if drawing is None else added.pop(drawing.draw, []):
        drawing.space.draw_handler_remove(handle, "WINDOW")
    for name, handler in getattr(module, "HANDLERS", {}).items():
        getattr(bpy.app.handlers, name).remove(handler)
    for keymap, item in _shortcuts.pop(module.__name__, []):
        keymap.keymap_items.remove(item)
    for kind in reversed(classes_in(module)):
        if issubclass(kind, bpy.types.WorkSpaceTool):
            bpy.utils.unregister_tool(kind)
        else:
            bpy.utils.unregister_class(kind)


def _without_keys(group: type) -> None:
    """Let the values of a group have no keys, except those that state options of their own."""
    for base in group.__mro__:
        for declared in get_annotations(base).values():
            getattr(declared, "keywords", {}).setdefault("options", set())


def _add_shortcuts(module: ModuleType) -> None:
    configuration: Any = bpy.context.window_manager.keyconfigs.addon
    for shortcut in getattr(module, "SHORTCUTS", ()) if configuration is not None else ():
        keymap = configuration.keymaps.new(shortcut.keymap, space_type=shortcut.space)
        modifiers = dict.fromkeys(shortcut.modifiers, True)
        item = keymap.keymap_items.new(shortcut.operator, shortcut.key, "PRESS", **modifiers)
        for name, value in shortcut.values.items():
            setattr(item.properties, name, value)
        _shortcuts.setdefault(module.__name__, []).append((keymap, item))


def _entries(module: ModuleType) -> list[tuple[Any, Callable[..., None]]]:
    entries = getattr(module, "ENTRIES", {}).items()
    return [(getattr(bpy.types, name), draw) for name, draw in entries if hasattr(bpy.types, name)]
