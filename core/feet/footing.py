# SPDX-License-Identifier: GPL-3.0-or-later
"""Footing: movements of the examples' feet beside their contacts, while they stand, and of the knees above them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from ..motion.motion import Motion, pose_along
from .calm_knees import Knees, find_knees
from .contact_detection import Foot

Float64 = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Footing:
    """Movements of feet in the examples.

    drifts: `(N, feet, 3)` how far each goes along the ground to the next frame, seen from the root.
    knees: those of their legs.
    """

    drifts: Float64
    knees: Knees


def find_footing(motions: Sequence[Motion], feet: Sequence[Foot], headings: Sequence[NDArray[np.floating]]) -> Footing:
    """Return the footing of all examples; headings: `(T, 4)` of the root of each."""
    drifts = [_drifts_of(motion, feet, heading) for motion, heading in zip(motions, headings, strict=True)]
    return Footing(np.concatenate(drifts), find_knees(motions, feet))


def _drifts_of(motion: Motion, feet: Sequence[Foot], headings: NDArray[np.floating]) -> Float64:
    """Return the drifts `(T, len(feet), 3)` of one example; beyond its last frame a foot goes nowhere."""
    up, back = np.array(motion.skeleton.up), rotations.inverse(headings[:-1]).astype(np.float64)
    drifts = np.zeros((motion.frames, len(feet), 3))
    for index, foot in enumerate(feet):
        steps = np.diff(pose_along(motion, motion.skeleton.chain(foot.joint))[1][:, -1].astype(np.float64), axis=0)
        drifts[:-1, index] = rotations.rotate(back, steps - (steps @ up)[:, None] * up)
    return drifts
