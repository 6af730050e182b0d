# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels of a BVH file brought into the form that Blender reads: no scales, and three rotations or none."""

from dataclasses import replace

import numpy as np

from ...arrays import Float64
from ..skeleton import SAME_PLACE, UNIT
from .hierarchy import POSITIONS, ROTATIONS, SCALES, Hierarchy, Node


def usual_channels(file: str, hierarchy: Hierarchy, values: Float64) -> tuple[Hierarchy, Float64, tuple[str, ...]]:
    """Return the joints and values `(T, C)` with channels as Blender reads them, and notes on what was changed.

    Scales are left out, rotations without a channel are zero, and positions without one are the offset's. Positions
    that are zero throughout, on joints below a root that have an offset, are left out as well: such files mean the
    offsets. Returns the same objects if nothing is to be changed.
    """
    nodes: list[Node] = []
    parts: list[Float64] = []
    unplaced, scaled = [], []
    start = 0
    for node in hierarchy.nodes:
        channels = dict(zip((name.lower() for name in node.channels), values.T[start:], strict=False))
        start += len(channels)
        if any(np.abs(channels[name] - 1.0).max() > UNIT for name in SCALES if name in channels):
            scaled.append(node.name)
        kept = {name: column for name, column in channels.items() if name not in SCALES}
        if node.parent >= 0 and _is_unplaced(node, kept):
            unplaced.append(node.name)
            kept = {name: column for name, column in kept.items() if name not in POSITIONS}
        kept |= _missing(node, kept, len(values))
        nodes.append(node if kept.keys() == channels.keys() else replace(node, channels=tuple(kept)))
        parts += kept.values()
    if all(node is other for node, other in zip(nodes, hierarchy.nodes, strict=True)):
        return hierarchy, values, ()
    notes = []
    if scaled:
        notes.append(f'"{file}" scales {_listed(scaled)}; scales are left out, and bones keep their length.')
    if unplaced:
        notes.append(f'"{file}" has no positions but zero for {_listed(unplaced)}; the offsets are used instead.')
    return Hierarchy(tuple(nodes)), np.stack(parts, axis=1), tuple(notes)


def _is_unplaced(node: Node, channels: dict[str, Float64]) -> bool:
    placed = [channels[name] for name in POSITIONS if name in channels]
    length = float(np.linalg.norm(node.offset_values))
    return bool(placed and length > 0 and max(np.abs(column).max() for column in placed) <= SAME_PLACE * length)


def _missing(node: Node, channels: dict[str, Float64], frames: int) -> dict[str, Float64]:
    """Return the channels that make a joint's positions and rotations three each, if there are any."""
    added: dict[str, Float64] = {}
    for names, defaults in ((POSITIONS, node.offset_values), (ROTATIONS, (0.0, 0.0, 0.0))):
        if any(name in channels for name in names):
            added |= {name: np.full(frames, defaults[axis]) for axis, name in enumerate(names) if name not in channels}
    return added


def _listed(names: list[str]) -> str:
    return f'"{names[0]}"' + (f" and {len(names) - 1} more joints" if len(names) > 1 else "")
