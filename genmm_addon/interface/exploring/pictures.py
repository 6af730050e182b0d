# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of clips in the sidebar: stick figures as previews, which are not saved in files."""

from typing import Any

import bpy.utils.previews
import numpy as np

from ...core.library import ClipLibrary
from ...libraries.exploring.strips import strip_of

SMALL = 32
"""Size of the picture in a row of a list, in pixels."""

_previews: list[Any] = []
"""Blender's collection of our previews, while the extension is enabled."""


def forget_pictures() -> None:
    """Forget all pictures."""
    if _previews:
        _previews[0].clear()


def draw_strip(library: ClipLibrary, clip: int) -> None:
    """Draw the poses of a clip, whose icons `strip_icons` returns."""
    for number, pixels in enumerate(strip_of(library.motion(clip))):
        _add(_name(library.fingerprint, clip, number), pixels)


def draw_small(library: ClipLibrary, clip: int) -> None:
    """Draw one small pose of a clip, whose icon `small_icon` returns."""
    _add(_small(library.fingerprint, clip), strip_of(library.motion(clip), 1, SMALL)[0])


def strip_icons(fingerprint: str, clip: int) -> list[int]:
    """Return the icons of a clip's poses in order; none where they were not drawn."""
    icons: list[int] = []
    while _previews and _name(fingerprint, clip, len(icons)) in _previews[0]:
        icons.append(int(_previews[0][_name(fingerprint, clip, len(icons))].icon_id))
    return icons


def small_icon(fingerprint: str, clip: int) -> int:
    """Return the icon of a clip's small pose; 0 where it was not drawn."""
    name = _small(fingerprint, clip)
    return int(_previews[0][name].icon_id) if _previews and name in _previews[0] else 0


def _add(name: str, pixels: np.ndarray) -> None:
    if not _previews or name in _previews[0]:
        return
    preview = _previews[0].new(name)
    height, width = pixels.shape[:2]
    # Blender expects previews with premultiplied alpha.
    values = (
        pixels * np.concatenate((np.repeat(pixels[..., 3:], 3, axis=2), np.ones_like(pixels[..., 3:])), axis=2)
    ).ravel()
    if height <= SMALL:
        preview.icon_size = (width, height)
        preview.icon_pixels_float.foreach_set(values)
    preview.image_size = (width, height)
    preview.image_pixels_float.foreach_set(values)


def _name(fingerprint: str, clip: int, number: int) -> str:
    return f"{fingerprint[:16]} {clip} {number}"


def _small(fingerprint: str, clip: int) -> str:
    return f"{fingerprint[:16]} {clip} small"


def register() -> None:
    """Create the collection of previews."""
    _previews.append(bpy.utils.previews.new())


def unregister() -> None:
    """Remove all previews."""
    while _previews:
        bpy.utils.previews.remove(_previews.pop())
