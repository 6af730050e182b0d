# SPDX-License-Identifier: GPL-3.0-or-later
"""The arguments of `genmm gallery`, `genmm serve` and `genmm gather`, and those of `genmm generate` for a gallery."""

import argparse
from collections.abc import Callable
from pathlib import Path

from .values import seeds

SIZE_LIMIT, LARGEST_SIZE = 64, 4096
"""Default and largest limit on the size of a file that `serve` accepts, in megabytes."""
HIGHEST_PORT = 65535


def add_gallery(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `gallery`."""
    parser.add_argument(
        "folder", type=Path, metavar="FOLDER", help="a folder with motions; its subfolders are included"
    )
    parser.add_argument(
        "--output", "-o", type=Path, metavar="FILE", help="the page, .html (default: FOLDER/gallery.html)"
    )
    parser.add_argument("--title", default="", metavar="TEXT", help="the page's title (default: the folder's name)")


def add_serve(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `serve`."""
    parser.add_argument(
        "--port",
        type=_whole(0, HIGHEST_PORT),
        default=0,
        metavar="N",
        help="the port on the loopback address (default: a free one)",
    )
    parser.add_argument("--ipv6", action="store_true", help="listen on ::1 instead of 127.0.0.1")
    parser.add_argument(
        "--no-browser", action="store_false", dest="browser", help="print the address without opening a browser"
    )
    parser.add_argument(
        "--size-limit",
        type=_whole(1, LARGEST_SIZE),
        default=SIZE_LIMIT,
        metavar="MB",
        help=f"size limit of accepted files, in megabytes (default: {SIZE_LIMIT})",
    )


def _whole(least: int, most: int) -> Callable[[str], int]:
    """Return a reader of whole numbers from `least` to `most`."""

    def read(text: str) -> int:
        value = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f'"{text}" is not a whole number from {least:,} to {most:,}')
        return value

    return read


def add_gather(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `gather`."""
    parser.add_argument(
        "folder",
        type=Path,
        nargs="?",
        help="the folder with the motions (with --picked, by default the folder of that file)",
    )
    parser.add_argument("--pattern", default="", help="file names of the motions, as in --output of generate")
    parser.add_argument("--name", default="", help="value of {name} in the pattern")
    parser.add_argument("--seeds", type=seeds, metavar="LIST", help="seeds that must be present")
    parser.add_argument(
        "--picked", type=Path, metavar="FILE", help="collect the favorites that a gallery saved in this file"
    )
    parser.add_argument(
        "--output",
        metavar="FILE",
        help="the list to write (default: FOLDER/motions.json); with --picked, a pattern for the files: "
        '"best/{name}.fbx", with {name} and {seed}',
    )


def add_generated_pages(parser: argparse.ArgumentParser) -> None:
    """Add the gallery options of `generate`."""
    group = parser.add_argument_group("gallery")
    group.add_argument(
        "--measure", action="store_true", help="measure each motion and store the measures for a gallery"
    )
    group.add_argument(
        "--gallery",
        action="store_true",
        help="measure each motion and write a page with all of them to the output folder",
    )
