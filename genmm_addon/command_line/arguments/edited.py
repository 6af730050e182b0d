# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments that all commands on actions of files share: the files, the character and action, and the output."""

import argparse
from pathlib import Path

KINDS = "a .blend, .bvh, .fbx, .glb or .gltf"


def add_edited_inputs(parser: argparse.ArgumentParser) -> None:
    """Add the input files, each of which is edited on its own."""
    parser.add_argument(
        "inputs",
        nargs="*",
        type=Path,
        metavar="INPUT",
        help=f"{KINDS}, a folder of them or a pattern, each edited on its own; none: the open file",
    )


def add_edited_action(parser: argparse.ArgumentParser) -> None:
    """Add the choices of the character and its action."""
    parser.add_argument(
        "--armature", default="", metavar="NAME", help="the character (default: the active or only one)"
    )
    parser.add_argument("--action", default="", metavar="NAME", help="the action (default: the one that it plays)")


def add_edited_output(parser: argparse.ArgumentParser, name: str) -> None:
    """Add the file for the result; name: the default one."""
    parser.add_argument(
        "--output",
        "-o",
        default=name,
        metavar="FILE",
        help=f"a .blend, .bvh, .fbx or .glb; {{name}} stands for the input's name (default: {name})",
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
