# SPDX-License-Identifier: GPL-3.0-or-later
"""Memory: the budget, and estimates for examples and results before anything is allocated."""

from .estimates import (
    BodySize,
    ConstraintBytes,
    ExampleSize,
    Purpose,
    check_examples,
    check_filling,
    check_results,
    filling_needs,
    preparation_needs,
    synthesis_needs,
)
from .freed_memory import keep_freed_memory
from .limits import NO_MEMORY, VARIABLE, as_text, budget, fits, memory_errors_told

__all__ = [
    "NO_MEMORY",
    "VARIABLE",
    "BodySize",
    "ConstraintBytes",
    "ExampleSize",
    "Purpose",
    "as_text",
    "budget",
    "check_examples",
    "check_filling",
    "check_results",
    "filling_needs",
    "fits",
    "keep_freed_memory",
    "memory_errors_told",
    "preparation_needs",
    "synthesis_needs",
]
