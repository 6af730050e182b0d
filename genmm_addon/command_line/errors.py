# SPDX-License-Identifier: GPL-3.0-or-later
"""Exceptions that end a command, beside the core's InputError."""

STOPPED = 1
"""The exit status of a command that was stopped, that of one that failed (docs/batch.md)."""


class Failed(Exception):
    """The request is right and could not be fulfilled: a full disk, a folder that is read-only. One sentence."""


class Stopped(BaseException):
    """The user, or the farm, asked the command to end; not an Exception, so that nothing takes it for a failure."""


class Unheard(BaseException):
    """The command's lines cannot be written; with no words where nobody reads them any longer, as after `| head -1`."""


def stopped_by(error: BaseException | None) -> bool:
    """Return whether it is the wish to stop, or what went wrong while that was followed, as in closing a file."""
    while error is not None:
        if isinstance(error, Stopped | KeyboardInterrupt):
            return True
        error = error.__context__
    return False
