# SPDX-License-Identifier: GPL-3.0-or-later
"""Equality of values by their content."""

from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


def same_values(first: Any, second: Any) -> bool:
    """Return whether two values have the same content: numbers, arrays, collections and dataclasses of these.

    Fields that a dataclass excludes from comparison do not count; a value that is not a number equals another such.

    >>> same_values((1, {"a": np.zeros(2)}), (1, {"a": np.zeros(2)})), same_values(np.zeros(2), np.ones(2))
    (True, False)
    """
    if first is second:
        return True
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return _same_arrays(first, second)
    if type(first) is not type(second):
        return bool(first == second)
    if is_dataclass(first):
        names = [field.name for field in fields(first) if field.compare]
        return all(same_values(getattr(first, name), getattr(second, name)) for name in names)
    if isinstance(first, Mapping):
        return first.keys() == second.keys() and all(same_values(first[key], second[key]) for key in first)
    if isinstance(first, tuple | list):
        return len(first) == len(second) and all(map(same_values, first, second))
    return bool(first == second) or (isinstance(first, float) and first != first and second != second)


def _same_arrays(first: Any, second: Any) -> bool:
    if type(first) is not type(second) or first.dtype != second.dtype:
        return False
    return np.array_equal(first, second, equal_nan=first.dtype.kind in "fc")
