# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of `genmm ground`, which puts the feet of an action on a mesh."""

import argparse
from collections.abc import Callable
from pathlib import Path

GROUND_HELP = "an object that the feet stand on, with all that is parented to it, or a file of meshes; off"


def add_ground(
    parser: argparse.ArgumentParser,
    frames: Callable[[str], tuple[float, float]],
    voices: Callable[[argparse.ArgumentParser], None],
) -> None:
    """Add the arguments; frames: reads a range of them. voices: adds the options that all commands have."""
    parser.add_argument(
        "input", type=Path, nargs="?", metavar="INPUT", help="a .blend, .bvh, .fbx, .glb or .gltf; none: the open file"
    )
    parser.add_argument(
        "--ground", metavar="OBJECT", help=f"{GROUND_HELP.removesuffix('; off')} (default: the panel's)"
    )
    parser.add_argument(
        "--armature", default="", metavar="NAME", help="the character (default: the active or only one)"
    )
    parser.add_argument("--action", default="", metavar="NAME", help="the action (default: the one that it plays)")
    parser.add_argument(
        "--range", type=frames, dest="frames", metavar="START-END", help="these frames alone: 41-71 (default: all)"
    )
    parser.add_argument(
        "--output",
        "-o",
        type=Path,
        default=Path("grounded.blend"),
        metavar="FILE",
        help="a .blend or .bvh (default: grounded.blend)",
    )
    parser.add_argument("--force", action="store_true", help="write over a file that is there")
    parser.set_defaults(alternative=1)
    voices(parser)
