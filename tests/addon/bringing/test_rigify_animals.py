# SPDX-License-Identifier: GPL-3.0-or-later
"""Rigify's animals: the controls that turn limbs, head and tail are found and posed, though many lie beside them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import addon_utils
import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import select

from genmm_addon.animation.rig import read_skeleton
from genmm_addon.core.transfer import match_joints

pytestmark = pytest.mark.usefixtures("extension")


@contextmanager
def animals_of(kind: str) -> Iterator[tuple[Object, Object]]:
    """Yield one of Rigify's plain skeletons, and the rig made from it."""
    if addon_utils.enable("rigify", default_set=True) is None:
        pytest.skip("Rigify is not part of this Blender.")
    try:
        getattr(bpy.ops.object, f"armature_{kind}_metarig_add")()
        plain = bpy.context.object
        bpy.ops.pose.rigify_generate()
        yield plain, bpy.context.object
    finally:
        addon_utils.disable("rigify", default_set=True)


@pytest.mark.parametrize("animal", ["basic_quadruped", "wolf", "cat", "horse"])
def test_limbs_head_and_hips_of_a_plain_skeleton_find_the_controls_of_the_rig_made_from_it(animal: str) -> None:
    with animals_of(animal) as made:
        plain, controls = map(read_skeleton, made)
    names = [f"joint {number}" for number in range(len(plain.names))]
    found = match_joints(replace(plain, names=tuple(names)), controls)
    pairs = {plain.names[names.index(name)]: control for name, control in found.names.items()}
    assert found.fits
    sided = [name for name in plain.names if name.endswith((".L", ".R"))]
    forward = {name: f"{name[:-2]}_fk{name[-2:]}" for name in sided}
    limbs = {name: control for name, control in forward.items() if control in controls.names}
    assert len(limbs) >= 10
    assert {name: pairs.get(name) for name in limbs} == limbs
    assert "torso" in pairs.values() and "head" in pairs.values()
    assert not [control for control in pairs.values() if "ik" in control or "tweak" in control or "MCH" in control]


def test_bones_of_a_tail_that_turn_with_each_other_go_where_the_motion_has_them() -> None:
    with animals_of("wolf") as (plain, rig):
        bones = ("spine.003", "spine.002", "spine.001", "spine")
        for number, bone in enumerate(bones):
            for frame in (1, 10):
                plain.pose.bones[bone].rotation_mode = "XYZ"
                plain.pose.bones[bone].rotation_euler = (0.2 * number * frame / 10.0, 0.0, 0.1 * frame)
                plain.pose.bones[bone].keyframe_insert("rotation_euler", frame=frame)
        select(rig)
        bpy.ops.genmm.bring_action(origin="ARMATURE", armature=plain.name, action=plain.animation_data.action.name)
        bpy.context.scene.frame_set(8)
        for bone in bones[1:]:
            there, here = (np.array(one.pose.bones[bone].matrix)[:3, 1] for one in (plain, rig))
            assert here == pytest.approx(there, abs=0.1)


def test_feet_of_paws_with_a_kinematic_chain_of_their_own_follow_the_motion() -> None:
    """A rig of Rigify begins with limbs on inverse kinematics; the heel of a hind leg hangs on a second one there."""
    with animals_of("cat") as (plain, rig):
        for frame, angle in ((1, -0.3), (10, 0.3)):
            for side, sign in (("L", 1.0), ("R", -1.0)):
                thigh = plain.pose.bones[f"thigh.{side}"]
                thigh.rotation_mode = "XYZ"
                thigh.rotation_euler = (sign * angle, 0.0, 0.0)
                thigh.keyframe_insert("rotation_euler", frame=frame)
        select(rig)
        bpy.ops.genmm.bring_action(origin="ARMATURE", armature=plain.name, action=plain.animation_data.action.name)
        places = []
        for frame in (1, 10):
            bpy.context.scene.frame_set(frame)
            places.append(
                [
                    [one.pose.bones[bone].head[1] for side in "LR" for bone in (f"{prefix}foot.{side}",)]
                    for one, prefix in ((plain, ""), (rig, "ORG-"))
                ]
            )
        (there, here) = np.diff(places, axis=0)[0]
        assert np.abs(there).min() > 0.02
        assert here == pytest.approx(there, abs=0.4 * np.abs(there).max())
