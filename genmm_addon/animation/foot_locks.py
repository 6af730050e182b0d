# SPDX-License-Identifier: GPL-3.0-or-later
"""Locks of feet, always or never, over scene frames as rows of a list: `foot.L always 40-70, foot.R never 90-110`."""

import re
from dataclasses import dataclass

from ..core import FootLock, FootLocks
from .row_lists import FRAMES, NAME, ResultFrames, RowList, quoted, unquoted

_RESERVED = r"\s(always|never)\s"


@dataclass(frozen=True)
class LockedFoot:
    """A foot, given by one of its bones, that is always or never locked from one scene frame to another, inclusive."""

    bone: str
    always: bool
    first: int
    last: int

    def __str__(self) -> str:
        kind = "always" if self.always else "never"
        return f"{quoted(self.bone, _RESERVED)} {kind} {self.first}-{self.last}"

    @property
    def said(self) -> str:
        """Return the name of the lock for a sentence."""
        return f'The foot lock "{self}"'


def _read(match: re.Match[str]) -> LockedFoot:
    return LockedFoot(unquoted(match[1]), match[2] == "always", int(match["first"]), int(match["last"]))


def _constraint(locks: tuple[LockedFoot, ...], result: ResultFrames) -> FootLocks | None:
    found = []
    for lock in locks:
        joint, at = result.joint(lock.bone, "the foot locks"), result.within(lock.first, lock.last, lock.said)
        found.append(FootLock(joint, at.start, at.stop, lock.always, lock.said))
    return FootLocks(tuple(found)) if found else None


FOOT_LOCKS = RowList(
    "foot lock",
    "foot.L always 40-70, or with never",
    rf"{NAME}\s+(always|never)\s+{FRAMES}",
    _read,
    _constraint,
    after_ground=True,
)
