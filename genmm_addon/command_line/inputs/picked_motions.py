# SPDX-License-Identifier: GPL-3.0-or-later
"""Favorites of a gallery: the list saved by the page, and its motions."""

from dataclasses import dataclass
from pathlib import Path

import bpy
import numpy as np
from bpy.types import Object

from ...animation.actions import assign
from ...animation.reading.clips_on_character import clips_on_character
from ...animation.reading.examples import ExampleSpec, example_range, read_examples
from ...animation.writing import write_action
from ...core import Float64, InputError, Motion, load_motion
from ...core.motion import read_bvh_motion
from ...core.storage import Malformed, parse_json_file, read_value
from ...files.import_file import Y_UP, Z_UP, Axes, check_file, empty_file, import_alone
from ...generation.recipe import recipe_of
from ...libraries.plain_armature import add_plain_armature
from .gallery_clips import ENDINGS
from .opening import longest, open_blend, playing_characters, set_rate

KIND = "favorites"
NEWEST = 1


@dataclass(frozen=True)
class Picked:
    """A favorite: its file and, in a file with several motions, the character and seed."""

    file: Path
    character: str = ""
    seed: int | None = None
    is_one_of_several: bool = False


@dataclass(frozen=True, eq=False)
class OpenedMotion:
    """A character that plays a motion at scene frames `(T,)`."""

    armature: Object
    spec: ExampleSpec
    frames: Float64
    file_axes: Axes


def read_picked(path: Path, folder: Path) -> list[Picked]:
    """Return the favorites in a list saved by a gallery; folder: of the gallery.

    Raises InputError for an invalid list, an empty one, and motions that are not in the folder.
    """
    rows = _rows(path)
    if not rows:
        raise InputError(f'"{path}" contains no favorites; choose some in the gallery and save them again.')
    root, favorites = folder.resolve(), []
    for name, character, seed in rows:
        file = (folder / name).resolve()
        if root not in file.parents or file.suffix.lower() not in ENDINGS:
            raise InputError(
                f'"{path.name}" refers to "{name}", which is not a motion in "{folder}"; save the list again.'
            )
        if not file.is_file():
            raise InputError(f'"{folder}" contains no motion "{name}"; set the folder of the gallery before --picked.')
        several = bool(character) or sum(other == name for other, _, _ in rows) > 1
        favorites.append(Picked(file, character, seed, several))
    return favorites


def _rows(path: Path) -> list[tuple[str, str, int | None]]:
    check_file(path)
    try:
        values = parse_json_file(path, "list")
        if (values["genmm"], values["version"]) != (KIND, NEWEST):
            raise Malformed("The list is of another kind")
        return [
            (
                read_value(str, row["file"], "file"),
                read_value(str, row["character"], "character"),
                read_value(int | None, row["seed"], "seed"),
            )
            for row in values["motions"]
        ]
    except (OSError, Malformed, TypeError, KeyError) as error:
        raise InputError(
            f'"{path}" is not a list of favorites; save one in the gallery with Save Favorites.'
        ) from error


def motion_of(favorite: Picked) -> Motion:
    """Return a favorite's motion as arrays. Raises InputError."""
    if favorite.file.suffix.lower() == ".npz":
        return load_motion(favorite.file)
    if favorite.file.suffix.lower() == ".bvh":
        return read_bvh_motion(favorite.file, favorite.file.read_bytes()).motion
    opened = open_picked(favorite)
    return read_examples(opened.armature, [opened.spec], scene=bpy.context.scene).motions[0]


def open_picked(favorite: Picked) -> OpenedMotion:
    """Open a favorite in Blender. Raises InputError.

    A .npz file has no character, so its motion gets an armature of plain bones.
    """
    suffix = favorite.file.suffix.lower()
    if suffix == ".blend":
        open_blend(favorite.file)
        armature, axes = _character_of_blend(favorite), Z_UP
        spec = ExampleSpec(armature.animation_data.action)
    elif suffix == ".npz":
        armature, axes = _plain_character(favorite), Y_UP  # the axes that most programs expect in a BVH
        spec = ExampleSpec(armature.animation_data.action)
    else:
        characters = import_alone(favorite.file)
        named = [character for character in characters if character.armature.name == favorite.character]
        imported = (named or characters)[0]
        armature, axes = imported.armature, imported.file_axes
        spec = longest(armature, imported.examples)
        if spec.frames_per_second is not None:
            set_rate(spec.frames_per_second)
        assert spec.action is not None
        assign(armature, spec.action, spec.slot)
    scene = bpy.context.scene
    start, end = example_range(armature, spec, scene)
    scene.frame_start, scene.frame_end = round(start), round(end)
    return OpenedMotion(armature, spec, np.arange(start, end + 0.5), axes)


def _plain_character(favorite: Picked) -> Object:
    motion = load_motion(favorite.file)
    empty_file()
    set_rate(motion.frames_per_second)
    armature = add_plain_armature(bpy.context, favorite.file.stem, motion.skeleton)
    reading = clips_on_character(armature, [motion], ())
    written = write_action(reading.motions[0], reading.keyed, armature, name=favorite.file.stem)
    assign(armature, written.action, written.slot)
    return armature


def _character_of_blend(favorite: Picked) -> Object:
    """Return the character of a .blend that plays the favorite. Raises InputError if there is none."""
    playing = playing_characters()
    named = [rig for rig in playing if rig.name == favorite.character] if favorite.character else []
    seeded = [rig for rig in playing if _seed_of(rig) == favorite.seed] if favorite.seed is not None else []
    candidates = named or seeded or playing
    if not candidates:
        raise InputError(
            f'"{favorite.file.name}" has no character with an active action; save the list of favorites again.'
        )
    return candidates[0]


def _seed_of(rig: Object) -> int | None:
    recipe = recipe_of(rig.animation_data.action)
    return None if recipe is None else recipe.seed
