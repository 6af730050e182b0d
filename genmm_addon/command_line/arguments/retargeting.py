# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of `genmm retarget`, which brings the actions of motion files to a character."""

import argparse
from pathlib import Path

from ...editing.bringing.bringing import SPACINGS
from ...generation.request import Request
from .edited import KINDS, add_edited_output
from .setting_options import add_option, choice
from .shards import add_shard, add_tolerance
from .values import number

KEY_SETTINGS = ("key_spacing", "key_error_degrees", "key_error_percent")
"""Settings of results that brought actions have as well."""


def add_retarget(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "inputs",
        nargs="+",
        type=Path,
        metavar="INPUT",
        help=f"{KINDS} with motion, a folder of such files, or a pattern; each is written to its own file",
    )
    add_shard(parser, "bring every Nth input only, starting at the Kth, such as 3/16")
    add_tolerance(parser, "inputs that cannot be brought", "the status is 2")
    parser.add_argument("--onto", required=True, type=Path, metavar="FILE", help=f"{KINDS} with the character")
    parser.add_argument(
        "--armature", default="", metavar="NAME", help="the character (default: the active or only one)"
    )
    parser.add_argument("--action", default="", metavar="NAME", help="only this action of an input (default: all)")
    parser.add_argument(
        "--map", type=Path, metavar="FILE", help="a map of bones from the inputs to the character, saved in the window"
    )
    parser.add_argument("--in-place", action="store_true", help="leave out the travel over the ground")
    parser.add_argument(
        "--path-scale",
        type=_factor,
        default=1.0,
        metavar="S",
        help="factor on the travel, which already follows the length of the legs (default: 1)",
    )
    parser.add_argument("--root-motion", default="", metavar="BONE", help="move the travel to this root bone")
    add_option(
        parser,
        Request,
        KEY_SETTINGS[0],
        type=choice(*(spacing.word for spacing in SPACINGS)),
        help="keys on every frame, few for all bones together, or few per bone: every, shared, bones (default: every)",
    )
    for field in KEY_SETTINGS[1:]:
        add_option(parser, Request, field)
    add_edited_output(parser, "{name}_retargeted.blend")


def _factor(text: str) -> float:
    value = number(text)
    if not value > 0.0:
        raise argparse.ArgumentTypeError(f'"{text}" is not a factor; use a number above 0')
    return value
