# SPDX-License-Identifier: GPL-3.0-or-later
"""Errors, each with one sentence that names what is wrong and what helps."""


class InputError(ValueError):
    """Input that cannot be used; the message is one sentence that names what is wrong and what helps.

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
