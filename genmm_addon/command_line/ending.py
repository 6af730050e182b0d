# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of a command by an error: its report and its exit status."""

import traceback

from ..core import InputError
from .console import Console
from .errors import FAILED, REFUSED, Failed, Unheard, stopped_by
from .stopping import stop_requested


def status_of(error: BaseException, console: Console, stopped: str, remedy: str) -> int:
    """Return the exit status for an error that ended a command, and report the error; raise unknown errors again.

    stopped: the report of a command that was asked to stop; "" is none. remedy: the sentence after an internal error.
    """
    if isinstance(error, Unheard):
        said, status = str(error), FAILED
    elif stop_requested() or stopped_by(error):
        said, status = stopped, FAILED
    elif isinstance(error, InputError | Failed):
        said, status = str(error), REFUSED if isinstance(error, InputError) else FAILED
    elif isinstance(error, Exception):
        traceback.print_exception(error)
        said, status = f"Internal error ({type(error).__name__}: {error}). {remedy}", FAILED
    else:
        raise error
    if said:
        console.error(said)
    return status
