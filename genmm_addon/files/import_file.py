# SPDX-License-Identifier: GPL-3.0-or-later
"""Import of characters and their actions from BVH, FBX, glTF and .blend files, without a window."""

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
from bpy.types import ID, Action, Armature, Context, Library, Object, Scene

from ..animation.curves import NOTICED
from ..animation.edited_armature import edited_armature
from ..animation.fitting import displaced_bones, fits
from ..animation.reading.examples import ExampleSpec, read_examples
from ..animation.rig import ancestors_of, read_skeleton
from ..animation.scene_time import scene_rate
from ..core import InputError
from ..core.motion import Y_UP as Y_UP
from ..core.motion import Z_UP as Z_UP
from ..core.motion import Axes as Axes
from ..core.motion import BvhText, lies_down, read_bvh
from .gltf.joining import joined
from .gltf.key_rate import key_rate
from .missing_libraries import naming_missing_links
from .newer_files import note_on_version
from .reasons import reason_of


@dataclass(frozen=True, eq=False)
class ImportedCharacter:
    """A character from a file, with its actions as examples in the order of their names.

    file_axes: `(3, 3)`, rotates the world's axes into the file's.
    notes: sentences for the user on what the file does not state clearly.
    """

    armature: Object
    examples: tuple[ExampleSpec, ...]
    file_axes: Axes
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Loaded:
    """The result of a loader. frames_per_second: the file's rate, at which its frames are placed in Blender."""

    frames_per_second: float | None
    file_axes: Axes
    notes: tuple[str, ...] = ()


def import_file(
    path: str | os.PathLike[str], context: Context, *, animated: bool = True
) -> tuple[ImportedCharacter, ...]:
    """Add the file's characters to the scene, each with the actions that move it.

    The scene's rate and range are unchanged; each example has the file's own rate. animated: characters have actions;
    otherwise those of a file without any have none. Raises InputError, and leaves nothing behind, for a file that is
    missing, damaged, unknown, or without such an armature.
    """
    path = _path(path)
    load = _LOADERS.get(path.suffix.lower())
    if load is None:
        raise InputError(f'"{path.name}" is not a motion file; choose a .bvh, .fbx, .glb, .gltf or .blend file.')
    check_file(path)
    there_before = set(bpy.data.user_map())
    try:
        loaded = _load_with_scene_kept(load, path, context)
        with naming_missing_links():
            characters = _characters(path, there_before, loaded, animated)
    except BaseException:
        bpy.data.batch_remove(set(bpy.data.user_map()) - there_before)
        raise
    _remove_left_over(there_before, characters)
    return characters


def import_alone(path: Path, *, animated: bool = True) -> tuple[ImportedCharacter, ...]:
    """Return the characters of a file in an empty scene, which replaces the open file. Raises as `import_file`."""
    empty_file()
    return import_file(path, bpy.context, animated=animated)


def empty_file() -> None:
    """Replace the open file by an empty one; factory settings would disable this extension, so they are not loaded."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True, load_ui=False)


def check_file(path: Path) -> None:
    """Raise InputError unless a file exists and has content."""
    if not is_file(path):
        raise InputError(f'There is no file "{path}"; check its name and folder.')
    if not path.stat().st_size:
        raise InputError(f'"{path.name}" is empty; save or download it again.')


def _path(path: object) -> Path:
    if not isinstance(path, str | os.PathLike) or isinstance(os.fspath(path), bytes):
        raise InputError(f"A file must be given as a text or a path, not as {path!r:.60}.")
    return Path(path)


def is_file(path: Path) -> bool:
    """Return whether a file of this name exists; False for a name that is invalid on this system."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _load_with_scene_kept(load: Callable[[Path, Context], _Loaded], path: Path, context: Context) -> _Loaded:
    scene = context.scene
    kept = (scene.render.fps, scene.render.fps_base, scene.frame_start, scene.frame_end, scene.frame_current)
    try:
        return load(path, context)
    except (RuntimeError, OSError) as error:
        raise InputError(f'"{path.name}" could not be read: {reason_of(error, path)}.') from error
    finally:
        scene.render.fps, scene.render.fps_base, scene.frame_start, scene.frame_end = kept[:4]
        if scene.frame_current != kept[4]:
            scene.frame_set(kept[4])
        context.view_layer.update()


