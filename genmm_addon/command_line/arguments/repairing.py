# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of `genmm repair`, which repairs flaws of an action in place."""

import argparse
from collections.abc import Callable

from .edited import add_edited_action, add_edited_inputs, add_edited_output

KINDS = {"spikes": "SPIKE", "jitter": "JITTER", "lost": "LOST", "slides": "SLIDE"}
"""Kinds of flaws by their words on the command line."""


def add_repair(
    parser: argparse.ArgumentParser,
    frames: Callable[[str], tuple[float, float]],
    voices: Callable[[argparse.ArgumentParser], None],
) -> None:
    """Add the arguments; frames: reads a range of frames. voices: adds the options that all commands share."""
    add_edited_inputs(parser)
    parser.add_argument(
        "--list", action="store_true", dest="only_list", help="list what would be repaired, and write no file"
    )
    parser.add_argument(
        "--frames", type=frames, metavar="START-END", help="check only these frames: 41-71 (default: all)"
    )
    parser.add_argument("--bones", type=_names, default=(), metavar="LIST", help="check only these bones: a,b")
    parser.add_argument(
        "--kinds",
        type=_kinds,
        default=tuple(KINDS.values()),
        metavar="LIST",
        help=f"the kinds of flaws, of {', '.join(KINDS)} (default: all)",
    )
    parser.add_argument("--everything", action="store_true", help="denoise all frames and bones, flagged or not")
    parser.add_argument(
        "--library", default="", metavar="FILE", help="learn from a library's clips (default: only filters)"
    )
    parser.add_argument("--tags", default="", metavar="TAGS", help="tags of the clips to learn from: action=walk")
    parser.add_argument(
        "--strength", type=float, default=1.0, metavar="S", help="0: unchanged, 1: fully repaired (default: 1)"
    )
    add_edited_action(parser)
    add_edited_output(parser, "repaired.blend")
    voices(parser)


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


def _kinds(text: str) -> tuple[str, ...]:
    unknown = [word for word in _names(text) if word not in KINDS]
    if unknown or not _names(text):
        raise argparse.ArgumentTypeError(f'"{text}" is no list of kinds; give some of {", ".join(KINDS)}')
    return tuple(KINDS[word] for word in _names(text))
