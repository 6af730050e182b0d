# SPDX-License-Identifier: GPL-3.0-or-later
"""Motion with left and right exchanged."""

from .mirror import counterpart, mirror
from .symmetry import Symmetry, find_symmetry, rest_symmetry

__all__ = ["Symmetry", "counterpart", "find_symmetry", "mirror", "rest_symmetry"]