def _load_bvh(path: Path, context: Context) -> _Loaded:
    bvh = read_bvh(path)
    there_before = set(bpy.data.user_map())
    load = _importer(bpy.ops.import_anim, "bvh")
    with _readable(path, bvh) as readable:
        load(filepath=str(readable), axis_up="Y", axis_forward="-Z")
        if not _lies_down(context.view_layer.objects.active, context.scene):
            return _Loaded(bvh.frames_per_second, Y_UP, bvh.notes)
        bpy.data.batch_remove(set(bpy.data.user_map()) - there_before)
        load(filepath=str(readable), axis_up="Z", axis_forward="Y")
    return _Loaded(bvh.frames_per_second, Z_UP, bvh.notes)


@contextmanager
def _readable(path: Path, bvh: BvhText) -> Iterator[Path]:
    """Yield a path that Blender's importer can read, the file or a temporary copy; its name becomes the action's."""
    if bvh.cleaned is None:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="genmm_") as folder:
        copy = Path(folder) / path.name
        copy.write_text(bvh.cleaned, encoding="utf-8", newline="\n")
        yield copy


def _lies_down(armature: Object, scene: Scene) -> bool:
    """Return whether the up axis of the file of an imported armature is Z instead of Y."""
    spec = ExampleSpec(armature.animation_data.action)
    motion = read_examples(armature, [spec], scene=scene, visual=False).motions[0]
    return lies_down(motion.pose()[1] @ Y_UP.T, motion.skeleton.parents)


def _load_gltf(path: Path, context: Context) -> _Loaded:
    load = _importer(bpy.ops.import_scene, "gltf")
    rate = key_rate(path)
    render = context.scene.render
    render.fps = max(round(rate.frames_per_second), 1)
    # The importer multiplies by fps_base instead of dividing by it.
    render.fps_base = rate.frames_per_second / render.fps
    with joined(path) as (readable, notes):
        load(filepath=str(readable))
    if not rate.is_regular:
        notes += (_note_on_keys(path.name, rate.frames_per_second),)
    return _Loaded(rate.frames_per_second, Y_UP, notes)


def _note_on_keys(name: str, rate: float) -> str:
    return f'The keys of "{name}" are at irregular times; it is read at {rate:g} frames per second.'


def _load_fbx(path: Path, context: Context) -> _Loaded:
    objects, actions = set(bpy.data.objects), set(bpy.data.actions)
    if "fbx_import" in dir(bpy.ops.wm):
        bpy.ops.wm.fbx_import(filepath=str(path))
    else:
        _importer(bpy.ops.import_scene, "fbx")(filepath=str(path))
    for rig in set(bpy.data.objects) - objects:
        if rig.type == "ARMATURE":
            _disconnect_displaced(rig, set(bpy.data.actions) - actions, context)
    # Both importers set the scene to the file's rate.
    return _Loaded(scene_rate(context.scene), Y_UP)


def _disconnect_displaced(rig: Object, actions: set[Action], context: Context) -> None:
    """Disconnect the bones that actions move away from their parents.

    The importers connect each bone that lies at the tip of its parent at rest, and Blender ignores the keys of its
    location: hips below a root bone would lose their travel.
    """
    connected = {bone.name for bone in rig.data.bones if bone.use_connect}
    if not connected:
        return
    least = NOTICED * read_skeleton(rig).size
    names = connected & set[str]().union(*(displaced_bones(action, least) for action in actions))
    if not names:
        return

    def disconnect(armature: Armature) -> None:
        for name in names:
            armature.edit_bones[name].use_connect = False

    before: Any = rig.data  # an armature's
    name, rig.data = before.name, edited_armature(context, before.name, disconnect, before)
    if not before.users:
        bpy.data.armatures.remove(before)
        rig.data.name = name


