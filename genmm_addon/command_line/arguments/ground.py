# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of `genmm ground`, which adapts an action to uneven ground."""

import argparse

from .edited import add_edited_action, add_edited_inputs, add_edited_output
from .values import frame_range

GROUND_HELP = "an object for the feet to stand on, with its children, or a file with meshes; off"


def add_ground(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_edited_inputs(parser)
    parser.add_argument(
        "--ground", metavar="OBJECT", help=f"{GROUND_HELP.removesuffix('; off')} (default: the setting in the panel)"
    )
    add_edited_action(parser)
    parser.add_argument(
        "--range",
        type=frame_range,
        dest="frames",
        metavar="START-END",
        help="only these frames, such as 41-71 (default: all)",
    )
    add_edited_output(parser, "grounded.blend")
