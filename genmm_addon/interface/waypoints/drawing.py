# SPDX-License-Identifier: GPL-3.0-or-later
"""The waypoints in the viewport, with the way through them."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from bpy.types import Context, Object

from ...animation.rig import read_skeleton, scale_of
from ...core import Float64
from ...core.constraints import paths_between
from ...state.properties import readable_settings
from ..common.line_drawing import UNUSED, Color, ColoredLines, joined, lines_of
from ..common.viewport_drawing import lines_around
from .shown import ShownWaypoint, shown_waypoints

PATH: Color = (0.25, 0.75, 1.0, 0.8)
RING: Color = (1.0, 0.55, 0.1, 0.9)
UNREACHED: Color = (1.0, 0.15, 0.1, 1.0)
"""Color of a leg that is too long for its time."""
RING_SHARE, ARROW_SHARE = 0.12, 0.35
"""A ring's radius and an arrow's length, as shares of the character's size."""
CORNERS = 24


def plan_lines(waypoints: Sequence[ShownWaypoint], size: float, strength: float) -> ColoredLines:
    """Return the lines of waypoints sorted by frame; strength: a factor on all opacities."""
    pieces: list[tuple[Float64, Color]] = []
    placed = [waypoint for waypoint in waypoints if waypoint.place is not None]
    places = np.array([waypoint.place for waypoint in placed], np.float64).reshape(-1, 3)
    paths = paths_between(places, [waypoint.facing for waypoint in placed], size)
    for path, heights, waypoint in zip(paths, pairwise(places[:, 2]), placed[1:], strict=True):
        raised = np.column_stack((path[:, :2], np.linspace(*heights, len(path))))
        pieces.append((joined(raised), UNREACHED if waypoint.out_of_reach else PATH))
    for number, waypoint in enumerate(waypoints):
        place = _place_of(waypoints, number)
        if place is None:
            continue
        if waypoint.place is not None:
            pieces.append((_ring(place, RING_SHARE * size), RING))
        if waypoint.facing is not None:
            pieces.append((_arrow(place, np.array(waypoint.facing), ARROW_SHARE * size), RING))
    return lines_of([(points, (*color[:3], color[3] * strength)) for points, color in pieces])


def _place_of(waypoints: Sequence[ShownWaypoint], number: int) -> Float64 | None:
    """Return the position at which to draw a waypoint: between its neighbors where it has no place of its own."""
    waypoint = waypoints[number]
    if waypoint.place is not None:
        return np.array(waypoint.place, np.float64)
    before = [other for other in waypoints[:number] if other.place is not None]
    after = [other for other in waypoints[number + 1 :] if other.place is not None]
    if not before or not after:
        beside = (before[-1:] or after[:1])[:1]
        return np.array(beside[0].place, np.float64) if beside else None
    share = (waypoint.frame - before[-1].frame) / max(after[0].frame - before[-1].frame, 1)
    return np.asarray((1 - share) * np.array(before[-1].place) + share * np.array(after[0].place), np.float64)


def _ring(place: Float64, radius: float) -> Float64:
    angles = np.linspace(0.0, 2 * np.pi, CORNERS + 1)
    return joined(place + radius * np.stack((np.cos(angles), np.sin(angles), np.zeros(len(angles))), axis=1))


def _arrow(place: Float64, facing: Float64, length: float) -> Float64:
    ahead = facing * (1.0, 1.0, 0.0)
    ahead = ahead / max(float(np.linalg.norm(ahead)), 1e-9)
    aside = np.array((-ahead[1], ahead[0], 0.0))
    tip = place + length * ahead
    ends = [tip + 0.25 * length * (side * aside - ahead) for side in (-1.0, 1.0)]
    return np.array([place, tip, tip, ends[0], tip, ends[1]])


def waypoint_lines(context: Context, character: Object) -> ColoredLines | None:
    """Return the lines of a character's waypoints; None without any."""
    settings = readable_settings(character, context.scene)
    if not settings.waypoints:
        return None
    size = float(read_skeleton(character).size) * scale_of(character)
    waypoints = shown_waypoints(character, settings, context.scene)
    return plan_lines(waypoints, size, 1.0 if settings.use_waypoints else UNUSED)


DRAWING = lines_around(waypoint_lines, "show_waypoints")
