# SPDX-License-Identifier: GPL-3.0-or-later
"""The data-blocks of a character's meshes, by their addresses in it."""

from bpy.types import Object, Scene

from ..animation.mesh_channels.blocks import BlockAddress, MeshBlock, MeshBlocks, blocks_of_object
from .belongings import objects_of_character
from .naming import without_number


def mesh_blocks(armature: Object, scene: Scene) -> MeshBlocks:
    """Return the data-blocks of all objects that follow the armature, each once, including linked ones."""
    blocks: dict[BlockAddress, MeshBlock] = {}
    seen = set()
    for thing in objects_of_character(armature, scene)[1:]:
        for block, name in blocks_of_object(thing):
            address = BlockAddress(block.id_type, without_number(name))
            if block not in seen and address not in blocks:
                seen.add(block)
                blocks[address] = MeshBlock(block, thing)
    return blocks
