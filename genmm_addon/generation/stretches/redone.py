# SPDX-License-Identifier: GPL-3.0-or-later
"""Regenerated stretches of a result as a recipe stores them: their frames, and the number of the alternative."""

import re
from dataclasses import dataclass

from ...core import InputError

MOST_ALTERNATIVES = 99
"""Most alternatives of one stretch, and most regenerated stretches of one result."""
_PIECE = re.compile(r"(\d+)\s*-\s*(\d+)(?:\s*:\s*(\d+))?")


@dataclass(frozen=True)
class Redone:
    """A stretch from frame `first` to `last` of a motion, counted from 1, that shows the alternative with a number."""

    first: int
    last: int
    number: int = 1

    def __str__(self) -> str:
        return f"{self.first}-{self.last}" + (f":{self.number}" if self.number != 1 else "")

    @property
    def frames(self) -> int:
        """Return the number of its frames."""
        return self.last - self.first + 1


def parse_redone(text: str) -> tuple[Redone, ...]:
    """Return the stretches in a text such as `41-70, 90-100:2`, in order. Raises InputError for any other text.

    >>> parse_redone("41-70, 90-100:2")[1].number
    2
    """
    stretches = []
    for piece in (piece.strip() for piece in text.split(",")):
        if not piece:
            continue
        match = _PIECE.fullmatch(piece)
        if match is None:
            raise InputError(f'"{piece}" is not a stretch; write its frames as 41-70, or 41-70:2.')
        stretch = Redone(int(match[1]), int(match[2]), int(match[3] or 1))
        if not 1 <= stretch.first <= stretch.last or not 1 <= stretch.number <= MOST_ALTERNATIVES:
            raise InputError(
                f'The stretch "{piece}" is none: its first frame is 1 or more and not after its last, and its '
                f"alternative lies between 1 and {MOST_ALTERNATIVES}."
            )
        stretches.append(stretch)
    if len(stretches) > MOST_ALTERNATIVES:
        raise InputError(
            f"{len(stretches)} stretches are too many, {MOST_ALTERNATIVES} are possible; regenerate the whole motion."
        )
    return tuple(stretches)


def checked_redone(text: str, name: str) -> str:
    """Return a text of stretches in its normal form. Raises InputError where it cannot be read."""
    if not isinstance(text, str):
        raise InputError(f"{name} must be a text such as 41-70, 90-100:2.")
    return ", ".join(map(str, parse_redone(text)))
