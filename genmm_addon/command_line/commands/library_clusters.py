# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm library clusters`: lists the tree of similar clips in a library, names clusters, and draws their poses."""

import argparse
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...core import InputError, counted
from ...core.library import ClipLibrary, load_library, save_library
from ...core.storage import clear_leftovers
from ...libraries.exploring.clusters import NamedCluster, named_clusters, path_of, renamed
from ...libraries.exploring.strips import is_png_of_ours, png_of, side_by_side, strip_of
from ..console import Console
from ..errors import Failed
from ..outputs.whole_files import failures_named, whole_file
from ..stopping import check_stop


def clusters(options: argparse.Namespace, console: Console) -> int:
    """Name clusters if requested, print the tree and return the exit status. Raises InputError."""
    library = load_library(options.library)
    for text in options.name:
        number, equals, name = text.partition("=")
        if not equals:
            raise InputError(f'--name: "{text}" has no "="; write it as 1.3=NAME.')
        library = renamed(library, path_of(number.strip()), name)
    listed = [cluster for cluster in named_clusters(library) if len(cluster.path) <= options.depth]
    check_stop()
    if options.name:
        clear_leftovers(options.library.parent)
        with failures_named(options.library):
            save_library(options.library, library)
        library = load_library(options.library)
    if options.strips is not None:
        _write_strips(options.strips, library, listed)
    rows = [_said(library, cluster) for cluster in listed]
    lines = [_text(row) for row in rows]
    console.answer("\n".join([f"{counted(len(library.clips), 'clip')} in {options.library}", *lines]), "cluster", rows)
    return 0


def _said(library: ClipLibrary, cluster: NamedCluster) -> dict[str, Any]:
    clips = [library.clips[number] for number in cluster.cluster.clips]
    return {
        "cluster": cluster.number,
        "name": cluster.name,
        "named": cluster.is_named,
        "clips": len(clips),
        "minutes": round(sum(clip.frames for clip in clips) / library.frames_per_second / 60, 2),
        "typical": clips[0].name,
        "clusters_inside": len(cluster.cluster.children),
    }


def _text(said: dict[str, Any]) -> str:
    inside = "  " * (said["cluster"].count(".") + 1)
    name = f'"{said["name"]}"' if said["named"] else said["name"]
    return f"{inside}{said['cluster']} {name}: {counted(said['clips'], 'clip')}, as {said['typical']}"


def _write_strips(folder: Path, library: ClipLibrary, listed: Sequence[NamedCluster]) -> None:
    """Write a picture of each cluster's typical clip, named by the cluster's number. Raises InputError, and Failed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for cluster in listed:
            check_stop()
            picture = side_by_side(strip_of(library.motion(cluster.cluster.typical)))
            _write_picture(folder / f"cluster_{cluster.number}.png", png_of(picture))
    except OSError as error:
        raise Failed(f'Pictures could not be written to the folder "{folder}": {error.strerror}.') from error


def _write_picture(path: Path, data: bytes) -> None:
    """Write a picture, or replace one written by this command. Raises InputError for any other file, and Failed."""
    is_there = os.path.lexists(path)
    if is_there:
        with (path if path.is_file() else Path(os.devnull)).open("rb") as file:
            if not is_png_of_ours(file.read(64)):
                raise InputError(
                    f'"{path}" already exists and was not written by this command; choose another folder for --strips.'
                )
    with whole_file(path, may_replace=is_there) as unfinished:
        unfinished.write_bytes(data)
