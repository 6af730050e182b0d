# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of a character's meshes at the frames of its examples."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from bpy.types import ID, FCurve, Object, Scene

from ...core import Float32, Float64
from ...core.transfer import other_side, partners_by_name
from ..actions import fcurves_of, has_slots, is_muted
from ..channels import ScalarChannel
from ..curves import TRANSFORMS, SlotCurves, collect_curves, scalar_channel, scalar_value
from ..reading.example_spec import ExampleSpec, frames_of, used_examples
from ..sampling import CurveSampler
from .blocks import BlockAddress, MeshBlock, MeshBlocks
from .playing import played, slots_of_kind
from .takes import ChannelTake, takes_of

SHAPE_KEY = "].value"
"""The end of a shape key's data path; without keys its value is 0, the basis."""
MOST_VERTICES = 500
"""Most vertices whose weights are read, evenly chosen among those that count."""


@dataclass(frozen=True, eq=False)
class BlockChannels:
    """The animated values of one data-block. bone: the bone that it moves with; "" is the whole character."""

    address: BlockAddress
    channels: tuple[ScalarChannel, ...]
    bone: str = ""


@dataclass(frozen=True, eq=False)
class MeshReading:
    """The values of a character's meshes in its examples.

    tables: for each of `used_examples` the values `(F, C)`, with the channels of all blocks in sequence. notes:
    sentences on animation that belongs to no example.
    """

    blocks: tuple[BlockChannels, ...] = ()
    tables: tuple[Float32, ...] = ()
    notes: tuple[str, ...] = ()

    def columns(self) -> list[slice]:
        """Return the columns of each block."""
        ends = np.cumsum([len(block.channels) for block in self.blocks]).tolist()
        return [slice(end - len(block.channels), end) for block, end in zip(self.blocks, ends, strict=True)]


def read_meshes(armature: Object, specs: Sequence[ExampleSpec], blocks: MeshBlocks, scene: Scene) -> MeshReading:
    """Return the values of the meshes in each example, sampled at the examples' frames.

    In examples of other characters, which have meshes of their own, the values are at rest. Clips of a library have
    none.
    """
    candidates = {address: mesh for address, mesh in blocks.items() if _may_play(mesh.block, specs)}
    if not candidates:
        return MeshReading()
    if any(spec.clip for spec in specs):
        return MeshReading(notes=tuple(_not_in_library(mesh) for mesh in candidates.values() if _keeps_time(mesh)))
    frames = [_frames(armature, spec, scene) for spec in specs]
    read: list[BlockChannels] = []
    pieces: list[list[Float32]] = [[] for _ in specs]
    notes: list[str] = []
    for address, mesh in candidates.items():
        takes = [
            takes_of(armature, spec, mesh, at) if spec.armature in (None, armature) else []
            for spec, at in zip(specs, frames, strict=True)
        ]
        if _moves(mesh, takes):
            notes.append(f'"{mesh.block.name}" has transform keys of its own, which keep the timing of their action.')
            continue
        channels = _channels(mesh.block, takes)
        if channels:
            read.append(BlockChannels(address, channels, bone_of(mesh)))
            for of_example, example_takes, at in zip(pieces, takes, frames, strict=True):
                of_example.append(_table(mesh.block, channels, example_takes, len(at)))
        elif _keeps_time(mesh):
            notes.append(_goes_with_none(mesh))
    if not read:
        return MeshReading(notes=tuple(dict.fromkeys(notes)))
    if any(spec.armature not in (None, armature) for spec in specs):
        names = ", ".join(f'"{candidates[block.address].block.name}"' for block in read)
        notes.append(f"Examples of other characters leave {names} at rest, since their meshes differ.")
    tables = [np.concatenate(example_pieces, axis=1) for example_pieces in pieces]
    return MeshReading(tuple(read), _of_used(specs, tables, read), tuple(dict.fromkeys(notes)))


def _may_play(block: ID, specs: Sequence[ExampleSpec]) -> bool:
    """Return whether a data-block is animated, or an example's action has a slot for its type."""
    if getattr(block, "animation_data", None) is not None:
        return True
    actions = [spec.action for spec in specs if spec.action is not None and has_slots(spec.action)]
    return block.id_type != "OBJECT" and any(
        slot.target_id_type == block.id_type for action in actions for slot in slots_of_kind(action, block.id_type)
    )


def _frames(armature: Object, spec: ExampleSpec, scene: Scene) -> Float64:
    curves = collect_curves(spec.armature or armature, spec.action, spec.slot) if spec.action else SlotCurves()
    return frames_of(spec, curves, scene)


def _keeps_time(mesh: MeshBlock) -> bool:
    playing = played(mesh.block)
    return playing is not None and any(not is_muted(curve) for curve in fcurves_of(*playing))


def _goes_with_none(mesh: MeshBlock) -> str:
    playing = played(mesh.block)
    assert playing is not None
    return (
        f'Action "{playing[0].name}" of "{mesh.block.name}" belongs to none of the examples and keeps its own timing.'
    )


def _not_in_library(mesh: MeshBlock) -> str:
    playing = played(mesh.block)
    assert playing is not None
    return (
        f'Libraries contain only the motion of bones: "{mesh.block.name}" keeps the timing of its action '
        f'"{playing[0].name}".'
    )


