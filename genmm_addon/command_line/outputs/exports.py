# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion written as a file of each kind that Blender exports."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Object, Scene

from ...animation.reading.evaluation import evaluated_poses, stage
from ...animation.reading.local_poses import first_misplaced
from ...animation.rig import read_bones
from ...animation.scene_time import first_frame
from ...animation.stretches.linked import is_linked
from ...character.belongings import objects_of_character
from ...character.tags import Output
from ...core import Float64, InputError, Synthesis
from ...files.bvh_writing import write_bvh
from ...files.import_file import Z_UP, Axes
from ...generation.generate import SceneReading, write_for_now
from ...generation.measures import Measures
from ...generation.request import Request
from ...generation.results import Result, select_alone
from .whole_files import whole_file

NAMING = (".fbx", ".glb")
"""Formats that store the name of a motion."""


@dataclass(frozen=True, eq=False)
class Scored:
    """A request, the data read for it, and the syntheses of some of its seeds.

    axes: `(3, 3)`, rotates the axes of the world to those of a file whose format does not fix them. measures: of each
    synthesis; empty if they were not computed. may_replace: whether an existing file may be overwritten. name: of the
    input, for the clip in a file.
    """

    request: Request
    reading: SceneReading
    seeds: tuple[int, ...]
    syntheses: tuple[Synthesis, ...]
    axes: Axes = field(default_factory=lambda: Z_UP)
    measures: tuple[Measures, ...] = ()
    may_replace: bool = False
    name: str = ""

    @property
    def clip(self) -> str:
        """Return the name of the clip in a file: those of the input and the seed."""
        return f"{self.name}_{self.seeds[0]}"


def export(path: Path, made: Scored) -> tuple[str, ...]:
    """Write a file in the format of its suffix, leave the scene unchanged, and return notes for the user.

    Raises Failed if it cannot be written, and InputError if the character cannot be exported in this format.
    """
    with whole_file(path, may_replace=made.may_replace) as unfinished:
        return write_into(unfinished, made)


def write_into(path: Path, made: Scored) -> tuple[str, ...]:
    """Write a file in place, leave the scene unchanged, and return notes for the user.

    The notes concern incomplete copies of the character, scales that the file cannot store, and results whose feet or
    bones were moved to a ground or to places after writing. Raises the exceptions of Blender's exporters,
    and InputError.
    """
    with _written(made) as results:
        scene, start = bpy.context.scene, made.request.frame_start
        first = scene.frame_start if start is None else start
        frames = first + np.arange(made.syntheses[0].motion.frames, dtype=np.float64)
        lost = write_played(path, results[0].object, frames, made.axes, made.clip)
    said = {note for synthesis in made.syntheses for note in synthesis.notes}
    # Notes on the character itself, in the open file, do not concern a file with its motion.
    is_noted = made.reading.resolved.by_controls
    noted = [result for result in results if is_noted or result.object != made.request.armature]
    return (*lost, *dict.fromkeys(note for result in noted for note in result.notes if note not in said))


def _note_on_scales(path: Path, armature: Object, frames: Float64) -> tuple[str, ...]:
    """Return a note if Blender's exporter writes wrong joint positions."""
    kind = path.suffix.lower()
    if kind not in NAMING:
        return ()
    with stage(armature, bpy.context.scene) as temporary:
        poses = evaluated_poses(armature, temporary, frames)
    skeleton = read_bones(armature)
    off = first_misplaced(poses, skeleton.parents.tolist(), skeleton.size)
    if off is None:
        return ()
    above, name = skeleton.names[skeleton.parents[off]], skeleton.names[off]
    return (
        f'Bone "{above}" inherits an uneven scale only in part, which {kind} files cannot store: "{name}" and other '
        "joints below it are misplaced in the file. Write a .blend, .bvh or .npz, or set its Inherit Scale to Full.",
    )


def write_played(path: Path, armature: Object, frames: Float64, axes: Axes, clip: str) -> tuple[str, ...]:
    """Write a file in place with a character's motion at the given frames, and return a note on misplaced joints.

    clip: the name of the motion in formats that store one. Raises Blender's exporters' exceptions.
    """
    suffix = path.suffix.lower()
    with _window(), _scene_called(clip) if suffix in NAMING else nullcontext():
        _WRITERS[suffix](path, armature, frames, axes)
    return _note_on_scales(path, armature, frames)


@contextmanager
def _window() -> Iterator[None]:
    """Provide a window in the block, whose active object exporters need; commands start without one."""
    context = bpy.context
    if context.window is not None or not context.window_manager.windows:
        yield
        return
    with context.temp_override(window=context.window_manager.windows[0]):
        yield


@contextmanager
def _scene_called(clip: str) -> Iterator[None]:
    """Give the scene the name of the clip within the block: the FBX exporter names the motion after the scene."""
    scene, name = bpy.context.scene, bpy.context.scene.name
    scene.name = clip
    try:
        yield
    finally:
        scene.name = name


