# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of the commands that make new actions: `restyle`, `blend`, `edit`, `retarget` and `set`."""

import argparse
from pathlib import Path

from ...core.manner import KINDS as ATTRIBUTES
from ...core.motion import ROOT_NAME
from ...editing.bringing.bringing import SPACINGS
from ...generation.request import Request
from .in_place import KINDS, add_edited_action, add_edited_inputs, add_edited_output
from .setting_options import add_option, choice
from .shards import add_shard, add_tolerance
from .values import number

KEY_SETTINGS = ("key_spacing", "key_error_degrees", "key_error_percent")
"""Settings of results that brought actions have as well."""


def add_restyle(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `genmm restyle`."""
    _add_input(parser, "--style", "the action with the style", "restyled.blend")
    parser.add_argument(
        "--strength", type=float, default=1.0, metavar="S", help="strength of the style, 0 to 1.5 (default: 1)"
    )
    parser.add_argument(
        "--style-tempo", action="store_true", help="use the tempo of the style (default: keep the timing of the action)"
    )
    parser.add_argument(
        "--posture-only",
        action="store_true",
        help="transfer only the posture of the trunk, and the tempo with --style-tempo",
    )


def add_blend(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `genmm blend`."""
    _add_input(parser, "--with", "the other action", "blended.blend")
    parser.add_argument(
        "--share",
        type=float,
        default=0.5,
        metavar="S",
        help="weight of the other action, 0 to 1; keys on the slider Share take precedence (default: 0.5)",
    )


def add_edit(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `genmm edit`."""
    _add_action(parser)
    parser.add_argument(
        "--attribute",
        action="append",
        default=[],
        dest="attributes",
        metavar="LIST",
        help="target values, in their units or as factors: speed=1.2x,crouch=0.1,swing:Head=5; can be repeated. "
        f"Attributes: {', '.join(kind.name for kind in ATTRIBUTES)}, swing:BONE and height:BONE. Without this option, "
        "the present values and their ranges are printed, and nothing is written",
    )
    examples = parser.add_mutually_exclusive_group()
    examples.add_argument(
        "--example",
        action="append",
        default=[],
        dest="others",
        metavar="ACTION",
        help="an action, or a motion file, that extends the range of values; can be repeated (default: the examples "
        "of the character)",
    )
    examples.add_argument(
        "--library",
        default="",
        metavar="FILE",
        help="a library whose clips of the same action define the range of values",
    )
    _add_choice(parser, "edited.blend")


def _add_input(parser: argparse.ArgumentParser, option: str, what: str, output: str) -> None:
    _add_action(parser)
    other = parser.add_mutually_exclusive_group(required=True)
    other.add_argument(option, dest="other", default="", metavar="ACTION", help=f"{what}, or a motion file")
    other.add_argument("--library", default="", metavar="FILE", help="a library; the clips that match best are used")
    _add_choice(parser, output)


def _add_action(parser: argparse.ArgumentParser) -> None:
    add_edited_inputs(parser)
    add_edited_action(parser)


def _add_choice(parser: argparse.ArgumentParser, output: str) -> None:
    parser.add_argument(
        "--tags", default="", metavar="TAGS", help="tags of the clips to choose from, such as style=old"
    )
    add_edited_output(parser, output)


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
    add_tolerance(parser, "inputs that cannot be brought", "or none of several can, the status is 2")
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
