# SPDX-License-Identifier: GPL-3.0-or-later
"""The ghosts in the viewport."""

import bpy
import numpy as np
from bpy.types import Context, Object

from ...animation.pins.pinned_poses import PinnedPoses, pinned_poses
from ...animation.rig import roots_to_world
from ...core import InputError
from ...state.pins_editing import own_assignment
from ...state.properties import readable_settings
from ..common.known_while import KnownWhile
from ..common.line_drawing import ColoredLines, in_world
from ..common.viewport_drawing import lines_around
from .ghosts import plan_ghosts
from .shown import seen_pins

_known = KnownWhile[PinnedPoses]()


def ghosts_of(context: Context, character: Object) -> ColoredLines | None:
    """Return the ghosts of the character's pins in the world; None where there is nothing to show."""
    settings = readable_settings(character, context.scene)
    if not settings.use_pins:
        return None
    seen = seen_pins(character, settings, context.scene)
    if not seen.pins:
        return None
    try:
        poses = _poses_of(character, settings.pins_action, seen.mark)
    except InputError:
        return None
    places = np.array([pin.place for pin in seen.pins], bool)
    lines = plan_ghosts(poses, places, context.scene.frame_current)
    return in_world(lines, np.array(roots_to_world(character, poses.with_object), np.float64))


def _poses_of(character: Object, action: bpy.types.Action, mark: object) -> PinnedPoses:
    assignment = own_assignment(character)
    asked = (
        mark,
        None if assignment is None else (assignment[0].name_full, assignment[1], *assignment[0].frame_range[:]),
    )
    return _known.value(character.name_full, asked, lambda: pinned_poses(character, action, assignment))


DRAWING = lines_around(ghosts_of, "show_ghosts")


def unregister() -> None:
    """Forget the poses."""
    _known.clear()
