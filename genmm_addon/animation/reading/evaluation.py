# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluated poses of a character, computed in a temporary scene so that the user's scene is unchanged."""

import math
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Object, Scene
from numpy.typing import NDArray

from .. import actions

BULGE = ".bbone_"
"""Part of the data paths of bones' B-Bone settings, which do not affect the bones' poses."""


@contextmanager
def stage(armature: Object, scene: Scene) -> Iterator[Scene]:
    """Yield a temporary scene with the character alone, at `scene`'s rate; everything is restored at the end.

    The character is visible and posed meanwhile, whatever its own settings are.
    """
    pose_position = armature.data.pose_position
    with shown_alone([armature], scene) as temporary:
        try:
            armature.data.pose_position = "POSE"
            with _reading_own_properties(armature):
                yield temporary
        finally:
            armature.data.pose_position = pose_position


@contextmanager
def shown_alone(objects: Collection[Object], scene: Scene) -> Iterator[Scene]:
    """Yield a temporary scene at `scene`'s rate that contains only the given objects, all of them visible."""
    hidden = {one: one.hide_viewport for one in objects}
    temporary = bpy.data.scenes.new("GenMM")
    try:
        temporary.render.fps, temporary.render.fps_base = scene.render.fps, scene.render.fps_base
        for one in hidden:
            temporary.collection.objects.link(one)
            one.hide_viewport = False
        yield temporary
    finally:
        for one, is_hidden in hidden.items():
            one.hide_viewport = is_hidden
        bpy.data.scenes.remove(temporary)


@contextmanager
def playing(armature: Object, action: Action | None, slot: str = "") -> Iterator[None]:
    """Make the character play `action` during the block, then its own again; None does not change its action."""
    if action is None:
        yield
        return
    had_data = armature.animation_data is not None
    before = actions.assigned(armature)
    actions.assign(armature, action, slot)
    try:
        yield
    finally:
        if not had_data:
            armature.animation_data_clear()
        else:
            actions.restore(armature, before)


def evaluated_poses(armature: Object, temporary: Scene, frames: NDArray[np.float64]) -> NDArray[np.float32]:
    """Return matrices `(T, B, 4, 4)` of the bones in armature space, in the order of `armature.pose.bones`."""
    return evaluated_motion(armature, temporary, frames)[0]


def evaluated_motion(
    armature: Object,
    temporary: Scene,
    frames: NDArray[np.float64],
    look: Callable[[Object], None] | None = None,
) -> tuple[NDArray[np.float32], NDArray[np.float64]]:
    """Return the poses as `evaluated_poses` does, and the object's world matrices `(T, 4, 4)`.

    look: called with the evaluated character at each frame.
    """
    count = len(armature.pose.bones)
    buffer = np.empty(count * 16, np.float32)
    poses = np.empty((len(frames), count, 4, 4), np.float32)
    worlds = np.empty((len(frames), 4, 4))
    for number, frame in enumerate(frames.tolist()):
        whole = math.floor(frame)
        temporary.frame_set(whole, subframe=frame - whole)
        evaluated = armature.evaluated_get(temporary.view_layers[0].depsgraph)
        evaluated.pose.bones.foreach_get("matrix", buffer)
        poses[number] = buffer.reshape(count, 4, 4).transpose(0, 2, 1)
        worlds[number] = np.array(evaluated.matrix_world)
        if look is not None:
            look(evaluated)
    return poses, worlds


@contextmanager
def _reading_own_properties(armature: Object) -> Iterator[None]:
    """During the block, make drivers of B-Bone settings read this character, not others with the same armature data.

    Otherwise Blender evaluates those characters at each frame too; for a result of Rigify's human, this is the whole
    original human.
    """
    others = [] if _bulges_pose(armature) else _targets_of_others(armature)
    before = [target.id for target in others]
    try:
        for target in others:
            target.id = armature
        yield
    finally:
        for target, was in zip(others, before, strict=True):
            target.id = was


def _targets_of_others(armature: Object) -> list[Any]:
    """Return the targets of these drivers that are other characters with the same data; none if the data is linked."""
    data = armature.data
    if data.library is not None or data.override_library is not None or data.animation_data is None:
        return []
    return [
        target
        for curve in data.animation_data.drivers
        if BULGE in curve.data_path
        for variable in curve.driver.variables
        for target in variable.targets
        if isinstance(target.id, Object) and target.id != armature and target.id.data == data
    ]


def _bulges_pose(armature: Object) -> bool:
    """Return whether a constraint makes a bone follow the B-Bone curve of another one."""
    return any(getattr(one, "use_bbone_shape", False) for bone in armature.pose.bones for one in bone.constraints)
