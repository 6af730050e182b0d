# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm library`: libraries of clips, built from folders, merged, and looked into."""

import argparse
import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bpy

from ...core import InputError, counted
from ...core.clips import ClipLibrary, load_library, near_duplicates, same_sources, save_library
from ...libraries.blender_files import read_with_blender
from ...libraries.building import Built, Plan, build, merged
from ...libraries.takes import SourceFile, files_in
from ..console import Console
from ..outputs.unfinished import clear_leftovers
from ..outputs.whole_files import whole_file
from ..stopping import check_stop
from .library_clusters import clusters
from .library_search import search

ENDING = ".npz"
NOTHING_WRONG, REFUSED = 0, 2
MOST_VALUES = 12
"""Values of one tag that are listed; more are counted."""


def library(options: argparse.Namespace, console: Console) -> int:
    """Do what the command after `library` says; the exit status. Raises InputError and Failed."""
    return COMMANDS[options.library_command](options, console)


def _build(options: argparse.Namespace, console: Console) -> int:
    _check_output(options.output)
    files = _shard_of(files_in(options.folder), options.shard)
    earlier = load_library(options.output) if options.output.exists() else None
    if any(not file.is_bvh for file in files):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True, load_ui=False)
    console.status(f"Reading {counted(len(files), 'file')}")
    plan = Plan(tuple(options.pattern), _rate(options.fps), options.skeleton, options.prune, options.mirrored)
    built = build(files, plan, earlier, read_with_blender, _progress_of(console))
    for skipped in built.skipped:
        console.error(f'"{skipped.name}" is left out: {skipped.reason}')
    if built.untagged:
        console.note(f"{counted(built.untagged, 'clip')} that no --pattern fits, and so without tags of one.")
    _write(options.output, built.library)
    _tell_end(options.output, built, console)
    return REFUSED if built.skipped else NOTHING_WRONG


def _merge(options: argparse.Namespace, console: Console) -> int:
    _check_output(options.output)
    libraries = []
    paths = _libraries(options.inputs, options.output)
    for done, path in enumerate(paths, start=1):
        libraries.append(load_library(path))
        check_stop()
        count = len(paths)
        console.progress("library", f"{done}/{count} {path}", done / count, file=str(path))
    built = merged(libraries)
    for skipped in built.skipped:
        console.error(f'"{skipped.name}" is left out: {skipped.reason}')
    _write(options.output, built.library)
    _tell_end(options.output, built, console)
    return REFUSED if built.skipped else NOTHING_WRONG


def _info(options: argparse.Namespace, console: Console) -> int:
    status, found = NOTHING_WRONG, []
    for path in options.inputs:
        try:
            found.append(_said(path, load_library(path)))
        except InputError as error:
            status = REFUSED
            console.error(str(error))
    console.answer("\n".join(map(_text, found)), found)
    return status


COMMANDS: dict[str, Callable[[argparse.Namespace, Console], int]] = {
    "build": _build,
    "merge": _merge,
    "info": _info,
    "search": search,
    "clusters": clusters,
}


def _libraries(inputs: Sequence[Path], output: Path) -> list[Path]:
    """Return the libraries that are named, and those in folders that are, by name; the output is none of these.

    Raises InputError for a folder without one.
    """
    found: list[Path] = []
    for path in inputs:
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(one for one in path.glob(f"*{ENDING}") if one.absolute() != output.absolute())
        if not inside:
            raise InputError(f'The folder "{path}" has no library, a {ENDING} file, in it.')
        found += inside
    return found


def _check_output(path: Path) -> None:
    if path.suffix.lower() != ENDING:
        raise InputError(f'A library is a {ENDING} file, and the output is "{path}"; give it that ending.')


def _rate(rate: float | None) -> float | None:
    if rate is not None and not (math.isfinite(rate) and 0.01 <= rate <= 10_000):
        raise InputError("--fps must lie between 0.01 and 10,000.")
    return rate


def _shard_of(files: list[SourceFile], shard: tuple[int, int] | None) -> list[SourceFile]:
    if shard is None:
        return files
    number, count = shard
    if number > len(files):
        raise InputError(f"The folder has {counted(len(files), 'file')}, and so at most as many shards; give fewer.")
    return files[number - 1 :: count]


def _progress_of(console: Console) -> Callable[[int, int, str], None]:
    def progress(done: int, count: int, name: str) -> None:
        check_stop()
        console.progress("file", f"{done}/{count} {name}", done / count, file=name)

    return progress


def _write(path: Path, library: ClipLibrary) -> None:
    clear_leftovers(path.parent)
    with whole_file(path) as unfinished:
        save_library(unfinished, library)


def _tell_end(path: Path, built: Built, console: Console) -> None:
    library = built.library
    frames = f"{counted(len(library.clips), 'clip')}, {library.frames:,} frames, {library.seconds / 60:.1f} minutes"
    more = [
        f"{count:,} {what}"
        for count, what in (
            (built.reused, "unchanged"),
            (built.retargeted, "brought onto the skeleton of the others"),
            (built.pruned, "left out as near-duplicates"),
            (built.repeated, "left out as copies"),
            (len(built.skipped), "left out as unusable"),
        )
        if count
    ]
    said = f" ({', '.join(more)})" if more else ""
    console.end(
        f"{path}: {frames}{said}.",
        file=str(path),
        clips=len(library.clips),
        frames=library.frames,
        read=built.read,
        reused=built.reused,
        retargeted=built.retargeted,
        pruned=built.pruned,
        skipped=len(built.skipped),
        fingerprint=library.fingerprint,
        status=REFUSED if built.skipped else NOTHING_WRONG,
    )


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
        "fingerprint": library.fingerprint,
    }


def _text(said: dict[str, Any]) -> str:
    mirrored = f" ({said['mirrored']:,} of them mirrored)" if said["mirrored"] else ""
    lines = [
        f"{said['file']}: {counted(said['clips'], 'clip')}{mirrored}, {said['minutes']:g} minutes",
        f"  {said['frames']:,} frames at {said['frames_per_second']:g} a second, {said['joints']} joints",
    ]
    for key, values in said["tags"].items():
        listed = [f"{value} ({count})" if value else f"({count})" for value, count in values.items()]
        more = f" and {len(listed) - MOST_VALUES} more" if len(listed) > MOST_VALUES else ""
        lines.append(f"  {key}: {', '.join(listed[:MOST_VALUES])}{more}")
    lines.append(f"  copies: {said['copies']:,}; near-duplicates: {said['near_duplicates']:,}")
    return "\n".join(lines)
