# SPDX-License-Identifier: GPL-3.0-or-later
"""Libraries and maps of bones given on the command line."""

import argparse
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import bpy
from bpy.types import Object

from ...animation.rig import read_skeleton
from ...core import InputError
from ...core.transfer import read_bone_map
from ...files.import_file import empty_file
from ...generation.request import Request
from ...libraries.choosing import MOST_FRAMES, LibraryChoice, library_in
from ...libraries.plain_armature import add_plain_armature
from .opening import set_rate


def with_bone_map(request: Request, options: argparse.Namespace, *, alone: bool = True) -> Request:
    """Return the request with the pairs of `--map`, if it is given.

    alone: whether no further examples are added, so that one of another skeleton is needed. Raises InputError for a
    file that is no map, or that fits none of the skeletons.
    """
    if options.map is None:
        return request
    bone_map = read_bone_map(options.map)
    files = () if request.library is None else request.library.files
    others = [library_in(file).skeleton for file in files]
    foreign = dict.fromkeys(spec.armature for spec in request.examples if spec.armature not in (None, request.armature))
    others += [read_skeleton(armature) for armature in foreign if armature is not None]
    if not others:
        if alone:
            raise InputError("--map is for examples of another skeleton; add them with --together or --library.")
        return request
    return replace(request, bone_names=bone_map.fitting(others, read_skeleton(request.armature)))


def asked_library(options: argparse.Namespace) -> LibraryChoice | None:
    """Return the choice of clips in the options; None without --library. Raises InputError."""
    chosen = [tags[0] for name, tags in options.tags if not name]
    if not options.libraries:
        if chosen:
            raise InputError(f'--tags: "{chosen[0]}" is not an action with tags; write it as "walk: style=angry".')
        if options.search or options.library_frames is not None:
            raise InputError("--search and --library-frames apply to a library; set one with --library.")
        return None
    named = [name for name, _ in options.tags if name]
    if named:
        raise InputError(f'--tags: "{named[0]}:" cannot be used with --library; write tags only, such as style=angry.')
    if options.actions or options.example_range is not None:
        raise InputError("--action and --range cannot be combined with --library; leave them out.")
    if options.repetition:
        raise InputError("--repetition cannot be combined with --library; its clips repeat if their ends lead on.")
    if options.mirror:
        raise InputError("--mirror cannot be combined with --library; build the library with --mirrored.")
    frames = MOST_FRAMES if options.library_frames is None else options.library_frames
    return LibraryChoice(_files(options.libraries), ",".join(chosen), options.search, frames)


def _files(libraries: Sequence[str]) -> tuple[str, ...]:
    """Return the libraries, with those of a folder in its place. Raises InputError for a folder without one."""
    files: list[str] = []
    for library in libraries:
        inside = sorted(map(str, Path(library).glob("*.npz"))) if os.path.isdir(library) else [library]
        if not inside:
            raise InputError(f'The folder "{library}" contains no library (.npz file); choose another.')
        files += inside
    return tuple(files)


def library_character(choice: LibraryChoice) -> Object:
    """Return a character with a library's bones, in an empty scene, whatever the order of the libraries.

    They are those of the largest one. Raises InputError.
    """
    libraries = [library_in(file) for file in choice.files]
    library = max(libraries, key=lambda library: (library.frames, library.fingerprint))
    empty_file()
    set_rate(library.frames_per_second)
    return add_plain_armature(bpy.context, "Character", library.skeleton)


def lacks_character() -> bool:
    """Return whether the open file has no armature."""
    return not any(thing.type == "ARMATURE" for thing in bpy.context.scene.objects)
