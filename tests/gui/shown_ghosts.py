# SPDX-License-Identifier: GPL-3.0-or-later
"""The ghosts of clips and variations that were drawn over characters, for scripts that wait for them."""

import bpy

from genmm_addon.interface.exploring import preview
from genmm_addon.interface.exploring.preview import ShownClip

drawn: list[ShownClip | None] = []
"""The ghosts shown at each drawing, or None, since a script cleared the list."""

_shown_clip = preview.shown_clip


def _remember(context: bpy.types.Context, character: bpy.types.Object) -> ShownClip | None:
    drawn.append(_shown_clip(context, character))
    return drawn[-1]


preview.shown_clip = _remember
