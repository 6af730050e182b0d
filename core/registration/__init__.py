# SPDX-License-Identifier: GPL-3.0-or-later
"""Registration of motions in time: a motion in the style of others, and two motions of one action interpolated."""

from ..infill.fill import prepare_filling
from .blend import blend_motions
from .fitting import fitting_clips
from .registering import Registration, register_motion
from .restyle import Restyled, StyleSettings, restyle

__all__ = [
    "Registration",
    "Restyled",
    "StyleSettings",
    "blend_motions",
    "fitting_clips",
    "prepare_filling",
    "register_motion",
    "restyle",
]
