# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of `genmm set`, which cuts a locomotion set from examples."""

import argparse
from pathlib import Path

from ...core.motion import ROOT_NAME


def add_set(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "inputs",
        nargs="*",
        type=Path,
        metavar="INPUT",
        help="files with walks and runs, folders and patterns, all used together for the character of the first "
        "(default: the open file)",
    )
    parser.add_argument("--armature", default="", metavar="NAME", help="the character (default: the only one)")
    parser.add_argument(
        "--strides", type=int, default=1, metavar="N", help="strides of the longest loops, 1 to 8 (default: 1)"
    )
    parser.add_argument(
        "--root-bone", default=ROOT_NAME, metavar="NAME", help=f"bone that gets the travel (default: {ROOT_NAME})"
    )
    parser.add_argument(
        "--output",
        "-o",
        default="set/{direction}_{speed}.fbx",
        metavar="PATTERN",
        help="a .fbx, .glb or .bvh for each action, with {direction}, {speed}, {strides} and {name}, or one .blend "
        "with all (default: set/{direction}_{speed}.fbx)",
    )
    parser.add_argument("--force", action="store_true", help="overwrite existing files")
