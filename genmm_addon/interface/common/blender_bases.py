# SPDX-License-Identifier: GPL-3.0-or-later
"""Bases for classes of Blender, and how operators report what they refuse or have done.

A registered class names Blender's class as its last base. Mixins must not derive from it at run time, since Blender
would treat them as operators and panels of their own: the bases are known to the type checker alone.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import TYPE_CHECKING, Literal, TypeVar

from bpy.types import Context

from ...core import InputError

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


AnyOperator = TypeVar("AnyOperator", bound=OperatorBase)


def reports_refusal(
    execute: Callable[[AnyOperator, Context], Outcome | None],
) -> Callable[[AnyOperator, Context], Outcome]:
    """Wrap an operator's `execute`: an InputError is reported and cancels the operator; None means that it finished."""

    @wraps(execute)
    def reporting(self: AnyOperator, context: Context) -> Outcome:
        try:
            return execute(self, context) or {"FINISHED"}
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}

    return reporting


def report_done(operator: OperatorBase, notes: Iterable[str], sentence: str) -> None:
    """Report what an operator did, after the warnings about it."""
    for note in notes:
        operator.report({"WARNING"}, note)
    operator.report({"INFO"}, sentence)
