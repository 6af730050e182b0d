# SPDX-License-Identifier: GPL-3.0-or-later
"""Fingerprints of keys for panels and drawing, computed again only after an action has changed."""

from typing import Any

import bpy
from bpy.types import Action, Depsgraph, Scene

from ...animation.stretches.fingerprints import EVERYTHING, Range, fingerprint

_known: dict[tuple[int, str, str, Range], str] = {}


def shown_fingerprint(action: Action, slot: str, frames: Range = EVERYTHING) -> str:
    """Return `fingerprint`; operators use that itself, since a script may change keys without Blender's notice."""
    if bpy.app.background:
        return fingerprint(action, slot, frames)
    key = action.as_pointer(), action.name_full, slot, frames
    if key not in _known:
        _known[key] = fingerprint(action, slot, frames)
    return _known[key]


def _on_update(_scene: Scene, depsgraph: Depsgraph) -> None:
    if depsgraph.id_type_updated("ACTION"):
        _known.clear()


def _forget(*_: Any) -> None:
    _known.clear()


HANDLERS = {"depsgraph_update_post": _on_update, "undo_post": _forget, "redo_post": _forget, "load_post": _forget}


def unregister() -> None:
    """Forget the fingerprints."""
    _known.clear()
