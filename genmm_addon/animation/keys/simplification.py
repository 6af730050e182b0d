# SPDX-License-Identifier: GPL-3.0-or-later
"""Precision of keys, and curves of bones as the core simplifies them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from ...core.keys import Curves, Keys, own_keys, shared_keys
from ..rotation_modes import AXIS_ANGLE, QUATERNION


class KeySpacing(Enum):
    """Frames that get keys."""

    EVERY_FRAME = "EVERY_FRAME"
    SHARED = "SHARED"
    """As few as can be, the same for all bones: poses."""
    PER_BONE = "PER_BONE"
    """As few as each bone's channels can do with."""


@dataclass(frozen=True)
class Simplification:
    """Few keys with smooth curves between them.

    shared: all bones are keyed at the same frames. angle: radians that a bone's own rotation may be off at any frame.
    share: of the character's size, how far a location may be off; scales by as much, other values by that share of
    their range.
    """

    shared: bool
    angle: float
    share: float


def simplification(spacing: KeySpacing, degrees: float, percent: float) -> Simplification | None:
    """Return the simplification that settings ask for; None where every frame has a key."""
    if spacing is KeySpacing.EVERY_FRAME:
        return None
    return Simplification(spacing is KeySpacing.SHARED, math.radians(degrees), percent / 100.0)


def rotation_bound(mode: str, angle: float) -> float:
    """Return the length by which the components of a rotation in this mode may be off to be off by an angle at most.

    A unit quaternion turns by twice its angle on the sphere; the angles of an Euler rotation add up, three at most, to
    the square root of three of their length; so do angle and axis, for less than half a turn.
    """
    return angle / {QUATERNION: 2.0, AXIS_ANGLE: 5.0}.get(mode, math.sqrt(3.0))


def simplified(curves: Sequence[Curves], *, shared: bool) -> list[Keys]:
    """Return the keys of curves that belong together, in their order. Raises InputError for values that are none."""
    return shared_keys(curves) if shared else own_keys(curves)


def scalar_bound(values: NDArray[np.floating], share: float) -> float:
    """Return how far other values may be off: a share of their range, and something where they never change."""
    spread = float(np.ptp(values)) if len(values) else 0.0
    return share * spread or share
