# SPDX-License-Identifier: GPL-3.0-or-later
"""Headings of a result compared with those of its sources: motion shown turned is not quite the same motion."""

import numpy as np
from numpy.typing import NDArray

from ..motion.filters import wrap_angle

SEEN_WITHIN = 0.25
"""Width of the fall-off, in radians: a motion turned by about this angle counts about half as seen."""


def same_heading(turned: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the share, 0 to 1, of a motion that counts as seen when it is shown turned by an angle."""
    return seen_facing(np.cos(turned))


def seen_facing(cosines: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the share of `same_heading`, given the cosine of the angle."""
    return np.asarray(np.exp((cosines - 1.0) / SEEN_WITHIN**2))


def commonest_turn(turned: NDArray[np.floating]) -> float:
    """Return the angle, in radians, by which most of a result is turned from its sources."""
    if not turned.any():
        return 0.0
    candidates = np.linspace(-np.pi, np.pi, 72, endpoint=False)
    # Rounding is finer than anybody sees, and most frames share a few values.
    values, counts = np.unique(np.round(turned, 3), return_counts=True)
    agreement = same_heading(values - candidates[:, None]) @ counts
    near = same_heading(values - candidates[int(np.argmax(agreement))]) * counts
    center = candidates[int(np.argmax(agreement))]
    away = wrap_angle(values - center)
    return float(center + np.sum(away * near) / np.sum(near))
