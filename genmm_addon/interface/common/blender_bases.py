# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's classes as bases of our own bases: known to the type checker, and absent at run time.

A class that Blender registers names Blender's class as its last base. Those that it shares with others are no operators
and panels themselves: Blender would count them among its own.
"""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from bpy.types import Operator as OperatorBase
    from bpy.types import Panel as PanelBase
else:
    OperatorBase = PanelBase = object

__all__ = ["OperatorBase", "Outcome", "PanelBase"]

Outcome = set[Literal["RUNNING_MODAL", "CANCELLED", "FINISHED", "PASS_THROUGH", "INTERFACE"]]
"""Answer of an operator's `execute`, `invoke` or `modal`."""
