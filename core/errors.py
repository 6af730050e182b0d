# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors, each with one sentence that names the cause and the remedy, and counted nouns for sentences."""


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
