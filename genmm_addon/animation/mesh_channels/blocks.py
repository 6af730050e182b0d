# SPDX-License-Identifier: GPL-3.0-or-later
"""Data-blocks of a character's meshes whose values may be animated: shape keys, meshes, objects and materials."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from bpy.types import ID, Object


@dataclass(frozen=True)
class BlockAddress:
    """The address of a data-block in a character and its copies: its type ("KEY", ...) and a name.

    name: the object's; for materials and their nodes the material's, without the suffix that a result adds.
    """

    kind: str
    name: str


@dataclass(frozen=True, eq=False)
class MeshBlock:
    """One data-block and its object. It holds data-blocks, so use it at once and never across operators."""

    block: ID
    owner: Object


MeshBlocks = Mapping[BlockAddress, MeshBlock]
NO_BLOCKS: MeshBlocks = MappingProxyType({})


def blocks_of_object(thing: Object) -> Iterator[tuple[ID, str]]:
    """Yield the data-blocks of an object whose values may be animated, each with its name."""
    yield thing, thing.name
    data: Any = thing.data
    if data is not None and thing.type != "ARMATURE":
        yield data, thing.name
        keys = getattr(data, "shape_keys", None)
        if keys is not None:
            yield keys, thing.name
    for slot in thing.material_slots:
        if slot.material is not None:
            yield slot.material, slot.material.name
            if slot.material.node_tree is not None:
                yield slot.material.node_tree, slot.material.name
