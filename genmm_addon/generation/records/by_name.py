# SPDX-License-Identifier: GPL-3.0-or-later
"""Records with data-blocks by name, and back.

A record by name has the fields of the original record, with their defaults and settings; a field that held a
data-block holds a DataBlock, and a field that held a record with data-blocks holds that by name.
"""

import dataclasses
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from types import GenericAlias, NoneType, UnionType
from typing import TYPE_CHECKING, Any, ClassVar, Union, get_args, get_origin, get_type_hints

import bpy
from bpy.types import ID, Action, Object

from ...core import InputError

BLOCK = "block"


@dataclass(frozen=True)
class DataBlock:
    """A data-block by name, and the name of the library it is linked from ("": this file)."""

    name: str
    library: str = ""


@dataclass(frozen=True)
class BlockKind:
    """A kind of data-block: its name in sentences, the collection of all, the test for one, and advice if missing."""

    said: str
    blocks: Callable[[], Iterable[ID]]
    fits: Callable[[ID], bool]
    mend: str


CHARACTER = BlockKind(
    "Character",
    lambda: bpy.data.objects,
    lambda block: isinstance(block, Object) and block.type == "ARMATURE",
    "link it again",
)
CURVE = BlockKind(
    "Curve",
    lambda: bpy.data.objects,
    lambda block: isinstance(block, Object) and block.type == "CURVE",
    "choose another path",
)
GROUND = BlockKind(
    "Ground",
    lambda: bpy.data.objects,
    lambda block: isinstance(block, Object) and block.type != "ARMATURE",
    "choose another ground",
)
EMPTY = BlockKind(
    "Waypoint",
    lambda: bpy.data.objects,
    lambda block: isinstance(block, Object) and block.type == "EMPTY",
    "remove it from the list",
)
ACTION = BlockKind(
    "Action", lambda: bpy.data.actions, lambda block: isinstance(block, Action), "choose another example"
)


def named(block: ID) -> DataBlock:
    """Return a data-block by name."""
    return DataBlock(block.name, _library_of(block))


def find(kind: BlockKind, reference: DataBlock) -> Any:
    """Return the data-block with a name. Raises InputError where it is no longer in this file."""
    # Compared by the library's name, since its path is absolute until the file is saved, and relative afterwards.
    same = (
        block for block in kind.blocks() if block.name == reference.name and _library_of(block) == reference.library
    )
    block = next(same, None)
    if block is None or not kind.fits(block):
        raise InputError(f'{kind.said} "{reference.name}" is no longer in this file; rename it back or {kind.mend}.')
    return block


def _library_of(block: ID) -> str:
    return block.library.name if block.library else ""


KINDS: dict[Any, BlockKind] = {Action: ACTION, Object: CHARACTER}
"""Kinds of data-blocks by annotation; a field of another kind names it in its metadata under BLOCK."""


class ByName:
    """The base of all records by name."""

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Any]]

        def __init__(self, *_values: Any, **_named_values: Any) -> None: ...

        def __getattr__(self, name: str) -> Any: ...


@cache
def by_name(kind: Any) -> Any:
    """Return the class of a dataclass's records by name; the dataclass itself where it holds no data-block."""
    hints = get_type_hints(kind)
    if not any(_changed(hint) for hint in hints.values()):
        return kind
    fields = [(field.name, _hint(hints[field.name]), _field(field)) for field in dataclasses.fields(kind)]
    return dataclasses.make_dataclass(f"{kind.__name__}ByName", fields, bases=(ByName,), frozen=True)


def stands_for(kind: Any, **instead: str) -> Any:
    """Return a class decorator that adds a dataclass's fields by name.

    instead: by field, the annotated name in the decorated class that replaces it.
    """

    def complete(named_class: type) -> Any:
        hints, own_hints = get_type_hints(kind), get_type_hints(named_class)
        annotations: dict[str, Any] = {}
        for field in dataclasses.fields(kind):
            name = instead.get(field.name, field.name)
            annotations[name] = own_hints.get(name, _hint(hints[field.name]))
            if name == field.name:
                setattr(named_class, name, _field(field))
        named_class.__annotations__ = annotations
        return dataclass(frozen=True)(named_class)

    return complete


def to_names(record: Any, **given: Any) -> dict[str, Any]:
    """Return the fields of a record and of its inner records with data-blocks by name; given: values to use instead."""
    names = (field.name for field in dataclasses.fields(record) if field.name not in given)
    return {name: _to_name(getattr(record, name)) for name in names} | given


def to_blocks(kind: Any, stands: Any, **given: Any) -> Any:
    """Return the record of a dataclass from one by name, with data-blocks of the open file.

    given: values to use instead. Raises InputError that names a data-block missing from this file.
    """
    hints = get_type_hints(kind)
    values = {}
    for field in dataclasses.fields(kind):
        if field.name not in given:
            values[field.name] = _to_block(hints[field.name], field, getattr(stands, field.name))
    return kind(**values, **given)


def _field(field: Any) -> Any:
    """Return a new field with the default and metadata of another: each class needs its own."""
    return dataclasses.field(default=field.default, metadata=field.metadata)


def _changed(hint: Any) -> bool:
    return _hint(hint) is not hint and _hint(hint) != hint


def _hint(hint: Any) -> Any:
    """Return the annotation of a field of a record by name."""
    if hint in KINDS:
        return DataBlock
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _hint(_without_none(arguments)) | None
    if origin is tuple:
        items = tuple(argument if argument is Ellipsis else _hint(argument) for argument in arguments)
        return GenericAlias(tuple, items)
    kind: Any = hint
    return by_name(kind) if dataclasses.is_dataclass(hint) else hint


def _to_name(value: Any) -> Any:
    if isinstance(value, Action | Object):
        return named(value)
    if isinstance(value, tuple):
        return tuple(_to_name(item) for item in value)
    kind: Any = type(value)
    if dataclasses.is_dataclass(value) and by_name(kind) is not kind:
        return by_name(kind)(**to_names(value))
    return value


def _to_block(hint: Any, field: Any, value: Any) -> Any:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return None if value is None else _to_block(_without_none(arguments), field, value)
    if origin is tuple and arguments[-1] is Ellipsis:
        return tuple(_to_block(arguments[0], field, item) for item in value)
    if hint in KINDS:
        return find(field.metadata.get(BLOCK, KINDS[hint]), value)
    return to_blocks(hint, value) if isinstance(value, ByName) else value


def _without_none(arguments: tuple[Any, ...]) -> Any:
    (only,) = (argument for argument in arguments if argument is not NoneType)
    return only
