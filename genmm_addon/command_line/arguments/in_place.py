# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments of the commands that edit an action in place: `fill`, `continue`, `natural`, `reach` and others."""

import argparse
import math
import re
from pathlib import Path

from ...core.infill import Timing, TrajectoryName
from ...core.repair import FlawKind
from .setting_options import choice
from .shards import add_shard, add_tolerance
from .values import frame_range, number

KINDS = "a .blend, .bvh, .fbx, .glb or .gltf file"
TRAJECTORIES = tuple(name.value for name in TrajectoryName)
TIMINGS = tuple(timing.name.lower() for timing in Timing if timing is not Timing.DURATION)
GROUND_HELP = "an object for the feet to stand on, with its children, or a file with meshes; off"
FLAWS = {kind.word: kind.value for kind in FlawKind}
"""Kinds of flaws, by their names on the command line."""


def add_edited_inputs(parser: argparse.ArgumentParser) -> None:
    """Add the input files, which are edited separately."""
    parser.add_argument(
        "inputs",
        nargs="*",
        type=Path,
        metavar="INPUT",
        help=f"{KINDS}, a folder of such files, or a pattern; each is edited separately (default: the open file)",
    )
    add_shard(parser, "edit every Nth input only, starting at the Kth, such as 3/16")
    add_tolerance(parser, "inputs that cannot be edited", "or none of several can, the status is 2")


def add_edited_action(parser: argparse.ArgumentParser) -> None:
    """Add the choices of the character and its action."""
    parser.add_argument(
        "--armature", default="", metavar="NAME", help="the character (default: the active or only one)"
    )
    parser.add_argument(
        "--action", default="", metavar="NAME", help="the action (default: the character's active action)"
    )


def add_edited_output(parser: argparse.ArgumentParser, name: str) -> None:
    """Add the output file; name: its default name."""
    parser.add_argument(
        "--output",
        "-o",
        default=name,
        metavar="FILE",
        help=f"a .blend, .bvh, .fbx or .glb file; {{name}} stands for the input's name (default: {name})",
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")


def add_fill(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `fill`."""
    add_edited_inputs(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    _add_range(what, "fill between these two frames, such as 41-71")
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
        type=choice(*TIMINGS),
        default="range",
        metavar="WORD",
        help=f"duration: {', '.join(TIMINGS)} (default: range)",
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


def _add_range(parser: argparse._ActionsContainer, text: str) -> None:
    parser.add_argument("--range", type=frame_range, dest="frames", metavar="START-END", help=text)


def _way(text: str) -> int | str:
    if text in TRAJECTORIES:
        return text
    if not re.fullmatch(r"\d{1,6}", text):
        raise argparse.ArgumentTypeError(
            f'"{text}" is not a trajectory; use {", ".join(TRAJECTORIES)}, or a number from --list-ways'
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


def add_natural(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_edited_inputs(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    _add_range(what, "make these frames natural, such as 41-71")
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


def add_ground(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_edited_inputs(parser)
    parser.add_argument(
        "--ground", metavar="OBJECT", help=f"{GROUND_HELP.removesuffix('; off')} (default: the setting in the panel)"
    )
    add_edited_action(parser)
    _add_range(parser, "only these frames, such as 41-71 (default: all)")
    add_edited_output(parser, "grounded.blend")


def add_repair(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_edited_inputs(parser)
    parser.add_argument("--list", action="store_true", dest="only_list", help="list the flaws without writing a file")
    parser.add_argument(
        "--frames", type=frame_range, metavar="START-END", help="check only these frames, such as 41-71 (default: all)"
    )
    parser.add_argument(
        "--bones", type=_names, default=(), metavar="LIST", help="check only these bones, separated by commas"
    )
    parser.add_argument(
        "--kinds",
        type=_kinds,
        default=tuple(FLAWS.values()),
        metavar="LIST",
        help=f"kinds of flaws: {', '.join(FLAWS)} (default: all)",
    )
    parser.add_argument(
        "--flights-keep",
        choices=("duration", "height"),
        default="duration",
        help="quantity of wrong flights that stays; gravity decides the other (default: duration)",
    )
    parser.add_argument("--everything", action="store_true", help="denoise all frames and bones, not only flagged ones")
    parser.add_argument("--library", default="", metavar="FILE", help="a library to learn from (default: filters only)")
    parser.add_argument(
        "--tags", default="", metavar="TAGS", help="tags of the clips to learn from, such as action=walk"
    )
    parser.add_argument(
        "--strength", type=float, default=1.0, metavar="S", help="0 changes nothing, 1 repairs completely (default: 1)"
    )
    add_edited_action(parser)
    add_edited_output(parser, "repaired.blend")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _kinds(text: str) -> tuple[str, ...]:
    unknown = [word for word in _names(text) if word not in FLAWS]
    if unknown or not _names(text):
        raise argparse.ArgumentTypeError(f'"{text}" is not a list of kinds; choose from {", ".join(FLAWS)}')
    return tuple(FLAWS[word] for word in _names(text))


def add_asset(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "input",
        type=Path,
        nargs="?",
        metavar="INPUT",
        help="a .blend, .bvh, .fbx, .glb or .gltf file (default: the open file)",
    )
    add_edited_action(parser)
    parser.add_argument("--catalog", default="", metavar="PATH", help="the asset's catalog, such as Walks/Tired")
    parser.add_argument("--tags", default="", metavar="LIST", help='the asset\'s tags: "style=tired, action=walk"')
    parser.add_argument(
        "--output", "-o", type=Path, default=Path("asset.blend"), metavar="FILE", help="a .blend (default: asset.blend)"
    )
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")
