# SPDX-License-Identifier: GPL-3.0-or-later
"""File names made from arbitrary texts."""

import re

LONGEST = 200
"""Largest length of a name, in bytes."""
_UNFIT = re.compile(r'[\x00-\x1f<>:"/\\|?*]')


def fit_name(text: str) -> str:
    """Return a text as part of a file's name, valid on any system and without a path to another folder.

    >>> fit_name("../walk")
    '_walk'
    """
    short = _UNFIT.sub("_", text).encode("utf-8", "replace")[:LONGEST].decode("utf-8", "ignore")
    return short.strip(". ") or "_"
