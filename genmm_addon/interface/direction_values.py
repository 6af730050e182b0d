# SPDX-License-Identifier: GPL-3.0-or-later
"""What directs a character's next motion, as its panel says: parts, pins, the given part, the path."""

from dataclasses import replace

from ..animation.curve_path import check_curve
from ..core import InputError
from ..generation.direction import CompletionSpec, PathSpec, PinsSpec
from ..generation.request import Request
from .part_values import part_named, part_specs
from .properties import GENMM_PG_character


def directed_by(request: Request, settings: GENMM_PG_character, *, painted: bool) -> Request:
    """The request with all that is set in the panel, switched on or not; the values say later what counts.

    painted: whether the parts of the list are used. Raises InputError for what is switched on and cannot be used.
    """
    return replace(
        request,
        parts=part_specs(settings) if painted else (),
        pins=None if settings.pins_action is None else PinsSpec(settings.pins_action),
        completion=_completion(settings),
        path=_path(settings),
        bone_names=tuple((row.name, row.target) for row in settings.bone_names if row.name and row.target),
    )


def why_not_directed(settings: GENMM_PG_character) -> str:
    """What keeps the given part or the path from being used, in a few words for the panel; else nothing."""
    if settings.use_path and settings.path_curve is not None and settings.path_curve.type != "CURVE":
        return f"{settings.path_curve.name} is no curve"
    if settings.use_completion and settings.completion_action is not None:
        if not settings.completion_part:
            return "Choose the part that plays the action"
        if part_named(settings, settings.completion_part) is None:
            return f"There is no part {settings.completion_part}"
    return ""


def _completion(settings: GENMM_PG_character) -> CompletionSpec | None:
    if settings.completion_action is None:
        return None
    part = part_named(settings, settings.completion_part)
    if part is None:
        if settings.use_completion:
            raise InputError("The given part is not in the list of parts; choose one in Given Part, or switch it off.")
        return None
    action = settings.completion_action
    # Where it is an example as well, it is told there how fast it was meant.
    rates = [item.frames_per_second for item in settings.examples if item.action == action and item.use_rate]
    return CompletionSpec(action, tuple(row.name for row in part.bones), frames_per_second=rates[0] if rates else None)


def _path(settings: GENMM_PG_character) -> PathSpec | None:
    if settings.path_curve is None:
        return None
    if settings.use_path or settings.path_curve.type == "CURVE":
        check_curve(settings.path_curve)
    return PathSpec(settings.path_curve) if settings.path_curve.type == "CURVE" else None
