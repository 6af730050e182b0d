# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion with left and right exchanged."""

from .mirror import counterpart, mirror
from .side_names import other_side, partners_by_name
from .symmetry import Symmetry, find_symmetry

__all__ = [
    "Symmetry",
    "counterpart",
    "find_symmetry",
    "mirror",
    "other_side",
    "partners_by_name",
]
