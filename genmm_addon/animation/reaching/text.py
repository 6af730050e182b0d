# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of bones as rows of a list: `hand.R at Handle 40-70, hand.L at Box 40-70 turned`."""

import math
import re
from dataclasses import dataclass

from ...core import InputError
from ..row_lists import FRAMES, quoted, unquoted

_NAME = r'"(?:[^"\\]|\\.)*"|[^",()]+?'
PATTERN = rf"({_NAME})\s+at\s+(\([^)]*\)|{_NAME})\s+{FRAMES}(?P<turned>\s+turned)?"
EXAMPLE = "hand.R at Handle 40-70"
_RESERVED = r"\sat\s|\d\s*-\s*\d*$"


@dataclass(frozen=True)
class BonePlace:
    """A bone at an object or at a point of the world, from one scene frame to another, both included.

    turned: whether the bone also follows the object's rotation.
    """

    bone: str
    object: str
    first: int
    last: int
    turned: bool = False
    point: tuple[float, float, float] | None = None

    def __str__(self) -> str:
        where = quoted(self.object, _RESERVED)
        if self.point is not None:
            where = f"({' '.join(f'{value:g}' for value in self.point)})"
        return f"{quoted(self.bone, _RESERVED)} at {where} {self.first}-{self.last}{' turned' if self.turned else ''}"

    @property
    def said(self) -> str:
        """Return the name of the place for a sentence."""
        where = f'"{self.object}"' if self.point is None else "its place"
        return f'"{self.bone}" at {where}'

    @property
    def shown(self) -> str:
        """Return the text of the place in a panel, without its frames."""
        return f"{short_name(self.bone)} at {self.object or 'a point'}{' turned' if self.turned else ''}"

    @property
    def icon(self) -> str:
        """Return the icon of the place."""
        return "EMPTY_AXIS"


def read_place(match: re.Match[str]) -> BonePlace:
    """Return the place of a match of PATTERN. Raises InputError for a point that is none, or is turned."""
    bone, where, turned = unquoted(match[1]), match[2].strip(), bool(match["turned"])
    point = _point(where) if where.startswith("(") else None
    if point is not None and turned:
        raise InputError(
            f'"{match[0].strip(" ,")}" is "turned" at a point, which has no rotation; '
            'choose an object, or omit "turned".'
        )
    name = "" if point is not None else unquoted(where)
    return BonePlace(bone, name, int(match["first"]), int(match["last"]), turned, point)


def _point(text: str) -> tuple[float, float, float]:
    try:
        x, y, z = (float(word) for word in text.strip("()").replace(",", " ").split())
    except ValueError:
        x = y = z = math.nan
    if not all(map(math.isfinite, (x, y, z))):
        raise InputError(f'"{text}" is not a point; write it as (0.5 0 1.2).')
    return x, y, z


def short_name(bone: str) -> str:
    """Return a bone's name without its namespace, which all bones share and which would fill the sidebar.

    >>> short_name("mixamorig:RightHand")
    'RightHand'
    """
    return bone.rpartition(":")[2] or bone
