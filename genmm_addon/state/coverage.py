# SPDX-License-Identifier: GPL-3.0-or-later
"""Coverage as the panel shows it, larger for more, over the stored alpha of the paper, which is smaller for more."""

from typing import Any

HALF = 0.01
"""Alpha at a coverage of one half: the default of the paper (section 4, Implementation Details)."""
LEAST, LARGEST = 0.0001, 100.0
"""The alphas of full and of no coverage."""


def coverage_of(alpha: float) -> float:
    """Return the coverage from 0 to 1 that stands for `alpha`."""
    return HALF / (HALF + alpha)


def alpha_of(coverage: float) -> float:
    """Return the alpha that a coverage from 0 to 1 stands for, within its range."""
    if coverage <= 0.0:
        return LARGEST
    return min(max(HALF * (1.0 - coverage) / coverage, LEAST), LARGEST)


def coverage_shown(settings: Any) -> float:
    """Return what the panel shows for the completeness of `settings`."""
    return coverage_of(settings.completeness)


def set_coverage(settings: Any, coverage: float) -> None:
    """Store the completeness that the shown `coverage` stands for."""
    settings.completeness = alpha_of(coverage)
