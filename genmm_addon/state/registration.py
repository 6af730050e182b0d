# SPDX-License-Identifier: GPL-3.0-or-later
"""Registration of classes with Blender."""

from collections.abc import Callable, Sequence
from typing import cast

import bpy

Steps = tuple[Callable[[], None], Callable[[], None]]


def registration_of(classes: Sequence[type]) -> Steps:
    """Return the functions that register classes, and that unregister them in the opposite order."""
    # Blender's stub says that the factory returns nothing.
    factory = cast("Callable[[Sequence[type]], Steps]", bpy.utils.register_classes_factory)
    return factory(classes)
