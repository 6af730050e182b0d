# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm library search`: finds places of libraries that resemble a stretch of motion."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...animation.reading.examples import read_examples
from ...core import InputError, Motion, same_values
from ...core.library import ClipLibrary, SimilarPlace, find_similar, may_have, rows_of, values_of
from ...libraries.choosing import beside
from ...libraries.exploring.indexes import kept_index
from ..console import Console
from ..inputs.motion_sets import NamedMotion, library_with_clips, motions_in, on_skeleton_of
from ..inputs.opening import actions_named, open_input, some_example
from ..stopping import check_stop

WITH_BLENDER = (".blend", ".fbx", ".glb", ".gltf")
"""Suffixes of files that are opened in Blender."""


def search(options: argparse.Namespace, console: Console) -> int:
    """Print the matches, and return the exit status. Raises InputError."""
    libraries = [library_with_clips(path) for path in options.libraries]
    query, own_clip = _query(options, libraries)
    found = list[tuple[int, SimilarPlace]]()
    target, motion = None, query.motion
    for number, (path, library) in enumerate(zip(options.libraries, libraries, strict=True)):
        if target is None or not same_values(_body(library), _body(target)):
            target, motion = library, on_skeleton_of([query], library)[0].motion
        stretch = _stretch(options.frames, motion, libraries[0].frames_per_second, query.name)
        length = motion.slice(stretch.start, stretch.stop).frames
        allowed = library.stops - library.starts >= length
        if options.others and own_clip is not None and own_clip[0] == number:
            allowed[own_clip[1]] = False
        if not allowed.any():  # of many libraries, some may have short clips alone
            continue
        index = kept_index(library, beside(path))
        check_stop()
        farthest = found[-1][1].distance if len(found) == options.count else np.inf
        targets = rows_of(index.space, motion)[stretch]
        found += [(number, place) for place in find_similar(index, targets, options.count, allowed, farthest=farthest)]
        found = sorted(found, key=lambda one: one[1].distance)[: options.count]
    if not found:
        raise InputError(f"No clip to search in is as long as the stretch of {length} frames; choose a shorter one.")
    rows = [_said(options.libraries, number, libraries[number], place) for number, place in found]
    console.answer("\n".join(map(_text, rows)), "stretch", rows)
    return 0


def _body(library: ClipLibrary) -> list[object]:
    """Return the values of a library that decide how a motion is transferred to it."""
    return [library.skeleton, library.frames_per_second, library.translated]


def _stretch(frames: tuple[int, int] | None, motion: Motion, rate: float, name: str) -> slice:
    """Return the requested frames of a motion, at its rate. Raises InputError for frames outside the motion."""
    share = motion.frames_per_second / rate
    last_frame = round((motion.frames - 1) / share) + 1
    first, last = frames or (1, last_frame)
    if not 1 <= first <= last <= last_frame:
        raise InputError(f'"{name}" has frames 1 to {last_frame}; choose --frames within this range.')
    return slice(round((first - 1) * share), round((last - 1) * share) + 1)


def _query(options: argparse.Namespace, libraries: Sequence[ClipLibrary]) -> tuple[NamedMotion, tuple[int, int] | None]:
    """Return the motion to search for and, for a clip of a library, the numbers of library and clip."""
    name = options.motion
    if Path(name).suffix.lower() in WITH_BLENDER:
        return _action_in(Path(name), options.action, options.armature), None
    if options.action or options.armature:
        listed = ", ".join(WITH_BLENDER[:-1])
        raise InputError(
            f'--action and --armature apply to {listed} and {WITH_BLENDER[-1]} files; leave them out for "{name}".'
        )
    for place, library in enumerate(libraries):
        if not may_have(library.clips, name):
            continue
        names = zip(values_of(library.clips, "name"), values_of(library.clips, "source"), strict=True)
        for number, known in enumerate(names):
            if name in known:
                return NamedMotion(known[0], library.motion(number)), (place, number)
    if not Path(name).exists():
        raise InputError(f'"{name}" is neither a clip of the library nor a file; check the name.')
    motions = motions_in([Path(name)])
    if len(motions) != 1:
        raise InputError(
            f'"{name}" contains {len(motions)} motions; use a file with one, or the name of a clip of the library.'
        )
    return motions[0], None


def _action_in(path: Path, action: str, armature: str) -> NamedMotion:
    """Return an action in a file read by Blender, as the file's character plays it."""
    opened = open_input(path, armature)
    spec = actions_named(opened, [action])[0] if action else some_example(opened)
    reading = read_examples(opened.armature, [spec], scene=bpy.context.scene)
    reading.motions[0].check_values(spec.name)
    return NamedMotion(path.stem if spec.action is None else spec.action.name, reading.motions[0])


def _said(paths: Sequence[Path], number: int, library: ClipLibrary, place: SimilarPlace) -> dict[str, Any]:
    clip = library.clips[place.clip]
    return {
        **({"library": paths[number].name} if len(paths) > 1 else {}),
        "clip": clip.name,
        "source": clip.source,
        "tags": dict(clip.tags),
        "first_frame": place.first + 1,
        "last_frame": place.first + place.frames,
        "distance": round(place.distance, 5),
    }


def _text(row: dict[str, Any]) -> str:
    where = f" of {row['library']}" if "library" in row else ""
    return (
        f'"{row["clip"]}"{where} frames {row["first_frame"]} to {row["last_frame"]}:'
        f" {100 * row['distance']:.1f} % of the body size away"
    )
