# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of `genmm library`, whose commands build libraries of clips and look into them."""

import argparse
import re
from collections.abc import Callable
from pathlib import Path

from ...core import InputError
from ...core.clips import TagPattern
from .one_sentence import OneSentenceParser

Voices = Callable[[argparse.ArgumentParser], None]
LARGEST_SHARD = 10_000


def add_library(parser: OneSentenceParser, voices: Voices) -> None:
    """Add the commands; voices: adds the options that all commands have."""
    commands = parser.add_subparsers(dest="library_command", required=True, metavar="COMMAND")
    build = commands.add_parser(
        "build",
        help="make a library out of a folder",
        description="Make a library out of the motion files in a folder and those below it. Where the output is there "
        "already, only files whose content has changed are read.",
    )
    add_build(build)
    voices(build)
    merge = commands.add_parser(
        "merge", help="make one library out of several", description="Make one library out of several."
    )
    merge.add_argument(
        "inputs", nargs="+", type=Path, metavar="LIBRARY", help="the libraries, .npz files, and folders of them"
    )
    merge.add_argument("--output", "-o", type=Path, required=True, metavar="FILE", help="the library, a .npz")
    voices(merge)
    info = commands.add_parser(
        "info", help="say what is in libraries", description="Say what is in libraries: clips, minutes, tags."
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
        help="these of its frames, from 1, at the first library's rate (default: all)",
    )
    search.add_argument("--count", type=_count, default=12, metavar="N", help="how many places (default: 12)")
    search.add_argument("--others", action="store_true", help="leave the clip itself out")
    voices(search)
    clusters = commands.add_parser(
        "clusters",
        help="show the clusters of alike clips in a library, and name them",
        description="Show the tree of clusters of alike clips in a library. A cluster with a name gives its clips the "
        "tag cluster=NAME, inside of another one cluster=OTHER/NAME.",
    )
    clusters.add_argument("library", type=Path, metavar="LIBRARY", help="a library, a .npz file")
    clusters.add_argument("--depth", type=_count, default=2, metavar="N", help="levels that are shown (default: 2)")
    clusters.add_argument(
        "--name",
        action="append",
        default=[],
        metavar="1.3=NAME",
        help="call a cluster so and write the library anew; without a name its name is taken away; again for more",
    )
    clusters.add_argument(
        "--strips", type=Path, metavar="FOLDER", help="write poses of each cluster's typical clip as pictures into it"
    )
    voices(clusters)


def add_build(build: argparse.ArgumentParser) -> None:
    """Add the arguments of `genmm library build`."""
    build.add_argument(
        "folder", type=Path, metavar="FOLDER", help="with .bvh, .fbx, .glb, .gltf and .blend files, or one such file"
    )
    build.add_argument(
        "--assets",
        action="store_true",
        help="FOLDER is an asset library, or its name in the preferences: the actions in it that are assets",
    )
    build.add_argument("--output", "-o", type=Path, required=True, metavar="FILE", help="the library, a .npz")
    build.add_argument(
        "--pattern",
        action="append",
        default=[],
        type=_pattern,
        metavar="PATTERN",
        help='tags out of names: "{action}_{style}_{take}", with folders "{subject}/{action}_*"; again for more, of '
        "which the first that fits counts",
    )
    build.add_argument("--fps", type=float, metavar="RATE", help="frames per second (default: what most clips have)")
    build.add_argument(
        "--skeleton",
        default="",
        metavar="NAME",
        help="the file, below FOLDER, whose skeleton all clips are brought onto (default: the one that most have)",
    )
    build.add_argument("--mirrored", action="store_true", help="add each clip once more with left and right exchanged")
    build.add_argument("--prune", action="store_true", help="leave out clips that nearly repeat another one")
    build.add_argument("--shard", type=_shard, metavar="K/N", help="read only each Nth file, from the Kth on: 3/16")


def add_measure(parser: OneSentenceParser, voices: Voices) -> None:
    """Add the arguments of `genmm measure`; voices: adds the options that all commands have."""
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
        help="the library to compare with; again for more, which then count as one",
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
