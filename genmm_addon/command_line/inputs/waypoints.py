# SPDX-License-Identifier: GPL-3.0-or-later
"""Waypoints given as text: names of empties, or places for which empties are made."""

import math
import re

import bpy
from bpy.types import Object

from ...core import InputError
from ...generation.direction import WaypointSpec
from .opening import object_named

WORDS = {"place": (True, False), "facing": (False, True), "both": (True, True)}
"""Properties of a waypoint that are used (place, facing), by word."""
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)"
_PLACE = re.compile(rf"({_NUMBER})\s+({_NUMBER})(?:\s+({_NUMBER}))?")


def waypoints_of(text: str) -> tuple[WaypointSpec, ...]:
    """Return the waypoints in a text like "Start@1, Door@60:facing, 2 -1.5 90@120". Raises InputError."""
    return tuple(_waypoint(entry.strip()) for entry in text.split(","))


def _waypoint(entry: str) -> WaypointSpec:
    name, _, timing = entry.rpartition("@")
    number, _, word = timing.partition(":")
    name, number, word = name.strip(), number.strip(), word.strip()
    if not name or not re.fullmatch(r"-?\d{1,7}", number) or (word and word not in WORDS):
        raise InputError(
            f'The waypoint "{entry}" is not valid; write it as NAME@FRAME, optionally with :place, :facing or :both.'
        )
    place = _PLACE.fullmatch(name)
    if place is None:
        return WaypointSpec(object_named(name), int(number), *WORDS[word or "place"])
    turn = place[3]
    empty = _new_empty(float(place[1]), float(place[2]), float(turn or 0.0), int(number))
    return WaypointSpec(empty, int(number), *WORDS[word or ("place" if turn is None else "both")])


def _new_empty(x: float, y: float, degrees: float, frame: int) -> Object:
    """Return a new empty; degrees: its facing, from +X towards +Y."""
    empty = bpy.data.objects.new(f"Waypoint {frame}", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location = (x, y, 0.0)
    empty.rotation_euler = (0.0, 0.0, math.radians(degrees + 90.0))
    bpy.context.view_layer.update()
    return empty
