# SPDX-License-Identifier: GPL-3.0-or-later
"""Evaluated poses of a character, computed in a temporary scene so that the user's scene is unchanged."""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Object, Scene
from mathutils import Matrix

from ...core import Float32, Float64
from .. import actions
from ..curves import current_scalar, resolved

LAST_FRAME = 1_048_574
"""Blender's last frame; its first is the negative of it."""
ROUNDING = 1e-5
"""Largest change of an evaluated channel that counts as rounding; for locations of bones, in sizes of the skeleton."""
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
            with _bones_without_bulges(armature):
                armature.data.pose_position = "POSE"
                yield temporary
        finally:
            armature.data.pose_position = pose_position


@contextmanager
def at_frame(armature: Object, scene: Scene, frame: float) -> Iterator[None]:
    """For the block, give the character the place and property values that it has at `frame`, whatever the playhead."""
    paths, frame = actions.animated_paths(armature), float(np.clip(frame, -LAST_FRAME, LAST_FRAME))
    with stage(armature, scene) as temporary:
        # Setting a mode converts the values that were just evaluated, so that the second evaluation is what keys say.
        evaluated_at(armature, temporary, frame)
        state_at_frame = _state(evaluated_at(armature, temporary, frame), paths)
    here = _state(armature, paths)
    if state_at_frame == here:
        yield
        return
    there, back = _assignments(armature, *state_at_frame), _assignments(armature, *here)
    try:
        for owner, name, value in there:
            setattr(owner, name, value)
        yield
    finally:
        # All is found before: nothing that may fail is left to do.
        for owner, name, value in back:
            setattr(owner, name, value)


def _parted(path: str) -> tuple[str, str]:
    """Return the beginning of a path and its property's name, which has brackets where it is a custom property."""
    start = path.rfind('["') if path.endswith("]") else path.rfind(".") + 1
    return path[:start], path[start:]


def _state(armature: Object, paths: Iterable[str]) -> tuple[Matrix, dict[str, Any]]:
    """Return the character's place in the world, and the values at those paths that lead to numbers or choices."""
    values: dict[str, Any] = {}
    for path in paths:
        value = resolved(armature, path)
        if isinstance(value, str) and current_scalar(armature, path, value) is None:
            continue
        if isinstance(value, bool | int | float | str):
            values[path] = value
        elif hasattr(value, "__len__") and not isinstance(value, set):
            values[path] = tuple(value)
    return armature.matrix_world.copy(), values


def _assignments(armature: Object, world: Matrix, values: Mapping[str, Any]) -> list[tuple[Any, str, Any]]:
    """Return the owners, the names and the values of the properties that give the character a state."""
    # The place also sets the object's own transform, which is among the values.
    found: list[tuple[Any, str, Any]] = [(armature, "matrix_world", world)]
    for path, value in values.items():
        start, name = _parted(path)
        owner = resolved(armature, start.removesuffix(".")) if start else armature
        if not owner.is_property_readonly(name):
            found.append((owner, name, value))
    return found


@contextmanager
def shown_alone(objects: Collection[Object], scene: Scene) -> Iterator[Scene]:
    """Yield a temporary scene at `scene`'s rate that contains only the given objects, all of them visible."""
    hidden = {thing: thing.hide_viewport for thing in objects}
    temporary = bpy.data.scenes.new("GenMM")
    try:
        temporary.render.fps, temporary.render.fps_base = scene.render.fps, scene.render.fps_base
        for thing in hidden:
            temporary.collection.objects.link(thing)
            thing.hide_viewport = False
        yield temporary
    finally:
        for thing, is_hidden in hidden.items():
            thing.hide_viewport = is_hidden
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


def evaluated_poses(armature: Object, temporary: Scene, frames: Float64) -> Float32:
    """Return matrices `(T, B, 4, 4)` of the bones in armature space, in the order of `armature.pose.bones`."""
    return evaluated_motion(armature, temporary, frames)[0]


def evaluated_motion(
    armature: Object,
    temporary: Scene,
    frames: Float64,
    look: Callable[[Object], None] | None = None,
) -> tuple[Float32, Float64]:
    """Return the poses as `evaluated_poses` does, and the object's world matrices `(T, 4, 4)`.

    look: called with the evaluated character at each frame.
    """
    count = len(armature.pose.bones)
    buffer = np.empty(count * 16, np.float32)
    poses = np.empty((len(frames), count, 4, 4), np.float32)
    worlds = np.empty((len(frames), 4, 4))
    for number, frame in enumerate(frames.tolist()):
        evaluated = evaluated_at(armature, temporary, frame)
        evaluated.pose.bones.foreach_get("matrix", buffer)
        poses[number] = buffer.reshape(count, 4, 4).transpose(0, 2, 1)
        worlds[number] = np.array(evaluated.matrix_world)
        if look is not None:
            look(evaluated)
    return poses, worlds


def evaluated_at(armature: Object, temporary: Scene, frame: float) -> Object:
    """Return the character as Blender evaluates it at a frame."""
    whole_frame = math.floor(frame)
    temporary.frame_set(whole_frame, subframe=frame - whole_frame)
    return armature.evaluated_get(temporary.view_layers[0].depsgraph)


@contextmanager
def _bones_without_bulges(armature: Object) -> Iterator[None]:
    """During the block, do without B-Bones' segments, which take a third of the time, if no bone's pose needs them.

    Drivers of B-Bone settings read this character meanwhile, not others with the same armature data. Otherwise Blender
    evaluates those characters at each frame too; for a result of Rigify's human, this is the whole original human.
    """
    data = armature.data
    if data.library is not None or data.override_library is not None or _bulges_pose(armature):
        yield
        return
    others, bones = _targets_of_others(armature), data.bones
    before = [target.id for target in others]
    segments = np.empty(len(bones), np.int32)
    bones.foreach_get("bbone_segments", segments)
    try:
        bones.foreach_set("bbone_segments", np.ones_like(segments))
        for target in others:
            target.id = armature
        yield
    finally:
        bones.foreach_set("bbone_segments", segments)
        for target, was in zip(others, before, strict=True):
            target.id = was


def _targets_of_others(armature: Object) -> list[Any]:
    """Return the targets of drivers of B-Bone settings that are other characters with the same data."""
    data = armature.data
    if data.animation_data is None:
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
    bulging = {bone.name for bone in armature.data.bones if bone.bbone_segments > 1}
    return any(
        getattr(constraint, "use_bbone_shape", False)
        or any(target.subtarget in bulging for target in getattr(constraint, "targets", ()))
        for bone in armature.pose.bones
        for constraint in bone.constraints
    )
