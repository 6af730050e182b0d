# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of rows over scene frames that direct a result, stored as text: `foot.L always 40-70, foot.R never 90-110`."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from bpy.types import Object, Scene

from ..core import InputError, Skeleton
from ..core.constraints import Constraint
from ..core.environment import Surface
from ..core.fields import settings_in
from .reading.example_spec import ExampleSpec

NAME = r'("(?:[^"\\]|\\.)*"|[^",]+?)'
"""Pattern of a name, such as a bone's: in quotation marks, or without commas."""
FRAMES = r"(?P<first>-?\d+)\s*-\s*(?P<last>-?\d+)"
"""Pattern of a row's first and last frame."""
_END = re.compile(r"\s*(?:,|$)")
_SPECIAL = re.compile(r'[",()\\]')

Row = TypeVar("Row")


@dataclass(frozen=True, eq=False)
class ResultFrames:
    """The result that rows direct: `frames` frames from scene frame `start` on.

    examples, markers: of the request, and whether timeline markers count. ground: the uneven ground on which the result
    is put, if any. met_later: bones are brought to their places after the result is written.
    """

    character: Object
    skeleton: Skeleton
    scene: Scene
    start: float
    frames: int
    examples: Sequence[ExampleSpec] = ()
    markers: bool = False
    ground: Surface | None = None
    met_later: bool = False

    def joint(self, bone: str, row_name: str) -> int:
        """Return the joint of a bone. Raises InputError if there is no such bone; row_name: of the row."""
        if bone not in self.skeleton.names:
            raise InputError(f'"{self.character.name}" has no bone "{bone}"; choose one of its bones in {row_name}.')
        return self.skeleton.names.index(bone)

    def within(self, first: int, last: int, row_name: str) -> slice:
        """Return scene frames, both inclusive, as frames of the result. Raises InputError if they lie outside it."""
        begin = round(self.start)
        end = begin + self.frames - 1
        if first < begin or last > end:
            raise InputError(
                f"{row_name} is outside the motion, which has frames {begin} to {end}; move it into the motion."
            )
        return slice(first - begin, last - begin + 1)


@dataclass(frozen=True, eq=False)
class RowList(Generic[Row]):
    """The declaration of a list: its text and its constraints. Called, it returns a text in its normal form.

    name, example: of a row, in messages. row: its dataclass; a row is written with `str`, and a panel lists its `shown`
    and `icon`. pattern: of a row, with any frames in the groups "first" and "last". read: returns the row of a match.
    constraints: returns those of the rows; None if the list makes none. after_ground: they act on the result after that
    was put on its ground.
    """

    name: str
    example: str
    row: type[Row]
    pattern: str
    read: Callable[[re.Match[str]], Row]
    constraints: Callable[[tuple[Row, ...], ResultFrames], tuple[Constraint, ...]] | None = None
    after_ground: bool = False

    def __call__(self, value: object, name: str) -> str:
        """Return a text in its normal form. Raises InputError if it is not valid; name: of the setting."""
        if not isinstance(value, str):
            raise InputError(f"{name} must be a text such as {self.example}.")
        return self.text(self.parse(value))

    def parse(self, text: str) -> tuple[Row, ...]:
        """Return the rows in a text. Raises InputError for any other text."""
        entry, rows, start = re.compile(rf"[\s,]*{self.pattern}{_END.pattern}"), [], 0
        while start < len(text) and text[start:].strip(" \t\r\n,"):
            match = entry.match(text, start)
            if match is None:
                unread = text[start:].strip(" \t\r\n,")
                raise InputError(f'"{unread}" is not a {self.name}; write it as {self.example}.')
            if match.groupdict().get("last") is not None and int(match["first"]) > int(match["last"]):
                raise InputError(f'"{match[0].strip(" ,")}" ends before it begins; give its first frame first.')
            rows.append(self.read(match))
            start = match.end()
        return tuple(rows)

    def readable(self, text: str) -> tuple[Row, ...]:
        """Return the rows in a text; none where it cannot be read."""
        return () if self.why_unreadable(text) else self.parse(text)

    def why_unreadable(self, text: str) -> str:
        """Return a sentence on why a text cannot be read; "" if it can."""
        try:
            self.parse(text)
        except InputError as error:
            return str(error)
        return ""

    def text(self, rows: Iterable[Row]) -> str:
        """Return the text of rows, in the form that `parse` reads."""
        return ", ".join(map(str, rows))


def row_lists_in(kind: type) -> dict[str, RowList[Any]]:
    """Return the lists that become constraints among the settings of a record's class, by field."""
    takes = {name: setting.take for name, setting in settings_in(kind).items()}
    return {name: take for name, take in takes.items() if isinstance(take, RowList) and take.constraints is not None}


def quoted(name: str, reserved: str = r"(?!)") -> str:
    """Return a name for a row, in quotation marks where it needs them; reserved: a pattern of words."""
    if name and name == name.strip() and not _SPECIAL.search(name) and not re.search(reserved, f" {name} "):
        return name
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def unquoted(name: str) -> str:
    """Return the name that a row has in quotation marks or without them."""
    name = name.strip()
    return re.sub(r"\\(.)", r"\1", name[1:-1]) if name.startswith('"') else name
