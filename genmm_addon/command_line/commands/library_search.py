# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm library search`: the places of a library that resemble a stretch of motion."""

import argparse
from pathlib import Path
from typing import Any

import bpy
import numpy as np

from ...animation.reading.examples import read_examples
from ...core import InputError
from ...core.clips import ClipLibrary
from ...core.search import Place, build_pose_index, find_similar, rows_of
from ..console import Console
from ..inputs.motion_sets import NamedMotion, library_motions, motions_in, on_skeleton_of
from ..inputs.opening import actions_named, open_input, some_example
from ..stopping import check_stop

WITH_BLENDER = (".blend", ".fbx", ".glb", ".gltf")
"""Endings of files that Blender has to open."""


def search(options: argparse.Namespace, console: Console) -> int:
    """Say where; the exit status. Raises InputError."""
    library, motions = library_motions(options.library)
    query, own = _query(options, library)
    first, last = options.frames or (1, query.motion.frames)
    if not 1 <= first <= last <= query.motion.frames:
        raise InputError(f'"{query.name}" has frames 1 to {query.motion.frames}; choose --frames among them.')
    index = build_pose_index(motions)
    check_stop()
    allowed = None
    if options.others and own is not None:
        allowed = np.arange(len(motions)) != own
    rows = rows_of(index.space, query.motion)[first - 1 : last]
    places = find_similar(index, rows, options.count, allowed)
    found = [_said(library, place) for place in places]
    console.answer("\n".join(map(_text, found)), found)
    return 0


def _query(options: argparse.Namespace, library: ClipLibrary) -> tuple[NamedMotion, int | None]:
    """Return the motion to look for, and its number where it is a clip of the library."""
    name = options.motion
    if Path(name).suffix.lower() in WITH_BLENDER:
        return on_skeleton_of(_action_in(Path(name), options.action, options.armature), library), None
    if options.action or options.armature:
        listed = ", ".join(WITH_BLENDER[:-1])
        raise InputError(f'--action and --armature are about {listed} and {WITH_BLENDER[-1]} files; "{name}" is none.')
    for number, clip in enumerate(library.clips):
        if name in (clip.name, clip.source):
            return NamedMotion(clip.name, library.motion(number)), number
    if not Path(name).exists():
        raise InputError(f'The library has no clip "{name}", and there is no such file; check the name.')
    found = motions_in([Path(name)])
    if len(found) != 1:
        raise InputError(f'"{name}" holds {len(found)} motions; give one, or the name of a clip of the library.')
    return on_skeleton_of(found[0], library), None


def _action_in(path: Path, action: str, armature: str) -> NamedMotion:
    """Return an action of a file that Blender reads, as the character there plays it."""
    opened = open_input(path, armature)
    spec = actions_named(opened, [action])[0] if action else some_example(opened)
    reading = read_examples(opened.armature, [spec], scene=bpy.context.scene)
    reading.motions[0].check_finite(spec.name)
    return NamedMotion(path.stem if spec.action is None else spec.action.name, reading.motions[0])


def _said(library: ClipLibrary, place: Place) -> dict[str, Any]:
    clip = library.clips[place.clip]
    return {
        "clip": clip.name,
        "source": clip.source,
        "tags": dict(clip.tags),
        "first_frame": place.first + 1,
        "last_frame": place.first + place.frames,
        "distance": round(place.distance, 5),
    }


def _text(found: dict[str, Any]) -> str:
    return (
        f'"{found["clip"]}" frames {found["first_frame"]} to {found["last_frame"]}:'
        f" {100 * found['distance']:.1f} % of the size away"
    )
