# SPDX-License-Identifier: GPL-3.0-or-later
"""Short reasons of errors raised by operators or the system."""

import re
from pathlib import Path

_KIND = re.compile(r"^\w+(?:Error|Exception): (?:\[Errno \d+\] )?")


def reason_of(error: Exception, path: Path | None = None) -> str:
    """Return the reason in an exception, without a full stop; an operator's message may contain a traceback.

    The path of the file that was read is reduced to its name, so that all machines of a farm say the same.
    """
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    # The error's message is the last line, apart from a line with its location.
    messages = [line for line in lines if not line.startswith("Location:")] or [type(error).__name__]
    reason = _KIND.sub("", messages[-1].removeprefix("Error: ")).rstrip(". ")
    return reason if path is None else reason.replace(str(path), path.name)
