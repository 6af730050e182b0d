# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings out of files of older versions are brought up to date; those of newer ones are left as they are.

A property that nobody set is not in a file: what says no version is of the first one, and saving says the present one.
"""

from collections.abc import Callable, Iterator
from typing import Any

import bpy
from bpy.app.handlers import persistent

VERSION = 1
FIRST = 1

CHARACTER_MIGRATIONS: dict[int, Callable[[Any], None]] = {}
"""By version: what turns a character's settings into those of the next version."""
SCENE_MIGRATIONS: dict[int, Callable[[Any], None]] = {}
"""The same of a scene's."""


def _stored() -> Iterator[tuple[Any, dict[int, Callable[[Any], None]]]]:
    """Yield all settings that this file itself holds, with what brings them up to date."""
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


@persistent  # type: ignore[untyped-decorator]
def _bring_up_to_date(*_arguments: object) -> None:
    for settings, migrations in _stored():
        for version in range(settings.version, VERSION):
            if version in migrations:
                migrations[version](settings)
        # A newer version's own word stays, for that version to read.
        settings.version = max(settings.version, VERSION)


@persistent  # type: ignore[untyped-decorator]
def _say_version(*_arguments: object) -> None:
    for settings, _ in _stored():
        settings.version = max(settings.version, VERSION)


def register() -> None:
    """Watch files being opened and saved."""
    bpy.app.handlers.load_post.append(_bring_up_to_date)
    bpy.app.handlers.save_pre.append(_say_version)
    # While an extension is enabled with Blender itself, there is no file yet.
    if hasattr(bpy.data, "objects"):
        _bring_up_to_date()


def unregister() -> None:
    """Watch no longer."""
    bpy.app.handlers.save_pre.remove(_say_version)
    bpy.app.handlers.load_post.remove(_bring_up_to_date)
