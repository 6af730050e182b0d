# SPDX-License-Identifier: GPL-3.0-or-later
"""Migration of settings from files of older versions; those of newer versions are left as they are.

Files hold only properties that were set: settings without a version are of the first, and saving sets the present one.
"""

from collections.abc import Callable, Iterator
from typing import Any

import bpy

VERSION = 2
FIRST = 1


def _without_incomplete_names(settings: Any) -> None:
    """Remove the rows of bone names that lack one; they had no effect, and now they leave a bone out."""
    for number, row in reversed(list(enumerate(settings.bone_names))):
        if not (row.name and row.target):
            settings.bone_names.remove(number)


CHARACTER_MIGRATIONS: dict[int, Callable[[Any], None]] = {1: _without_incomplete_names}
"""By version, the function that turns a character's settings into those of the next version."""
SCENE_MIGRATIONS: dict[int, Callable[[Any], None]] = {}
"""By version, the function that turns a scene's settings into those of the next version."""


def _stored() -> Iterator[tuple[Any, dict[int, Callable[[Any], None]]]]:
    """Yield all settings stored in this file itself, with their migrations."""
    things: Any = bpy.data.objects
    for thing in things:
        if thing.library is None and thing.is_property_set("genmm"):
            yield thing.genmm, CHARACTER_MIGRATIONS
    scenes: Any = bpy.data.scenes
    for scene in scenes:
        if scene.library is None and scene.is_property_set("genmm"):
            yield scene.genmm, SCENE_MIGRATIONS
            for entry in scene.genmm.characters:
                yield entry.settings, CHARACTER_MIGRATIONS


def _bring_up_to_date(*_arguments: object) -> None:
    for settings, migrations in _stored():
        for version in range(settings.version, VERSION):
            if version in migrations:
                migrations[version](settings)
        # A newer version's number stays, for that version to read.
        settings.version = max(settings.version, VERSION)


def _say_version(*_arguments: object) -> None:
    for settings, _ in _stored():
        settings.version = max(settings.version, VERSION)


HANDLERS = {"load_post": _bring_up_to_date, "save_pre": _say_version}


def register() -> None:
    """Bring the open file up to date; while Blender starts with the extension enabled, there is none yet."""
    if hasattr(bpy.data, "objects"):
        _bring_up_to_date()
