# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes: the actions of meshes that belong to an example of their character."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, NlaStrip, NlaTrack, Object

from ...core import Float64, Int64
from ..actions import assigned, has_slots
from ..reading.example_spec import ExampleSpec
from .blocks import MeshBlock
from .playing import UNSPECIFIED, played, slots_of_kind, taken_together

Frames = Float64


@dataclass(frozen=True, eq=False)
class ChannelTake:
    """An action of a data-block that belongs to rows of an example. slot: its identifier, "" without slots.

    rows: `(R,)` of the example. frames: `(R,)` the action's own frames at these rows.
    """

    action: Action
    slot: str
    rows: Int64
    frames: Frames


def takes_of(armature: Object, spec: ExampleSpec, mesh: MeshBlock, frames: Frames) -> list[ChannelTake]:
    """Return the takes that a mesh plays while its character plays an example at `frames` `(T,)`; may be empty.

    They are searched for in this order: a slot of the same action; the mesh's action while the character plays that
    action, or played it before results took their places; NLA strips of the mesh at the time of the character's strip
    (on a track of the same name, otherwise on those that play); an action whose name differs only in the name of the
    object, as importers name them.
    """
    if spec.action is None:
        playing = played(mesh.block)
        return [_whole(*playing, frames)] if playing is not None else _from_strips(mesh, "", frames)
    slot = _slot_in(spec.action, mesh)
    if slot is not None:
        return [_whole(spec.action, slot, frames)]
    active, playing = assigned(armature), played(mesh.block)
    if playing is not None and playing[0] != spec.action and active is not None and active[0] == spec.action:
        return [_whole(*playing, frames)]
    remembered = _remembered(spec.action, mesh)
    if remembered is not None:
        return [_whole(*remembered, frames)]
    for track, strip in _strips(armature):
        if strip.action == spec.action:
            takes = _from_strips(mesh, track.name, _scene_frames(strip, frames), plays=_plays(track, strip))
            if takes:
                return takes
    named = _named_for(armature, spec.action, mesh)
    return [] if named is None else [_whole(*named, frames)]


def _whole(action: Action, slot: str, frames: Frames) -> ChannelTake:
    return ChannelTake(action, slot, np.arange(len(frames)), frames)


def _slot_in(action: Action, mesh: MeshBlock) -> str | None:
    """Return the slot for the mesh in the example's action."""
    kind = mesh.block.id_type
    playing = played(mesh.block)
    if not has_slots(action) or (kind == "OBJECT" and playing is None):
        # A slot for an object may be the armature's, unless the object plays it.
        return None
    if playing is not None and playing[0] == action:
        return playing[1]
    if kind == "OBJECT":
        return None
    fitting = [slot for slot in slots_of_kind(action, kind) if slot.target_id_type != UNSPECIFIED]
    names = _names(mesh)
    for slot in fitting:
        if slot.name_display in names:
            return str(slot.identifier)
    return str(fitting[0].identifier) if len(fitting) == 1 else None


def _remembered(action: Action, mesh: MeshBlock) -> tuple[Action, str] | None:
    """Return the action and slot that the mesh played with an action before both played a result."""
    name, slot = taken_together(mesh.block).get(action.name, ("", ""))
    remembered: Any = bpy.data.actions.get(name)
    if remembered is None or not has_slots(remembered):
        return None if remembered is None else (remembered, "")
    return (
        (remembered, slot)
        if slot in {entry.identifier for entry in slots_of_kind(remembered, mesh.block.id_type)}
        else None
    )


def _names(mesh: MeshBlock) -> list[str]:
    data: Any = mesh.owner.data
    names = [mesh.block.name]
    if mesh.block.id_type in {"KEY", "OBJECT", "MESH"}:
        names += [mesh.owner.name, *([data.name] if data is not None else [])]
    return list(dict.fromkeys(names))


def _strips(block: Any) -> Iterator[tuple[NlaTrack, NlaStrip]]:
    """Yield the strips of a data-block that play an action, from the top track down."""
    data = getattr(block, "animation_data", None)
    for track in reversed(data.nla_tracks) if data is not None else ():
        for strip in track.strips:
            if strip.action is not None:
                yield track, strip


def _plays(track: NlaTrack, strip: NlaStrip) -> bool:
    return not (track.mute or strip.mute)


def _from_strips(mesh: MeshBlock, called: str, scene_frames: Frames, *, plays: bool = True) -> list[ChannelTake]:
    """Return the takes of the mesh's strips at scene frames, those on top first."""
    strips = list(_strips(mesh.block))
    same = [strip for track, strip in strips if track.name == called]
    chosen = same or [strip for track, strip in strips if plays and _plays(track, strip)]
    takes, left = [], np.ones(len(scene_frames), bool)
    for strip in chosen:
        rows = np.flatnonzero(left & (scene_frames >= strip.frame_start) & (scene_frames <= strip.frame_end))
        slot = _slot_of_strip(strip)
        if len(rows) and slot is not None:
            left[rows] = False
            takes.append(ChannelTake(strip.action, slot, rows, _action_frames(strip, scene_frames[rows])))
    return takes


def _slot_of_strip(strip: Any) -> str | None:
    if not has_slots(strip.action):
        return ""
    return None if strip.action_slot is None else str(strip.action_slot.identifier)


def _scene_frames(strip: NlaStrip, frames: Frames) -> Frames:
    """Return the scene frames at which a strip first plays frames of its action."""
    past = frames - strip.action_frame_start
    if strip.use_reverse:
        past = strip.action_frame_end - frames
    return np.asarray(strip.frame_start + past * strip.scale, np.float64)


def _action_frames(strip: NlaStrip, scene_frames: Frames) -> Frames:
    """Return the frames of its action that a strip plays, including repetitions."""
    length = max(strip.action_frame_end - strip.action_frame_start, 1e-6)
    past = (scene_frames - strip.frame_start) / strip.scale
    rounds = np.clip(np.ceil(past / length) - 1, 0, None)
    past = np.clip(past - rounds * length, 0.0, length)
    if strip.use_reverse:
        return np.asarray(strip.action_frame_end - past, np.float64)
    return np.asarray(strip.action_frame_start + past, np.float64)


def _named_for(armature: Object, action: Action, mesh: MeshBlock) -> tuple[Action, str] | None:
    """Return the action with the example's name in which the mesh's name replaces the armature's."""
    for armature_name in dict.fromkeys((armature.name, armature.data.name)):
        for name in _names(mesh) if armature_name in action.name else ():
            candidate: Any = bpy.data.actions.get(action.name.replace(armature_name, name, 1))
            if candidate is None or candidate == action:
                continue
            if not has_slots(candidate):
                if candidate.id_root == mesh.block.id_type:
                    return candidate, ""
                continue
            slot = next(slots_of_kind(candidate, mesh.block.id_type), None)
            if slot is not None:
                return candidate, slot.identifier
    return None
