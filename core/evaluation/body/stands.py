# SPDX-License-Identifier: GPL-3.0-or-later
"""Quiet stands, in which the center of mass has to be over the support."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...arrays import Float64, Mask
from ...environment.reach.balance import Balance
from ...feet.planting import Standing
from ...motion.motion import Motion
from .center import center_of_mass, extrapolated_center
from .flights import find_flights, find_gravity
from .segments import BodyModel, find_body_model
from .support import Support, find_support

TOLERANCE = 3.0 / 170.0
"""Distance, as a share of the size, that counts as outside of the support; 3 cm at a body of 170 cm, the flesh around a
sole. A stand is quiet while the extrapolated center of mass (Hof 2005) is no farther from the center: below 10 cm a
second at that body."""


@dataclass(frozen=True, eq=False)
class Stands:
    """The balance of a body over time.

    outside: `(T,)` distance of the center of mass from the support, negative inside, and nan without support. outward:
    `(T, 3)` its direction. quiet: `(T,)` frames with support in which the body hardly moves along the ground.

    >>> Stands(np.array([0.1, 0.1]), np.zeros((2, 3)), np.array([True, False])).off_balance(1.0).tolist()
    [True, False]
    """

    outside: Float64
    outward: Float64
    quiet: Mask

    def off_balance(self, size: float) -> Mask:
        """Return a mask `(T,)` of the quiet frames outside of the support; size: of the skeleton."""
        return np.asarray(self.quiet & (np.nan_to_num(self.outside) > TOLERANCE * size))


def find_stands(motion: Motion, model: BodyModel, support: Support, gravity: float) -> Stands:
    """Return the balance of a motion's body; gravity: in units per second squared.

    >>> from genmm_addon.core.feet import standing_of
    >>> support = find_support(swing, standing_of(swing))
    >>> bool(find_stands(swing, find_body_model(swing.skeleton), support, 9.81).quiet.any())
    False
    """
    center = center_of_mass(motion, model)
    distance, outward = support.outside(center)
    ahead = extrapolated_center(center, support.level, motion.skeleton.up, gravity, motion.frames_per_second)
    slow = np.linalg.norm(ahead - center, axis=1) < TOLERANCE * motion.skeleton.size
    return Stands(distance, outward, slow & np.isfinite(distance))


def find_balance(motions: Sequence[Motion], standing: Standing) -> Balance:
    """Return the balance that the body of motions on one skeleton keeps while quiet; standing: their feet and ground.

    >>> from genmm_addon.core.feet import standing_of
    >>> bool(find_balance([swing], standing_of(swing)).outside(swing)[0].any())
    False
    """
    skeleton = motions[0].skeleton
    model = find_body_model(skeleton)
    flights = [flight for motion in motions for flight in find_flights(motion, center_of_mass(motion, model), standing)]
    gravity = find_gravity(skeleton, model, flights)

    def outside(motion: Motion) -> tuple[Float64, Float64]:
        stands = find_stands(motion, model, find_support(motion, standing), gravity)
        return np.where(stands.quiet, np.nan_to_num(stands.outside), 0.0), stands.outward

    return Balance(model.masses / model.masses.sum(), model.centers, TOLERANCE * skeleton.size, outside)
