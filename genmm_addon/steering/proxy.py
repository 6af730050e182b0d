# SPDX-License-Identifier: GPL-3.0-or-later
"""A proxy of a character's bones without animation, since an action would overwrite their poses at each update."""

import bpy
import numpy as np
from bpy.types import Object, Scene

from ..animation.detached_ends import on_bones
from ..animation.rig import OBJECT_JOINT, location_axes
from ..core import Motion, rotations
from ..core.motion import on_skeleton

PROPERTY = "genmm_proxy"
"""Property that marks proxy objects."""


def make_proxy(character: Object, scene: Scene) -> Object:
    """Return a copy of a rig in the scene without animation, constraints or drivers."""
    copy = character.copy()
    if copy.override_library is not None:
        copy = copy.make_local(clear_liboverride=True)
    copy.name = f"{character.name} Live"
    copy[PROPERTY] = True
    scene.collection.objects.link(copy)
    # Without an update the copy may have no pose, and clearing its animation would crash Blender.
    bpy.context.view_layer.update()
    copy.animation_data_clear()
    for owner in (copy, *copy.pose.bones):
        while owner.constraints:
            owner.constraints.remove(owner.constraints[0])
    for bone in copy.pose.bones:
        bone.rotation_mode = "QUATERNION"
    copy.rotation_mode = "QUATERNION"
    copy.show_in_front = True
    copy.hide_select = True
    return copy


def pose_proxy(proxy: Object, frame: Motion) -> None:
    """Pose the proxy as in a motion of one frame on its bones."""
    bones, frame = proxy.pose.bones, on_bones(frame, proxy)
    joints = [proxy if name == OBJECT_JOINT else bones[name] for name in frame.skeleton.names]
    for joint, rotation in zip(joints, frame.rotations[0].tolist(), strict=True):
        joint.rotation_quaternion = rotation
    axes = location_axes(proxy, frame.skeleton.names)
    for number, location in zip(frame.translated.tolist(), frame.translations[0].astype(np.float64), strict=True):
        turned = axes.get(frame.skeleton.names[number])
        joints[number].location = location if turned is None else rotations.rotate(turned, location)
    for number, scale in zip(frame.scaled.tolist(), frame.scales[0].tolist(), strict=True):
        joints[number].scale = scale


def remove_proxies() -> int:
    """Remove all proxies in the file, such as one saved while it played; return their number."""
    proxies = [thing for thing in bpy.data.objects if thing.get(PROPERTY)]
    for proxy in proxies:
        bpy.data.objects.remove(proxy)
    return len(proxies)


def read_pose(character: Object, like: Motion) -> Motion:
    """Return the character's present pose, as one frame with the joints and channels of a motion."""
    skeleton, like = like.skeleton, on_bones(like.slice(0, 1), character)
    names = like.skeleton.names
    matrices = [
        character.matrix_basis if name == OBJECT_JOINT else character.pose.bones[name].matrix_basis for name in names
    ]
    parts = [matrix.decompose() for matrix in matrices]
    places = np.array([[*parts[joint][0]] for joint in like.translated], np.float64).reshape(len(like.translated), 3)
    for name, axes in location_axes(character, names).items():
        column = like.translated == names.index(name)
        places[column] = rotations.rotate(rotations.inverse(axes), places[column])
    posed = like.with_channels(
        {
            **like.channels(),
            "rotations": np.array([[(turn.w, turn.x, turn.y, turn.z) for _, turn, _ in parts]], np.float32),
            "translations": places[None].astype(np.float32),
        }
    )
    return on_skeleton(posed, skeleton)
