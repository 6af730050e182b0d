# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that stay in memory while they are among the last ones used."""

from collections.abc import Callable, Mapping
from typing import TypeVar

KEPT = 2
"""Most values of a kind: those of a result, and of what is looked at or pinned meanwhile; each takes up to 400 MB."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class LastUsed(dict[Key, Value]):
    """The values that were used last, by what they depend on, the oldest first.

    >>> squares = LastUsed[int, int](2)
    >>> [squares.made_once(number, lambda: number**2) for number in (1, 2, 1, 3)], list(squares)
    ([1, 4, 1, 9], [1, 3])
    """

    def __init__(self, most: int = KEPT) -> None:
        """Keep at most `most` values."""
        super().__init__()
        self._most = most

    def made_once(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the value for a key, made unless it is in memory; it is now the one used last."""
        value = self[key] if key in self else make()
        self.keep({key: value})
        return value

    def keep(self, values: Mapping[Key, Value]) -> None:
        """Keep values that are used together, and forget those that were unused for the longest time."""
        for key in values:
            self.pop(key, None)
        self.update(values)
        while len(self) > max(self._most, len(values)):
            del self[next(iter(self))]
