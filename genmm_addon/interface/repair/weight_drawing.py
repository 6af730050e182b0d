# SPDX-License-Identifier: GPL-3.0-or-later
"""The center of mass of the selected character in the viewport, with its support and flights."""

from collections.abc import Hashable
from typing import Any

import bpy
from bpy.app.handlers import persistent
from bpy.types import Action, Context, Depsgraph, Object, Scene, SpaceView3D

from ...animation.rig import world_of_roots
from ...animation.scene_time import scene_rate
from ...editing.repairing.weight import WeightOverTime, read_weight
from ...state.properties import scene_properties
from ..common.draw_handlers import drawing_registration, redraw
from ..common.known_while import KnownWhile
from ..common.line_drawing import draw_lines
from ..common.reading_soon import ReadingSoon
from ..timeline.stretch_operator import edited_action
from ..timeline.unchanged_keys import shown_fingerprint
from .weight_lines import weight_lines

known = KnownWhile[WeightOverTime | None]()


def draw_weight() -> None:
    """Draw the center of mass; Blender calls this after drawing a viewport."""
    context = bpy.context
    space = context.space_data
    if not isinstance(space, SpaceView3D) or not space.overlay.show_overlays:
        return
    edited = edited_action(context) if scene_properties(context.scene).show_weight else None
    if edited is None:
        return
    character, action, slot = edited
    mark, weight = known.get(character.name_full, (None, None))
    if mark != _mark(context.scene, action, slot):
        soon.ask()
    # The weight of the keys before an edit is shown until that of the new keys is read.
    if weight is not None:
        to_world = world_of_roots(character, weight.skeleton)
        frame = context.scene.frame_current_final
        draw_lines(context, weight_lines(weight, frame, to_world))


def _mark(scene: Scene, action: Action, slot: str) -> Hashable:
    return action.name_full, slot, shown_fingerprint(action, slot), scene_rate(scene)


def known_weight(character: Object, scene: Scene, action: Action, slot: str) -> WeightOverTime | None:
    """Return the weight of the character, read unless its keys are known. Drawing must not call this."""
    mark = _mark(scene, action, slot)
    return known.value(character.name_full, mark, lambda: read_weight(character, scene, action, slot))


def _read(context: Context) -> None:
    edited = edited_action(context) if scene_properties(context.scene).show_weight else None
    if edited is not None:
        character, action, slot = edited
        known_weight(character, context.scene, action, slot)
        redraw(context)


soon = ReadingSoon(_read)
_add_drawing, _remove_drawing = drawing_registration(bpy.types.SpaceView3D, draw_weight, "POST_VIEW")


@persistent  # type: ignore[untyped-decorator]  # Blender's stubs have no types here
def _on_update(scene: Scene, depsgraph: Depsgraph) -> None:
    # A viewport may be drawn before Blender reports that keys have changed, and not again after it.
    if depsgraph.id_type_updated("ACTION") and scene_properties(scene).show_weight:
        soon.ask()


@persistent  # type: ignore[untyped-decorator]  # Blender's stubs have no types here
def _on_undo(*_: Any) -> None:
    soon.ask()


@persistent  # type: ignore[untyped-decorator]  # Blender's stubs have no types here
def _forget(*_: Any) -> None:
    known.clear()


def _handlers() -> list[tuple[Any, Any]]:
    handlers = bpy.app.handlers
    return [
        (handlers.depsgraph_update_post, _on_update),
        (handlers.undo_post, _on_undo),
        (handlers.redo_post, _on_undo),
        (handlers.load_post, _forget),
    ]


def register() -> None:
    """Add the drawing, which follows changes of actions."""
    _add_drawing()
    for handlers, handler in _handlers():
        handlers.append(handler)


def unregister() -> None:
    """Remove the drawing."""
    for handlers, handler in _handlers():
        handlers.remove(handler)
    _remove_drawing()
    soon.stop()
    known.clear()
