# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks of feet, always or never, over frames as text: `foot.L always 40-70, foot.R never 90-110`."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..core import FootLock, FootLocks, InputError, Skeleton

_NAME = r'"(?:[^"\\]|\\.)*"|[^",]+?'
_ENTRY = re.compile(rf"\s*({_NAME})\s+(always|never)\s+(-?\d+)\s*-\s*(-?\d+)\s*(?:,|$)")
_PLAIN = re.compile(r'[^",\\]+')
EXAMPLE = "foot.L always 40-70"


@dataclass(frozen=True)
class LockedFoot:
    """A foot, given by one of its bones, that is always or never locked from one scene frame to another, inclusive."""

    bone: str
    always: bool
    first: int
    last: int

    def __str__(self) -> str:
        return f"{_quoted(self.bone)} {'always' if self.always else 'never'} {self.first}-{self.last}"

    @property
    def said(self) -> str:
        """Return the name of the lock for a sentence."""
        return f'The foot lock "{self}"'


def parse_foot_locks(text: str) -> tuple[LockedFoot, ...]:
    """Return the locks in a text. Raises InputError for any other text."""
    found, start = [], 0
    while start < len(text) and text[start:].strip():
        match = _ENTRY.match(text, start)
        if match is None:
            raise InputError(f'"{text[start:].strip()}" is no foot lock; write it as {EXAMPLE}, or with never.')
        first, last = int(match[3]), int(match[4])
        if first > last:
            raise InputError(f'"{match[0].strip(" ,")}" ends before it begins; give its first frame first.')
        found.append(LockedFoot(_unquoted(match[1]), match[2] == "always", first, last))
        start = match.end()
    return tuple(found)


def foot_locks_text(locks: Iterable[LockedFoot]) -> str:
    """Return the text of locks, in the form that `parse_foot_locks` reads."""
    return ", ".join(map(str, locks))


def checked_foot_locks(text: str, name: str) -> str:
    """Return a text of locks in its normal form. Raises InputError if it is not valid; name: used in the message."""
    if not isinstance(text, str):
        raise InputError(f"{name} must be a text such as {EXAMPLE}.")
    return foot_locks_text(parse_foot_locks(text))


def foot_locks_of(
    asked: Sequence[LockedFoot], owner: str, skeleton: Skeleton, start: float, frames: int
) -> FootLocks | None:
    """Return the locks of a result of `frames` frames that begins at scene frame `start`; None without any.

    owner: the character's name. Raises InputError for a bone that does not exist, and for frames outside of the result.
    """
    begin = round(start)
    for lock in asked:
        if lock.bone not in skeleton.names:
            raise InputError(f'"{owner}" has no bone "{lock.bone}"; name one of its own in the foot locks.')
        if lock.first < begin or lock.last > begin + frames - 1:
            raise InputError(
                f"{lock.said} lies outside of the motion, which has frames {begin} to {begin + frames - 1}; move it "
                "into the motion."
            )
    found = [
        FootLock(skeleton.names.index(lock.bone), lock.first - begin, lock.last - begin + 1, lock.always, lock.said)
        for lock in asked
    ]
    return FootLocks(tuple(found)) if found else None


def _quoted(name: str) -> str:
    plain = _PLAIN.fullmatch(name) and name == name.strip() and not re.search(r"\s(always|never)\s", f" {name} ")
    return name if plain else '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _unquoted(name: str) -> str:
    name = name.strip()
    return re.sub(r"\\(.)", r"\1", name[1:-1]) if name.startswith('"') else name
