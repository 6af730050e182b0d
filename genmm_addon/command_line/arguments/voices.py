# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of all commands, for the form of their output."""

import argparse
import os

from ...libraries.takes import ENDINGS


def add_voices(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--log",
        type=log_file,
        default=os.devnull,
        metavar="FILE",
        help="append Blender's output to this file; - means standard error",
    )
    voice = parser.add_mutually_exclusive_group()
    voice.add_argument("--quiet", "-q", action="store_true", help="print only results and errors")
    voice.add_argument("--json", action="store_true", help="print events on standard output, one JSON object a line")
    voice.add_argument(
        "--old-json", action="store_true", help="as --json, with results as they were before; for one version"
    )
    voice.add_argument("--openjd", action="store_true", help="report progress and failure for Open Job Description")


def log_file(text: str) -> str:
    """Return the name of a file for a log, which is appended to what the file holds."""
    if text.lower().endswith((*ENDINGS, ".npz")):
        raise argparse.ArgumentTypeError(f'"{text}" would be a file with motion; give the log another name')
    return text
