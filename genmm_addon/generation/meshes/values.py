# SPDX-License-Identifier: GPL-3.0-or-later
"""Values of the meshes in a result, taken from the example frames that it shows."""

from collections.abc import Sequence

import numpy as np

from ...animation.mesh_channels.reading import BlockChannels, MeshReading
from ...core import Float32, Float64, Part, Synthesis
from ...core.synthesis import CROSSFADE_SECONDS, SourceRows, values_beside


def mesh_values(
    meshes: MeshReading, synthesis: Synthesis, parts: Sequence[Part] | None, steps: Float64
) -> list[Float32]:
    """Return the values `(T, C)` of each block.

    parts: the parts of the synthesis. steps: `(E,)` frames of each example per frame of the result.
    """
    rates = np.ones(synthesis.source_frames.shape) if synthesis.source_rates is None else synthesis.source_rates
    loops = synthesis.loop is not None and synthesis.loop.closes
    names, frames_per_second = synthesis.motion.skeleton.names, synthesis.motion.frames_per_second
    values = []
    for block, columns in zip(meshes.blocks, meshes.columns(), strict=True):
        part = part_of(block, names, synthesis.root, parts)
        examples = synthesis.source_examples[:, part]
        shown = SourceRows(examples, synthesis.source_frames[:, part], rates[:, part] * steps[examples])
        tables = [table[:, columns] for table in meshes.tables]
        values.append(block_values(block, tables, shown, frames_per_second, loops=loops))
    return values


def block_values(
    block: BlockChannels,
    tables: Sequence[Float32],
    shown: SourceRows,
    frames_per_second: float,
    *,
    loops: bool = False,
) -> Float32:
    """Return the values `(T, C)` of one block; booleans and enumerations are stepped where the source changes."""
    values = values_beside(tables, shown, round(CROSSFADE_SECONDS * frames_per_second), loops=loops)
    stepped = [channel.is_stepped for channel in block.channels]
    if any(stepped):
        nearest = SourceRows(shown.examples, np.floor(shown.frames + 0.5), shown.steps)
        values[:, stepped] = values_beside(tables, nearest, 0)[:, stepped]
    return values


def part_of(block: BlockChannels, names: Sequence[str], root: str, parts: Sequence[Part] | None) -> int:
    """Return the number of the part that a block belongs to: its bone's part, or else the root's."""
    if parts is None:
        return 0
    for name in (block.bone, root):
        joint = names.index(name) if name in names else -1
        part_number = next((number for number, part in enumerate(parts) if joint in part.joints), None)
        if part_number is not None:
            return part_number
        if joint >= 0:
            # The remainder comes last.
            return len(parts)
    return 0
