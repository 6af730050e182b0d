# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of `genmm restyle`, `blend` and `edit`, which make a new action from one and others of its kind."""

import argparse

from ...core.manner import KINDS
from .edited import add_edited_action, add_edited_inputs, add_edited_output


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
        f"Attributes: {', '.join(kind.name for kind in KINDS)}, swing:BONE and height:BONE. Without this option, the "
        "present values and their ranges are printed, and nothing is written",
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
