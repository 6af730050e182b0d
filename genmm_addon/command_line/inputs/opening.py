# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs of the command line: the files of patterns and folders, and their characters opened."""

import glob
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import bpy
from bpy.types import Action, Object

from ...animation.fitting import fitting_actions
from ...animation.pins.action import is_own
from ...animation.reading.examples import ExampleSpec, example_range
from ...core import MOST_OFFERED, InputError, listed
from ...files.import_file import ENDINGS, Z_UP, Axes, check_file, import_alone, import_file, is_file
from ...files.missing_libraries import naming_missing_links, notes_on_open_file
from ...generation.recipe import PROPERTY as RECIPE
from ...state.selection import character_of

KINDS = f"{', '.join(ENDINGS[:-1])} or {ENDINGS[-1]}"


def expanded(inputs: Sequence[Path]) -> tuple[Path, ...]:
    """Return the files that the inputs refer to; those of a folder or pattern are sorted by name.

    A folder stands for the motion files directly in it. In a pattern, `*` matches any characters and `**` any folders;
    brackets are literal if such a file exists, otherwise they match one of their characters. Files from folders and
    patterns are not repeated.
    Raises InputError for a folder or pattern without a motion file.
    """
    files: list[Path] = []
    for path in inputs:
        if is_file(path):
            files.append(path)
        elif os.path.isdir(path):  # unlike Path.is_dir, accepts any name
            files += _added(path.iterdir(), files, f'The folder "{path}" contains no {KINDS} file; choose another.')
        elif glob.has_magic(str(path)):
            matches = map(Path, _matches(str(path)))
            files += _added(
                matches, files, f'The pattern "{path}" matches no {KINDS} file; check its folder and ending.'
            )
        else:
            files.append(path)
    return tuple(files)


def _matches(pattern: str) -> list[str]:
    return glob.glob(pattern.replace("[", "[[]"), recursive=True) or glob.glob(pattern, recursive=True)


def _added(paths: Iterable[Path], listed: Sequence[Path], sentence: str) -> list[Path]:
    """Return the motion files among the paths that are not listed yet, sorted by name, without hidden files."""
    files = {path for path in paths if path.suffix.lower() in ENDINGS and path.name[0] != "." and is_file(path)}
    if not files:
        raise InputError(sentence)
    return sorted(files - set(listed))


@dataclass(frozen=True, eq=False)
class Opened:
    """An input that is open in Blender. name: used in the file names of results.

    examples: the actions of a motion file; empty for a .blend, where the panel lists them.
    notes: for the user, on the file. file_axes: `(3, 3)`, rotates the axes of the world to those of the file.
    """

    name: str
    armature: Object
    examples: tuple[ExampleSpec, ...] = ()
    notes: tuple[str, ...] = ()
    file_axes: Axes = field(default_factory=lambda: Z_UP)


def open_input(path: Path | None, armature: str = "", rate: float | None = None, *, animated: bool = True) -> Opened:
    """Open an input (None: the open file) and find its character.

    armature: the name of the character; "" means the active or only one. rate: frames per second of the scene; None
    keeps the rate of the file. animated: a motion file must have actions. Raises InputError.
    """
    if path is None:
        with naming_missing_links():
            character = _character(armature, "the open file")
        opened = Opened(Path(bpy.data.filepath).stem or "untitled", character, notes=notes_on_open_file())
    elif path.suffix.lower() == ".blend":
        open_blend(path)
        with naming_missing_links():
            character = _character(armature, f'"{path.name}"')
        opened = Opened(path.stem, character, notes=notes_on_open_file())
    else:
        opened = _open_motion_file(path, armature, animated)
    if rate is not None:
        set_rate(rate)
    elif opened.examples and opened.examples[0].frames_per_second is not None:
        set_rate(opened.examples[0].frames_per_second)
    return opened


def open_blend(path: Path) -> None:
    """Open a .blend file without running its scripts. Raises InputError."""
    check_file(path)
    try:
        bpy.ops.wm.open_mainfile(filepath=str(path.resolve()), load_ui=False, use_scripts=False)
    except RuntimeError as error:
        raise InputError(f'"{path.name}" cannot be opened: it is damaged, or was saved by a newer Blender.') from error


def add_examples(path: Path) -> tuple[tuple[ExampleSpec, ...], tuple[str, ...]]:
    """Import another file; return the longest action of each character, and notes on the file.

    Raises InputError.
    """
    characters = import_file(path, bpy.context)
    specs = tuple(
        replace(longest(character.armature, character.examples), armature=character.armature)
        for character in characters
    )
    return specs, characters[0].notes


