# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that stand still above a body: the root of a rig, the object itself."""

import numpy as np

from ...arrays import Int64, Mask
from ...motion.comparing import ROUNDING
from ...motion.motion import Motion
from ...motion.root_motion import find_anchored
from ...motion.skeleton import NO_PARENT


def joints_above_body(motion: Motion, partners: Int64) -> Mask:
    """Return a mask `(J,)` of the joints that stand still with all above them, without the root and those below it.

    Joints that are not above the root must be at rest: a control posed on the left is posed on the right when mirrored.
    """
    skeleton = motion.skeleton
    still, posed = _still_and_posed(motion)
    still &= still[partners]
    posed |= posed[partners]
    above = np.zeros(len(still), bool)
    for joint in find_anchored([motion]):
        above[skeleton.chain(joint)[:-1]] = True
        above[joint] = False
        still[joint] = False
    allowed = still & (above | ~posed)
    stays = np.zeros(len(still), bool)
    for joint, parent in enumerate(skeleton.parents):
        partner = partners[joint]
        stays[joint] = allowed[joint] and allowed[partner] and (parent == NO_PARENT or bool(stays[parent]))
    return stays


def _still_and_posed(motion: Motion) -> tuple[Mask, Mask]:
    """Return masks `(J,)` of the joints whose channels do not change, and of those that are not in their rest pose."""
    size = motion.skeleton.size
    turned = np.abs(motion.rotations[..., 1:])
    still, posed = np.ptp(turned, axis=0).max(axis=-1) <= ROUNDING, turned.max(axis=(0, 2)) > ROUNDING
    for joints, values, at_rest, unit in (
        (motion.translated, motion.translations, 0.0, size),
        (motion.scaled, motion.scales, 1.0, 1.0),
    ):
        still[joints] &= np.ptp(values, axis=0).max(axis=-1) <= ROUNDING * unit
        posed[joints] |= np.abs(values - at_rest).max(axis=(0, 2)) > ROUNDING * unit
    return still, posed
