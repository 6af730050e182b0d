# SPDX-License-Identifier: GPL-3.0-or-later
"""The HIERARCHY section of a BVH file: its joints and channels, and its lines in the form for Blender's importer."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ...errors import InputError
from .numbers import LONGEST_WORD, parse_number, separated

POSITIONS = ("xposition", "yposition", "zposition")
ROTATIONS = ("xrotation", "yrotation", "zrotation")
SCALES = ("xscale", "yscale", "zscale")
MOST_JOINTS = 10_000
"""Most joints and End Sites of a file; the largest characters have some thousands."""
_CHANNELS = frozenset(POSITIONS + ROTATIONS + SCALES)
_END, _ENDS = ("End", "Site"), ("END", "END_SITE", "END-SITE", "ENDSITE")
_WORDS = re.compile(r"[{}]|[^\s{}]+")


@dataclass(frozen=True)
class Node:
    """A joint or End Site of a BVH file.

    title: the words of its first line. parent: its number among the nodes, -1 for roots. offset: three words.
    channels: their names, in the order of the values of a frame.
    """

    title: tuple[str, ...]
    parent: int
    offset: tuple[str, ...]
    channels: tuple[str, ...] = ()

    @property
    def is_end(self) -> bool:
        """Return whether this is an End Site instead of a joint."""
        return self.title == _END

    @property
    def name(self) -> str:
        """Return the joint's name, with its words joined as by Blender's importer."""
        return "_".join(self.title[1:])

    @property
    def offset_values(self) -> tuple[float, ...]:
        """Return the offset as numbers."""
        return tuple(float(word) for word in self.offset)


@dataclass(frozen=True)
class Hierarchy:
    """The joints and End Sites of a BVH file, in its order: parents first."""

    nodes: tuple[Node, ...]

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """Return the name of the joint for each value of a frame."""
        return tuple(node.name for node in self.nodes for _ in node.channels)

    def lines(self) -> Iterator[list[str]]:
        """Yield the words of each of the section's lines, in the form that Blender's importer expects."""
        yield ["HIERARCHY"]
        above: list[int] = []
        for number, node in enumerate(self.nodes):
            while above and above[-1] != node.parent:
                above.pop()
                yield ["}"]
            above.append(number)
            yield list(node.title)
            yield ["{"]
            yield ["OFFSET", *node.offset]
            if not node.is_end:
                yield ["CHANNELS", str(len(node.channels)), *node.channels]
        yield from (["}"] for _ in above)


def parse_hierarchy(file: str, lines: Sequence[str]) -> Hierarchy:
    """Return the joints in the lines from HIERARCHY up to MOTION.

    file: its name for messages. Raises InputError, with the line, for a hierarchy that cannot be read.
    """
    return _Parser(file, lines).hierarchy()


def _words(line: str) -> list[str]:
    return _WORDS.findall(separated(line) if line.lstrip()[:6].upper() == "OFFSET" else line)


@dataclass
class _Joint:
    """A joint or End Site whose closing brace has not been read. number: among the nodes, once it is complete."""

    title: tuple[str, ...]
    name: str
    offset: tuple[str, ...] = ()
    channels: tuple[str, ...] | None = None
    number: int | None = field(default=None)

    @property
    def may_be_defined(self) -> bool:
        return self.number is None

    @property
    def is_end(self) -> bool:
        return self.title == _END


class _Parser:
    """Parser of the section's words, each stored with the number of its line."""

    def __init__(self, file: str, lines: Sequence[str]) -> None:
        self.file = file
        self.words = [(number, word) for number, line in enumerate(lines, 1) for word in _words(line)]
        self.next = 1  # the first word is HIERARCHY
        self.open: list[_Joint] = []
        self.nodes: list[Node] = []

    def hierarchy(self) -> Hierarchy:
        """Return the parsed hierarchy. Raises InputError for one that cannot be read."""
        while self.next < len(self.words):
            word = self.words[self.next][1].upper()
            if (word == "ROOT" and not self.open) or (word in ("JOINT", *_ENDS) and self._may_have_children()):
                self._begin(word)
            elif word == "OFFSET" and self.open and self.open[-1].may_be_defined and not self.open[-1].offset:
                self.open[-1].offset = self._offset()
            elif word == "CHANNELS" and self._may_have_children() and self.open[-1].may_be_defined:
                self._channels(self.open[-1])
            elif word == "}" and self.open:
                self._complete()
                self.open.pop()
                self.next += 1
            else:
                raise self._unexpected()
        if self.open:
            raise InputError(
                f'"{self.file}" has no closing brace for the joint "{self.open[-1].name}"; save or download it again.'
            )
        if not any(node.channels for node in self.nodes):
            raise InputError(f'"{self.file}" has no joint with channels; export it with its animation.')
        return Hierarchy(tuple(self.nodes))

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
            self._complete()
        line, start = self.words[self.next][0], self.next
        self.next += 1
        while self.next < len(self.words) and self.words[self.next] != (line, "{") and self.words[self.next][0] == line:
            self.next += 1
        title = tuple(word for _, word in self.words[start : self.next])
        if kind in _ENDS and (kind != "END" or tuple(word.upper() for word in title) == ("END", "SITE")):
            title = _END
        if len(title) < 2 or "}" in title or (kind == "END" and title != _END):
            raise InputError(
                f'"{self.file}" has a joint without a name at line {line}; repair that line or export the file again.'
            )
        if self.next == len(self.words) or self.words[self.next][1] != "{":
            raise self._unexpected()
        self.next += 1
        self.open.append(_Joint(title, self.open[-1].name if title == _END else "_".join(title[1:])))

    def _offset(self) -> tuple[str, ...]:
        """Return the three numbers after the present word. Raises InputError if they are not numbers."""
        words = self.words[self.next + 1 : self.next + 4]
        for line, word in words:
            parse_number(word, self.file, line, self.open[-1].name)
        if len(words) < 3:
            raise self._unexpected()
        self.next += 4
        return tuple(word for _, word in words)

    def _channels(self, joint: _Joint) -> None:
        line = self.words[self.next][0]
        count = self.words[self.next + 1][1] if self.next + 1 < len(self.words) else ""
        self.next += 2
        names = []
        while self.next < len(self.words) and self.words[self.next][1].lower() in _CHANNELS:
            names.append(self.words[self.next][1])
            self.next += 1
        if joint.channels is not None or count != str(len(names)) or len({word.lower() for word in names}) < len(names):
            raise InputError(
                f'"{self.file}" has channels at line {line}, joint "{joint.name}", that cannot be read;'
                " their number comes first, then each position, rotation and scale once."
            )
        joint.channels = tuple(names)

    def _complete(self) -> None:
        """Add the innermost joint to the nodes; its children and its end come after its definition."""
        joint = self.open[-1]
        if joint.number is not None:
            return
        if not joint.offset and not joint.is_end:
            raise InputError(f'"{self.file}" has no OFFSET for the joint "{joint.name}"; export the file again.')
        if len(self.nodes) == MOST_JOINTS:
            raise InputError(f'"{self.file}" has more than {MOST_JOINTS:,} joints; export fewer of them.')
        joint.number = len(self.nodes)
        parent = self.open[-2].number if len(self.open) > 1 else -1
        assert parent is not None
        self.nodes.append(Node(joint.title, parent, joint.offset or ("0", "0", "0"), joint.channels or ()))
