# SPDX-License-Identifier: GPL-3.0-or-later
"""The center of mass of the selected character in the viewport, with its support and flights."""

from collections.abc import Hashable
from typing import Any

import numpy as np
from bpy.types import Action, Context, Depsgraph, Object, Scene

from ...animation.rig import OBJECT_JOINT, roots_to_world
from ...animation.scene_time import scene_rate
from ...core import Float64
from ...editing.repairing.weight import WeightOverTime, read_weight
from ...state.properties import scene_properties
from ..common.draw_handlers import redraw
from ..common.known_while import KnownWhile
from ..common.line_drawing import Color, ColoredLines, in_world, joined, lines_of
from ..common.reading_soon import ReadingSoon
from ..common.viewport_drawing import lines_around
from ..timeline.stretch_operator import edited_action
from ..timeline.unchanged_keys import shown_fingerprint

known = KnownWhile[WeightOverTime | None]()
PATH: Color = (0.85, 0.9, 1.0, 0.55)
ARC: Color = (1.0, 0.75, 0.2, 0.9)
BALANCED: Color = (0.3, 0.9, 0.4, 0.9)
TOPPLING: Color = (1.0, 0.3, 0.25, 0.9)
IN_AIR: Color = (0.7, 0.7, 0.7, 0.6)
CROSS = 0.02
"""Half the length of the arms of a cross, as a share of the size."""

Points = Float64


def shown_weight(context: Context, character: Object) -> ColoredLines | None:
    """Return the lines of a character's weight at the current frame; None where it is not read yet."""
    edited = edited_action(context)
    if edited is None:
        return None
    mark, weight = known.get(character.name_full, (None, None))
    if mark != _mark(context.scene, *edited[1:]):
        soon.ask()
    # The weight of the keys before an edit is shown until that of the new keys is read.
    if weight is None:
        return None
    to_world = np.array(roots_to_world(character, weight.skeleton.names[0] == OBJECT_JOINT), np.float64)
    return weight_lines(weight, context.scene.frame_current_final, to_world)


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


DRAWING = lines_around(shown_weight, "show_weight")
HANDLERS = {"depsgraph_update_post": _on_update, "undo_post": _on_undo, "redo_post": _on_undo, "load_post": _forget}


def unregister() -> None:
    """Forget the bodies."""
    soon.stop()
    known.clear()


def weight_lines(weight: WeightOverTime, frame: float, to_world: Points) -> ColoredLines:
    """Return the lines of a body's weight in the world; frame: of the scene, to_world: `(4, 4)` from the roots' space.

    At the frame, crosses mark the center of mass and, on the ground, the center and the extrapolated center. The
    polygon of support is green if the extrapolated center is inside, and red otherwise.
    """
    axes, level = weight.support.axes, weight.support.level
    now = int(np.clip(round(frame - weight.first), 0, len(weight.center) - 1))
    outside, arm = weight.outside[now], CROSS * weight.skeleton.size
    color = IN_AIR if np.isnan(outside) else BALANCED if outside <= 0 else TOPPLING
    center = weight.center[now]
    below, ahead = (_on_ground(point, axes, level) for point in (center, weight.ahead[now]))
    pieces = [
        (joined(weight.center), PATH),
        *((joined(arc), ARC) for arc in weight.arcs),
        (_cross(center, axes, arm), PATH),
        (np.stack((center, below)), PATH),
        (_cross(below, axes[:2], arm / 2), color),
        (np.stack((below, ahead)), color),
        (_cross(ahead, axes[:2], arm), color),
        (joined(weight.support.polygon(now), closed=True), color),
    ]
    return in_world(lines_of(pieces), to_world)


def _on_ground(point: Points, axes: Points, level: float) -> Points:
    return np.asarray(point + (level - point @ axes[2]) * axes[2])


def _cross(center: Points, axes: Points, arm: float) -> Points:
    """Return the arms of a cross along axes `(N, 3)` as pairs of points `(2 N, 3)`."""
    return np.stack((center - arm * axes, center + arm * axes), axis=1).reshape(-1, 3)
