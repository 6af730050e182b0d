# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm library clusters`: lists the tree of similar clips in a library, names clusters, and draws their poses."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...core import InputError, counted
from ...core.clips import ClipLibrary, load_library, save_library
from ...libraries.exploring.clusters import NamedCluster, named_clusters, path_of, renamed
from ...libraries.exploring.strips import png_of, side_by_side, strip_of
from ..console import Console
from ..outputs.unfinished import clear_leftovers
from ..outputs.whole_files import whole_file
from ..stopping import check_stop


def clusters(options: argparse.Namespace, console: Console) -> int:
    """Name clusters if requested, print the tree and return the exit status. Raises InputError."""
    library = load_library(options.library)
    for text in options.name:
        number, equals, name = text.partition("=")
        if not equals:
            raise InputError(f'--name: "{text}" names nothing; write it as 1.3=NAME.')
        library = renamed(library, path_of(number.strip()), name)
    found = [one for one in named_clusters(library) if len(one.path) <= options.depth]
    check_stop()
    if options.name:
        clear_leftovers(options.library.parent)
        with whole_file(options.library) as unfinished:
            save_library(unfinished, library)
    if options.strips is not None:
        _write_strips(options.strips, library, found)
    said = [_said(library, one) for one in found]
    lines = [_text(one) for one in said]
    console.answer("\n".join([f"{counted(len(library.clips), 'clip')} in {options.library}", *lines]), said)
    return 0


def _said(library: ClipLibrary, one: NamedCluster) -> dict[str, Any]:
    clips = [library.clips[number] for number in one.cluster.clips]
    return {
        "cluster": one.number,
        "name": one.name,
        "named": one.is_named,
        "clips": len(clips),
        "minutes": round(sum(clip.frames for clip in clips) / library.frames_per_second / 60, 2),
        "typical": clips[0].name,
        "clusters_inside": len(one.cluster.children),
    }


def _text(said: dict[str, Any]) -> str:
    inside = "  " * (said["cluster"].count(".") + 1)
    name = f'"{said["name"]}"' if said["named"] else said["name"]
    return f"{inside}{said['cluster']} {name}: {counted(said['clips'], 'clip')}, as {said['typical']}"


def _write_strips(folder: Path, library: ClipLibrary, found: Sequence[NamedCluster]) -> None:
    """Write a picture of each cluster's typical clip, named by the cluster's number. Raises InputError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for one in found:
            check_stop()
            picture = side_by_side(strip_of(library.motion(one.cluster.typical)))
            (folder / f"cluster_{one.number}.png").write_bytes(png_of(picture))
    except OSError as error:
        raise InputError(f'No pictures can be written to the folder "{folder}": {error.strerror}.') from error
