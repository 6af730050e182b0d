# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches of a result regenerated in place, with alternatives."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from bpy.types import Action, FCurve, Object, Scene

from ...animation.actions import armature_slots, fcurves_of, slot_for
from ...animation.mesh_channels.playing import slot_of_address
from ...animation.mesh_channels.reading import BlockChannels
from ...animation.reading.stretch import read_stretch
from ...animation.sampling import CONSTANT, LINEAR
from ...animation.scene_time import scene_rate
from ...animation.stretches.editing import edited_in_place
from ...animation.stretches.key_tables import new_keys, read_keys
from ...animation.stretches.linked import check_local
from ...animation.stretches.replaced_keys import NewKeys, write_stretches
from ...animation.stretches.replacing import Stretch, replace_stretch
from ...core import Float32, Float64, InputError, Loop, Motion
from ...core.infill import DIFFERENCE, Replanned
from ...core.motion import joined, smoothstep
from ...core.synthesis import CROSSFADE_SECONDS, SourceRows
from ..generate import SceneReading, read
from ..measures import forget_measures
from ..meshes import block_values, mesh_actions_of, part_of
from ..recipe import Recipe, recipe_of, request_from_recipe, store, to_json
from ..request import Request
from ..sources import Sources, frames_of_part, played_result, sources_with, store_sources
from .locks import between_locks, is_locked, locked_ranges
from .material import Material, StretchPlace, next_alternative
from .redone import MOST_ALTERNATIVES, Redone, parse_redone
from .replay import check_stretch, place_in

_kept: dict[str, tuple[tuple[str, float], SceneReading]] = {}
SAME_VALUE = 2e-3
"""Tolerance for comparing a written motion with the one read back."""
Curves = Mapping[tuple[str, int], FCurve]
_material: dict[str, tuple[object, Material]] = {}


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


@dataclass(eq=False)
class Series:
    """A stretch's original motion and its alternatives. shown: the number of the present one, 0 for the original."""

    original: Motion
    place: StretchPlace
    sources: Sources
    alternatives: list[Replanned] = field(default_factory=list)
    shown: int = 0

    def motion(self, number: int) -> Motion:
        """Return the motion with a number."""
        return self.alternatives[number - 1].motion if number else self.original


@dataclass(frozen=True)
class RegeneratedStretch:
    """A regenerated stretch: its frames in the action, its number among `count` alternatives, and notes."""

    first: float
    last: float
    number: int
    count: int
    notes: tuple[str, ...] = ()


_series: dict[tuple[str, int, int], Series] = {}
"""Series by action, first and last frame; they end with the session, or when anything else changes the stretch."""


def regenerate_stretch(character: Object, scene: Scene, first: int, last: int) -> RegeneratedStretch:
    """Regenerate scene frames `first` to `last`, different from all they have shown before. Raises InputError."""
    stretch = played_stretch(character, scene, first, last)
    series = _series_of(stretch)
    return _shown(stretch, series, len(series.alternatives) + 1)


def swap_stretch(character: Object, scene: Scene, first: int, last: int, step: int = 1) -> RegeneratedStretch:
    """Show the next alternative of a stretch, a new one after the last, or with a step of -1 the previous one.

    Number 0 is the original motion. Raises InputError.
    """
    stretch = played_stretch(character, scene, first, last)
    series = _series_of(stretch)
    count = max(len(series.alternatives), 1) + 1
    return _shown(stretch, series, (series.shown + step) % count)


def regenerate_unlocked(character: Object, scene: Scene) -> tuple[RegeneratedStretch, ...]:
    """Regenerate all of the result but its locked stretches, one piece after another. Raises InputError."""
    played = played_result(character)
    if played is None or not locked_ranges(played.action):
        raise InputError("No stretch is locked; regenerate the whole motion, or lock what should stay.")
    start = round(played.sources.frame_start)
    offset = round(played.offset)
    pieces = between_locks(played.action, start, start + played.sources.frames - 1)
    if not pieces:
        raise InputError("The whole motion is locked; unlock what should be regenerated.")
    with edited_in_place(played.action, slot_for(character, played.action), *mesh_actions_of(played.action)):
        return tuple(regenerate_stretch(character, scene, first + offset, last + offset) for first, last in pieces)


def _series_of(stretch: PlayedStretch) -> Series:
    """Return the series of a stretch if it still shows one of its motions; else a new series."""
    key = (stretch.action.name_full, stretch.first, stretch.last)
    current = stretch.motion.slice(stretch.first - 1, stretch.last)
    known = _series.get(key)
    place = place_in(stretch.motion, stretch.first, stretch.last)
    if known is not None and _same_sides(known.place, place):
        # Undo may have restored any of the motions.
        for number in (known.shown, *range(len(known.alternatives) + 1)):
            if _same(known.motion(number), current):
                known.shown = number
                return known
    _series.clear()
    _series[key] = Series(current, place, stretch.sources)
    return _series[key]


def _same(motion: Motion, other: Motion) -> bool:
    channels = other.channels()
    return motion.frames == other.frames and all(
        values.shape == channels[name].shape
        and (_distance(name, values, channels[name]) <= SAME_VALUE * max(1.0, float(np.abs(values).max(initial=0.0))))
        for name, values in motion.channels().items()
    )


def _distance(name: str, values: Float32, other: Float32) -> float:
    if name != "rotations":
        return float(np.abs(values - other).max(initial=0.0))
    return float((1.0 - np.abs((values * other).sum(axis=-1))).max(initial=0.0))


def _same_sides(place: StretchPlace, other: StretchPlace) -> bool:
    pairs = zip((place.around.before, place.around.after), (other.around.before, other.around.after), strict=True)
    return all((a is None) == (b is None) and (a is None or b is None or _same(a, b)) for a, b in pairs)


