# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of `genmm repair`, which repairs flaws of an action in place."""

import argparse
from collections.abc import Callable

from .edited import add_edited_action, add_edited_inputs, add_edited_output

KINDS = {"spikes": "SPIKE", "jitter": "JITTER", "lost": "LOST", "slides": "SLIDE"}
"""The words for kinds of flaws, and their names."""


def add_repair(
    parser: argparse.ArgumentParser,
    frames: Callable[[str], tuple[float, float]],
    voices: Callable[[argparse.ArgumentParser], None],
) -> None:
    """Add the arguments; frames: reads a range of them. voices: adds the options that all commands have."""
    add_edited_inputs(parser)
    parser.add_argument(
        "--list", action="store_true", dest="only_list", help="say what would be repaired, and write no file"
    )
    parser.add_argument(
        "--frames", type=frames, metavar="START-END", help="look at these frames alone: 41-71 (default: all)"
    )
    parser.add_argument("--bones", type=_names, default=(), metavar="LIST", help="look at these bones alone: a,b")
    parser.add_argument(
        "--kinds",
        type=_kinds,
        default=tuple(KINDS.values()),
        metavar="LIST",
        help=f"of {', '.join(KINDS)} (default: all of them)",
    )
    parser.add_argument("--everything", action="store_true", help="take noise off all frames and bones, flagged or not")
    parser.add_argument(
        "--library", default="", metavar="FILE", help="learn from a library's clips (default: filters alone)"
    )
    parser.add_argument("--tags", default="", metavar="TAGS", help="of the library's clips to learn from: action=walk")
    parser.add_argument(
        "--strength", type=float, default=1.0, metavar="S", help="0 as it is to 1 all of it (default: 1)"
    )
    add_edited_action(parser)
    add_edited_output(parser, "repaired.blend")
    voices(parser)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _kinds(text: str) -> tuple[str, ...]:
    unknown = [word for word in _names(text) if word not in KINDS]
    if unknown or not _names(text):
        raise argparse.ArgumentTypeError(f'"{text}" is no list of kinds; say some of {", ".join(KINDS)}')
    return tuple(KINDS[word] for word in _names(text))
