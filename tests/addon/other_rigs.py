# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample character in Mixamo's form, and its walk on Rigify's human."""

import math

import bpy
from bpy.types import Action, Object
from mathutils import Matrix

from genmm_addon.animation import actions

MIXAMO_NAMES = {
    "UpperArm": "Arm",
    "Forearm": "ForeArm",
    "Thigh": "UpLeg",
    "Shin": "Leg",
    "Toes": "ToeBase",
    "Clavicle": "Shoulder",
    "Chest": "Spine2",
}
"""Mixamo's names of joints whose names differ in the sample."""
MIXAMO_UNITS = 100.0
"""Mixamo's characters are in centimeters, which the object's scale turns into meters."""


def mixamo_name(bone: str) -> str:
    """Return the name of a bone in Mixamo's characters.

    >>> mixamo_name("Thigh.L")
    'mixamorig:LeftUpLeg'
    """
    side = {".L": "Left", ".R": "Right"}.get(bone[-2:], "")
    bare = bone[:-2] if side else bone
    return f"mixamorig:{side}{MIXAMO_NAMES.get(bare, bare)}"


def make_mixamo_like(rig: Object) -> None:
    """Change the sample character to Mixamo's form: names, centimeters, Y up, with the object rotated and scaled."""
    names = {bone.name: mixamo_name(bone.name) for bone in rig.data.bones}
    rig.data.transform(Matrix.Rotation(-math.pi / 2, 4, "X") @ Matrix.Scale(MIXAMO_UNITS, 4))
    rig.rotation_mode = "XYZ"
    rig.rotation_euler = (math.pi / 2, 0.0, 0.0)
    rig.scale = (1.0 / MIXAMO_UNITS,) * 3
    for body in rig.children:
        body.data.transform(Matrix.Rotation(-math.pi / 2, 4, "X") @ Matrix.Scale(MIXAMO_UNITS, 4))
        body.matrix_parent_inverse = Matrix()
    for bone in rig.data.bones:
        bone.name = names[bone.name]
    for action in bpy.data.actions:
        _rename(action, names)
    bpy.context.view_layer.update()


def _rename(action: Action, names: dict[str, str]) -> None:
    for curve in actions.fcurves_of(action):
        if not curve.data_path.startswith("pose.bones"):
            continue
        bone = curve.data_path.split('"')[1]
        # Blender has renamed the curves of the playing action only; those of another character stay.
        if bone in names:
            curve.data_path = curve.data_path.replace(f'"{bone}"', f'"{names[bone]}"')
        elif bone not in names.values():
            continue
        if curve.data_path.endswith("location"):
            for point in curve.keyframe_points:
                point.co[1] *= MIXAMO_UNITS
                point.handle_left[1] *= MIXAMO_UNITS
                point.handle_right[1] *= MIXAMO_UNITS
            curve.update()


def walking_rigify(sample: Object, frames: int = 150) -> Object:
    """Return a Rigify human to whose controls the extension has transferred what the sample plays.

    Rigify and the extension must be enabled; arms and legs use forward kinematics.
    """
    bpy.ops.object.armature_basic_human_metarig_add()
    metarig = bpy.context.object
    bpy.ops.pose.rigify_generate()
    rig = bpy.context.object
    bpy.data.objects.remove(metarig)
    for limb in ("upper_arm_parent.L", "upper_arm_parent.R", "thigh_parent.L", "thigh_parent.R"):
        rig.pose.bones[limb]["IK_FK"] = 1.0
    bpy.context.view_layer.update()
    for thing in bpy.context.view_layer.objects:
        thing.select_set(thing in (sample, rig))
    bpy.context.view_layer.objects.active = rig
    bpy.ops.genmm.add_other_character()
    settings = rig.genmm
    settings.frames, settings.seed, settings.new_seed, settings.output = frames, 3, False, "NEW_ACTION"
    bpy.ops.genmm.generate_motion()
    settings.output = "NEW_CHARACTER"
    settings.examples.clear()
    bpy.ops.genmm.add_example(action=rig.animation_data.action.name)
    rig.animation_data.action.name = "Walk"
    sample.select_set(False)
    return rig