def actions_named(opened: Opened, names: Sequence[str]) -> tuple[ExampleSpec, ...]:
    """Return the character's actions of these names, as examples.

    In a name that no action has, `*` stands for any characters; results are then left out. Raises InputError for a
    missing action.
    """
    examples = {spec.action.name: spec for spec in opened.examples if spec.action is not None}
    for action in fitting_actions(opened.armature):
        examples.setdefault(action.name, ExampleSpec(action))
    recorded = [name for name, spec in examples.items() if spec.action.get(RECIPE) is None and not is_own(spec.action)]
    found: dict[str, ExampleSpec] = {}
    for name in names:
        fitting = [name] if name in examples else [other for other in recorded if "*" in name and matches(other, name)]
        if not fitting:
            raise InputError(
                f'"{opened.name}" has no action "{name}" for "{opened.armature.name}"; '
                f"available: {available(list(examples))}."
            )
        found |= {other: examples[other] for other in fitting}
    return tuple(found.values())


def matches(name: str, pattern: str) -> bool:
    """Return whether a name equals a pattern, in which only `*` stands for any characters."""
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), name, re.DOTALL) is not None


def some_example(opened: Opened) -> ExampleSpec:
    """Return the character's longest action. Raises InputError if it has none."""
    actions = [
        action for action in fitting_actions(opened.armature) if action.get(RECIPE) is None and not is_own(action)
    ]
    specs = opened.examples or tuple(ExampleSpec(action) for action in actions)
    if not specs:
        raise InputError(f'"{opened.armature.name}" in "{opened.name}" has no action to learn from; assign one.')
    return longest(opened.armature, specs)


def longest(armature: Object, specs: Sequence[ExampleSpec]) -> ExampleSpec:
    """Return the longest example, the first of several; examples without a valid range count as shortest."""

    def seconds(spec: ExampleSpec) -> float:
        try:
            start, end = example_range(armature, spec, bpy.context.scene)
        except InputError:
            return -1.0
        return (end - start) / (spec.frames_per_second or 1.0)

    return max(specs, key=seconds)


def action_named(name: str) -> Action:
    """Return an action of the open file by name. Raises InputError."""
    action: Action | None = bpy.data.actions.get(name)
    if action is None:
        raise InputError(
            f'There is no action "{name}"; available: {available([action.name for action in bpy.data.actions])}.'
        )
    return action


def playing_characters() -> list[Object]:
    """Return the armatures of the open scene that play an action."""
    rigs = [thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE"]
    return [rig for rig in rigs if rig.animation_data is not None and rig.animation_data.action is not None]


def object_named(name: str) -> Object:
    """Return an object of the open file by name. Raises InputError."""
    thing: Object | None = bpy.data.objects.get(name)
    if thing is None:
        raise InputError(f'There is no object "{name}" in the file; check its name.')
    return thing


def _open_motion_file(path: Path, armature: str, animated: bool) -> Opened:
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f'"{path.name}" is not a motion file; use a {", ".join(ENDINGS[:-1])} or {ENDINGS[-1]} file.')
    characters = import_alone(path, animated=animated)
    fitting = [character for character in characters if armature in ("", character.armature.name)]
    names = [character.armature.name for character in characters]
    if not fitting:
        raise InputError(f'"{path.name}" has no character "{armature}"; available: {available(names)}.')
    if len(fitting) > 1:
        raise InputError(f'"{path.name}" has several characters: {available(names)}; choose one with --armature.')
    character = fitting[0]
    return Opened(path.stem, character.armature, character.examples, character.notes, character.file_axes)


def _character(name: str, where: str) -> Object:
    rigs = [thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE" and thing.data.bones]
    names = [rig.name for rig in rigs]
    if name:
        if name not in names:
            raise InputError(f'There is no armature "{name}" in the scene of {where}; available: {available(names)}.')
        # Beside a library override there may be the linked character of the same name, which cannot be changed.
        return min((rig for rig in rigs if rig.name == name), key=lambda rig: rig.library is not None)
    active = character_of(bpy.context)
    if active in rigs:
        return active
    if not rigs:
        raise InputError(without_armature(where))
    if len(rigs) > 1:
        raise InputError(f"There are several characters in {where}: {available(names)}; choose one with --armature.")
    return rigs[0]


def without_armature(where: str) -> str:
    """Return the message for a scene without an armature, which may contain one in a collection instance."""
    for thing in bpy.context.scene.objects:
        inside = thing.instance_collection if thing.instance_type == "COLLECTION" else None
        if inside is not None and any(member.type == "ARMATURE" for member in inside.all_objects):
            remedy = "make a library override of it" if inside.library is not None else "make the instance real"
            return (
                f'The character of {where} is in the collection "{inside.name}", of which "{thing.name}" is an '
                f"instance; {remedy} in Blender, and save the file."
            )
    return f"There is no armature in the scene of {where}; use a file with a character."


def available(names: Sequence[str]) -> str:
    """Return the names that may be chosen, for a message; long lists are abbreviated."""
    return listed(names, most=MOST_OFFERED) or "none"


def set_rate(rate: float) -> None:
    """Set the open scene's rate, in frames per second."""
    render = bpy.context.scene.render
    render.fps = max(round(rate), 1)
    render.fps_base = render.fps / rate
