# SPDX-License-Identifier: GPL-3.0-or-later
"""Uneven ground: a surface of triangles, and motion made on flat ground whose feet are put on it."""

from .on_ground import Grounded, put_on_ground
from .standing import Standing, standing_of
from .surface import Surface, make_surface

__all__ = [
    "Grounded",
    "Standing",
    "Surface",
    "make_surface",
    "put_on_ground",
    "standing_of",
]
