# SPDX-License-Identifier: GPL-3.0-or-later
"""Tags on the data-blocks of a result that identify it; they survive saving and renaming."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from enum import Enum
from typing import TypeVar

from bpy.types import ID

PROPERTY = "genmm_result"
RECIPE_PROPERTY = "genmm_recipe"
"""Property that stores a result's recipe."""
PLACE_PROPERTY = "genmm_place"
"""Property that stores how far an object of a result was moved from its source's place."""
LABELS_PROPERTY = "genmm_tags"
"""Property that stores the tags, such as `style=angry`, of a user's action as an example."""
CHARACTER = "CHARACTER"
"""The role of a result's rig."""
PIECE = "PIECE"
"""The role of everything else that was copied for a result."""
ACTION = "ACTION"
"""The role of a result's motion."""
MESH_ACTION = "MESH_ACTION"
"""The role of the action of a result's mesh, where actions have no slots."""

Block = TypeVar("Block", bound=ID)


class Output(Enum):
    """The destinations of new motion."""

    NEW_CHARACTER = "NEW_CHARACTER"
    """A copy of the character, placed beside it."""
    NEW_ACTION = "NEW_ACTION"
    """The character itself: its own action is kept, and the new one is assigned."""
    NLA_STRIP = "NLA_STRIP"
    """A strip on a new NLA track of the character itself."""


@dataclass(frozen=True)
class Tag:
    """The result that a data-block was made for, and the data-block's role in it.

    batch: the press that made it. number: its place in the batch, from 1. output: the name of an Output.
    piece, name: its own identity, set when it is marked; a copy made by the user has the same, and another name.
    """

    batch: str
    number: int
    seed: int
    output: str
    role: str
    piece: str = ""
    name: str = ""


def new_batch() -> str:
    """Return an identity for the results of one press."""
    return uuid.uuid4().hex


def mark(block: ID, tag: Tag) -> None:
    """Mark a data-block as made for a result."""
    block[PROPERTY] = asdict(replace(tag, piece=uuid.uuid4().hex, name=block.name))


def tag_of(block: ID | None) -> Tag | None:
    """Return the data-block's tag; None where it has none or a malformed one, or is linked from a file."""
    if block is None or block.library is not None:
        return None
    group = block.get(PROPERTY)
    if group is None or not hasattr(group, "to_dict"):
        return None
    return _read(group.to_dict())


def tagged(blocks: Iterable[Block], batch: str) -> list[tuple[Block, Tag]]:
    """Return the data-blocks that were made for a batch, without copies that the user made of them."""
    by_piece: dict[str, list[tuple[Block, Tag]]] = {}
    for block in blocks:
        tag = tag_of(block)
        if tag is not None and tag.batch == batch:
            by_piece.setdefault(tag.piece, []).append((block, tag))
    matches: list[tuple[Block, Tag]] = []
    for same in by_piece.values():
        matches += same if len(same) == 1 else [(block, tag) for block, tag in same if block.name == tag.name]
    return matches


def _read(values: Mapping[str, object]) -> Tag | None:
    kinds = Tag.__annotations__
    if set(values) != set(kinds) or not all(isinstance(values[name], kind) for name, kind in kinds.items()):
        return None
    tag = Tag(**values)  # type: ignore[arg-type]  # checked just above
    return tag if tag.output in Output.__members__ else None
