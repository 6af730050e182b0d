# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversion of values from scripts (NumPy numbers, 30.0, "NEW_ACTION", lists) to the types that records declare."""

from collections.abc import Callable, Iterable
from enum import Enum
from numbers import Integral, Real
from types import NoneType
from typing import Any, TypeVar, get_args

import numpy as np

from ..arrays import Float64
from ..errors import InputError

E = TypeVar("E", bound=Enum)
Take = Callable[[Any, str], Any]
"""Function from a value and its name to the declared type; it raises InputError with the name if that is impossible."""


def settle(record: object, **takes: Take) -> None:
    """Convert fields of a frozen record to their declared types. Raises InputError naming the field.

    >>> plan = type("Plan", (), {})()
    >>> plan.frames = 30.0
    >>> settle(plan, frames=whole_number)
    >>> plan.frames
    30
    """
    for name, take in takes.items():
        object.__setattr__(record, name, take(getattr(record, name), name))


def whole_number(value: Any, name: str) -> int:
    """Return a whole number, such as 30, 30.0 or NumPy's, as an int. Raises InputError for anything else.

    >>> whole_number(30.0, "frames")
    30
    """
    value = _scalar(value)
    if isinstance(value, Integral) and not isinstance(value, bool):
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    raise _wrong(value, name, "a whole number")


def number(value: Any, name: str) -> float:
    """Return a number as a float; NaN is left to the check of its range. Raises InputError for anything else.

    >>> number(np.float32(0.5), "noise")
    0.5
    """
    value = _scalar(value)
    if isinstance(value, Real) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            pass
    raise _wrong(value, name, "a number")


def numbers(value: Any, name: str) -> Float64:
    """Return numbers, such as nested lists of one shape, as an array. Raises InputError for anything else.

    >>> numbers([[0, 1], [2, 3]], "points").shape
    (2, 2)
    """
    try:
        return np.asarray(value, np.float64)
    except (TypeError, ValueError) as error:
        raise _wrong(value, name, "an array of numbers") from error


def flag(value: Any, name: str) -> bool:
    """Return True or False, NumPy's too. Raises InputError for anything else.

    >>> flag(np.bool_(True), "foot_locking")
    True
    """
    value = _scalar(value)
    if isinstance(value, bool):
        return value
    raise _wrong(value, name, "True or False")


def text(value: Any, name: str) -> str:
    """Return a text. Raises InputError naming the value for anything else.

    >>> try:
    ...     text(3, "root")
    ... except InputError as error:
    ...     print(error)
    root must be a text, not 3.
    """
    if isinstance(value, str):
        return str(value)
    raise _wrong(value, name, "a text")


def one_of(kind: type[E]) -> Take:
    """Return a function that takes an entry of an enumeration, or its name, such as "new-action" for NEW_ACTION.

    >>> one_of(Facing)("keep", "facing")
    <Facing.KEEP: 'KEEP'>
    """

    def take(value: Any, name: str) -> E:
        if isinstance(value, kind):
            return value
        if isinstance(value, str):
            for option in kind:
                if value.upper().replace("-", "_").replace(" ", "_") in (option.name, option.value):
                    return option
        raise _wrong(value, name, "one of " + ", ".join(str(option.value) for option in kind))

    return take


def instance(kind: type | tuple[type, ...], said: str) -> Take:
    """Return a function that takes an object of a type; said: its name in the message, such as "an action".

    >>> instance(Settings, "settings")(Settings(noise=0.5), "settings").noise
    0.5
    """

    def take(value: Any, name: str) -> Any:
        if isinstance(value, kind):
            return value
        raise _wrong(value, name, said)

    return take


def optional(take: Take) -> Take:
    """Return a function that takes None and the values that `take` takes.

    >>> optional(number)(None, "noise") is None
    True
    """
    return lambda value, name: None if value is None else take(value, name)


def items(take: Take, said: str) -> Take:
    """Return a function that takes a list, a range or an array of values for `take`, or a single one.

    said: its name in the message, such as "a list of seeds".

    >>> items(whole_number, "a list of seeds")(range(3), "seeds")
    (0, 1, 2)
    """

    def take_all(value: Any, name: str) -> tuple[Any, ...]:
        if isinstance(value, dict | set | frozenset | bytes):
            raise _wrong(value, name, said)
        several = not isinstance(value, str) and isinstance(value, Iterable) and np.ndim(_shape_of(value)) > 0
        return tuple(take(item, name) for item in (value if several else (value,)))

    return take_all


def pairs(first: Take, second: Take, said: str) -> Take:
    """Return a function that takes a mapping, or a list of pairs, and returns a tuple of pairs.

    >>> pairs(text, number, "weights by bone")({"head": 2}, "joint_weights")
    (('head', 2.0),)
    """

    def take(value: Any, name: str) -> tuple[tuple[Any, Any], ...]:
        entries = value.items() if isinstance(value, dict) else value
        if isinstance(entries, str) or not isinstance(entries, Iterable):
            raise _wrong(value, name, said)
        converted = []
        for entry in entries:
            if not isinstance(entry, tuple | list) or len(entry) != 2:
                raise _wrong(value, name, said)
            converted.append((first(entry[0], name), second(entry[1], name)))
        return tuple(converted)

    return take


def take_of(annotation: Any) -> Take:
    """Return the function for an annotation: a number, flag, text or entry of an enumeration, each perhaps None."""
    kinds = [kind for kind in get_args(annotation) if kind is not NoneType] or [annotation]
    plain: dict[Any, Take] = {int: whole_number, float: number, bool: flag, str: text}
    take = plain.get(kinds[0]) or one_of(kinds[0])
    return take if kinds == [annotation] else optional(take)


def _shape_of(value: Any) -> Any:
    """Return the shape of an array; any other collection counts as one axis."""
    return value if isinstance(value, np.ndarray | np.generic) else (0,)


def _scalar(value: Any) -> Any:
    """Return a NumPy number, or an array without axes, as a Python number."""
    return value.item() if isinstance(value, np.ndarray | np.generic) and np.ndim(value) == 0 else value


def _wrong(value: Any, name: str, expected: str) -> InputError:
    given = " ".join(repr(value).split())
    return InputError(f"{name} must be {expected}, not {given[:60]}{'...' if len(given) > 60 else ''}.")
