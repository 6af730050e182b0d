# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocking of a character: only every few poses of the sample's walk, with stepped keys."""

import bpy
from bpy.types import Object

from genmm_addon.animation import actions


def play_blocking(character: Object, spacing: int, name: str = "Blocking") -> None:
    """Have a character play a new action of every `spacing`-th pose of the walk, with stepped keys."""
    walk = bpy.data.actions["GenMM Walk"]
    action, slot = actions.new_action(name, character)
    factory = actions.curve_factory(action, slot)
    for curve in actions.fcurves_of(walk):
        new = factory.new(curve.data_path, curve.array_index)
        for frame in range(1, int(walk.frame_range[1]) + 1, spacing):
            new.keyframe_points.insert(frame, curve.evaluate(frame)).interpolation = "CONSTANT"
    actions.assign(character, action, slot)