def _moves(mesh: MeshBlock, takes: Sequence[Sequence[ChannelTake]]) -> bool:
    """Return whether an object's location, rotation or scale is keyed in any of its takes."""
    if mesh.block.id_type != "OBJECT":
        return False
    paths = {
        curve.data_path
        for example_takes in takes
        for take in example_takes
        for curve in fcurves_of(take.action, take.slot)
    }
    return any(path.removeprefix("delta_") in TRANSFORMS for path in paths)


def _channels(block: ID, takes: Sequence[Sequence[ChannelTake]]) -> tuple[ScalarChannel, ...]:
    """Return the channels keyed in any take, in the order of their first appearance, without those of drivers."""
    data = getattr(block, "animation_data", None)
    driven = {curve.data_path for curve in data.drivers} if data is not None else set()
    channels: dict[ScalarChannel, None] = {}
    for take in (take for example_takes in takes for take in example_takes):
        for channel in _curves_of(block, take):
            if channel.data_path not in driven:
                channels[channel] = None
    return tuple(channels)


def _curves_of(block: ID, take: ChannelTake) -> dict[ScalarChannel, FCurve]:
    curves = {}
    for curve in fcurves_of(take.action, take.slot):
        channel = None
        if not is_muted(curve) and not curve.is_empty:
            channel = scalar_channel(block, curve.data_path, curve.array_index)
        if channel is not None:
            curves[channel] = curve
    return curves


def _table(block: ID, channels: Sequence[ScalarChannel], takes: Sequence[ChannelTake], frames: int) -> Float32:
    """Return the values `(F, C)` of one example; shape keys without keys are at the basis."""
    at_rest = [0.0 if _is_shape(block, channel) else scalar_value(block, channel) for channel in channels]
    values = np.repeat(np.array(at_rest, np.float32)[None], frames, axis=0)
    for take in takes:
        # Strips that play backward have descending frames, which a sampler does not take.
        order = np.argsort(take.frames, kind="stable")
        sampler, curves = CurveSampler(take.frames[order]), _curves_of(block, take)
        for column, channel in enumerate(channels):
            curve = curves.get(channel)
            if curve is not None:
                sampled = np.trunc(sampler.evaluate(curve)) if channel.is_stepped else sampler.sample(curve)
                values[take.rows[order], column] = sampled
    return np.where(np.isfinite(values), values, 0.0).astype(np.float32)


def _is_shape(block: ID, channel: ScalarChannel) -> bool:
    return block.id_type == "KEY" and channel.data_path.endswith(SHAPE_KEY)


def _of_used(
    specs: Sequence[ExampleSpec], tables: Sequence[Float32], blocks: Sequence[BlockChannels]
) -> tuple[Float32, ...]:
    """Return the tables of `used_examples`; in a mirror image, the channels of both sides are exchanged."""
    names = [
        f"{block.address.kind} {block.address.name}\n{channel.name}" for block in blocks for channel in block.channels
    ]
    other = partners_by_name(names, lambda name: "\n".join((name.split("\n")[0], other_side(name.split("\n")[1]))))
    return tuple(
        tables[example.number][:, other] if example.is_mirrored else tables[example.number]
        for example in used_examples(specs)
    )


def bone_of(mesh: MeshBlock) -> str:
    """Return the bone that carries most of the vertices moved by shape keys, or of the mesh; "" if none does."""
    owner = mesh.owner
    if owner.parent is not None and owner.parent_type == "BONE":
        return str(owner.parent_bone)
    if owner.type != "MESH" or not len(owner.vertex_groups):
        return ""
    data: Any = owner.data
    chosen = _moved_vertices(owner)
    weights: dict[int, float] = {}
    for index in chosen[:: max(len(chosen) // MOST_VERTICES, 1)].tolist():
        for group in data.vertices[index].groups:
            weights[group.group] = weights.get(group.group, 0.0) + group.weight
    bones = _bones_of(owner)
    named = {owner.vertex_groups[group].name: weight for group, weight in weights.items()}
    heaviest = max((name for name in named if name in bones), key=lambda name: named[name], default="")
    return heaviest


def _moved_vertices(owner: Object) -> np.ndarray[Any, Any]:
    """Return the vertices that any shape key moves; all vertices if none does."""
    data: Any = owner.data
    every = np.arange(len(data.vertices))
    if data.shape_keys is None:
        return every
    rows = [_places(block) for block in data.shape_keys.key_blocks]
    moved = np.zeros(len(every), bool)
    for row in rows[1:]:
        moved |= np.abs(row - rows[0]).max(axis=1) > 0
    return np.flatnonzero(moved) if moved.any() else every


def _places(block: Any) -> np.ndarray[Any, Any]:
    values = np.empty(3 * len(block.data), np.float32)
    block.data.foreach_get("co", values)
    return values.reshape(-1, 3)


def _bones_of(owner: Object) -> set[str]:
    modifiers: Any = owner.modifiers
    rigs = [modifier.object for modifier in modifiers if modifier.type == "ARMATURE" and modifier.object]
    return {bone.name for rig in rigs for bone in rig.data.bones}
