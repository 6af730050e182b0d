# SPDX-License-Identifier: GPL-3.0-or-later
"""Values in JSON's types and back: frozen dataclasses, tuples and numbers, each checked by its annotation."""

import dataclasses
import math
from collections.abc import Mapping
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Protocol, TypeVar, Union, get_args, get_origin, get_type_hints

from ..fields import is_left_out
from .json_text import LONGEST_TEXT, Malformed, parse_json

Record = TypeVar("Record")


class Holder(Protocol):
    """A data-block with custom properties."""

    def get(self, name: str, /) -> Any:
        """Return the value of a custom property, None without one."""


LONGEST_STRING = 4096
LARGEST_INTEGER = 2**31 - 1
LARGEST_NUMBER = 1e12
"""Largest number; its square is still far from the largest number of float32."""


def plain(value: object) -> Any:
    """Return the value in JSON's types: dataclasses become dictionaries, enums their values, tuples lists.

    >>> plain((Facing.KEEP, 3))
    ['KEEP', 3]
    """
    if dataclasses.is_dataclass(value):
        members = [(field, getattr(value, field.name)) for field in dataclasses.fields(value)]
        return {field.name: plain(member) for field, member in members if not is_left_out(field, member)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    return value


def parse_object(text: str | bytes, name: str = "recipe") -> dict[str, Any]:
    """Return the JSON object in a text, with unchecked values. Raises Malformed if there is none.

    >>> parse_object('{"seed": 3}')
    {'seed': 3}
    """
    value = parse_json(text, name)
    if not isinstance(value, dict):
        raise Malformed(f"The {name} is not a JSON object")
    return value


def stored(block: Holder | None, name: str, kind: Any, longest: int = LONGEST_TEXT) -> Any:
    """Return the value stored as JSON in a block's custom property; None without one, and for any other value.

    kind: its annotation. longest: the limit of the text's length.

    >>> stored({"ranges": "[[1, 20]]"}, "ranges", tuple[tuple[float, float], ...])
    ((1.0, 20.0),)
    >>> stored({"ranges": "[[1, null]]"}, "ranges", tuple[tuple[float, float], ...]) is None
    True
    """
    text = None if block is None else block.get(name)
    if not isinstance(text, str):
        return None
    try:
        return read_value(kind, parse_json(text, name, longest), name)
    except Malformed:
        return None


def read_record(kind: type[Record], values: Mapping[str, Any], name: str = "recipe") -> Record:
    """Return a dataclass from its dictionary; missing fields take their defaults.

    Raises Malformed that names a field that is unknown, missing or of the wrong kind.

    >>> read_record(Settings, {"noise": 0.5}).noise
    0.5
    """
    hints, required = _entries(kind)  # type: ignore[arg-type]
    for key in values:
        if key not in hints:
            raise Malformed(f'The {name} has an unknown entry "{key[:40]}"')
    for key in required:
        if key not in values:
            raise Malformed(f'The {name} has no entry "{key}"')
    return kind(**{key: read_value(hints[key], value, f"{name}'s {key}") for key, value in values.items()})


@cache
def _entries(kind: type) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the annotations of a dataclass's fields, and the fields without a default."""
    fields, hints = dataclasses.fields(kind), get_type_hints(kind)
    missing = dataclasses.MISSING
    required = tuple(field.name for field in fields if field.default is field.default_factory is missing)
    return {field.name: hints[field.name] for field in fields}, required


def read_value(kind: Any, value: Any, name: str) -> Any:
    """Return a value of JSON as its annotation describes it; lists become tuples. Raises Malformed that names it.

    >>> read_value(tuple[int, str], [3, "walk"], "entry")
    (3, 'walk')
    """
    if kind in _SCALARS:
        return _SCALARS[kind](value, name)
    if kind is Any:
        return value
    origin = get_origin(kind)
    if origin in (Union, UnionType):
        return None if value is None else read_value(_without_none(kind), value, name)
    if origin is tuple:
        kinds = get_args(kind)
        return _read_items(kinds[0], value, name) if kinds[-1] is Ellipsis else _read_fixed(kinds, value, name)
    if origin in (dict, Mapping):
        return _read_entries(get_args(kind)[1], value, name)
    if dataclasses.is_dataclass(kind):
        if not isinstance(value, dict):
            raise _wrong(name, "a JSON object")
        return read_record(kind, value, name)  # type: ignore[arg-type]
    return _read_choice(kind, value, name)


def _without_none(kind: Any) -> Any:
    (only,) = (option for option in get_args(kind) if option is not NoneType)
    return only


def _read_items(kind: Any, value: Any, name: str) -> tuple[Any, ...]:
    if not isinstance(value, list):
        raise _wrong(name, "a list")
    return tuple(read_value(kind, item, name) for item in value)


def _read_entries(kind: Any, value: Any, name: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _wrong(name, "a JSON object")
    return {_read_string(key, name): read_value(kind, item, name) for key, item in value.items()}


def _read_fixed(kinds: tuple[Any, ...], value: Any, name: str) -> tuple[Any, ...]:
    if not isinstance(value, list) or len(value) != len(kinds):
        raise _wrong(name, f"a list of {len(kinds)} entries")
    return tuple(read_value(kind, item, name) for kind, item in zip(kinds, value, strict=True))


def _read_choice(kind: type[Enum], value: Any, name: str) -> Enum:
    options = {option.value: option for option in kind}
    if not isinstance(value, str) or value not in options:
        raise _wrong(name, "one of " + ", ".join(options))
    return options[value]


def _read_boolean(value: Any, name: str) -> bool:
    if not isinstance(value, bool):
        raise _wrong(name, "true or false")
    return value


def _read_integer(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > LARGEST_INTEGER:
        raise _wrong(name, f"a whole number of at most {LARGEST_INTEGER:,}")
    return value


def _read_number(value: Any, name: str) -> float:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not abs(value) <= LARGEST_NUMBER or not math.isfinite(value):
        raise _wrong(name, f"a number of at most {LARGEST_NUMBER:g}")
    return float(value)


def _read_string(value: Any, name: str) -> str:
    # A lone surrogate is legal JSON, but Blender cannot look up such a name.
    if not isinstance(value, str) or len(value) > LONGEST_STRING or not _encodes(value):
        raise _wrong(name, f"a text of at most {LONGEST_STRING:,} characters")
    return value


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _wrong(name: str, expected: str) -> Malformed:
    return Malformed(f"The {name} is not {expected}")


_SCALARS = {bool: _read_boolean, int: _read_integer, float: _read_number, str: _read_string}
