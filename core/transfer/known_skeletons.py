# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletons of common tools, recognized by the names of their bones, each described in a file of `skeletons`."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..storage import parse_json_file, read_record
from .bone_names import spread

NEEDED = ("hips", "head", "upper_arm", "forearm", "hand", "thigh", "shin", "foot")
"""Roles of which a skeleton has all, on both sides, if it is of a kind."""
SPREAD = ("spine", "neck")
"""Roles of which there may be any number of bones."""

Roles = Mapping[tuple[str, str], Sequence[str]]
"""Names of bones, in order, by their role and side ("L", "R" or "")."""


@dataclass(frozen=True)
class KnownSkeleton:
    """Names of a kind of skeleton's bones by their roles, with `*` in place of the side.

    tested: whether a real file was at hand. sides: spellings of left and right. prefix: pattern of what may precede
    names. unless: a bone that skeletons of this kind do not have. Capitals and all but letters and digits are ignored.

    >>> [kind.name for kind in known_skeletons()][-2:]
    ['Unreal Mannequin', 'VRM']
    """

    name: str
    tested: bool
    sides: tuple[tuple[str, str], ...]
    bones: dict[str, tuple[str, ...]]
    prefix: str = ""
    unless: str = ""

    def roles(self, names: Iterable[str]) -> Roles:
        """Return the roles of bones; none if the skeleton is not of this kind."""
        bare: dict[str, str] = {}
        for name in names:
            bare.setdefault(re.sub(f"^(?:{self.prefix})", "", _plain(name)), name)
        if self.unless and self.unless in bare:
            return {}
        return max((self._spelled(bare, sides) for sides in self.sides), key=len)

    def _spelled(self, bare: Mapping[str, str], sides: tuple[str, str]) -> Roles:
        result: dict[tuple[str, str], list[str]] = {}
        for role, patterns in self.bones.items():
            is_paired = "*" in patterns[0]
            for side, word in zip("LR" if is_paired else ("",), sides, strict=False):
                spelled = [_plain(pattern.replace("*", word)) for pattern in patterns]
                if present := [bare[name] for name in spelled if name in bare]:
                    result[role, side] = present
                elif role in NEEDED:
                    return {}
        return result


@cache
def known_skeletons() -> tuple[KnownSkeleton, ...]:
    """Return the kinds of skeletons that are recognized.

    >>> len(known_skeletons())
    15
    """
    files = sorted((Path(__file__).parent / "skeletons").glob("*.json"))
    return tuple(read_record(KnownSkeleton, parse_json_file(file), file.stem) for file in files)


def recognized(names: Iterable[str]) -> tuple[str, Roles]:
    """Return the name of the kind that has the most of the bones, and their roles; "" and none if there is none.

    >>> recognized(["hips", "leg"])
    ('', {})
    """
    given = tuple(names)
    kinds = [(kind.name, kind.roles(given)) for kind in known_skeletons()]
    return max((("", {}), *kinds), key=lambda kind: sum(map(len, kind[1].values())))


def paired(own: Roles, other: Roles) -> dict[str, str]:
    """Return the target's bone of the same role for each bone of the source.

    >>> paired({("hips", ""): ["hips"]}, {("hips", ""): ["pelvis"]})
    {'hips': 'pelvis'}
    """
    pairs: dict[str, str] = {}
    for key in own:
        if key in other:
            pairs |= spread(own[key], other[key]) if key[0] in SPREAD else dict(zip(own[key], other[key], strict=False))
    return pairs


def _plain(name: str) -> str:
    """Return a name's letters and digits, in lower case, without its namespace."""
    return re.sub("[^a-z0-9]", "", re.split(r"[:|]", name)[-1].lower())
