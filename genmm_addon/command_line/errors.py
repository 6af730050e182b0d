# SPDX-License-Identifier: GPL-3.0-or-later
"""Exceptions that end a command, in addition to the core's InputError."""

from collections.abc import Iterator
from contextlib import contextmanager

from ..core import InputError

NOTHING_WRONG, FAILED, REFUSED = 0, 1, 2
"""Exit statuses (docs/batch.md); a stopped command has failed."""


class WrongOption(InputError):
    """Option that is wrong for any input, such as a missing file, so that --tolerate does not cover it."""


@contextmanager
def wrong_for_any_input() -> Iterator[None]:
    """Raise an InputError of the block as WrongOption."""
    try:
        yield
    except InputError as error:
        raise WrongOption(str(error)) from error


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
