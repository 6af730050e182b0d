# SPDX-License-Identifier: GPL-3.0-or-later
"""The order in which Blender's menu search (F3) lists entries: its documented rules, written again.

Each word of the query must match a word of an entry's path: the beginning of a word counts most (10, or 9 in the names
of menus), then the beginnings of several words (4 or 3), then a word with few errors (3 less its errors). Of the best
entries the shortest come first, and the others keep the order of the menus.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

ARROW = "\N{BLACK RIGHT-POINTING SMALL TRIANGLE}"


def search(query: str, paths: Sequence[str]) -> list[str]:
    """Return the paths that match, in the order of the list."""
    words = re.split(r"[\s_/-]+", query.lower().strip())
    scores = {path: score(words, path) for path in dict.fromkeys(paths)}
    found = {path: value for path, value in scores.items() if value is not None}
    best = max(found.values(), default=0.0)
    top = sorted(
        (path for path in found if found[path] == best), key=lambda path: (len(path.split(ARROW)[-1]), len(path))
    )
    rest = sorted((path for path in found if found[path] < best), key=lambda path: -found[path])
    return [*top, *rest]


def letters(text: str) -> int:
    return len(re.sub(r"[\s_/-]", "", text))


def score(query: Sequence[str], path: str) -> float | None:
    """Return how well the words of a query match a path; None where one of them does not."""
    groups = [re.findall(r"[^\s_/-]+", group.lower()) for group in path.split(ARROW)]
    words = [(word, number == len(groups) - 1) for number, group in enumerate(groups) for word in group]
    used: dict[int, int] = {}
    total = 1000.0
    for number, asked in enumerate(query):
        free = [index for index in range(len(words)) if index not in used]
        starting = [index for index in free if words[index][0].startswith(asked)]
        if starting:
            index = max(starting, key=lambda index: words[index][1])
            used[index], total = number, total + (10 if words[index][1] else 9)
            continue
        initials = by_initials(asked, [(index, words[index][0]) for index in free])
        if initials:
            total += 4 if all(words[index][1] for index in initials) else 3
            used |= dict.fromkeys(initials, number)
            continue
        close = next(((index, errors) for index in free if (errors := errors_in(asked, words[index][0])) >= 0), None)
        if close is None:
            return None
        used[close[0]], total = number, total + 3 - close[1]
    order = [used[index] for index in sorted(used)]
    return total - sum(first > second for first, second in pairwise(order))


def by_initials(asked: str, words: Sequence[tuple[int, str]]) -> tuple[int, ...]:
    """Return the words whose beginnings make the query, in order; () where there are none."""
    if not asked or not words:
        return ()
    for skipped, (index, word) in enumerate(words):
        for length in range(min(len(word), len(asked)), 0, -1):
            if asked[:length] != word[:length]:
                continue
            if length == len(asked):
                return (index,)
            further = by_initials(asked[length:], words[skipped + 1 :])
            if further:
                return (index, *further)
    return ()


def errors_in(asked: str, word: str) -> int:
    """Return the number of errors with which a part of a word is the query; -1 for too many."""
    if asked in word:
        return 0
    most = len(asked) // 8 + 1
    if len(asked) < 2 or len(asked) - len(word) > most:
        return -1
    size = min(len(asked) + most, len(word))
    for begin in range(len(word) - size + 1):
        window = word[begin : begin + size]
        if window[0] in asked[:2] and (errors := distance(asked, window)) <= most + size - len(asked):
            return errors
    return -1


@cache
def distance(first: str, second: str) -> int:
    """Return how many letters must be added, removed, replaced or exchanged to make one text of the other."""
    if not first or not second:
        return len(first) + len(second)
    if first[0] == second[0]:
        return distance(first[1:], second[1:])
    ways = [distance(first[1:], second), distance(first, second[1:]), distance(first[1:], second[1:])]
    if len(first) > 1 and len(second) > 1 and first[:2] == second[1::-1]:
        ways.append(distance(first[2:], second[2:]))
    return 1 + min(ways)
