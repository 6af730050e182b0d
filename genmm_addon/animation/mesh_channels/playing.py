# SPDX-License-Identifier: GPL-3.0-or-later
"""The actions that data-blocks of any type play, and their slots in these."""

from collections.abc import Iterator
from typing import Any

from bpy.types import ID, Action

from ..actions import fcurves_of, has_slots
from .blocks import BlockAddress

ADDRESS = "genmm_mesh_channels"
"""Property of our actions without slots, which names the data-block that the action is for."""
TOGETHER = "genmm_takes"
"""Property of a data-block with the actions that it played together with its character's actions."""
UNSPECIFIED = "UNSPECIFIED"


def played(block: ID) -> tuple[Action, str] | None:
    """Return the action that a data-block plays and its slot's identifier ("" without slots); None without either."""
    data: Any = getattr(block, "animation_data", None)
    if data is None or data.action is None:
        return None
    if not has_slots(data.action):
        return data.action, ""
    return (data.action, data.action_slot.identifier) if data.action_slot is not None else None


def is_playable(block: ID) -> bool:
    """Return whether a data-block can be given an action: False if it is linked or in a system override."""
    override = block.override_library
    return block.library is None and block.is_editable and not (override is not None and override.is_system_override)


def play(block: ID, action: Action, slot: str) -> None:
    """Make a data-block play a slot of an action."""
    owner: Any = block
    data = owner.animation_data or owner.animation_data_create()
    data.action = action
    if has_slots(action):
        slots: Any = action
        data.action_slot = next(entry for entry in slots.slots if entry.identifier == slot)


def play_again(block: ID, before: tuple[Action, str] | None) -> None:
    """Restore on a data-block the action and slot that `played` returned."""
    if before is not None:
        play(block, *before)
    elif getattr(block, "animation_data", None) is not None:
        stop(block)


def stop(block: ID) -> None:
    """Unassign a data-block's action."""
    data: Any = getattr(block, "animation_data", None)
    if data is not None:
        data.action = None


def play_alone(block: Any) -> None:
    """Remove the action and NLA tracks of a data-block, and keep its drivers."""
    data = block.animation_data
    if data is not None:
        data.use_tweak_mode = False
        data.action = None
        for track in list(data.nla_tracks):
            data.nla_tracks.remove(track)


def taken_together(block: ID) -> dict[str, tuple[str, str]]:
    """Return a data-block's actions and slots, by the names of the character's actions that were played with them."""
    record: Any = block.get(TOGETHER)
    if record is None or not hasattr(record, "to_dict"):
        return {}
    rows = record.to_dict().items()
    return {name: (str(row["action"]), str(row["slot"])) for name, row in rows if {"action", "slot"} <= set(row)}


def keep_together(block: ID, pairs: dict[str, tuple[str, str]]) -> None:
    """Store the pairs that `taken_together` returns."""
    if pairs:
        block[TOGETHER] = {name: {"action": action, "slot": slot} for name, (action, slot) in pairs.items()}
    elif block.get(TOGETHER) is not None:
        del block[TOGETHER]


def slot_of_address(action: Action, address: BlockAddress) -> str | None:
    """Return the identifier ("" without slots) of the slot for an address in one of our actions; None without one."""
    if not has_slots(action):
        return "" if action.get(ADDRESS) == f"{address.kind} {address.name}" else None
    named = (slot for slot in slots_of_kind(action, address.kind) if slot.name_display == address.name)
    slot = next(named, None)
    return None if slot is None else str(slot.identifier)


def remove_slot(action: Action, slot: str) -> None:
    """Remove the slot with an identifier from an action, with its curves; do nothing if the action has no such slot."""
    slots: Any = action
    for entry in list(slots.slots) if has_slots(action) else ():
        if entry.identifier == slot:
            slots.slots.remove(entry)


def slots_of_kind(action: Action, kind: str) -> Iterator[Any]:
    """Yield the slots of an action for data-blocks of a type that have curves."""
    slots: Any = action
    for slot in slots.slots:
        if slot.target_id_type in {kind, UNSPECIFIED} and len(fcurves_of(action, slot.identifier)):
            yield slot
