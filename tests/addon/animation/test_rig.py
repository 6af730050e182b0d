# SPDX-License-Identifier: GPL-3.0-or-later
"""The core's skeleton is the armature at rest."""

import math

import bpy
import numpy as np
import pytest
from rigs import ODD_NAMES, make_rig

from genmm_addon.animation.rig import OBJECT_JOINT, read_skeleton
from genmm_addon.core import InputError
from genmm_addon.core.motion import forward_kinematics


def rest_of(armature: bpy.types.Object, names: tuple[str, ...]) -> np.ndarray:
    return np.array([armature.data.bones[name].matrix_local for name in names])


def test_bones_at_rest_are_where_blender_has_them() -> None:
    armature = make_rig()
    skeleton = read_skeleton(armature)
    identity = np.tile([1.0, 0, 0, 0], (1, len(skeleton.names), 1))
    matrices, positions = forward_kinematics(skeleton, identity)
    expected = rest_of(armature, skeleton.names)
    assert np.allclose(matrices[0], expected[:, :3, :3], atol=1e-6)
    assert np.allclose(positions[0], expected[:, :3, 3], atol=1e-5)


def test_parents_come_before_their_children_and_names_are_kept() -> None:
    skeleton = read_skeleton(make_rig())
    assert set(skeleton.names) == set(ODD_NAMES)
    assert [skeleton.names[parent] for parent in skeleton.parents[1:]] == list(skeleton.names[:-1])


def test_the_object_becomes_the_parent_of_all_roots() -> None:
    armature = make_rig()
    bpy.ops.object.mode_set(mode="EDIT")
    second = armature.data.edit_bones.new("prop")
    second.tail = (1, 0, 0)
    bpy.ops.object.mode_set(mode="OBJECT")
    skeleton = read_skeleton(armature, with_object=True)
    assert skeleton.names[0] == OBJECT_JOINT
    roots = [name for name, parent in zip(skeleton.names, skeleton.parents, strict=True) if parent == 0]
    assert roots == ["hips", "prop"]
    assert np.allclose(skeleton.rest_positions[1:], read_skeleton(armature).rest_positions)


def test_up_is_the_worlds_z_in_the_space_of_the_roots() -> None:
    armature = make_rig()
    armature.rotation_euler = (math.radians(90), 0, math.radians(30))
    armature.scale = (0.01, 0.01, 0.01)
    bpy.context.view_layer.update()
    assert np.allclose(read_skeleton(armature).up, (0, 1, 0), atol=1e-6)
    assert np.allclose(read_skeleton(armature, with_object=True).up, (0, 0, 1), atol=1e-6)


def test_up_with_the_object_is_in_its_parents_space() -> None:
    armature = make_rig()
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.rotation_euler = (math.radians(90), 0, 0)
    armature.parent = parent
    armature.rotation_euler = (0, math.radians(40), 0)
    bpy.context.view_layer.update()
    assert np.allclose(read_skeleton(armature, with_object=True).up, (0, 1, 0), atol=1e-6)


def test_an_armature_without_bones_is_refused() -> None:
    armature = bpy.data.objects.new("Empty", bpy.data.armatures.new("Empty"))
    bpy.context.scene.collection.objects.link(armature)
    with pytest.raises(InputError, match="no bones"):
        read_skeleton(armature)


def test_anything_but_an_armature_is_refused() -> None:
    with pytest.raises(InputError, match="armature"):
        read_skeleton(bpy.data.objects.new("Light", bpy.data.lights.new("Light", "POINT")))
