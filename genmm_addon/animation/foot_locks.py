# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks of feet, always or never, over scene frames as rows of a list: `foot.L always 40-70, foot.R never 90-110`."""

import re
from dataclasses import dataclass

from ..core import FootLock, FootLocks
from .row_lists import FRAMES, NAME, ResultFrames, RowList, quoted, unquoted

_RESERVED = r"\s(always|never)\s"
KINDS = (
    ("ALWAYS", "Always", "The foot stays in one place from the first frame to the last"),
    ("NEVER", "Never", "The foot moves as in the examples, even where it would be locked automatically"),
)


@dataclass(frozen=True)
class LockedFoot:
    """A foot, given by one of its bones, that is always or never locked from one scene frame to another, inclusive."""

    bone: str
    kind: str
    first: int
    last: int

    def __str__(self) -> str:
        return f"{quoted(self.bone, _RESERVED)} {self.kind.lower()} {self.first}-{self.last}"

    @property
    def said(self) -> str:
        """Return the name of the lock for a sentence."""
        return f'The foot lock "{self}"'

    @property
    def shown(self) -> str:
        """Return the text of the lock in a panel, without its frames."""
        return f"{self.bone} {self.kind.lower()}"

    @property
    def icon(self) -> str:
        """Return the icon of the lock."""
        return "LOCKED" if self.kind == "ALWAYS" else "UNLOCKED"


def _read(match: re.Match[str]) -> LockedFoot:
    return LockedFoot(unquoted(match[1]), match[2].upper(), int(match["first"]), int(match["last"]))


def _constraints(locks: tuple[LockedFoot, ...], result: ResultFrames) -> tuple[FootLocks, ...]:
    joint_locks = []
    for lock in locks:
        joint, at = result.joint(lock.bone, "the foot locks"), result.within(lock.first, lock.last, lock.said)
        joint_locks.append(FootLock(joint, at.start, at.stop, lock.kind == "ALWAYS", lock.said))
    return (FootLocks(tuple(joint_locks)),) if joint_locks else ()


FOOT_LOCKS = RowList(
    "foot lock",
    "foot.L always 40-70, or with never",
    LockedFoot,
    rf"{NAME}\s+(always|never)\s+{FRAMES}",
    _read,
    _constraints,
    after_ground=True,
)
