# SPDX-License-Identifier: GPL-3.0-or-later
"""Renamed bones, followed in parts, feet, weights and bone names, since Blender does not announce new names."""

from collections.abc import Iterable, Mapping
from typing import Any

import bpy
from bpy.types import Armature, Depsgraph, Object

from .properties import GENMM_PG_character, own_settings, scene_properties

_known: dict[int, tuple[str, ...]] = {}
"""The bone names of each armature when it was last checked, by the armature's `session_uid`."""


def renamed(before: tuple[str, ...], now: tuple[str, ...]) -> dict[str, str]:
    """Return new names by old ones if the bones kept their order; empty if any was added or removed."""
    if len(before) != len(now):
        return {}
    changed = {old: new for old, new in zip(before, now, strict=True) if old != new}
    # Bones in a new order still have the same names.
    return {} if set(changed) & set(now) else changed


def rename_in(settings: GENMM_PG_character, names: Mapping[str, str], current: Iterable[str]) -> None:
    """Rename the bones in the settings; a name that a bone still has stays."""
    bones = set(current)

    def now(name: str) -> str:
        return name if name in bones else names.get(name, name)

    for part in settings.part_list:
        _rename_rows(part.bones, "name", now)
    for rows in (settings.feet, settings.found_feet, settings.joint_weights):
        _rename_rows(rows, "name", now)
    for name in ("target", "matched"):
        _rename_rows(settings.bone_names, name, now)
    if now(settings.root_bone) != settings.root_bone:
        settings.root_bone = now(settings.root_bone)


def _rename_rows(rows: Any, name: str, now: Any) -> None:
    for row in rows:
        new_name = now(getattr(row, name))
        if new_name != getattr(row, name):
            setattr(row, name, new_name)


def look(armature: Any) -> None:
    """Find the bones renamed since the last check, and rename them in the settings of the armature's characters."""
    now = tuple(bone.name for bone in armature.bones)
    before = _known.get(armature.session_uid, now)
    _known[armature.session_uid] = now
    names = renamed(before, now)
    if not names:
        return
    for settings in _settings_of(armature):
        rename_in(settings, names, now)


def _settings_of(armature: Armature) -> list[GENMM_PG_character]:
    characters = [thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing.data == armature]
    settings = [own_settings(thing) for thing in characters if thing.library is None]
    for scene in bpy.data.scenes:
        settings += [entry.settings for entry in scene_properties(scene).characters if entry.character in characters]
    return settings


def _on_update(_scene: object, depsgraph: Depsgraph) -> None:
    for update in depsgraph.updates:
        if isinstance(update.id, Armature) and update.id.original is not None:
            look(update.id.original)
        elif isinstance(update.id, Object) and update.id.type == "ARMATURE" and update.id.original is not None:
            look(update.id.original.data)


def _look_at_all(*_arguments: object) -> None:
    for armature in bpy.data.armatures:
        look(armature)


def _restart(*_arguments: object) -> None:
    _known.clear()
    _look_at_all()


HANDLERS = {
    "depsgraph_update_post": _on_update,
    "undo_post": _look_at_all,
    "redo_post": _look_at_all,
    "load_post": _restart,
}


def register() -> None:
    """Look at the open file; while Blender starts with the extension enabled, there is none yet."""
    if hasattr(bpy.data, "armatures"):
        _restart()


def unregister() -> None:
    """Forget the bones."""
    _known.clear()
