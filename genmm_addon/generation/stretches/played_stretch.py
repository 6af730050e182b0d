# SPDX-License-Identifier: GPL-3.0-or-later
"""A stretch of the result that a character plays: the data for regenerating it, and the checks of its frames."""

from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Action, Object, Scene

from ...animation.actions import armature_slots
from ...animation.reading.stretch import read_stretch
from ...animation.scene_time import scene_rate
from ...animation.stretches.linked import check_local
from ...core import InputError, Loop, Motion
from ..generate import SceneReading, read
from ..recipe import Recipe, recipe_of, request_from_recipe, to_json
from ..request import Request
from ..sources import Sources, played_result
from .locks import is_locked
from .replay import check_stretch


@dataclass(frozen=True, eq=False)
class PlayedStretch:
    """Frames `first` to `last` of an action that is a result, counted from 1 in the motion.

    motion: the whole result as it plays now. Holds data-blocks: use it at once, never across operators.
    """

    character: Object
    action: Action
    slot: str
    sources: Sources
    recipe: Recipe
    request: Request
    reading: SceneReading
    motion: Motion
    first: int
    last: int

    def frame_of(self, number: int) -> float:
        """Return the action's frame for a frame of the motion."""
        return self.sources.frame_start + number - 1


_kept: dict[str, tuple[tuple[str, float], SceneReading]] = {}


def played_stretch(character: Object, scene: Scene, first: int, last: int) -> PlayedStretch:
    """Return the stretch from scene frame `first` to `last` of the result that a character plays.

    Raises InputError where it plays no result, and where the stretch cannot be regenerated on its own.
    """
    played = played_result(character)
    if played is None:
        raise InputError(f'"{character.name}" plays nothing that was generated; select a result.')
    action, sources = played.action, played.sources
    check_local(action)
    offset = round(played.offset + sources.frame_start) - 1
    begin, end = min(first, last) - offset, max(first, last) - offset
    if begin > sources.frames or end < 1:
        raise InputError(f"The motion lasts from frame {1 + offset} to {sources.frames + offset}; choose frames of it.")
    begin, end = max(begin, 1), min(end, sources.frames)
    check_stretch(begin, end, sources.frames)
    recipe = recipe_of(action)
    if recipe is None:
        raise InputError(f'"{action.name}" no longer says what it was made from; generate it again.')
    start = round(sources.frame_start) - 1
    if is_locked(action, start + begin, start + end):
        raise InputError("A part of the stretch is locked; unlock it, or choose another stretch.")
    request = request_from_recipe(recipe)
    _check(request, begin, end, sources.frames)
    reading = _reading(recipe, request, scene)
    for constraint in reading.resolved.constraints:
        reason = constraint.why_not_replaced(begin - 1, end, offset + 1)
        if reason:
            raise InputError(reason)
    frames = sources.frame_start + np.arange(sources.frames, dtype=np.float64)
    slot = armature_slots(action)[0]
    motion = read_stretch(character, reading.reading, action, slot, frames, reading.frames_per_second)
    return PlayedStretch(character, action, slot, sources, recipe, request, reading, motion, begin, end)


def _check(request: Request, first: int, last: int, frames: int) -> None:
    """Raise InputError where a new stretch would break a constraint of the whole motion."""
    if request.completion is not None:
        raise InputError("The motion plays a kept part, which a stretch cannot follow; regenerate the whole motion.")
    if request.loop is not Loop.OFF and (first == 1 or last == frames):
        raise InputError("The stretch contains an end of a cycle, which would no longer close; choose frames inside.")


def _reading(recipe: Recipe, request: Request, scene: Scene) -> SceneReading:
    """Return the reading of the request's examples; a library's is cached until another one is needed."""
    plain = replace(request, path=None)
    if request.library is None or request.pins is not None:
        return read(plain, scene)
    key = to_json(replace(recipe, redone="", seed=0)), scene_rate(scene)
    if _kept.get("library", (None,))[0] != key:
        _kept["library"] = (key, read(plain, scene))
    return _kept["library"][1]
