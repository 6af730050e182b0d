# SPDX-License-Identifier: GPL-3.0-or-later
"""A walk of another character on Rigify's human, transferred by bone names: its controls walk on the ground.

Its legs, each of which has copies, have one foot each.
"""

import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import select
from other_rigs import walking_rigify
from rigify_human import generated_human
from walking_human import follow, walking_human

from genmm_addon.animation import actions
from genmm_addon.animation.fitting import animated_bones
from genmm_addon.animation.reading.examples import ExampleSpec, read_examples
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.core import Motion, prepare, synthesize
from genmm_addon.core.feet import find_feet


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


@pytest.mark.parametrize("switch", ["forward", "inverse"])
def test_each_leg_of_the_rig_has_one_foot_whose_copies_stay_together_in_results(switch: str) -> None:
    """The rig has a leg for the skin, and others for its controls."""
    with walking_human() as rig:
        if switch != "forward":
            follow(rig, switch)
        motion = read_playing(rig)
        prepared = prepare([motion])
        assert [len(foot.copies) for foot in prepared.feet] == [2, 2]
        made = synthesize(prepared, 150, seed=1).motion
    places, names = made.pose()[1], motion.skeleton.names
    skin, others = ([names.index(f"{prefix}-foot.{side}") for side in "LR"] for prefix in ("DEF", "ORG"))
    assert np.linalg.norm(places[:, skin] - places[:, others], axis=2).max() < 0.01 * motion.skeleton.size


@pytest.mark.parametrize("switch", ["forward", "inverse", "mixed"])
def test_keys_of_controls_tell_the_feet_so_that_a_locomotion_set_is_made(switch: str) -> None:
    with walking_human() as rig:
        if switch != "forward":
            follow(rig, switch)
        assert_feet_are_found(rig, "MCH-toe_fk" if switch == "forward" else "MCH-toe_ik_parent")
        assert bpy.ops.genmm.locomotion_set() == {"FINISHED"}
        loop = next(action for action in bpy.data.actions if action.name.startswith("rig forward_"))
        first, last = (round(frame) for frame in loop.frame_range)
        actions.assign(rig, loop)
        toes = heads(rig, "DEF-toe.L", range(first, last + 1))
        assert last - first > 20 and abs(toes[:, 2].min() - rig.data.bones["DEF-toe.L"].head_local.z) < 0.02


@pytest.mark.parametrize("kept", [False, True], ids=["without other keys", "with stale keys"])
def test_feet_of_inverse_kinematics_are_its_controls_whatever_forward_kinematics_does(kept: bool) -> None:
    with walking_human() as rig:
        follow(rig, "inverse")
        for curve in actions.fcurves_of(rig.animation_data.action):
            if any(f'"{name}_fk.' in curve.data_path for name in ("thigh", "shin", "foot", "toe")):
                for point in curve.keyframe_points:
                    point.co[0] += 7.0
                curve.mute = not kept
                curve.update()
        assert_feet_are_found(rig, "MCH-toe_ik_parent")
        assert [len(foot.copies) for foot in find_feet([read_playing(rig)])] == [1, 1]


def assert_feet_are_found(rig: Object, bone: str) -> None:
    """Assert that the button finds this bone of both sides."""
    select(rig)
    assert bpy.ops.genmm.find_feet() == {"FINISHED"}
    assert sorted(row.name for row in rig.genmm.found_feet) == [f"{bone}.L", f"{bone}.R"]


def read_playing(rig: Object) -> Motion:
    """Return the evaluated poses of the action that a rig plays."""
    assigned = actions.assigned(rig)
    assert assigned is not None
    return read_examples(rig, [ExampleSpec(*assigned)], scene=bpy.context.scene, visual=True).motions[0]
