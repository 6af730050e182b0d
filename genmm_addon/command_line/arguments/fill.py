# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of the commands that add motion to an action in place: `fill`, `continue` and `reach`."""

import argparse
import math
import re

from ...core.infill import Timing, TrajectoryName
from .edited import add_edited_action, add_edited_inputs, add_edited_output
from .setting_options import choice
from .values import frame_range, number

NAMES = tuple(name.value for name in TrajectoryName)
WORDS = tuple(timing.name.lower() for timing in Timing if timing is not Timing.DURATION)


def add_fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `fill`."""
    add_edited_inputs(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument(
        "--range",
        type=frame_range,
        dest="frames",
        metavar="START-END",
        help="fill between these two frames, such as 41-71",
    )
    what.add_argument("--blocking", action="store_true", help="fill between all poses (frames with keys on most bones)")
    _add_choices(parser, "filled.blend")
    parser.add_argument(
        "--every-frame",
        action="store_true",
        help="with --blocking: key every frame (default: only the keys needed to stay within half a degree)",
    )
    length = parser.add_mutually_exclusive_group()
    length.add_argument(
        "--timing",
        type=choice(*WORDS),
        default="range",
        metavar="WORD",
        help=f"duration: {', '.join(WORDS)} (default: range)",
    )
    length.add_argument("--duration", type=int, metavar="N", help="frames from pose to pose")
    parser.add_argument(
        "--move-following", action="store_true", help="move later keys when the new motion is longer or shorter"
    )
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--list-ways", action="store_true", help="list the trajectories found in the examples, and exit")
    ways.add_argument(
        "--way",
        type=_way,
        metavar="WAY",
        help="use this trajectory: usual, fastest, widest, or a number from --list-ways",
    )


def add_continue(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `genmm continue`."""
    add_edited_inputs(parser)
    _add_choices(parser, "continued.blend")
    parser.add_argument("--frames", type=int, default=60, metavar="N", help="number of frames to add (default: 60)")
    parser.add_argument(
        "--from",
        type=_start,
        dest="start",
        metavar="FRAME",
        help="continue from this frame and replace all later ones; first leads up to the first key (default: last key)",
    )
    parser.add_argument(
        "--blend", type=int, default=0, metavar="N", help="frames over which the new motion is blended in (default: 0)"
    )
    parser.add_argument(
        "--connect",
        default="",
        metavar="ACTION",
        help="add a transition to this action, or to the action of a motion file",
    )
    parser.add_argument(
        "--slide",
        type=int,
        metavar="N",
        help="frames of each action that the transition may replace (default: one second)",
    )


def add_reach(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `genmm reach`."""
    add_edited_inputs(parser)
    add_edited_action(parser)
    parser.add_argument(
        "--reach",
        default="",
        dest="reaches",
        metavar="LIST",
        help='bones, objects or world positions to reach, and frames: "hand.R at Handle 40-70, foot.L at (0.1 0 0.3) '
        '10-30" (default: the settings in the panel)',
    )
    add_edited_output(parser, "reached.blend")


def _way(text: str) -> int | str:
    if text in NAMES:
        return text
    if not re.fullmatch(r"\d{1,6}", text):
        raise argparse.ArgumentTypeError(
            f'"{text}" is not a trajectory; use {", ".join(NAMES)}, or a number from --list-ways'
        )
    return int(text)


def _start(text: str) -> float | str:
    if text == "first":
        return text
    frame = number(text)
    if math.isnan(frame):
        raise argparse.ArgumentTypeError(f'"{text}" is not a frame; use a number or "first"')
    return frame


def _add_choices(parser: argparse.ArgumentParser, output: str) -> None:
    """Add the choices of input, output and alternative; output: the default name of the file."""
    add_stretch_choices(parser, output)
    parser.add_argument(
        "--alternative", type=int, default=1, metavar="N", help="number of the alternative to use, from 1 (default: 1)"
    )


def add_stretch_choices(parser: argparse.ArgumentParser, output: str) -> None:
    """Add the choices of character, action, examples and file; output: the default name of the file."""
    add_edited_action(parser)
    parser.add_argument(
        "--library",
        default="",
        metavar="FILE",
        help="a library to learn from (default: the settings in the panel, else the rest of the action)",
    )
    add_edited_output(parser, output)
