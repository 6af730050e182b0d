# SPDX-License-Identifier: GPL-3.0-or-later
"""The core's skeleton is the armature at rest."""

import math

import bpy
import numpy as np
import pytest
from rigs import ODD_NAMES, key, make_rig

from genmm_addon.animation import actions
from genmm_addon.animation.reading.examples import ExampleSpec, read_examples
from genmm_addon.animation.rig import OBJECT_JOINT, read_skeleton
from genmm_addon.core import InputError, prepare, synthesize
from genmm_addon.core.motion import find_root, forward_kinematics


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


def control_rig(rig_kind: str) -> bpy.types.Object:
    """Return a runner in place with controls of hips and feet beside the body, which follows them by constraints."""
    rig = make_rig(("deform", "spine", "head"))
    bpy.ops.object.mode_set(mode="EDIT")
    bones = rig.data.edit_bones
    for name, parent, head in (
        ("LeftFootCtrl", None, (0.1, 0.0, 0.0)),
        ("RightFootCtrl", None, (-0.1, 0.0, 0.0)),
        ("HipsCtrl", None, (0.0, 0.0, 0.9)),
        ("thigh.L", "deform", (0.1, 0.0, 0.9)),
        ("shin.L", "thigh.L", (0.1, 0.0, 0.5)),
        ("thigh.R", "deform", (-0.1, 0.0, 0.9)),
        ("shin.R", "thigh.R", (-0.1, 0.0, 0.5)),
    ):
        bone = bones.new(name)
        bone.head, bone.tail = head, (head[0], head[1] + 0.1, head[2])
        bone.parent = bones[parent] if parent else None
    if rig_kind == "parented":
        bones["deform"].parent = bones["HipsCtrl"]
    bpy.ops.object.mode_set(mode="OBJECT")
    for side, control in (("L", "LeftFootCtrl"), ("R", "RightFootCtrl")):
        leg = rig.pose.bones[f"shin.{side}"].constraints.new("IK")
        leg.target, leg.subtarget, leg.chain_count = rig, control, 2
    if rig_kind != "parented":
        follows = rig.pose.bones["deform"].constraints.new(rig_kind)  # type: ignore[arg-type]
        one = follows.targets.new() if rig_kind == "ARMATURE" else follows
        one.target, one.subtarget = rig, "HipsCtrl"
    action, slot = actions.new_action("Run", rig)
    for name, place in (("LeftFootCtrl", 0.0), ("RightFootCtrl", math.pi), ("HipsCtrl", 1.0)):
        reach = 0.03 if name == "HipsCtrl" else 0.6
        for index, shift in ((0, 0.3), (1, 0.0), (2, 1.5)):
            values = [(frame, reach * math.sin(0.35 * frame + place + shift)) for frame in range(1, 91)]
            key(action, slot, f'pose.bones["{name}"].location', index, values)
    actions.assign(rig, action, slot)
    return rig


@pytest.mark.parametrize("rig_kind", ["parented", "CHILD_OF", "COPY_TRANSFORMS", "COPY_LOCATION", "ARMATURE"])
@pytest.mark.parametrize("visual", [None, True])
def test_controls_of_a_runner_in_place_stay_as_near_to_each_other_as_in_the_example(
    rig_kind: str, visual: bool | None
) -> None:
    rig = control_rig(rig_kind)
    action, slot = actions.assigned(rig)
    reading = read_examples(rig, [ExampleSpec(action, slot)], scene=bpy.context.scene, visual=visual)
    skeleton = reading.motions[0].skeleton
    assert skeleton.names[find_root(reading.motions)] == "HipsCtrl"
    controls = [skeleton.names.index(name) for name in ("HipsCtrl", "LeftFootCtrl", "RightFootCtrl")]
    made = synthesize(prepare(reading.motions), 120, seed=1).motion
    apart, before = (apart_of(motion.pose()[1][:, controls]) for motion in (made, reading.motions[0]))
    assert apart.max() < 1.1 * before.max()


def apart_of(places: np.ndarray) -> np.ndarray:
    return np.asarray(np.linalg.norm(places[:, 1:] - places[:, :1], axis=2))


def test_bones_that_follow_each_other_in_a_circle_are_read() -> None:
    rig = make_rig(("top", "hips", "spine"))
    for name, target in (("top", "spine"), ("hips", "spine"), ("spine", "top")):
        follows = rig.pose.bones[name].constraints.new("COPY_LOCATION")
        follows.target, follows.subtarget = rig, target
    assert read_skeleton(rig).trunk[0] == 0
