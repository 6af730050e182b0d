# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of `genmm repair`, which repairs flaws of an action in place."""

import argparse

from ...core.repair import FlawKind
from .edited import add_edited_action, add_edited_inputs, add_edited_output
from .values import frame_range

KINDS = {kind.word: kind.value for kind in FlawKind}
"""Kinds of flaws, by their names on the command line."""


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
        default=tuple(KINDS.values()),
        metavar="LIST",
        help=f"kinds of flaws: {', '.join(KINDS)} (default: all)",
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
    unknown = [word for word in _names(text) if word not in KINDS]
    if unknown or not _names(text):
        raise argparse.ArgumentTypeError(f'"{text}" is not a list of kinds; choose from {", ".join(KINDS)}')
    return tuple(KINDS[word] for word in _names(text))
