# SPDX-License-Identifier: GPL-3.0-or-later
"""Data-blocks by name, for texts, and their lookup in the open file."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import ID, Action, Object

from ...core import InputError


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
