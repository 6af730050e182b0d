# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm library`: builds, merges, lists and searches libraries of clips."""

import argparse
import itertools
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bpy

from ...core import MOST_OFFERED, InputError, counted, listed
from ...core.library import ClipLibrary, load_library, near_duplicates, same_sources
from ...libraries.building import Plan, merged
from ...libraries.replacing import library_to_replace
from ...libraries.takes import file_of
from ..console import Console
from ..errors import NOTHING_WRONG, REFUSED
from ..stopping import check_stop
from .library_build import build_library, check_output, ending_of, finish
from .library_clusters import clusters
from .library_search import search

ENDING = ".npz"


def library(options: argparse.Namespace, console: Console) -> int:
    """Run the command after `library`, and return the exit status. Raises InputError and Failed."""
    return COMMANDS[options.library_command](options, console)


def _build(options: argparse.Namespace, console: Console) -> int:
    return build_library(_with_asset_library(options), console, bpy.app.binary_path)


def _with_asset_library(options: argparse.Namespace) -> argparse.Namespace:
    """Return the options with the folder of the asset library that has the given name in Blender's preferences."""
    named = bpy.context.preferences.filepaths.asset_libraries.get(str(options.folder)) if options.assets else None
    if named is not None and not options.folder.exists():
        options.folder = Path(named.path)
    return options


def _merge(options: argparse.Namespace, console: Console) -> int:
    check_output(options.output)
    library_to_replace(options.output)
    libraries = []
    paths = _libraries(options.inputs, options.output)
    for done, path in enumerate(paths, start=1):
        libraries.append(load_library(path))
        check_stop()
        count = len(paths)
        console.progress("library", f"{done}/{count} {path}", done / count, file=str(path))
    _check_shards(libraries)
    prune, mirrored = ending_of(options)
    built = merged(libraries, Plan(prune=prune, mirrored=mirrored))
    known = {left for library in libraries for left in library.left_out}
    sources = {clip.source for library in libraries for clip in library.clips} | {left.name for left in known}
    files = len({file_of(source) for source in sources})
    # What the libraries left out was reported when they were built.
    is_new = options.tolerate is None and any(left not in known for left in built.skipped)
    return finish(options, built, files, REFUSED if is_new else NOTHING_WRONG, console)


def _check_shards(libraries: Sequence[ClipLibrary]) -> None:
    """Raise InputError if a shard of a folder is missing; those of an earlier split may be beside all of the last."""
    splits: dict[int, set[int]] = {}
    for number, count in (library.shard for library in libraries if library.shard is not None):
        splits.setdefault(count, set()).add(number)
    if splits and all(len(numbers) < count for count, numbers in splits.items()):
        count = max(splits, key=lambda count: len(splits[count]))
        missing = next(number for number in itertools.count(1) if number not in splits[count])
        raise InputError(
            f"Shard {missing:,} of {count:,} is missing, and with it a share of the clips; build it with "
            f"--shard {missing}/{count}."
        )


def _info(options: argparse.Namespace, console: Console) -> int:
    status, rows = NOTHING_WRONG, []
    for path in options.inputs:
        try:
            rows.append(_said(path, load_library(path)))
        except InputError as error:
            status = REFUSED
            console.error(str(error))
    console.answer("\n".join(map(_text, rows)), "library", rows)
    return status


COMMANDS: dict[str, Callable[[argparse.Namespace, Console], int]] = {
    "build": _build,
    "merge": _merge,
    "info": _info,
    "search": search,
    "clusters": clusters,
}


def _libraries(inputs: Sequence[Path], output: Path) -> list[Path]:
    """Return the given libraries, and those in given folders, by name, without the output itself.

    Raises InputError for a folder without a library.
    """
    paths: list[Path] = []
    for path in inputs:
        if not path.is_dir():
            paths.append(path)
            continue
        inside = sorted(file for file in path.glob(f"*{ENDING}") if file.absolute() != output.absolute())
        if not inside:
            raise InputError(f'The folder "{path}" contains no library ({ENDING} file); choose another.')
        paths += inside
    return paths


def _said(path: Path, library: ClipLibrary) -> dict[str, Any]:
    tags: dict[str, Counter[str]] = {}
    for clip in library.clips:
        for key, value in clip.tags.items():
            tags.setdefault(key, Counter())[value] += 1
    return {
        "file": str(path),
        "clips": len(library.clips),
        "mirrored": sum(clip.mirrored for clip in library.clips),
        "frames": library.frames,
        "frames_per_second": library.frames_per_second,
        "minutes": round(library.seconds / 60, 2),
        "joints": len(library.skeleton.names),
        "tags": {key: dict(sorted(values.items())) for key, values in sorted(tags.items())},
        "copies": len(same_sources(library)),
        "near_duplicates": len(near_duplicates(library)),
        "left_out": {left.name: left.reason for left in library.left_out},
        "fingerprint": library.fingerprint,
    }


def _text(said: dict[str, Any]) -> str:
    mirrored = f" ({said['mirrored']:,} of them mirrored)" if said["mirrored"] else ""
    lines = [
        f"{said['file']}: {counted(said['clips'], 'clip')}{mirrored}, {said['minutes']:g} minutes",
        f"  {said['frames']:,} frames at {said['frames_per_second']:g} a second, {said['joints']} joints",
    ]
    for key, values in said["tags"].items():
        counts = [f"{value} ({count})" if value else f"({count})" for value, count in values.items()]
        lines.append(f"  {key}: {listed(counts, '', MOST_OFFERED)}")
    lines.append(f"  copies: {said['copies']:,}; near-duplicates: {said['near_duplicates']:,}")
    lines += [f"  left out: {name}: {reason}" for name, reason in said["left_out"].items()]
    return "\n".join(lines)
