# SPDX-License-Identifier: GPL-3.0-or-later
"""The center of mass of the selected character in the viewport, with its support and flights."""

from collections.abc import Hashable
from typing import Any

import bpy
import numpy as np
from bpy.types import Action, Context, Depsgraph, Object, Scene

from ...animation.rig import OBJECT_JOINT, roots_to_world
from ...animation.scene_time import scene_rate
from ...editing.repairing.weight import WeightOverTime, read_weight
from ...state.properties import scene_properties
from ...state.registration import Drawing
from ..common.draw_handlers import redraw, shows_overlays
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
    if not shows_overlays(context):
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
        to_world = np.array(roots_to_world(character, weight.skeleton.names[0] == OBJECT_JOINT), np.float64)
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


def _on_update(scene: Scene, depsgraph: Depsgraph) -> None:
    # A viewport may be drawn before Blender reports that keys have changed, and not again after it.
    if depsgraph.id_type_updated("ACTION") and scene_properties(scene).show_weight:
        soon.ask()


def _on_undo(*_: Any) -> None:
    soon.ask()


def _forget(*_: Any) -> None:
    known.clear()


DRAWING = Drawing(bpy.types.SpaceView3D, draw_weight, "POST_VIEW")
HANDLERS = {"depsgraph_update_post": _on_update, "undo_post": _on_undo, "redo_post": _on_undo, "load_post": _forget}


def unregister() -> None:
    """Forget the bodies."""
    soon.stop()
    known.clear()
