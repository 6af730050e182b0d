# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of `genmm restyle` and `genmm blend`, which make a new action out of one and others of its kind."""

import argparse
from collections.abc import Callable
from pathlib import Path

Voices = Callable[[argparse.ArgumentParser], None]


def add_restyle(parser: argparse.ArgumentParser, voices: Voices) -> None:
    """Add the arguments of `genmm restyle`; voices: adds the options that all commands have."""
    _add_input(parser, "--style", "the action whose style is taken", "restyled.blend")
    parser.add_argument("--strength", type=float, default=1.0, metavar="S", help="0 to 1.5 (default: 1)")
    parser.add_argument(
        "--style-tempo", action="store_true", help="at the style's own tempo (default: the action's timing is kept)"
    )
    parser.add_argument(
        "--posture-only", action="store_true", help="the trunk's posture alone, and with --style-tempo the tempo"
    )
    voices(parser)


def add_blend(parser: argparse.ArgumentParser, voices: Voices) -> None:
    """Add the arguments of `genmm blend`; voices: adds the options that all commands have."""
    _add_input(parser, "--with", "the other action", "blended.blend")
    parser.add_argument(
        "--share",
        type=float,
        default=0.5,
        metavar="S",
        help="of the other action, 0 to 1; keys on the slider Share in the action count instead (default: 0.5)",
    )
    voices(parser)


def _add_input(parser: argparse.ArgumentParser, option: str, what: str, output: str) -> None:
    # All commands that edit a file look at it.
    parser.set_defaults(alternative=1)
    parser.add_argument(
        "input", type=Path, nargs="?", metavar="INPUT", help="a .blend, .bvh, .fbx, .glb or .gltf; none: the open file"
    )
    parser.add_argument(
        "--armature", default="", metavar="NAME", help="the character (default: the active or only one)"
    )
    parser.add_argument("--action", default="", metavar="NAME", help="the action (default: the one that it plays)")
    other = parser.add_mutually_exclusive_group(required=True)
    other.add_argument(option, dest="other", default="", metavar="ACTION", help=what)
    other.add_argument("--library", default="", metavar="FILE", help="clips of a library, those that fit best")
    parser.add_argument("--tags", default="", metavar="TAGS", help="of the clips to choose from: style=old")
    parser.add_argument(
        "--output", "-o", type=Path, default=Path(output), metavar="FILE", help=f"a .blend or .bvh (default: {output})"
    )
    parser.add_argument("--force", action="store_true", help="write over a file that is there")
