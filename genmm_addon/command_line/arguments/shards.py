# SPDX-License-Identifier: GPL-3.0-or-later
"""Arguments for work that several machines share: a shard of the files, and a tolerance for unusable ones."""

import argparse
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

File = TypeVar("File")


@dataclass(frozen=True)
class Tolerance:
    """The most unusable files: a number, or with `is_share` a percentage of all files."""

    most: float
    is_share: bool = False

    def allows(self, count: int, total: int) -> bool:
        """Return whether `count` of `total` files may be unusable."""
        return count <= (self.most * total / 100.0 if self.is_share else self.most)

    def __str__(self) -> str:
        return f"{self.most:g}{'%' if self.is_share else ''}"


@dataclass(frozen=True)
class Shard:
    """Every `count`-th file, starting at the `number`-th."""

    number: int
    count: int

    def of(self, files: Sequence[File]) -> Sequence[File]:
        """Return the files of this shard."""
        return files[self.number - 1 :: self.count]


def add_shard(parser: argparse.ArgumentParser, what: str) -> None:
    """Add the option --shard; what: the sentence on every Nth file."""
    parser.add_argument("--shard", type=_shard, metavar="K/N", help=what)


def add_tolerance(parser: argparse.ArgumentParser, what: str, otherwise: str) -> None:
    """Add the option --tolerate; what: the files that are reported as notes. otherwise: what happens with more."""
    parser.add_argument(
        "--tolerate",
        type=_tolerance,
        metavar="N or P%",
        help=f"report {what} as notes and end with status 0, up to a number or a share of all files, such as 5 or 2%%; "
        f"if there are more, {otherwise}",
    )


def _tolerance(text: str) -> Tolerance:
    match = re.fullmatch(r"(\d{1,9}|\d{1,3}(?:\.\d{1,6})?%)", text)
    if match is None or (text.endswith("%") and float(text[:-1]) > 100):
        raise argparse.ArgumentTypeError(f'"{text}" is not a number of files or a share of them; write 5 or 2%')
    return Tolerance(float(text.rstrip("%")), is_share=text.endswith("%"))


def _shard(text: str) -> Shard:
    match = re.fullmatch(r"(\d{1,6})/(\d{1,6})", text)
    if match is None or not 1 <= int(match[1]) <= int(match[2]):
        raise argparse.ArgumentTypeError(f'"{text}" is not a shard; write it as K/N, such as 3/16')
    return Shard(int(match[1]), int(match[2]))
