# SPDX-License-Identifier: GPL-3.0-or-later
"""Short reasons of errors raised by operators or the system."""

import re

_KIND = re.compile(r"^\w+(?:Error|Exception): (?:\[Errno \d+\] )?")


def reason_of(error: Exception) -> str:
    """Return the reason in an exception, without a full stop; an operator's message may contain a traceback."""
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    # The error's message is the last line, apart from a line with its location.
    messages = [line for line in lines if not line.startswith("Location:")] or [type(error).__name__]
    return _KIND.sub("", messages[-1].removeprefix("Error: ")).rstrip(". ")
