# SPDX-License-Identifier: GPL-3.0-or-later
"""Names that come from anywhere, as names of files."""

import re

LONGEST = 200
"""Bytes of a name that comes from a file."""
_UNFIT = re.compile(r'[\x00-\x1f<>:"/\\|?*]')


def fit_name(text: str) -> str:
    """Return a text as part of a file's name, on any system; it leads to no other folder.

    >>> fit_name("../walk")
    '_walk'
    """
    short = _UNFIT.sub("_", text).encode("utf-8", "replace")[:LONGEST].decode("utf-8", "ignore")
    return short.strip(". ") or "_"