def _importer(operators: Any, name: str) -> Any:
    """Return an importer of Blender that is an add-on. Raises InputError if the add-on is disabled."""
    if name not in dir(operators):
        raise InputError(f"Blender's {name.upper()} importer is disabled; enable it in Preferences > Add-ons.")
    return getattr(operators, name)


def _load_blend(path: Path, context: Context) -> _Loaded:
    with _open_library(path) as (source, target):
        target.objects, target.actions = source.objects, source.actions
    rigs = [thing for thing in target.objects if thing.type == "ARMATURE"]
    for thing in target.objects:
        family = {thing, thing.find_armature(), *thing.children_recursive, *ancestors_of(thing)}
        if family.intersection(rigs):
            context.collection.objects.link(thing)
    rate, notes = _rate_and_notes(path)
    return _Loaded(rate, Z_UP, notes)


def _open_library(path: Path, link: bool = False) -> Any:
    return bpy.data.libraries.load(str(path), link=link)


def _rate_and_notes(path: Path) -> tuple[float | None, tuple[str, ...]]:
    """Return the rate of the file's first scene, linked only for this, and a note on a file of a newer Blender."""
    there_before = set(bpy.data.user_map())
    with _open_library(path, link=True) as (source, target):
        target.scenes = source.scenes[:1]
    scene = target.scenes[0] if target.scenes else None
    rate = scene_rate(scene) if scene else None
    notes = note_on_version(path.name, scene.library.version) if scene and scene.library else ()
    bpy.data.batch_remove(set(bpy.data.user_map()) - there_before)
    return rate, notes


_LOADERS = {".bvh": _load_bvh, ".fbx": _load_fbx, ".glb": _load_gltf, ".gltf": _load_gltf, ".blend": _load_blend}
ENDINGS = tuple(_LOADERS)
"""Suffixes of the files that can be imported."""


def _characters(path: Path, there_before: set[ID], loaded: _Loaded, animated: bool) -> tuple[ImportedCharacter, ...]:
    rigs = [thing for thing in bpy.data.objects if thing not in there_before and thing.type == "ARMATURE"]
    if not rigs:
        raise InputError(f'"{path.name}" contains no armature; choose a file with a character that has bones.')
    actions = [action for action in bpy.data.actions if action not in there_before]
    owners = {action: {rig for rig in rigs if action in _played(rig)} for action in actions}
    characters = []
    for rig in rigs:
        playable = [action for action in actions if rig in owners[action] or (not owners[action] and fits(rig, action))]
        examples = tuple(
            ExampleSpec(action, _played(rig).get(action, ""), frames_per_second=loaded.frames_per_second)
            for action in playable
            if fits(rig, action)
        )
        if examples:
            characters.append(ImportedCharacter(rig, examples, loaded.file_axes, loaded.notes))
    if not characters and not animated:
        return tuple(ImportedCharacter(rig, (), loaded.file_axes, loaded.notes) for rig in rigs)
    if not characters:
        raise InputError(f'"{path.name}" has no action that moves its armature; choose a file with animation.')
    return tuple(characters)


def _played(rig: Object) -> dict[Action, str]:
    """Return the actions that the armature plays or has on its NLA tracks, with their slots' identifiers."""
    data = rig.animation_data
    if data is None:
        return {}
    players = [strip for track in data.nla_tracks for strip in track.strips] + [data]
    slots = {player.action: getattr(player, "action_slot", None) for player in players if player.action}
    return {action: slot.identifier if slot else "" for action, slot in slots.items()}


def _remove_left_over(there_before: set[ID], characters: tuple[ImportedCharacter, ...]) -> None:
    """Remove imported data that no character uses: objects without users, other actions, and empty libraries."""
    used = {spec.action for character in characters for spec in character.examples}
    new = set(bpy.data.user_map()) - there_before
    unused = {
        thing
        for thing in new
        if (isinstance(thing, Object) and thing.users == 0)
        or (isinstance(thing, Action) and thing not in used and thing.users == int(thing.use_fake_user))
        or (isinstance(thing, Library) and not thing.users_id)
    }
    bpy.data.batch_remove(unused)
