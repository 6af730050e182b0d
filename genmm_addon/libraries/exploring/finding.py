# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of libraries that are similar to a stretch, and their motion laid on a character."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from bpy.types import Object, Scene

from ...animation.channels import KeyedChannels
from ...animation.reading.clips_on_character import clips_on_character
from ...animation.scene_time import scene_rate
from ...animation.writing import Written, write_action
from ...core import InputError, Motion, resample
from ...core.library import Clip, ClipLibrary, find_similar, parse_choice, rows_of
from ...core.motion import begin_at
from ..choosing import LibraryChoice, library_in
from ..one_skeleton import onto
from ..takes import take_of
from .indexes import index_of
from .stretch import SearchedStretch, bones_alone

CONTEXT_SECONDS = 5.0
"""Time of the clip before and after a place that helps to find the ground below it, in seconds."""


@dataclass(frozen=True)
class FoundPlace:
    """A place of a library: a clip's number, its first frame there from 0, and a number of frames at its rate.

    fingerprint: of the library when the place was found. distance: see `core.library.Place`.
    """

    file: str
    fingerprint: str
    clip: int
    first: int
    frames: int
    distance: float = 0.0


def find_places(
    stretch: SearchedStretch, name: str, choice: LibraryChoice, bone_names: Sequence[tuple[str, str]], count: int
) -> tuple[tuple[FoundPlace, ...], tuple[str, ...]]:
    """Return the places most similar to a stretch, the best first, in the chosen clips of all libraries, and sentences
    on the libraries that could not be searched.

    name: of the character, for messages. bone_names: pairs of names in the library and on the character. Raises
    InputError where no library gives a place: if none can be read, the skeletons do not match, no clip is chosen, or
    all clips are shorter than the stretch; and if a file is not a library.
    """
    places: list[FoundPlace] = []
    refused: dict[str, None] = {}
    tags = parse_choice(choice.tags)
    for file in choice.files:
        library = library_in(file)
        chosen = library.chosen(tags, choice.search)
        if not len(chosen):
            continue
        try:
            farthest = places[-1].distance if len(places) == count else np.inf
            places += _in_library(stretch, name, file, library, chosen.tolist(), bone_names, count, farthest)
            places = heapq.nsmallest(count, places, key=lambda place: place.distance)
        except InputError as error:
            refused[str(error)] = None
    if not places:
        if refused:
            raise InputError(next(iter(refused)))
        if choice.files:
            raise InputError("No clip of the library fits the tags and the search words; ask for less.")
        raise InputError("There is no library to search in; choose the file of one.")
    return tuple(places), tuple(refused)


def clip_of(place: FoundPlace) -> tuple[ClipLibrary, Clip]:
    """Return the library and the clip of a place. Raises InputError if the library has changed since."""
    library = library_in(place.file)
    if library.fingerprint != place.fingerprint:
        raise InputError("The library has changed since the search; search again.")
    return library, library.clips[place.clip]


def on_library(motion: Motion, name: str, library: ClipLibrary, bone_names: Sequence[tuple[str, str]]) -> Motion:
    """Return a character's motion on a library's skeleton, at its rate. Raises InputError if they do not match."""
    library_names = [(bone, original) for original, bone in bone_names]
    reference = library.clips[0]
    chosen = take_of(reference.name, reference.source, library.motion(0), reference.fingerprint)
    try:
        return onto(take_of(name, name, motion, ""), chosen, library.frames_per_second, library_names)
    except InputError as error:
        raise InputError(
            f'"{name}" cannot be matched with the library: too few of its bones have a counterpart there; '
            "fill in the table of bone names."
        ) from error


def _in_library(
    stretch: SearchedStretch,
    name: str,
    file: str,
    library: ClipLibrary,
    chosen: Sequence[int],
    bone_names: Sequence[tuple[str, str]],
    count: int,
    farthest: float,
) -> list[FoundPlace]:
    motion = on_library(stretch.motion, name, library, bone_names)
    index = index_of(library)
    share = library.frames_per_second / stretch.motion.frames_per_second
    first = min(round(stretch.before * share), motion.frames - 1)
    stop = max(motion.frames - round(stretch.after * share), first + 1)
    allowed = np.zeros(len(library.clips), bool)
    allowed[list(chosen)] = True
    rows = rows_of(index.space, motion)[first:stop]
    places = find_similar(index, rows, count, allowed, farthest=farthest)
    return [
        FoundPlace(file, library.fingerprint, place.clip, place.first, place.frames, place.distance) for place in places
    ]


@dataclass(frozen=True, eq=False)
class LaidPlace:
    """A place on a character's bones, at the scene's rate. first: the scene frame at which it begins.

    moved: the bones that it moves.
    """

    name: str
    motion: Motion
    keyed: KeyedChannels
    first: int
    moved: frozenset[str]


def lay_place(
    armature: Object,
    place: FoundPlace,
    bone_names: Sequence[tuple[str, str]],
    scene: Scene,
    stretch: SearchedStretch | None = None,
) -> LaidPlace:
    """Return the place on the character, beginning where and when `stretch` does; None: where the clip was recorded.

    Raises InputError if the library has changed, or if no bone of the character is a counterpart of the traveling one.
    """
    library, clip = clip_of(place)
    reach = round(CONTEXT_SECONDS * library.frames_per_second)
    start, stop = max(place.first - reach, 0), min(place.first + place.frames + reach, clip.frames)
    reading = clips_on_character(armature, [library.motion(place.clip).slice(start, stop)], bone_names)
    inside = reading.motions[0].slice(place.first - start, place.first - start + place.frames)
    motion = resample(inside, scene_rate(scene))[0]
    if stretch is not None:
        own_motion = bones_alone(stretch.motion, armature)
        motion = begin_at(motion, own_motion.slice(stretch.before, stretch.before + 1))
    name = f"{clip.name} mirrored" if clip.mirrored and "mirrored" not in clip.name else clip.name
    known = reading.known[0] or frozenset()
    return LaidPlace(name, motion, reading.keyed, scene.frame_start if stretch is None else stretch.first, known)


def action_of(laid: LaidPlace, armature: Object) -> Written:
    """Return a new action of the character with the place."""
    return write_action(laid.motion, laid.keyed, armature, name=laid.name, frame_start=float(laid.first))
