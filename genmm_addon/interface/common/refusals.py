# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals of operators: the sentence of an InputError is reported as an error, and nothing is changed."""

from collections.abc import Callable, Iterable
from functools import wraps
from typing import TypeVar

from bpy.types import Context

from ...core import InputError
from .blender_bases import OperatorBase, Outcome

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
