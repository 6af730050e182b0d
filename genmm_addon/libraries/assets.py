# SPDX-License-Identifier: GPL-3.0-or-later
"""Actions made assets: kept, tagged, in a catalog, with a preview of our own, since Blender's needs a camera."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from bpy.types import Action
from numpy.typing import NDArray

from ..core import InputError, Motion
from .exploring.strips import strip_of

ROWS, COLUMNS = 2, 2
"""Poses of a preview: four moments, from the top left on."""
PIXELS = 128
"""Width of a pose: two of them are as wide as Blender's own previews."""


def mark_as_asset(
    action: Action, motion: Motion, *, catalog: str = "", tags: Iterable[str] = (), description: str = ""
) -> None:
    """Make an asset of an action that plays `motion`; what it is already stays, and its preview is drawn anew.

    catalog: an identifier, "" leaves it where it is. Raises InputError for an action that is linked.
    """
    if action.library is not None:
        raise InputError(f'Action "{action.name}" is linked from another file; make it local to mark it.')
    action.use_fake_user = True
    if action.asset_data is None:
        action.asset_mark()
    data = action.asset_data
    assert data is not None
    if catalog:
        data.catalog_id = catalog
    if description:
        data.description = description
    for tag in tags:
        data.tags.new(tag, skip_if_exists=True)
    _draw_preview(action, motion)


def preview_of(motion: Motion) -> NDArray[np.float32]:
    """Return four poses `(2 PIXELS, 2 PIXELS, 4)` of a motion, rows from the bottom up, colors not multiplied."""
    strip = strip_of(motion, ROWS * COLUMNS, PIXELS)
    rows = [np.concatenate(list(strip[row * COLUMNS : (row + 1) * COLUMNS]), axis=1) for row in range(ROWS)]
    return np.concatenate(rows[::-1], axis=0)


def _draw_preview(action: Action, motion: Motion) -> None:
    pixels = preview_of(motion)
    # The stub takes its pixels for one number.
    preview: Any = action.preview_ensure()
    height, width = pixels.shape[:2]
    preview.image_size = (width, height)
    # Blender draws previews as colors that are multiplied with their alpha already.
    pixels[..., :3] *= pixels[..., 3:]
    preview.image_pixels_float.foreach_set(np.ascontiguousarray(pixels, np.float32).ravel())
