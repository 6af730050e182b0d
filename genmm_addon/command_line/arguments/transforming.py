# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of `genmm restyle`, `blend` and `edit`, which make a new action from one and others of its kind."""

import argparse
from collections.abc import Callable

from ...core.manner import KINDS
from .edited import add_edited_action, add_edited_inputs, add_edited_output

Voices = Callable[[argparse.ArgumentParser], None]


def add_restyle(parser: argparse.ArgumentParser, voices: Voices) -> None:
    """Add the arguments of `genmm restyle`; voices: adds the options that all commands share."""
    _add_input(parser, "--style", "the action with the style", "restyled.blend")
    parser.add_argument("--strength", type=float, default=1.0, metavar="S", help="of the style, 0 to 1.5 (default: 1)")
    parser.add_argument(
        "--style-tempo", action="store_true", help="use the style's own tempo (default: keep the action's timing)"
    )
    parser.add_argument(
        "--posture-only", action="store_true", help="take only the trunk's posture, with --style-tempo also the tempo"
    )
    voices(parser)


def add_blend(parser: argparse.ArgumentParser, voices: Voices) -> None:
    """Add the arguments of `genmm blend`; voices: adds the options that all commands share."""
    _add_input(parser, "--with", "the other action", "blended.blend")
    parser.add_argument(
        "--share",
        type=float,
        default=0.5,
        metavar="S",
        help="share of the other action, 0 to 1; keys on the slider Share take precedence (default: 0.5)",
    )
    voices(parser)


def add_edit(parser: argparse.ArgumentParser, voices: Voices) -> None:
    """Add the arguments of `genmm edit`; voices: adds the options that all commands share."""
    _add_action(parser)
    parser.add_argument(
        "--attribute",
        action="append",
        default=[],
        dest="attributes",
        metavar="LIST",
        help="values to reach, in their units or as factors: speed=1.2x,crouch=0.1,swing:Head=5; repeat for more. "
        f"Attributes: {', '.join(kind.name for kind in KINDS)}, swing:BONE and height:BONE. Without it, the values and "
        "their ranges are printed, and nothing is written",
    )
    examples = parser.add_mutually_exclusive_group()
    examples.add_argument(
        "--example",
        action="append",
        default=[],
        dest="others",
        metavar="ACTION",
        help="an action that extends the range of values, or a motion file with it; repeat for more (default: what "
        "the character learns from)",
    )
    examples.add_argument(
        "--library", default="", metavar="FILE", help="a library whose clips of this action give the range of values"
    )
    _add_choice(parser, "edited.blend")
    voices(parser)


def _add_input(parser: argparse.ArgumentParser, option: str, what: str, output: str) -> None:
    _add_action(parser)
    other = parser.add_mutually_exclusive_group(required=True)
    other.add_argument(option, dest="other", default="", metavar="ACTION", help=f"{what}, or a motion file with it")
    other.add_argument("--library", default="", metavar="FILE", help="a library, whose best fitting clips are used")
    _add_choice(parser, output)


def _add_action(parser: argparse.ArgumentParser) -> None:
    add_edited_inputs(parser)
    add_edited_action(parser)


def _add_choice(parser: argparse.ArgumentParser, output: str) -> None:
    parser.add_argument("--tags", default="", metavar="TAGS", help="tags of the clips to choose from: style=old")
    add_edited_output(parser, output)
