# SPDX-License-Identifier: GPL-3.0-or-later
"""Writing of a character's mesh values along with its motion: into slots of its action, or into separate actions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import Action

from ...core import Float32
from ..actions import curve_factory, has_slots, new_action_for, repeat_forever
from ..keys.simplification import Simplification
from ..writing import Written, write_scalars
from .blocks import BlockAddress
from .playing import ADDRESS
from .reading import BlockChannels


@dataclass(frozen=True, eq=False)
class MeshAction:
    """The action and slot ("" without slots) that the data-block at an address should play."""

    address: BlockAddress
    action: Action
    slot: str


def write_mesh_channels(
    written: Written,
    blocks: Sequence[BlockChannels],
    values: Sequence[Float32],
    *,
    frame_start: float,
    tolerance: float = 0.0,
    simplification: Simplification | None = None,
    cyclic: bool = False,
) -> list[MeshAction]:
    """Write the values `(T, C)` of each block into actions that nothing plays yet.

    Each block gets a slot of the written action; in Blender 4.2, which has no slots, an action of its own. tolerance,
    simplification: as in `write_action`.
    """
    written_actions: list[MeshAction] = []
    try:
        for block, table in zip(blocks, values, strict=True):
            action, slot = _place_for(written.action, block.address)
            written_actions.append(MeshAction(block.address, action, slot))
            write_scalars(block.channels, table, curve_factory(action, slot), frame_start, tolerance, simplification)
            if cyclic:
                repeat_forever(action, slot)
    except BaseException:
        for mesh_action in written_actions:
            if mesh_action.action != written.action:
                bpy.data.actions.remove(mesh_action.action)
        raise
    return written_actions


def _place_for(action: Action, address: BlockAddress) -> tuple[Action, str]:
    if has_slots(action):
        slots: Any = action
        return action, str(slots.slots.new(id_type=address.kind, name=address.name).identifier)
    mesh_action, slot = new_action_for(f"{action.name} {address.name}", address.kind, address.name)
    mesh_action[ADDRESS] = f"{address.kind} {address.name}"
    return mesh_action, slot
