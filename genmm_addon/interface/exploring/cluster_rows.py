# SPDX-License-Identifier: GPL-3.0-or-later
"""The rows of a tree in a list that are in sight, and the pictures below it."""

from collections.abc import Sequence

from ...libraries.choosing import loaded_library
from .pictures import draw_strip, strip_icons


def hidden_rows(rows: Sequence[tuple[int, bool]]) -> list[bool]:
    """Return which rows lie inside of one that is not expanded. rows: their depth, and whether they are expanded."""
    hidden, closed = list[bool](), -1
    for depth, expanded in rows:
        inside = closed >= 0 and depth > closed
        hidden.append(inside)
        if not inside:
            closed = -1 if expanded else depth
    return hidden


def show_strip(file: str, fingerprint: str, clip: int) -> list[int]:
    """Return the icons of a clip's poses, drawn where they are not yet; none where the library is not in memory."""
    icons = strip_icons(fingerprint, clip)
    if not icons:
        library = loaded_library(file)
        if library is not None and library.fingerprint == fingerprint:
            draw_strip(library, clip)
            icons = strip_icons(fingerprint, clip)
    return icons
