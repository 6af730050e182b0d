# SPDX-License-Identifier: GPL-3.0-or-later
"""The actions of the open file as takes, read one by one on the main thread, so that Blender responds in between."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import bpy
from bpy.types import Action, Object

from ...animation.actions import assigned
from ...animation.fitting import fits
from ...animation.pins.action import is_own
from ...animation.reading.examples import ExampleSpec
from ...character.tags import RECIPE_PROPERTY, tag_of
from ...core import InputError, Motion
from ...core.library import LeftOut
from ..takes import SourceFile, Take
from .blender_files import takes_of

Key = tuple[str, str | None]
"""The name of a data-block, and the path of the file from which it is linked."""


@dataclass(frozen=True)
class FileAction:
    """An action of the open file and its character, by name, since both may be removed before their turn."""

    character: Key
    action: Key


def actions_of_file() -> list[FileAction]:
    """Return the actions that move a character of the file, each once, without results and pins.

    Raises InputError if there are none.
    """
    rigs = [thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing.pose and tag_of(thing) is None]
    actions = []
    for action in bpy.data.actions:
        if action.get(RECIPE_PROPERTY) is not None or is_own(action):
            continue
        moved = [rig for rig in rigs if fits(rig, action)]
        played = [rig for rig in moved if (assigned(rig) or (None,))[0] == action]
        if moved:
            actions.append(FileAction(_key(*played[:1] or moved[:1]), _key(action)))
    if not actions:
        raise InputError("No action of this file moves a character of it; open a file with animation.")
    return actions


def read_actions(actions: list[FileAction]) -> Iterator[tuple[str, list[Take | LeftOut]]]:
    """Yield the name of each action with its takes, one action per step."""
    opened = bpy.data.filepath
    place = Path(opened) if opened else Path(bpy.app.tempdir) / "untitled.blend"
    file = SourceFile(place, "")
    for entry in actions:
        if bpy.data.filepath != opened:
            raise InputError("Another file was opened while the actions of this one were read; build again.")
        yield entry.action[0], _takes(file, entry)


def _takes(file: SourceFile, entry: FileAction) -> list[Take | LeftOut]:
    character: Object | None = bpy.data.objects.get(entry.character)
    action: Action | None = bpy.data.actions.get(entry.action)
    if character is None or action is None:
        return [LeftOut(entry.action[0], "it was removed while others were read.")]
    # The name is that of the action alone, since it is compared with name patterns.
    return [_named(take) for take in takes_of(file, "", character, ExampleSpec(action))]


def _named(take: Take | LeftOut) -> Take | LeftOut:
    if isinstance(take, LeftOut):
        return replace(take, name=take.name.removeprefix(":"))
    return replace(take, source=take.source.removeprefix(":"), fingerprint=_content(take.motion))


def _key(thing: Object | Action) -> Key:
    return thing.name, None if thing.library is None else thing.library.filepath


def _content(motion: Motion) -> str:
    """Return a fingerprint of a motion's values."""
    content = hashlib.sha256(repr((motion.skeleton.names, motion.frames_per_second)).encode())
    for values in (motion.rotations, motion.translated, motion.translations):
        content.update(values.tobytes())
    return content.hexdigest()
