# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of `genmm library`, whose commands build, merge, list and search libraries of clips."""

import argparse
import re
from collections.abc import Callable
from pathlib import Path

from ...core import InputError
from ...core.library import TagPattern
from .one_sentence import OneSentenceParser

Voices = Callable[[argparse.ArgumentParser], None]
LARGEST_SHARD = 10_000


def add_library(parser: OneSentenceParser, voices: Voices) -> None:
    """Add the commands; voices: adds the options that all commands share."""
    commands = parser.add_subparsers(dest="library_command", required=True, metavar="COMMAND")
    build = commands.add_parser(
        "build",
        help="make a library from a folder",
        description="Make a library from the motion files in a folder and its subfolders. Where the output exists "
        "already, only files whose content has changed are read.",
    )
    add_build(build)
    voices(build)
    merge = commands.add_parser("merge", help="make one library of several", description="Make one library of several.")
    merge.add_argument(
        "inputs", nargs="+", type=Path, metavar="LIBRARY", help="the libraries, .npz files, and folders of them"
    )
    merge.add_argument("--output", "-o", type=Path, required=True, metavar="FILE", help="the library, a .npz")
    voices(merge)
    info = commands.add_parser(
        "info", help="list the content of libraries", description="List the content of libraries: clips, minutes, tags."
    )
    info.add_argument("inputs", nargs="+", type=Path, metavar="LIBRARY", help="libraries, .npz files")
    voices(info)
    search = commands.add_parser(
        "search",
        help="find the places of libraries that resemble a stretch of motion",
        description="Find the places of libraries that resemble a stretch of motion, the best first.",
    )
    search.add_argument("libraries", nargs="+", type=Path, metavar="LIBRARY", help="libraries, .npz files")
    search.add_argument(
        "--motion",
        required=True,
        metavar="CLIP",
        help="a clip of a library, a .npz or .bvh file with a motion, or a .blend, .fbx, .glb or .gltf file",
    )
    search.add_argument(
        "--action", default="", metavar="NAME", help="the action of such a file (default: the character's longest)"
    )
    search.add_argument("--armature", default="", metavar="NAME", help="the character of such a file")
    search.add_argument(
        "--frames",
        type=_frames,
        metavar="A-B",
        help="only these of its frames, from 1, at the first library's rate (default: all)",
    )
    search.add_argument("--count", type=_count, default=12, metavar="N", help="most places to list (default: 12)")
    search.add_argument("--others", action="store_true", help="leave out the clip itself")
    voices(search)
    clusters = commands.add_parser(
        "clusters",
        help="show the clusters of similar clips in a library, and name them",
        description="Show the tree of clusters of similar clips in a library. Naming a cluster gives its clips the tag "
        "cluster=NAME, or cluster=OTHER/NAME inside another named cluster.",
    )
    clusters.add_argument("library", type=Path, metavar="LIBRARY", help="a library, a .npz file")
    clusters.add_argument("--depth", type=_count, default=2, metavar="N", help="levels to show (default: 2)")
    clusters.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="1.3=NAME",
        help="name a cluster, and rewrite the library; an empty name removes its name; repeat for more",
    )
    clusters.add_argument(
        "--strips", type=Path, metavar="FOLDER", help="write pictures of each cluster's typical clip to this folder"
    )
    voices(clusters)


def add_build(build: argparse.ArgumentParser) -> None:
    """Add the arguments of `genmm library build`."""
    build.add_argument(
        "folder", type=Path, metavar="FOLDER", help="a folder of .bvh, .fbx, .glb, .gltf and .blend files, or one file"
    )
    build.add_argument(
        "--assets",
        action="store_true",
        help="read the action assets of an asset library: FOLDER is its folder, or its name in the preferences",
    )
    build.add_argument("--output", "-o", type=Path, required=True, metavar="FILE", help="the library, a .npz")
    build.add_argument(
        "--pattern",
        action="append",
        default=[],
        type=_pattern,
        metavar="PATTERN",
        help='take tags from file names: "{action}_{style}_{take}", with folders "{subject}/{action}_*"; repeat for '
        "more patterns, of which the first that fits is used",
    )
    build.add_argument("--fps", type=float, metavar="RATE", help="frames per second (default: the most common rate)")
    build.add_argument(
        "--skeleton",
        default="",
        metavar="NAME",
        help="the file in FOLDER whose skeleton all clips are transferred to (default: the most common skeleton)",
    )
    build.add_argument("--mirrored", action="store_true", help="add each clip again with left and right exchanged")
    build.add_argument("--prune", action="store_true", help="leave out clips that nearly repeat another one")
    build.add_argument("--shard", type=_shard, metavar="K/N", help="read only every Nth file, from the Kth on: 3/16")


def add_measure(parser: OneSentenceParser, voices: Voices) -> None:
    """Add the arguments of `genmm measure`; voices: adds the options that all commands share."""
    parser.add_argument(
        "inputs", nargs="+", type=Path, metavar="SET", help="motions as .npz or .bvh, folders of them, or a library"
    )
    parser.add_argument(
        "--library",
        dest="libraries",
        action="append",
        type=Path,
        required=True,
        metavar="FILE",
        help="the library to compare with; repeat for more, which are then taken together",
    )
    voices(parser)


def _frames(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,9})-(\d{1,9})", text)
    if found is None or int(found[1]) > int(found[2]):
        raise argparse.ArgumentTypeError(f'"{text}" is no range of frames; write it as 10-40')
    return int(found[1]), int(found[2])


def _count(text: str) -> int:
    if not re.fullmatch(r"\d{1,6}", text) or int(text) < 1:
        raise argparse.ArgumentTypeError(f'"{text}" is no number of places; give 1 or more')
    return int(text)


def _pattern(text: str) -> TagPattern:
    try:
        return TagPattern(text)
    except InputError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _shard(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]) <= LARGEST_SHARD:
        raise argparse.ArgumentTypeError(f'"{text}" is no shard; write the third of sixteen as 3/16')
    return int(found[1]), int(found[2])
