# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators that add waypoints at the cursor or from selected empties, remove one, and go to one."""

import math
from collections.abc import Sequence
from typing import Any

import bpy
from bpy.types import Context, Object

from ...animation.rig import read_skeleton, scale_of
from ...animation.scene_time import scene_rate
from ...character.local_view import show_in_local_view
from ...core import InputError, counted
from ...state.properties import GENMM_PG_character
from .drawing import RING_SHARE

PACE = 0.7
"""Speed of a walk in multiples of the character's size per second: 1.2 m/s at 1.7 m."""


SOURCES = (
    ("CURSOR", "Cursor", "A new empty at the 3D cursor, passed at the current frame"),
    ("SELECTED", "Selected Empties", "The selected empties by name, one after another at a walking pace"),
)


def add_waypoints(operator: Any, context: Context, character: Object, settings: GENMM_PG_character) -> None:
    """Add the waypoints of the operator's source, and report what was added. Raises InputError."""
    if operator.source == "SELECTED":
        return _add_selected(operator, context, character, settings)
    frame = context.scene.frame_current
    if any(row.frame == frame for row in settings.waypoints):
        raise InputError(f"A waypoint is already at frame {frame}; go to another frame first.")
    empty = _new_empty(context, character, settings)
    _add(settings, empty, frame)
    operator.report({"INFO"}, f'"{empty.name}" is passed at frame {frame}; move it with G.')
    return None


def _add_selected(operator: Any, context: Context, character: Object, settings: GENMM_PG_character) -> None:
    listed = {row.empty for row in settings.waypoints}
    chosen = [thing for thing in context.selected_objects if thing.type == "EMPTY" and thing not in listed]
    empties = sorted(chosen, key=lambda empty: empty.name)
    if not empties:
        raise InputError("No selected empty can become a waypoint; select the character and new empties.")
    for empty, frame in zip(empties, _frames_for(context, character, settings, empties), strict=True):
        _add(settings, empty, frame)
    operator.report({"INFO"}, f"{counted(len(empties), 'waypoint')} added.")


def _add(settings: GENMM_PG_character, empty: Object, frame: int) -> None:
    row = settings.waypoints.add()
    row.empty, row.frame = empty, frame
    order = sorted(range(len(settings.waypoints)), key=lambda number: settings.waypoints[number].frame)
    settings.waypoints.move(len(order) - 1, order.index(len(order) - 1))


def _new_empty(context: Context, character: Object, settings: GENMM_PG_character) -> Object:
    """Return an empty at the cursor that faces away from the waypoint before it."""
    empty = bpy.data.objects.new("Waypoint", None)
    context.collection.objects.link(empty)
    show_in_local_view(context, [empty])
    empty.location = context.scene.cursor.location
    empty.empty_display_size = RING_SHARE * _size_of(character)
    frame = context.scene.frame_current
    before = [row.empty for row in settings.waypoints if row.empty is not None and row.frame < frame]
    if before:
        offset = empty.location - before[-1].matrix_world.translation
        empty.rotation_euler = (0.0, 0.0, math.atan2(offset.y, offset.x) + math.pi / 2)
    context.view_layer.update()
    return empty


def _frames_for(
    context: Context, character: Object, settings: GENMM_PG_character, empties: Sequence[Object]
) -> list[int]:
    """Return the frames at which the empties are passed in turn, from the current frame or after existing waypoints."""
    rate, pace = scene_rate(context.scene), PACE * _size_of(character)
    last = max(settings.waypoints, key=lambda row: row.frame, default=None)
    place = None if last is None or last.empty is None else last.empty.matrix_world.translation
    frame = context.scene.frame_current if last is None else last.frame
    frames = list[int]()
    for empty in empties:
        position = empty.matrix_world.translation
        if place is not None:
            frame += max(math.ceil(rate * (position.xy - place.xy).length / max(pace, 1e-9)), 1)
        frames.append(frame)
        place = position
    return frames


def _size_of(character: Object) -> float:
    return float(read_skeleton(character).size) * scale_of(character)
