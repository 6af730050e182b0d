# SPDX-License-Identifier: GPL-3.0-or-later
"""A regenerated stretch on the character's meshes, whose values follow the frames that it now shows."""

from collections.abc import Mapping

import numpy as np
from bpy.types import Action, FCurve

from ...animation.actions import fcurves_of
from ...animation.mesh_channels.playing import slot_of_address
from ...animation.mesh_channels.reading import BlockChannels
from ...animation.sampling import CONSTANT, LINEAR
from ...animation.stretches.key_tables import new_keys, read_keys
from ...animation.stretches.replaced_keys import NewKeys, write_stretches
from ...core import Float64
from ...core.motion import smoothstep
from ...core.synthesis import CROSSFADE_SECONDS, SourceRows
from ..meshes.playing import mesh_actions_of
from ..meshes.values import block_values, part_of
from ..sources import Sources, frames_of_part
from .played_stretch import PlayedStretch

Curves = Mapping[tuple[str, int], FCurve]


def replace_on_meshes(stretch: PlayedStretch, sources: Sources) -> None:
    """Replace the values inside a stretch by those of its new sources; all outside plays as before."""
    meshes = stretch.reading.meshes
    names, rate = stretch.motion.skeleton.names, stretch.reading.frames_per_second
    for block, columns in zip(meshes.blocks, meshes.columns(), strict=True):
        action, slot = _written(stretch.action, block)
        if action is None:
            continue
        number = part_of(block, names, names[0], stretch.reading.resolved.parts)
        examples, frames, rates = frames_of_part(sources, sources.parts[min(number, len(sources.parts) - 1)])
        steps = np.array([example.step for example in sources.examples])[examples] * rates
        tables = [table[:, columns] for table in meshes.tables]
        values = block_values(block, tables, SourceRows(examples, frames, steps), rate)
        curves = {(curve.data_path, curve.array_index): curve for curve in fcurves_of(action, slot)}
        for column, channel in enumerate(block.channels):
            curve = curves.get((channel.data_path, channel.index))
            if curve is not None:
                _replace(curve, stretch, values[:, column].astype(np.float64), stepped=channel.is_stepped)


def _written(action: Action, block: BlockChannels) -> tuple[Action | None, str]:
    """Return the action and slot in which a result stores the values of a block."""
    for candidate in (action, *mesh_actions_of(action)):
        slot = slot_of_address(candidate, block.address)
        if slot is not None:
            return candidate, slot
    return None, ""


def _replace(curve: FCurve, stretch: PlayedStretch, values: Float64, *, stepped: bool) -> None:
    """Replace a curve's keys inside the stretch, with values blended to those before and after it."""
    first, last = max(stretch.first - 2, 0), min(stretch.last, len(values) - 1)
    rows = np.arange(first, last + 1)
    times = np.array([stretch.frame_of(row + 1) for row in rows.tolist()])
    keeps = first == stretch.first - 2, last == stretch.last
    inside = values[rows]
    if not stepped:
        length = max(round(CROSSFADE_SECONDS * stretch.reading.frames_per_second), 1)
        for end, kept in zip((0, -1), keeps, strict=True):
            if kept:
                away = np.abs(rows - rows[end]) / min(length, len(rows) - 1)
                inside = inside + (curve.evaluate(times[end]) - values[rows[end]]) * (
                    1 - smoothstep(np.clip(away, 0, 1))
                )
    table = new_keys(times, inside, interpolation=CONSTANT if stepped else LINEAR)
    write_stretches(curve, read_keys(curve), [NewKeys(table, *keeps)])
