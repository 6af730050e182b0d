# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of `genmm fill`, which puts new motion between poses of an action."""

import argparse
from collections.abc import Callable
from pathlib import Path

from ...core.infill import Timing
from .setting_options import choice

WORDS = tuple(timing.name.lower() for timing in Timing if timing is not Timing.DURATION)


def add_fill(
    parser: argparse.ArgumentParser,
    frames: Callable[[str], tuple[float, float]],
    voices: Callable[[argparse.ArgumentParser], None],
) -> None:
    """Add the arguments; frames: reads a range of them. voices: adds the options that all commands have."""
    parser.add_argument(
        "input", type=Path, nargs="?", metavar="INPUT", help="a .blend, .bvh, .fbx, .glb or .gltf; none: the open file"
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--range", type=frames, dest="frames", metavar="START-END", help="between these two frames: 41-71"
    )
    what.add_argument("--blocking", action="store_true", help="between all poses, frames with keys on most bones")
    parser.add_argument(
        "--armature", default="", metavar="NAME", help="the character (default: the active or only one)"
    )
    parser.add_argument("--action", default="", metavar="NAME", help="the action (default: the one that it plays)")
    parser.add_argument(
        "--library",
        default="",
        metavar="FILE",
        help="learn from a library (default: what the panel says, else the action outside of the range)",
    )
    parser.add_argument("--alternative", type=int, default=1, metavar="N", help="which one, from 1 (default: 1)")
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--timing", type=choice(*WORDS), default="range", metavar="WORD", help=f"{', '.join(WORDS)} (default: range)"
    )
    length.add_argument("--duration", type=int, metavar="N", help="frames from pose to pose")
    parser.add_argument(
        "--move-following", action="store_true", help="move what comes after where the motion is longer or shorter"
    )
    parser.add_argument(
        "--output", "-o", type=Path, default=Path("filled.blend"), metavar="FILE",
        help="a .blend or .bvh (default: filled.blend)",
    )  # fmt: skip
    parser.add_argument("--force", action="store_true", help="write over a file that is there")
    voices(parser)
