# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's classes as bases for our mixins: known to the type checker, and plain objects at run time.

A registered class names Blender's class as its last base. Mixins must not derive from it at run time, since Blender
would treat them as operators and panels of their own.
"""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from bpy.types import Menu as MenuBase
    from bpy.types import Operator as OperatorBase
    from bpy.types import Panel as PanelBase
    from bpy.types import UIList as ListBase
else:
    ListBase = MenuBase = OperatorBase = PanelBase = object

__all__ = ["ListBase", "MenuBase", "OperatorBase", "Outcome", "PanelBase"]

Outcome = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]
"""Return value of an operator's `execute`, `invoke` or `modal`."""
