# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of `genmm library` and `genmm measure`."""

import argparse
import re
from pathlib import Path

from ...core import InputError
from ...core.library import TagPattern
from .one_sentence import OneSentenceParser
from .shards import add_shard, add_tolerance
from .voices import add_voices

NOT_WRITTEN = "no library is written"


def add_library(parser: OneSentenceParser) -> None:
    """Add the commands."""
    commands = parser.add_subparsers(dest="library_command", required=True, metavar="COMMAND")
    build = commands.add_parser(
        "build",
        help="build a library from a folder",
        description="Build a library from the motion files in a folder and its subfolders. If the output already "
        "exists, only files that have changed are read.",
    )
    add_build(build)
    add_voices(build)
    merge = commands.add_parser(
        "merge", help="merge several libraries into one", description="Merge several libraries into one."
    )
    merge.add_argument("inputs", nargs="+", type=Path, metavar="LIBRARY", help="libraries (.npz), and folders of them")
    merge.add_argument("--output", "-o", type=Path, required=True, metavar="FILE", help="the new library (.npz)")
    _add_sides_and_copies(merge)
    add_tolerance(merge, "files that the libraries left out", NOT_WRITTEN)
    add_voices(merge)
    info = commands.add_parser(
        "info",
        help="list the contents of libraries",
        description="List the contents of libraries: clips, minutes, tags.",
    )
    info.add_argument("inputs", nargs="+", type=Path, metavar="LIBRARY", help="libraries (.npz)")
    add_voices(info)
    search = commands.add_parser(
        "search",
        help="search libraries for passages similar to a given motion",
        description="Search libraries for passages similar to a given motion, and list the best matches first.",
    )
    search.add_argument("libraries", nargs="+", type=Path, metavar="LIBRARY", help="libraries (.npz)")
    search.add_argument(
        "--motion",
        required=True,
        metavar="CLIP",
        help="a clip of one of the libraries, or a motion file (.npz, .bvh, .blend, .fbx, .glb, .gltf)",
    )
    search.add_argument(
        "--action",
        default="",
        metavar="NAME",
        help="action in a .blend, .fbx, .glb or .gltf file (default: the longest)",
    )
    search.add_argument("--armature", default="", metavar="NAME", help="character in such a file")
    search.add_argument(
        "--frames",
        type=_frames,
        metavar="A-B",
        help="search for these frames only, counted from 1 at the first library's rate (default: all)",
    )
    search.add_argument("--count", type=_count, default=12, metavar="N", help="number of matches to list (default: 12)")
    search.add_argument("--others", action="store_true", help="leave the clip itself out of the results")
    add_voices(search)
    clusters = commands.add_parser(
        "clusters",
        help="list the clusters of similar clips in a library, or name them",
        description="List the tree of clusters of similar clips in a library. Naming a cluster gives its clips the tag "
        "cluster=NAME, or cluster=OTHER/NAME inside another named cluster.",
    )
    clusters.add_argument("library", type=Path, metavar="LIBRARY", help="a library (.npz)")
    clusters.add_argument("--depth", type=_count, default=2, metavar="N", help="number of levels to list (default: 2)")
    clusters.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="1.3=NAME",
        help="name a cluster and save the library; an empty name removes the present one; can be repeated",
    )
    clusters.add_argument(
        "--strips", type=Path, metavar="FOLDER", help="write a picture of each cluster's typical clip to this folder"
    )
    add_voices(clusters)


def add_build(build: argparse.ArgumentParser) -> None:
    """Add the arguments of `genmm library build`."""
    build.add_argument(
        "folder",
        type=Path,
        metavar="FOLDER",
        help="a folder with .bvh, .fbx, .glb, .gltf and .blend files, or a single file",
    )
    build.add_argument(
        "--assets",
        action="store_true",
        help="read the action assets of an asset library; FOLDER is its folder, or its name in the preferences",
    )
    build.add_argument("--output", "-o", type=Path, required=True, metavar="FILE", help="the library (.npz)")
    build.add_argument(
        "--pattern",
        action="append",
        default=[],
        type=_pattern,
        metavar="PATTERN",
        help='read tags from file names: "{action}_{style}_{take}", or with folders "{subject}/{action}_*"; can be '
        "repeated, in which case the first pattern that matches is used",
    )
    build.add_argument("--fps", type=float, metavar="RATE", help="frames per second (default: the most common rate)")
    build.add_argument(
        "--skeleton",
        default="",
        metavar="NAME",
        help="a file in FOLDER, of any shard; all clips are retargeted to its skeleton (default: the most common one)",
    )
    _add_sides_and_copies(build)
    add_shard(
        build,
        "build from every Nth file only, starting at the Kth, such as 3/16; all shards get the same skeleton and "
        "rate, and merged they are the library of the whole folder",
    )
    add_tolerance(build, "unusable files", NOT_WRITTEN)


def _add_sides_and_copies(parser: argparse.ArgumentParser) -> None:
    """Add what happens to a library in the end; each flag is also a choice, for job templates."""
    parser.add_argument(
        "--mirrored", action="store_const", dest="sides", const="both", help="also add a mirrored copy of each clip"
    )
    parser.add_argument("--sides", choices=("recorded", "both"), default="recorded", help="both is --mirrored")
    parser.add_argument("--prune", action="store_const", dest="copies", const="prune", help="leave out near-duplicates")
    parser.add_argument("--copies", choices=("keep", "prune"), default="keep", help="prune is --prune")


def add_measure(parser: OneSentenceParser) -> None:
    """Add the arguments of `genmm measure`."""
    parser.add_argument(
        "inputs", nargs="+", type=Path, metavar="SET", help="motions (.npz, .bvh), folders of them, or a library"
    )
    parser.add_argument(
        "--library",
        dest="libraries",
        action="append",
        type=Path,
        required=True,
        metavar="FILE",
        help="the library to compare with; can be repeated, and all are then pooled",
    )


def _frames(text: str) -> tuple[int, int]:
    match = re.fullmatch(r"(\d{1,9})-(\d{1,9})", text)
    if match is None or int(match[1]) > int(match[2]):
        raise argparse.ArgumentTypeError(f'"{text}" is not a range of frames; write it as 10-40')
    return int(match[1]), int(match[2])


def _count(text: str) -> int:
    if not re.fullmatch(r"\d{1,6}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f'"{text}" is not a whole number of 1 or more')
    return int(text)


def _pattern(text: str) -> TagPattern:
    try:
        return TagPattern(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
