# SPDX-License-Identifier: GPL-3.0-or-later
"""Directions for a character's next motion, from its panel: parts, pins, the kept part, the path."""

from dataclasses import replace

from bpy.types import Action, Object

from ..animation.curve_path import check_curve
from ..animation.ground_mesh import check_ground
from ..core import InputError
from ..generation.direction import CompletionSpec, GroundSpec, PathSpec, PinsSpec, WaypointSpec
from ..generation.request import Request
from ..state.pins_editing import own_assignment
from ..state.properties import GENMM_PG_character
from .part_values import part_named, part_specs


def with_direction(
    request: Request, settings: GENMM_PG_character, *, painted: bool, followed: Object | None = None
) -> Request:
    """Return the request with all directions of the panel; those switched off are dropped later, by the values.

    painted: use the parts of the list. followed: a curve to follow in place of the panel's. Raises InputError for a
    direction that is switched on and cannot be used.
    """
    return replace(
        request,
        parts=part_specs(settings) if painted else (),
        pins=None if settings.pins_action is None else PinsSpec(settings.pins_action),
        completion=_completion(settings, request.armature),
        path=_path(settings, followed),
        waypoints=_waypoints(settings),
        ground=_ground(settings, request.armature),
        bone_names=bone_names_of(settings),
    )


def bone_names_of(settings: GENMM_PG_character) -> tuple[tuple[str, str], ...]:
    """Return the pairs in the table of bone names: the other character's bone, and this character's.

    An empty name says that a bone has no counterpart; where no counterpart was found, the bone is not in the pairs.
    """
    return tuple(
        (row.name, row.target)
        for row in settings.bone_names
        if (row.name or row.target) and row.shown_certainty != "NONE"
    )


def why_no_path(settings: GENMM_PG_character, followed: Object | None = None) -> str:
    """Return a sentence on why the path cannot be followed; "" where it can, or is switched off.

    followed: a curve to follow in place of the panel's.
    """
    try:
        _path(settings, followed)
    except InputError as error:
        return str(error)
    return ""


def why_not_kept(settings: GENMM_PG_character, character: Object) -> str:
    """Return why the part cannot be kept, in a few words for the panel; "" where it can, or is switched off."""
    is_asked = settings.use_completion and (settings.completion_action is not None or settings.completion_part)
    return _why_not_given(settings, character) if is_asked else ""


def _completion(settings: GENMM_PG_character, character: Object) -> CompletionSpec | None:
    """Return the chosen part with the chosen action, or else with the action that the character plays."""
    if settings.completion_action is None and not settings.completion_part:
        return None
    reason = _why_not_given(settings, character)
    if reason:
        if settings.use_completion:
            raise InputError(f"{reason}, or switch Keep Part off.")
        return None
    action, slot = given_action(settings, character) or (None, "")
    part = part_named(settings, settings.completion_part)
    # Where the action is an example as well, its row holds the rate that it was made for.
    rates = [item.frames_per_second for item in settings.examples if item.action == action and item.use_rate]
    bones = tuple(row.name for row in part.bones)
    return CompletionSpec(action, bones, slot, frames_per_second=rates[0] if rates else None)


def given_action(settings: GENMM_PG_character, character: Object) -> tuple[Action, str] | None:
    """Return the kept part's action and slot: the chosen action, with no slot given (""), else the character's own."""
    if settings.completion_action is not None:
        return settings.completion_action, ""
    return own_assignment(character)


def _why_not_given(settings: GENMM_PG_character, character: Object) -> str:
    if not settings.completion_part:
        return "Choose the part that plays the action"
    if part_named(settings, settings.completion_part) is None:
        return f"There is no part {settings.completion_part}; choose another"
    if given_action(settings, character) is None:
        return f"{character.name} plays no action; choose one"
    return ""


def _ground(settings: GENMM_PG_character, character: Object) -> GroundSpec | None:
    if settings.ground_object is None:
        return None
    if settings.use_ground:
        check_ground(settings.ground_object, character)
    return GroundSpec(settings.ground_object)


def why_no_ground(settings: GENMM_PG_character, character: Object) -> str:
    """Return why the chosen object cannot be the ground, in a few words for the panel; "" where it can."""
    try:
        check_ground(settings.ground_object, character)
    except InputError as error:
        return str(error).partition(";")[0]
    return ""


def _waypoints(settings: GENMM_PG_character) -> tuple[WaypointSpec, ...]:
    for number, row in enumerate(settings.waypoints, 1):
        if row.empty is None or not row.empty.users_scene:
            if settings.use_waypoints:
                raise InputError(f"The empty of waypoint {number} is gone; choose another, or remove the waypoint.")
            return ()
    return tuple(WaypointSpec(row.empty, row.frame, row.use_place, row.use_facing) for row in settings.waypoints)


def _path(settings: GENMM_PG_character, followed: Object | None = None) -> PathSpec | None:
    curve = followed or settings.path_curve
    if curve is None:
        return None
    if followed or settings.use_path:
        check_curve(curve)
        if not curve.users_scene:
            raise InputError(f'The path "{curve.name}" is gone from the scene; choose another curve.')
    return PathSpec(curve) if curve.type == "CURVE" else None
