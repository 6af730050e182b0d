# SPDX-License-Identifier: GPL-3.0-or-later
"""Why an operator or the system could not do something, in a few words."""

import re

_KIND = re.compile(r"^\w+(?:Error|Exception): (?:\[Errno \d+\] )?")


def reason_of(error: Exception) -> str:
    """Return the reason in an exception, with no full stop: of an operator's message, which may hold a whole
    traceback.
    """
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    # What went wrong stands last, but for where it did.
    said = [line for line in lines if not line.startswith("Location:")] or [type(error).__name__]
    return _KIND.sub("", said[-1].removeprefix("Error: ")).rstrip(". ")
