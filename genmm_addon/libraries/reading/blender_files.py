# SPDX-License-Identifier: GPL-3.0-or-later
"""Takes of FBX, glTF and .blend files, imported by Blender, with tags from assets, their catalogs and markers."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import bpy
from bpy.types import Action, Object

from ...animation.reading.examples import ExampleSpec, example_range, read_examples
from ...core import InputError, Motion
from ...core.library import LeftOut, tags_of
from ...files.asset_catalogs import catalogs_of
from ...files.import_file import import_file
from ...files.reasons import reason_of
from ..takes import SourceFile, Take, take_of

OMIT = "omit"
"""Key of markers that begin and end a range to leave out."""


def read_with_blender(file: SourceFile, fingerprint: str, *, assets: bool = False) -> list[Take | LeftOut]:
    """Return a take for each action of each character in a file, or for each range between its markers.

    assets: only actions that are assets, possibly none. Imported data are removed again.
    Raises InputError if the file cannot be used at all.
    """
    if assets and not _has_asset_actions(file.path):
        return []
    there_before = set(bpy.data.user_map())
    takes: list[Take | LeftOut] = []
    try:
        for character in import_file(file.path, bpy.context):
            for spec in character.examples:
                if not assets or (spec.action is not None and spec.action.asset_data is not None):
                    read = takes_of(file, fingerprint, character.armature, spec)
                    takes += [_with_notes(take, character.notes) for take in read]
    finally:
        bpy.data.batch_remove(set(bpy.data.user_map()) - there_before)
    return takes


def _with_notes(take: Take | LeftOut, notes: tuple[str, ...]) -> Take | LeftOut:
    return take if isinstance(take, LeftOut) else replace(take, notes=(*take.notes, *notes))


def _has_asset_actions(path: Path) -> bool:
    load: Any = bpy.data.libraries.load
    try:
        with load(str(path), assets_only=True) as (source, _):
            return bool(source.actions)
    except OSError as error:
        raise InputError(f'"{path.name}" could not be read: {reason_of(error, path)}.') from error


def takes_of(file: SourceFile, fingerprint: str, armature: Object, spec: ExampleSpec) -> Iterator[Take | LeftOut]:
    """Yield the takes of a character's action, one for each range between markers."""
    action = spec.action
    assert action is not None
    source = f"{file.name}:{action.name}"
    try:
        scene = bpy.context.scene
        reading = read_examples(armature, [spec], scene=scene)
        first, _ = example_range(armature, spec, scene)
        whole = _plain(reading.motions[0])
        for start, stop, tags in marked_ranges(_markers(action, first), whole.frames):
            part = whole.slice(start, stop)
            is_whole = part.frames == whole.frames
            place = "" if is_whole else f" [{first + start:g}-{first + stop - 1:g}]"
            all_tags = {**_asset_tags(action, file.path), **tags}
            yield take_of(action.name + place, source + place, part, fingerprint, all_tags)
    except InputError as error:
        yield LeftOut(source, str(error))


def _plain(motion: Motion) -> Motion:
    """Return the motion without scales and custom properties, which other skeletons do not have."""
    skeleton = replace(motion.skeleton, inheritance=None)
    return Motion(skeleton, motion.frames_per_second, motion.rotations, motion.translated, motion.translations)


def _markers(action: Action, first: float) -> list[tuple[int, str]]:
    return sorted((round(marker.frame - first), marker.name) for marker in action.pose_markers)


def marked_ranges(markers: list[tuple[int, str]], frames: int) -> list[tuple[int, int, dict[str, str]]]:
    """Return the ranges into which markers divide a clip: first frame, frame after the last, and tags.

    `key=value` holds until the next marker of its key, `key=` ends it, and a range under `omit=...` is left out.
    Markers without "=" have no effect.
    """
    changes = [(min(max(frame, 0), frames), *name.partition("=")[::2]) for frame, name in markers if "=" in name]
    borders = sorted({0, frames, *(frame for frame, _, _ in changes)})
    ranges: list[tuple[int, int, dict[str, str]]] = []
    tags: dict[str, str] = {}
    for start, stop in pairwise(borders):
        for frame, key, value in changes:
            if frame == start:
                tags = {**tags, key.strip(): value.strip()}
        tags_here = {key: value for key, value in tags.items() if key and value}
        if OMIT in tags_here:
            continue
        if ranges and ranges[-1][1] == start and ranges[-1][2] == tags_here:
            ranges[-1] = (ranges[-1][0], stop, tags_here)
        else:
            ranges.append((start, stop, tags_here))
    return ranges


def _asset_tags(action: Action, path: Path) -> dict[str, str]:
    """Return the tags of an asset's action, and the path of its catalog."""
    data = action.asset_data
    if data is None:
        return {}
    tags = tags_of(tag.name.replace(",", " ") for tag in data.tags)
    catalog = catalogs_of(path).get(data.catalog_id, "") or data.catalog_simple_name
    return {**tags, "catalog": catalog.replace(",", " ")} if catalog else tags
