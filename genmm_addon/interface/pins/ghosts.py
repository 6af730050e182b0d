# SPDX-License-Identifier: GPL-3.0-or-later
"""The pinned poses in the viewport."""

import bpy
import numpy as np
from bpy.types import Context, Object

from ...animation.pins.action import PinnedPoses, pinned_poses
from ...animation.rig import roots_to_world
from ...core import InputError, Int64, Mask
from ...state.pins_editing import own_assignment
from ...state.properties import readable_settings
from ..common.known_while import KnownWhile
from ..common.line_drawing import ColoredLines, in_world, lines_of
from ..common.motion_ghosts import ghost_of
from ..common.viewport_drawing import lines_around
from .shown import seen_pins

MOST_GHOSTS = 20
PLACED = (1.0, 0.55, 0.1)
"""Color of a pinned pose with its location."""
POSED = (0.25, 0.75, 1.0)
"""Color of a pinned pose without a location."""
CURRENT, NEAREST, FARTHEST = 1.0, 0.55, 0.15
"""Opacity of the ghost at the current frame, of the nearest other one, and of the last that is drawn."""
_known = KnownWhile[PinnedPoses]()


def nearest_pins(frames: Int64, current: float) -> Int64:
    """Return the numbers of the pins to show, at most MOST_GHOSTS, the one nearest to the current frame first."""
    return np.argsort(np.abs(frames - current), kind="stable")[:MOST_GHOSTS]


def plan_ghosts(poses: PinnedPoses, places: Mask, current: float) -> ColoredLines:
    """Return the lines of all ghosts around the current frame.

    places: `(K,)` whether each pose is pinned with its location.
    """
    pieces = []
    for rank, pin in enumerate(nearest_pins(poses.frames, current)):
        strength = _strength(rank, int(poses.frames[pin]) == current)
        pieces.append((ghost_of(poses, int(pin)), (*(PLACED if places[pin] else POSED), strength)))
    return lines_of(pieces)


def _strength(rank: int, is_current: bool) -> float:
    if is_current:
        return CURRENT
    return NEAREST + (FARTHEST - NEAREST) * rank / MOST_GHOSTS


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
