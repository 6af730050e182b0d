# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that take too long to compute while a panel is drawn, each kept while what it depends on stays the same."""

from collections.abc import Callable, Hashable
from typing import TypeVar

Value = TypeVar("Value")


class KnownWhile(dict[Hashable, tuple[object, Value]]):
    """The last value of each thing, with a mark of what it depends on.

    >>> lengths = KnownWhile[int]()
    >>> [lengths.value("walk", mark, lambda: mark + 1) for mark in (1, 1, 2)]
    [2, 2, 3]
    """

    def value(self, thing: Hashable, mark: object, make: Callable[[], Value]) -> Value:
        """Return the value of a thing, made unless the mark is the one of its last value."""
        known = self.get(thing)
        if known is None or known[0] != mark:
            known = self[thing] = mark, make()
        return known[1]
