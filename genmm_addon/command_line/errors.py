# SPDX-License-Identifier: GPL-3.0-or-later
"""Exceptions that end a command, in addition to the core's InputError."""

NOTHING_WRONG, FAILED, REFUSED = 0, 1, 2
"""Exit statuses (docs/batch.md); a stopped command has failed."""


class Failed(Exception):
    """Failure of a valid request, such as a full disk or a read-only folder; the message is one sentence."""


class Stopped(BaseException):
    """Request of the user or the render farm to stop; not an Exception, so that it is not handled as a failure."""


class Unheard(BaseException):
    """Failure to write the command's lines; without a message if the pipe is closed, as after `| head -1`."""


def stopped_by(error: BaseException | None) -> bool:
    """Return whether an error is a request to stop, or was raised while stopping, as in closing a file."""
    while error is not None:
        if isinstance(error, Stopped | KeyboardInterrupt):
            return True
        error = error.__context__
    return False
