# SPDX-License-Identifier: GPL-3.0-or-later
"""Visibility of the rows of a tree in a list, and the pictures below it."""

from collections.abc import Sequence
from contextlib import suppress

from ...core import InputError
from ...libraries.choosing import loaded_library
from .pictures import draw_strip, strip_icons


def hidden_rows(rows: Sequence[tuple[int, bool]]) -> list[bool]:
    """Return for each row whether it lies inside a collapsed one. rows: depth, and whether the row is expanded."""
    hidden, closed = list[bool](), -1
    for depth, expanded in rows:
        inside = closed >= 0 and depth > closed
        hidden.append(inside)
        if not inside:
            closed = -1 if expanded else depth
    return hidden


def show_strip(file: str, fingerprint: str, clip: int) -> list[int]:
    """Return the icons of a clip's poses, drawn on first use; none where the library is not in memory, or damaged."""
    icons = strip_icons(fingerprint, clip)
    if not icons:
        library = loaded_library(file)
        if library is not None and library.fingerprint == fingerprint:
            with suppress(InputError):
                draw_strip(library, clip)
            icons = strip_icons(fingerprint, clip)
    return icons
