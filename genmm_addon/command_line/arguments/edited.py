# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments shared by the commands that edit an action: input files, character, action and output."""

import argparse
from pathlib import Path

from .shards import add_shard, add_tolerance

KINDS = "a .blend, .bvh, .fbx, .glb or .gltf file"


def add_edited_inputs(parser: argparse.ArgumentParser) -> None:
    """Add the input files, which are edited separately."""
    parser.add_argument(
        "inputs",
        nargs="*",
        type=Path,
        metavar="INPUT",
        help=f"{KINDS}, a folder of such files, or a pattern; each is edited separately (default: the open file)",
    )
    add_shard(parser, "edit every Nth input only, starting at the Kth, such as 3/16")
    add_tolerance(parser, "inputs that cannot be edited", "the status is 2")


def add_edited_action(parser: argparse.ArgumentParser) -> None:
    """Add the choices of the character and its action."""
    parser.add_argument(
        "--armature", default="", metavar="NAME", help="the character (default: the active or only one)"
    )
    parser.add_argument(
        "--action", default="", metavar="NAME", help="the action (default: the character's active action)"
    )


def add_edited_output(parser: argparse.ArgumentParser, name: str) -> None:
    """Add the output file; name: its default name."""
    parser.add_argument(
        "--output",
        "-o",
        default=name,
        metavar="FILE",
        help=f"a .blend, .bvh, .fbx or .glb file; {{name}} stands for the input's name (default: {name})",
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
