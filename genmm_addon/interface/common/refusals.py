# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals of operators: the sentence of an InputError is reported as an error, and nothing is changed."""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

from bpy.types import Context

from ...core import InputError
from .blender_bases import OperatorBase, Outcome

AnyOperator = TypeVar("AnyOperator", bound=OperatorBase)


def reports_refusal(execute: Callable[[AnyOperator, Context], Outcome]) -> Callable[[AnyOperator, Context], Outcome]:
    """Wrap an operator's `execute` to report an InputError as an error and cancel the operator."""

    @wraps(execute)
    def reporting(self: AnyOperator, context: Context) -> Outcome:
        try:
            return execute(self, context)
        except InputError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}

    return reporting
