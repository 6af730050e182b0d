# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of `genmm natural`, for coarse keys, their full motion, and rough frames made natural."""

import argparse

from .edited import add_edited_inputs
from .fill import add_stretch_choices
from .values import frame_range, number


def add_natural(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_edited_inputs(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--range", type=frame_range, dest="frames", metavar="START-END", help="make these frames natural, such as 41-71"
    )
    what.add_argument(
        "--coarse",
        type=_seconds,
        metavar="SECONDS",
        help="create a copy of the action with coarse keys at this interval",
    )
    what.add_argument("--full", action="store_true", help="rebuild the full motion from edited coarse keys")
    add_stretch_choices(parser, "natural.blend")
    parser.add_argument(
        "--strength",
        type=_share,
        default=0.7,
        metavar="S",
        help="0 keeps the motion unchanged, 1 follows the examples (default: 0.7)",
    )
    parser.add_argument(
        "--poses", action="store_true", help="place coarse keys at important poses (default: evenly spaced)"
    )


def _seconds(text: str) -> float:
    value = number(text)
    if not value > 0.0:
        raise argparse.ArgumentTypeError(f'"{text}" is not an interval; use a number of seconds above 0')
    return value


def _share(text: str) -> float:
    value = number(text)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f'"{text}" is not a strength; use a number from 0 to 1')
    return value
