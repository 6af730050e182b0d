# SPDX-License-Identifier: GPL-3.0-or-later
"""A walk of another character on Rigify's human, transferred by bone names: its controls walk on the ground."""

import bpy
import numpy as np
from bpy.types import Object
from other_rigs import walking_rigify
from rigify_human import generated_human

from genmm_addon.animation.fitting import animated_bones
from genmm_addon.character.sample.sample_character import add_sample_character


def heads(rig: Object, bone: str, frames: range) -> np.ndarray:
    """Return the world positions of a bone's head, `(T, 3)`."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append(posed.matrix_world @ posed.pose.bones[bone].head)
    return np.array(found)


def test_a_walk_of_another_character_moves_the_controls_and_stands_on_the_ground() -> None:
    bpy.context.scene.render.fps = 30
    with generated_human() as unused:
        bpy.data.objects.remove(unused)
        rig = walking_rigify(add_sample_character(bpy.context).armature, frames=60)
        moved = animated_bones(rig.animation_data.action)
        assert {"torso", "thigh_fk.L", "foot_fk.R", "upper_arm_fk.L"} <= moved
        assert not [name for name in moved if name.startswith(("DEF-", "ORG-", "MCH-"))]
        frames = range(1, 61, 4)
        hips, toes, hand = (heads(rig, bone, frames) for bone in ("DEF-spine", "DEF-toe.L", "DEF-hand.L"))
        assert np.linalg.norm(hips[-1] - hips[0]) > 1.0
        assert np.ptp((hand - hips)[:, 1]) > 0.1
        stands = rig.data.bones["DEF-toe.L"].head_local.z
        assert abs(toes[:, 2].min() - stands) < 0.02
