# SPDX-License-Identifier: GPL-3.0-or-later
"""Files saved by a newer version of Blender, whose new features this one ignores."""

from collections.abc import Iterable

import bpy

OWN = tuple(bpy.app.version[:2])
"""Major and minor version of this Blender."""


def note_on_version(name: str, version: Iterable[int]) -> tuple[str, ...]:
    """Return a note for the user on a file saved by a newer Blender; none for any other file.

    version: of the Blender that saved it, major and minor first.
    """
    saved = tuple(version)[:2]
    if saved <= OWN:
        return ()
    newer, this = (".".join(map(str, numbers)) for numbers in (saved, OWN))
    return (f'"{name}" was saved by Blender {newer}; Blender {this} opens it without the features that {newer} added.',)
