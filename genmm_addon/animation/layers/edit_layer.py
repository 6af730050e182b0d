# SPDX-License-Identifier: GPL-3.0-or-later
"""The additive layer of a character: an Add strip above a strip of the base action.

The layer's action refers to two others: the base, and the sum of base and layer, an action that never plays. Edits are
made in the sum as in any action, with the records that they store, and the layer is the sum less the base.
"""

from dataclasses import dataclass
from typing import Any

import bpy
from bpy.types import Action, NlaStrip, NlaTrack, Object

from ...core import InputError
from ..actions import MOVING, assign, assigned, fcurves_of, has_slots
from ..stretches.key_tables import read_keys

BASE, SUM = "genmm_layer_base", "genmm_layer_sum"
"""Properties of a layer's action that refer to the two other actions; saved files contain them."""


@dataclass(frozen=True, eq=False)
class EditLayer:
    """A layer of a character: its track and strip, and those of the base. Holds data-blocks: use it at once."""

    track: NlaTrack
    strip: NlaStrip
    base_track: NlaTrack
    base_strip: NlaStrip

    @property
    def action(self) -> Action:
        """Return the layer's own action."""
        return _action(self.strip)

    @property
    def base(self) -> Action:
        """Return the action below."""
        return _action(self.base_strip)

    @property
    def total(self) -> Action:
        """Return the sum of base and layer, in which edits are made."""
        total: Action = self.action[SUM]
        return total

    @property
    def slot(self) -> str:
        """Return the identifier of the slot of the base, which the sum has too."""
        return slot_of(self.base_strip)


def layer_of(owner: Object) -> EditLayer | None:
    """Return the layer of an object; None without one, and where the object plays an action above its NLA."""
    data = owner.animation_data
    if data is None or data.action is not None:
        return None
    strips = [(track, strip) for track in data.nla_tracks for strip in track.strips]
    for track, strip in reversed(strips):
        if strip.action is None or not isinstance(strip.action.get(SUM), Action):
            continue
        for below, base in strips:
            if base.action is not None and base.action == strip.action.get(BASE):
                return EditLayer(track, strip, below, base)
    return None


def edited_assignment(owner: Object) -> tuple[Action, str] | None:
    """Return the action and slot that edits of an object go into: its layer's sum, or else what it plays."""
    layer = layer_of(owner)
    return assigned(owner) if layer is None else (layer.total, layer.slot)


def why_on_layer(owner: Object) -> str:
    """Return a sentence where edits of an object go onto a layer, for tools that change the keys of an action."""
    if layer_of(owner) is None:
        return ""
    return f"The edits of {owner.name} are on a layer; remove it to change the keys of the action"


def remove_layer(owner: Object) -> Action:
    """Have an object play the layer's base again, exactly as before the layer, and return it.

    Raises InputError without a layer, and in NLA tweak mode.
    """
    layer = layer_of(owner)
    if layer is None:
        raise InputError(f'"{owner.name}" has no layer of edits.')
    action, total, base, slot = layer.action, layer.total, layer.base, layer.slot
    known = {curve.data_path for curve in fcurves_of(base, slot)}
    added = [curve for curve in fcurves_of(total, slot) if curve.data_path not in known]
    # The first key of a channel that the edits added is the value that it had before.
    before = [(curve.data_path, curve.array_index, read_keys(curve).values[0]) for curve in added]
    assign(owner, base, slot)
    tracks = owner.animation_data.nla_tracks
    for track in (layer.track, layer.base_track):
        tracks.remove(track)
    for removed in (action, total):
        if not removed.users:
            bpy.data.actions.remove(removed)
    for path, index, value in before:
        if path.endswith(MOVING):
            owner.path_resolve(path)[index] = value
    return base


def slot_of(strip: NlaStrip) -> str:
    """Return the identifier of a strip's slot; "" without slots."""
    slot: Any = strip.action_slot if has_slots(_action(strip)) else None
    return str(slot.identifier) if slot else ""


def _action(strip: NlaStrip) -> Action:
    assert strip.action is not None
    return strip.action