@contextmanager
def _written(made: Scored) -> Iterator[list[Result]]:
    """Yield the characters that play the motions, which exist until the block ends."""
    request = replace(made.request, seeds=made.seeds)
    scene = bpy.context.scene
    with ExitStack() as undoing:
        for name in ("frame_start", "frame_end"):
            undoing.callback(setattr, scene, name, getattr(scene, name))
        results = write_for_now(bpy.context, request, made.reading, made.syntheses, undoing, made.measures)
        start = round(first_frame(request.frame_start, scene))
        scene.frame_end = start + made.syntheses[0].motion.frames - 1
        scene.frame_start = start
        yield results


def save_blend(path: Path) -> None:
    """Save a copy of the open file; the open file keeps its path."""
    bpy.ops.wm.save_as_mainfile(filepath=str(path.resolve()), copy=True, check_existing=False, compress=False)


def _blend(path: Path, _armature: Object, _frames: Float64, _axes: Axes) -> None:
    save_blend(path)


def _bvh(path: Path, armature: Object, frames: Float64, axes: Axes) -> None:
    write_bvh(path, armature, bpy.context.scene, frames, axes)


def _fbx(path: Path, armature: Object, _frames: Float64, _axes: Axes) -> None:
    _select(armature)
    with _at_rest_outside_range(armature, bpy.context.scene):
        bpy.ops.export_scene.fbx(
            filepath=str(path),
            use_selection=True,
            object_types={"ARMATURE", "MESH", "EMPTY"},
            add_leaf_bones=False,
            bake_anim_use_nla_strips=False,
            bake_anim_use_all_actions=False,
            bake_anim_simplify_factor=0.0,
        )


@contextmanager
def _at_rest_outside_range(armature: Object, scene: Scene) -> Iterator[None]:
    """Within the block, show a frame before the scene's range, at which the character is at rest.

    The exporter bakes the range, then writes the shown pose. Readers use that as the rest pose of bones without a
    skinned mesh, and a scale in it would move all joints.
    """
    data, shown, position = armature.data, scene.frame_current_final, armature.data.pose_position

    def pose(changed: Scene, _depsgraph: object = None) -> None:
        if changed == scene:
            data.pose_position = "REST" if changed.frame_current < changed.frame_start else "POSE"

    bpy.app.handlers.frame_change_pre.append(pose)
    try:
        scene.frame_set(scene.frame_start - 1)
        yield
    finally:
        bpy.app.handlers.frame_change_pre.remove(pose)
        data.pose_position = position
        scene.frame_set(int(shown // 1), subframe=shown % 1)


def _glb(path: Path, armature: Object, _frames: Float64, _axes: Axes) -> None:
    _select(armature)
    bpy.ops.export_scene.gltf(
        filepath=str(path),
        export_format="GLB",
        use_selection=True,
        export_animation_mode="ACTIVE_ACTIONS",
        export_nla_strips_merged_animation_name=bpy.context.scene.name,
        export_force_sampling=True,
        export_anim_slide_to_zero=True,
        # Otherwise Blender 4.2 exports all actions of the file in addition to the one that plays.
        export_anim_single_armature=False,
        export_optimize_animation_size=False,
    )


def _select(armature: Object) -> None:
    """Select the character and all objects that belong to it."""
    select_alone(bpy.context, armature)
    layer = bpy.context.view_layer
    for thing in objects_of_character(armature, bpy.context.scene):
        if thing.visible_get(view_layer=layer):
            thing.select_set(True, view_layer=layer)


_WRITERS: dict[str, Callable[[Path, Object, Float64, Axes], None]] = {
    ".blend": _blend,
    ".bvh": _bvh,
    ".fbx": _fbx,
    ".glb": _glb,
}


def check_kind(path: Path, kinds: Sequence[str]) -> None:
    """Raise InputError unless the file's suffix is one of `kinds`, and for a folder."""
    if os.path.isdir(path):  # unlike Path.is_dir, accepts any name
        raise InputError(f'"{path}" is a folder; use a file in it, such as "{path / f"motion{kinds[0]}"}".')
    if path.suffix.lower() not in kinds:
        raise InputError(f'"{path.name}" cannot be written; use one of the endings {", ".join(kinds)}.')


def result_of(path: Path, armature: Object, asked: Output | None, several: bool) -> Output:
    """Return the kind of output in a file: the requested one, or the character itself if possible.

    Several motions in one file need a character each, and a linked character cannot be changed.
    """
    if path.suffix.lower() == ".blend" and asked is not None:
        return asked
    onto_itself = path.suffix.lower() != ".npz" and not several and not is_linked(armature)
    return Output.NEW_ACTION if onto_itself else Output.NEW_CHARACTER
