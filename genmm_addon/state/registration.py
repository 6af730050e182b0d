# SPDX-License-Identifier: GPL-3.0-or-later
"""Registration of classes and handlers with Blender."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import bpy

Steps = tuple[Callable[[], None], Callable[[], None]]


def registration_of(classes: Sequence[type]) -> Steps:
    """Return the functions that register classes, and that unregister them in the opposite order."""
    # Blender's stub says that the factory returns nothing.
    factory = cast("Callable[[Sequence[type]], Steps]", bpy.utils.register_classes_factory)
    return factory(classes)


def listening(handlers: Mapping[str, Callable[..., Any]]) -> Steps:
    """Return the functions that add handlers to the lists of `bpy.app.handlers` with these names, and remove them."""

    def listen() -> None:
        for name, handler in handlers.items():
            getattr(bpy.app.handlers, name).append(handler)

    def stop() -> None:
        for name, handler in handlers.items():
            getattr(bpy.app.handlers, name).remove(handler)

    return listen, stop
