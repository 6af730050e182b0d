# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors, each with one sentence that names the cause and the remedy, and counted and listed words for sentences."""

from collections.abc import Collection

MOST_LISTED = 3
"""Most names in a sentence; the others are counted."""
MOST_OFFERED = 12
"""Most names in a sentence that offers a choice."""


class InputError(ValueError):
    """Unusable input; the message is one sentence that names the cause and the remedy.

    >>> try:
    ...     synthesize([swing], 0)
    ... except InputError as error:
    ...     print(error)
    The length must be 1 frame or more.
    """


class Cancelled(Exception):
    """A stop that the caller's progress callback asked for; nothing was produced.

    >>> try:
    ...     synthesize([swing], 90, progress=lambda share: share < 0.5)
    ... except Cancelled:
    ...     print("stopped")
    stopped
    """


def counted(count: int, noun: str) -> str:
    """Return a number with its noun in singular or plural.

    >>> counted(1, "frame"), counted(2000, "frame")
    ('1 frame', '2,000 frames')
    """
    return f"1 {noun}" if count == 1 else f"{count:,} {noun}s"


def listed(names: Collection[object], mark: str = '"', most: int = MOST_LISTED) -> str:
    """Return the first `most` names for a sentence, each between two marks, with the number of the others.

    >>> listed(["hips", "spine", "neck", "head"]), listed([10, 20], "")
    ('"hips", "spine", "neck" and 1 more', '10, 20')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(f"{mark}{name}{mark}" for name in list(names)[:most]) + more
