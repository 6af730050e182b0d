# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits that an animator makes by hand: a blocking, and a key on an arm."""

import numpy as np
from bpy.types import Action, Object

from genmm_addon.animation import actions
from genmm_addon.animation.stretches.key_tables import read_keys, write_exactly
from genmm_addon.animation.stretches.key_times import key_times

SPACING = 20
"""Frames between the poses of a blocking."""
ARMS = ("UpperArm.R", "mixamorig:RightArm", "upper_arm_fk.R")


def played(rig: Object) -> tuple[Action, str]:
    playing = actions.assigned(rig)
    assert playing is not None
    return playing


def block(rig: Object) -> set[str]:
    """Keep a pose every few frames, as an animator blocks an action."""
    action, slot = played(rig)
    times = key_times(rig, action, slot)
    poses = np.append(np.arange(times[0], times[-1] - 1, SPACING), times[-1])
    for curve in actions.fcurves_of(action, slot):
        table = read_keys(curve)
        kept = table.take(np.flatnonzero(np.isin(table.times, poses)))
        if len(kept.times):
            write_exactly(curve, kept.with_marks(slice(None), type=0))
    return {"FINISHED"}


def by_hand(rig: Object) -> set[str]:
    """Key an arm, as an animator does."""
    action, slot = played(rig)
    for curve in actions.fcurves_of(action, slot):
        if any(f'"{arm}"' in curve.data_path for arm in ARMS) and "rotation" in curve.data_path:
            value = curve.evaluate(55)
            curve.keyframe_points.insert(55, value + 0.1 * (curve.array_index == 1)).type = "KEYFRAME"
    return {"FINISHED"}
