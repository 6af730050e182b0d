# SPDX-License-Identifier: GPL-3.0-or-later
"""Places of bones as text: `hand.R at Handle 40-70, hand.L at Box 40-70 turned`."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from ...core import InputError

_NAME = r'"(?:[^"\\]|\\.)*"|[^",()]+?'
_ENTRY = re.compile(rf"\s*({_NAME})\s+at\s+(\([^)]*\)|{_NAME})\s+(-?\d+)\s*-\s*(-?\d+)(\s+turned)?\s*(?:,|$)")
_PLAIN = re.compile(r'[^",()\\]+')
EXAMPLE = "hand.R at Handle 40-70"


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
        where = quoted(self.object) if self.point is None else f"({' '.join(f'{value:g}' for value in self.point)})"
        return f"{quoted(self.bone)} at {where} {self.first}-{self.last}{' turned' if self.turned else ''}"

    @property
    def said(self) -> str:
        """Return the name of the place for a sentence."""
        where = f'"{self.object}"' if self.point is None else "its place"
        return f'"{self.bone}" at {where}'


def parse_places(text: str) -> tuple[BonePlace, ...]:
    """Return the places in a text. Raises InputError for any other text."""
    found, start = [], 0
    while start < len(text) and text[start:].strip():
        match = _ENTRY.match(text, start)
        if match is None:
            raise InputError(f'"{text[start:].strip()}" is no bone at a place; write it as {EXAMPLE}.')
        found.append(_place(match))
        start = match.end()
    return tuple(found)


def places_text(places: Iterable[BonePlace]) -> str:
    """Return the text of places, in the form that `parse_places` reads."""
    return ", ".join(map(str, places))


def checked_places(text: str, name: str) -> str:
    """Return a text of places in its normal form. Raises InputError if it is not valid; name: used in the message."""
    if not isinstance(text, str):
        raise InputError(f"{name} must be a text such as {EXAMPLE}.")
    return places_text(parse_places(text))


def quoted(name: str) -> str:
    """Return a name for the text, in quotation marks if it could not be read back without."""
    plain = _PLAIN.fullmatch(name) and name == name.strip() and not re.search(r"\sat\s|\d\s*-\s*\d*$", f" {name} ")
    return name if plain else '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _place(match: re.Match[str]) -> BonePlace:
    bone, where, first, last = _unquoted(match[1]), match[2].strip(), int(match[3]), int(match[4])
    point = _point(where) if where.startswith("(") else None
    if first > last:
        raise InputError(f'"{match[0].strip(" ,")}" ends before it begins; give its first frame first.')
    turned = bool(match[5])
    if point is not None and turned:
        raise InputError(
            f'"{match[0].strip(" ,")}" is turned at a point, which has no rotation; '
            'name an object, or leave out "turned".'
        )
    return BonePlace(bone, "" if point is not None else _unquoted(where), first, last, turned, point)


def _point(text: str) -> tuple[float, float, float]:
    try:
        x, y, z = (float(word) for word in text.strip("()").replace(",", " ").split())
    except ValueError:
        x = y = z = math.nan
    if not all(map(math.isfinite, (x, y, z))):
        raise InputError(f'"{text}" is no point of the world; write it as (0.5 0 1.2).')
    return x, y, z


def _unquoted(name: str) -> str:
    name = name.strip()
    return re.sub(r"\\(.)", r"\1", name[1:-1]) if name.startswith('"') else name
