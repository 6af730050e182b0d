# SPDX-License-Identifier: GPL-3.0-or-later
"""Precision of keys, and curves of bones as the core simplifies them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from ...core.fields import Choice
from ...core.keys import Curves, Keys, own_keys, shared_keys, shared_keys_at_most
from ..rotation_modes import AXIS_ANGLE, QUATERNION


class KeySpacing(Enum):
    """Frames that get keys."""

    EVERY_FRAME = "EVERY_FRAME"
    SHARED = "SHARED"
    """As few as can be, the same for all bones: poses."""
    PER_BONE = "PER_BONE"
    """As few as each bone's channels can do with."""
    AS_EXAMPLES = "AS_EXAMPLES"
    """As many as the examples have in as much time, the same for all bones: poses."""


KEY_SPACINGS = (
    Choice(
        "EVERY_FRAME", "Every Frame", "A key on every frame, exactly the new motion", KeySpacing.EVERY_FRAME, "every"
    ),
    Choice(
        "SHARED",
        "Few Poses",
        "As few keys as can be, at the same frames for all bones, with smooth curves between them",
        KeySpacing.SHARED,
        "shared",
    ),
    Choice(
        "PER_BONE",
        "Few per Bone",
        "As few keys as each bone can do with, at frames of its own, with smooth curves between them",
        KeySpacing.PER_BONE,
        "bones",
    ),
    Choice(
        "AS_EXAMPLES",
        "As in Examples",
        "As many keys as the examples have in as much time, at the same frames for all bones, "
        "with smooth curves between them; recorded examples and libraries have one on every frame",
        KeySpacing.AS_EXAMPLES,
        "examples",
    ),
)


@dataclass(frozen=True)
class Simplification:
    """Few keys with smooth curves between them.

    shared: all bones are keyed at the same frames. angle: radians that a bone's own rotation may be off at any frame.
    share: of the character's size, how far a location may be off; scales by as much, other values by that share of
    their range. density: so many keys a frame at most, shared by all bones, with errors in that proportion that are as
    small as so many keys allow; None: as few keys as stay within the errors.
    """

    shared: bool
    angle: float
    share: float
    density: float | None = None


def simplification(spacing: KeySpacing, degrees: float, percent: float) -> Simplification | None:
    """Return the simplification that settings ask for; None where every frame has a key."""
    if spacing is KeySpacing.EVERY_FRAME:
        return None
    return Simplification(spacing is not KeySpacing.PER_BONE, math.radians(degrees), percent / 100.0)


def rotation_bound(mode: str, angle: float) -> float:
    """Return the length by which the components of a rotation in this mode may be off to be off by an angle at most.

    A unit quaternion turns by twice its angle on the sphere; the angles of an Euler rotation add up, three at most, to
    the square root of three of their length; so do angle and axis, for less than half a turn.
    """
    return angle / {QUATERNION: 2.0, AXIS_ANGLE: 5.0}.get(mode, math.sqrt(3.0))


def simplified(
    curves: Sequence[Curves], precision: Simplification, preferred: NDArray[np.bool_] | None = None
) -> list[Keys]:
    """Return the keys of curves that belong together, in their order.

    preferred: `(T,)` frames that are worth a shared key above others. Raises InputError for values that are none.
    """
    if precision.density is not None and curves:
        return shared_keys_at_most(curves, 1 + round(precision.density * (len(curves[0].values) - 1)))
    return shared_keys(curves, preferred) if precision.shared else own_keys(curves)


def scalar_bound(values: NDArray[np.floating], share: float) -> float:
    """Return how far other values may be off: a share of their range, and something where they never change."""
    spread = float(np.ptp(values)) if len(values) else 0.0
    return share * spread or share
