# SPDX-License-Identifier: GPL-3.0-or-later
"""The HIERARCHY section of a BVH file: its joints and channels, and its lines in the form for Blender's importer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..core import InputError
from .bvh_numbers import LONGEST_WORD, parse_number

POSITIONS = ("xposition", "yposition", "zposition")
ROTATIONS = ("xrotation", "yrotation", "zrotation")
_WORDS = re.compile(r"[{}]|[^\s{}]+")


@dataclass(frozen=True)
class Hierarchy:
    """The joints of a BVH file.

    columns: the name of the joint for each value of a frame.
    lines: the words of each of the section's lines, in the form that Blender's importer expects.
    """

    columns: tuple[str, ...]
    lines: list[list[str]]


@dataclass
class _Joint:
    """A joint or End Site whose closing brace has not been read."""

    name: str
    is_end: bool
    offset: list[str] = field(default_factory=list)
    channels: list[str] = field(default_factory=list)
    has_channels: bool = False
    is_written: bool = False


def parse_hierarchy(file: str, lines: Sequence[str]) -> Hierarchy:
    """Return the joints in the lines from HIERARCHY up to MOTION.

    file: its name for messages. Raises InputError, with the line, for a hierarchy that Blender cannot read.
    """
    return _Parser(file, lines).hierarchy()


class _Parser:
    """Parser of the section's words, each stored with the number of its line."""

    def __init__(self, file: str, lines: Sequence[str]) -> None:
        self.file = file
        self.words = [(number, word) for number, line in enumerate(lines, 1) for word in _WORDS.findall(line)]
        self.next = 1  # the first word is HIERARCHY
        self.open: list[_Joint] = []
        self.columns: list[str] = []
        self.lines: list[list[str]] = [["HIERARCHY"]]

    def hierarchy(self) -> Hierarchy:
        """Return the parsed hierarchy. Raises InputError for one that Blender cannot read."""
        while self.next < len(self.words):
            word = self.words[self.next][1].upper()
            if word in ("ROOT", "JOINT", "END") and (not self.open if word == "ROOT" else self._may_have_children()):
                self._begin(word)
            elif word == "OFFSET" and self.open and not self.open[-1].is_written and not self.open[-1].offset:
                self.open[-1].offset = self._numbers(3)
            elif word == "CHANNELS" and self._may_have_children() and not self.open[-1].is_written:
                self._channels(self.open[-1])
            elif word == "}" and self.open:
                self._write(self.open.pop())
                self.lines.append(["}"])
                self.next += 1
            else:
                raise self._unexpected()
        if self.open:
            raise InputError(
                f'"{self.file}" has no closing brace for the joint "{self.open[-1].name}"; save or download it again.'
            )
        if not self.columns:
            raise InputError(f'"{self.file}" has no joint with channels; export it with its animation.')
        return Hierarchy(tuple(self.columns), self.lines)

    def _may_have_children(self) -> bool:
        return bool(self.open) and not self.open[-1].is_end

    def _unexpected(self) -> InputError:
        number, word = self.words[min(self.next, len(self.words) - 1)]
        return InputError(
            f'"{self.file}" has "{word[:LONGEST_WORD]}" at line {number}, where it cannot be read;'
            " repair that line or export the file again."
        )

    def _begin(self, kind: str) -> None:
        """Begin a joint or an End Site; its name is the rest of its line."""
        if self.open:
            self._write(self.open[-1])
        line, start = self.words[self.next][0], self.next
        self.next += 1
        while self.next < len(self.words) and self.words[self.next] != (line, "{") and self.words[self.next][0] == line:
            self.next += 1
        said = [word for _, word in self.words[start : self.next]]
        name = "_".join(said[1:])
        if not name or "}" in said or (kind == "END" and said[1].upper() != "SITE"):
            raise InputError(
                f'"{self.file}" has a joint without a name at line {line}; repair that line or export the file again.'
            )
        if self.next == len(self.words) or self.words[self.next][1] != "{":
            raise self._unexpected()
        self.next += 1
        self.lines += [said, ["{"]]
        self.open.append(_Joint(self.open[-1].name if kind == "END" else name, kind == "END"))

    def _numbers(self, count: int) -> list[str]:
        """Return the present word and the `count` numbers after it. Raises InputError if they are not numbers."""
        found = self.words[self.next : self.next + count + 1]
        for line, word in found[1:]:
            parse_number(word, self.file, line, self.open[-1].name)
        if len(found) <= count:
            raise self._unexpected()
        self.next += count + 1
        return [word for _, word in found]

    def _channels(self, joint: _Joint) -> None:
        line = self.words[self.next][0]
        said = [word for _, word in self.words[self.next : self.next + 2]]
        self.next += len(said)
        while self.next < len(self.words) and self.words[self.next][1].lower() in POSITIONS + ROTATIONS:
            said.append(self.words[self.next][1])
            self.next += 1
        names = [word.lower() for word in said[2:]]
        if joint.has_channels or len(said) < 2 or said[1] != str(len(names)) or len(set(names)) < len(names):
            raise InputError(
                f'"{self.file}" has channels at line {line}, joint "{joint.name}", that cannot be read;'
                " their number comes first, then each position and rotation once."
            )
        rotation_count = sum(name in ROTATIONS for name in names)
        if rotation_count not in (0, 3):
            raise InputError(
                f'"{self.file}" has a joint ("{joint.name}", line {line}) with {rotation_count} rotation'
                f" channel{'' if rotation_count == 1 else 's'}, and Blender reads three or none;"
                " export it with three on every joint."
            )
        joint.has_channels, joint.channels = True, said
        self.columns += [joint.name] * len(names)

    def _write(self, joint: _Joint) -> None:
        """Add a joint's offset and channels to the lines, in the order that Blender's importer expects."""
        if joint.is_written:
            return
        joint.is_written = True
        if not joint.offset and not joint.is_end:
            raise InputError(f'"{self.file}" has no OFFSET for the joint "{joint.name}"; export the file again.')
        self.lines.append(joint.offset or ["OFFSET", "0", "0", "0"])
        if not joint.is_end:
            self.lines.append(joint.channels or ["CHANNELS", "0"])
