# SPDX-License-Identifier: GPL-3.0-or-later
"""The waypoints of a character for panel and viewport: their order, the legs between them, and warnings."""

from dataclasses import dataclass

from bpy.types import Object, Scene

from ...animation.rig import scale_of
from ...animation.scene_time import scene_rate
from ...core import InputError, listed
from ...core.constraints import MOST_FASTER
from ...state.properties import GENMM_PG_character
from ..examples.learned import is_learned_quickly, learned_from


@dataclass(frozen=True)
class ShownWaypoint:
    """A row of the list, its number there, and the leg to it from the place before.

    place, facing: in the world, None where they are not asked for. distance, speed: of the leg, in world units and per
    second; 0 for the first. out_of_reach: the speed is higher than any in the examples.
    """

    number: int
    name: str
    frame: int
    place: tuple[float, float, float] | None
    facing: tuple[float, float, float] | None
    distance: float = 0.0
    speed: float = 0.0
    out_of_reach: bool = False


def shown_waypoints(character: Object, settings: GENMM_PG_character, scene: Scene) -> tuple[ShownWaypoint, ...]:
    """Return the waypoints that have an empty, sorted by frame."""
    rows = [(number, row) for number, row in enumerate(settings.waypoints) if row.empty and row.empty.users_scene]
    if not rows:
        return ()
    highest = _highest_speed(character, settings, scene) * scale_of(character)
    rate, shown = scene_rate(scene), list[ShownWaypoint]()
    before: ShownWaypoint | None = None
    for number, row in sorted(rows, key=lambda pair: pair[1].frame):
        matrix = row.empty.matrix_world
        location = matrix.translation
        ahead = -matrix.col[1].to_3d().normalized()
        place, facing = (location.x, location.y, location.z), (ahead.x, ahead.y, ahead.z)
        distance = speed = 0.0
        if before is not None and before.place is not None and row.use_place:
            distance = ((location.x - before.place[0]) ** 2 + (location.y - before.place[1]) ** 2) ** 0.5
            speed = distance * rate / max(row.frame - before.frame, 1)
        waypoint = ShownWaypoint(
            number,
            row.empty.name,
            row.frame,
            place if row.use_place else None,
            facing if row.use_facing else None,
            distance,
            speed,
            highest > 0 and speed > MOST_FASTER * highest,
        )
        shown.append(waypoint)
        before = waypoint if row.use_place else before
    return tuple(shown)


def warnings_on(
    waypoints: tuple[ShownWaypoint, ...], settings: GENMM_PG_character, first_frame: int, frames: int
) -> list[str]:
    """Return short sentences on problems that the waypoints would cause in Generate."""
    if not settings.use_waypoints:
        return []
    warnings = []
    if len(waypoints) < len(settings.waypoints):
        warnings.append("A waypoint has lost its empty")
    if not waypoints:
        return warnings
    if settings.use_path and settings.path_curve is not None:
        warnings.append("A path is followed: switch one off")
    if settings.loop != "OFF":
        warnings.append("A loop comes back: switch one off")
    last = first_frame + frames - 1
    outside = [waypoint.frame for waypoint in waypoints if not first_frame <= waypoint.frame <= last]
    if outside:
        warnings.append(f"Outside frames {first_frame} to {last}: {listed(outside, '')}")
    times = [waypoint.frame for waypoint in waypoints]
    twice = sorted({frame for frame in times if times.count(frame) > 1})
    warnings += [f"Two waypoints at frame {frame}" for frame in twice]
    warnings += [f"Out of reach in the time: {waypoint.name}" for waypoint in waypoints if waypoint.out_of_reach]
    return warnings


def _highest_speed(character: Object, settings: GENMM_PG_character, scene: Scene) -> float:
    """Return the examples' highest speed of travel, in the character's units per second; 0 where it is not known."""
    if not is_learned_quickly(settings):
        return 0.0
    try:
        return learned_from(character, settings, scene).highest_speed
    except InputError:
        return 0.0
