# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of the other side: "hand.L" and "hand.R", "LeftArm" and "RightArm", "prop_l" and "prop_r"."""

import re
from collections.abc import Callable, Sequence

OTHER = {"l": "r", "r": "l", "left": "right", "right": "left", "lft": "rgt", "rgt": "lft"}
WORD = re.compile(r"left|right|lft|rgt|(?<![a-z])[lr](?![a-z])", re.IGNORECASE)
"""Pattern of a whole word or a single letter. The check that the other name exists excludes words like "upright"."""
CAPITAL = re.compile(r"(?<=[a-z0-9])[LR](?![a-z])|(?<![A-Za-z])[LR](?=[A-Z])|(?<![A-Za-z])[lr](?=[A-Z])")
"""Pattern of a letter that is distinguished by its case: "handL", "LThumb", "lCollar"."""
QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"')


def other_side(name: str) -> str:
    """Return the name with left and right exchanged; the same name if it has no side.

    >>> other_side("hand.L"), other_side("LeftForeArm"), other_side("lCollar"), other_side("spine")
    ('hand.R', 'RightForeArm', 'rCollar', 'spine')
    """
    words = {match.span(): match.group() for pattern in (WORD, CAPITAL) for match in pattern.finditer(name)}
    swapped, end = "", 0
    for (start, stop), word in sorted(words.items(), key=lambda item: (item[0][0], -item[0][1])):
        if start >= end:
            swapped += name[end:start] + _like(word, OTHER[word.lower()])
            end = stop
    return swapped + name[end:]


def partners_by_name(names: Sequence[str], renamed: Callable[[str], str] = other_side) -> list[int]:
    """Return for each name the index of its counterpart among the names; its own index if there is none.

    >>> partners_by_name(["prop_L", "blink", "prop_R"])
    [2, 1, 0]
    """
    index = {name: number for number, name in enumerate(names)}
    partners = [index.get(renamed(name), number) for number, name in enumerate(names)]
    return [other if partners[other] == number else number for number, other in enumerate(partners)]


def quoted_exchanged(name: str, joints: dict[str, str]) -> str:
    """Return a channel's name on the other side: quoted joints by the table, everything else by words.

    >>> quoted_exchanged('bones["a"]["ik_L"]', {"a": "b"})
    'bones["b"]["ik_R"]'
    """
    pieces, end = [], 0
    for match in QUOTED.finditer(name):
        inner = match.group(1)
        pieces += [other_side(name[end : match.start(1)]), joints.get(inner, other_side(inner))]
        end = match.end(1)
    return "".join((*pieces, other_side(name[end:])))


def _like(word: str, other: str) -> str:
    """Return the other word with the capitalization of the first one."""
    return other.upper() if word.isupper() else other.capitalize() if word[0].isupper() else other
