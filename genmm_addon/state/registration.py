# SPDX-License-Identifier: GPL-3.0-or-later
"""Registration of classes, shortcuts and handlers with Blender."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import bpy

Steps = tuple[Callable[[], None], Callable[[], None]]


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


def registration_of(classes: Sequence[type], shortcuts: Sequence[Shortcut] = ()) -> Steps:
    """Return the functions that register classes and shortcuts, and that unregister them in the opposite order.

    Without a window, there are no keymaps, and no shortcuts.
    """
    # Blender's stub says that the factory returns nothing.
    factory = cast("Callable[[Sequence[type]], Steps]", bpy.utils.register_classes_factory)
    register_classes, unregister_classes = factory(classes)
    if not shortcuts:
        return register_classes, unregister_classes
    items: list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]] = []

    def register() -> None:
        register_classes()
        configuration: Any = bpy.context.window_manager.keyconfigs.addon
        for shortcut in shortcuts if configuration is not None else ():
            keymap = configuration.keymaps.new(shortcut.keymap, space_type=shortcut.space)
            modifiers = dict.fromkeys(shortcut.modifiers, True)
            item = keymap.keymap_items.new(shortcut.operator, shortcut.key, "PRESS", **modifiers)
            for name, value in shortcut.values.items():
                setattr(item.properties, name, value)
            items.append((keymap, item))

    def unregister() -> None:
        while items:
            keymap, item = items.pop()
            keymap.keymap_items.remove(item)
        unregister_classes()

    return register, unregister


def listening(handlers: Mapping[str, Callable[..., Any]]) -> Steps:
    """Return the functions that add handlers to the lists of `bpy.app.handlers` with these names, and remove them."""

    def listen() -> None:
        for name, handler in handlers.items():
            getattr(bpy.app.handlers, name).append(handler)

    def stop() -> None:
        for name, handler in handlers.items():
            getattr(bpy.app.handlers, name).remove(handler)

    return listen, stop