def _shown(stretch: PlayedStretch, series: Series, number: int) -> RegeneratedStretch:
    """Show the alternative with a number; the next one after the last is planned first."""
    if number > MOST_ALTERNATIVES:
        raise InputError(f"The stretch has {MOST_ALTERNATIVES} alternatives already; choose another stretch.")
    if number > len(series.alternatives):
        material = _material_of(stretch)
        series.alternatives.append(next_alternative(material, series.place, series.original, series.alternatives))
    _write(stretch, series, number)
    series.shown = number
    notes: tuple[str, ...] = ()
    if number and series.alternatives[number - 1].difference < DIFFERENCE:
        notes = (
            "The examples offer little else that fits here: the stretch differs by less than half of its movement.",
        )
    if number and stretch.request.path is not None:
        notes = (
            *notes,
            "Between its ends the stretch leaves the path: it is on it only where it begins and ends.",
        )
    if number and stretch.request.ground is not None:
        notes = (*notes, "Between its ends the stretch is made for flat ground: put its feet on the ground again.")
    first, last = stretch.frame_of(stretch.first), stretch.frame_of(stretch.last)
    return RegeneratedStretch(first, last, number, len(series.alternatives), notes)


def _material_of(stretch: PlayedStretch) -> Material:
    """Return the examples of the stretch's result; those of a library are cached."""
    reading = stretch.reading
    if "library" in _material and _material["library"][0] is reading:
        return _material["library"][1]
    material = Material(
        reading.reading.motions,
        reading.names,
        reading.frames_per_second,
        stretch.request.settings,
        reading.resolved.parts,
        reading.resolved.constraints,
    )
    if stretch.request.library is not None:
        _material["library"] = (reading, material)
    return material


def _write(stretch: PlayedStretch, series: Series, number: int) -> None:
    """Write an alternative into the action, and update its sources and its recipe."""
    around = series.place.around
    pieces = [series.motion(number)]
    first, last = stretch.frame_of(stretch.first), stretch.frame_of(stretch.last)
    if around.before is not None:
        pieces.insert(0, around.before.slice(around.before.frames - 1, around.before.frames))
        first -= 1
    if around.after is not None:
        pieces.append(around.after.slice(0, 1))
        last += 1
    where = Stretch(first, last, around.before is not None, around.after is not None)
    redone = list(parse_redone(stretch.recipe.redone))
    if series.shown and redone and (redone[-1].first, redone[-1].last) == (stretch.first, stretch.last):
        redone.pop()
    if number:
        redone.append(Redone(stretch.first, stretch.last, number))
    sources = series.sources
    if number:
        sources = sources_with(sources, series.alternatives[number - 1], stretch.first - 1)
    keyed = stretch.reading.reading.keyed
    with edited_in_place(stretch.action, stretch.slot, *mesh_actions_of(stretch.action)):
        replace_stretch(stretch.character, stretch.action, stretch.slot, where, joined(pieces), keyed)
        store(stretch.action, replace(stretch.recipe, redone=", ".join(map(str, redone))))
        store_sources(stretch.action, sources)
        replace_on_meshes(stretch, sources)
        forget_measures(stretch.action)


def replace_on_meshes(stretch: PlayedStretch, sources: Sources) -> None:
    """Replace the values inside a stretch by those of its new sources; all outside plays as before."""
    meshes = stretch.reading.meshes
    names, rate = stretch.motion.skeleton.names, stretch.reading.frames_per_second
    for block, columns in zip(meshes.blocks, meshes.columns(), strict=True):
        action, slot = _written(stretch.action, block)
        if action is None:
            continue
        number = part_of(block, names, names[0], stretch.reading.resolved.parts)
        examples, frames, rates = frames_of_part(sources, sources.parts[min(number, len(sources.parts) - 1)])
        steps = np.array([example.step for example in sources.examples])[examples] * rates
        tables = [table[:, columns] for table in meshes.tables]
        values = block_values(block, tables, SourceRows(examples, frames, steps), rate)
        curves = {(curve.data_path, curve.array_index): curve for curve in fcurves_of(action, slot)}
        for column, channel in enumerate(block.channels):
            curve = curves.get((channel.data_path, channel.index))
            if curve is not None:
                _replace(curve, stretch, values[:, column].astype(np.float64), stepped=channel.is_stepped)


def _written(action: Action, block: BlockChannels) -> tuple[Action | None, str]:
    """Return the action and slot in which a result stores the values of a block."""
    for candidate in (action, *mesh_actions_of(action)):
        slot = slot_of_address(candidate, block.address)
        if slot is not None:
            return candidate, slot
    return None, ""


def _replace(curve: FCurve, stretch: PlayedStretch, values: Float64, *, stepped: bool) -> None:
    """Replace a curve's keys inside the stretch, with values blended to those before and after it."""
    first, last = max(stretch.first - 2, 0), min(stretch.last, len(values) - 1)
    rows = np.arange(first, last + 1)
    times = np.array([stretch.frame_of(row + 1) for row in rows.tolist()])
    keeps = first == stretch.first - 2, last == stretch.last
    inside = values[rows]
    if not stepped:
        length = max(round(CROSSFADE_SECONDS * stretch.reading.frames_per_second), 1)
        for end, kept in zip((0, -1), keeps, strict=True):
            if kept:
                away = np.abs(rows - rows[end]) / min(length, len(rows) - 1)
                inside = inside + (curve.evaluate(times[end]) - values[rows[end]]) * (
                    1 - smoothstep(np.clip(away, 0, 1))
                )
    table = new_keys(times, inside, interpolation=CONSTANT if stepped else LINEAR)
    write_stretches(curve, read_keys(curve), [NewKeys(table, *keeps)])
