# SPDX-License-Identifier: GPL-3.0-or-later
"""Places found by the last search: kept by the window manager, and placed on the character."""

from collections.abc import Sequence

import bpy
from bpy.types import Context, Object

from ...animation.stretches.fingerprints import Range, fingerprint
from ...editing.filling.record import Fingerprint
from ...libraries.exploring.finding import FoundPlace, LaidPlace, clip_of, find_places, lay_place
from ...libraries.exploring.stretch import FrameRange, SearchedStretch, range_to_find, read_stretch
from ...requests.direction_values import bone_names_of
from ...requests.library_values import search_choice, spec_to_find
from ...state.exploring_properties import GENMM_PG_exploring, GENMM_PG_found_place, exploring
from ...state.properties import readable_settings
from ..common.known_while import KnownWhile

_searched: dict[str, SearchedStretch] = {}
"""The stretch searched for last, by character: read at the search, since reading is too slow while drawing."""
_laid = KnownWhile[LaidPlace]()
"""The place that was placed on a character last."""


def search(context: Context, character: Object, count: int) -> tuple[SearchedStretch, FrameRange, Sequence[str]]:
    """Search for places like what the character plays, keep those found, and return what was searched for, and
    sentences on the libraries that could not be searched. Raises InputError.
    """
    settings, scene = readable_settings(character, context.scene), context.scene
    spec = spec_to_find(character)
    asked = range_to_find(character, spec, scene)
    stretch = read_stretch(character, spec, asked, scene)
    choice, names = search_choice(settings), bone_names_of(settings)
    places, refused = find_places(stretch, character.name, choice, names, count)
    kept = exploring(context)
    kept.character, kept.chosen_by = character.name_full, asked.chosen_by
    kept.first, kept.last = stretch.first, stretch.last
    kept.action, kept.slot, kept.keys = "", "", ""
    if spec.action is not None:
        kept.action, kept.slot = spec.action.name_full, spec.slot
        kept.keys = fingerprint(spec.action, spec.slot, _around(kept))
    kept.places.clear()
    for place in places:
        _keep(kept.places.add(), place)
    kept.active_place = 0
    _laid.clear()
    _searched.clear()
    _searched[character.name_full] = stretch
    return stretch, asked, refused


def forget(context: Context) -> None:
    """Forget the last search."""
    exploring(context).places.clear()
    _laid.clear()
    _searched.clear()


def why_outdated(kept: GENMM_PG_exploring, fingerprint: Fingerprint = fingerprint) -> str:
    """Return a sentence where the keys that were searched for have changed since; else ""."""
    action = next((each for each in bpy.data.actions if each.name_full == kept.action), None) if kept.keys else None
    if action is None or fingerprint(action, kept.slot, _around(kept)) == kept.keys:
        return ""
    return f'Keys of "{action.name}" changed after the search; search again'


def _around(kept: GENMM_PG_exploring) -> Range:
    return kept.first - 1.0, kept.last + 1.0


def active_place(kept: GENMM_PG_exploring) -> FoundPlace | None:
    """Return the place selected in the list; None without one."""
    if not 0 <= kept.active_place < len(kept.places):
        return None
    row = kept.places[kept.active_place]
    return FoundPlace(row.file, row.fingerprint, row.clip, row.first, row.frames, row.distance)


def lay_active(context: Context, character: Object) -> LaidPlace | None:
    """Return the selected place on the character, cached for drawing; None without one. Raises InputError."""
    kept = exploring(context)
    place = active_place(kept)
    if place is None:
        return None
    settings, scene = readable_settings(character, context.scene), context.scene
    names, render = bone_names_of(settings), scene.render
    stretch = _searched.get(character.name_full)
    asked = (character.name_full, id(stretch), place, names, render.fps, render.fps_base)
    return _laid.value("", asked, lambda: lay_place(character, place, names, scene, stretch))


def _keep(row: GENMM_PG_found_place, place: FoundPlace) -> None:
    _, clip = clip_of(place)
    row.name = clip.name
    row.file, row.fingerprint, row.clip = place.file, place.fingerprint, place.clip
    row.first, row.frames, row.distance = place.first, place.frames, place.distance
    row.tags = ", ".join(f"{key}={value}" if value else key for key, value in clip.tags.items())
