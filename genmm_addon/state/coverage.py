# SPDX-License-Identifier: GPL-3.0-or-later
"""Coverage in the panel, which grows with what is covered, and the stored alpha of the paper, which shrinks."""

from typing import Any

from ..core import Settings
from ..core.fields import settings_in

HALF = float(settings_in(Settings)["completeness"].properties[0].default)
"""Alpha at a coverage of one half: the default, that of the paper (section 4, Implementation Details)."""
LEAST, LARGEST = 0.0001, 100.0
"""The alphas of full and of no coverage."""


def coverage_of(alpha: float) -> float:
    """Return the coverage, from 0 to 1, for an alpha."""
    return HALF / (HALF + alpha)


def alpha_of(coverage: float) -> float:
    """Return the alpha for a coverage from 0 to 1, from LEAST to LARGEST."""
    if coverage <= 0.0:
        return LARGEST
    return min(max(HALF * (1.0 - coverage) / coverage, LEAST), LARGEST)


def coverage_shown(settings: Any) -> float:
    """Return the coverage that the panel shows for the stored completeness."""
    return coverage_of(settings.completeness)


def set_coverage(settings: Any, coverage: float) -> None:
    """Store a coverage set in the panel as completeness."""
    settings.completeness = alpha_of(coverage)
