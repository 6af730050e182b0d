# SPDX-License-Identifier: GPL-3.0-or-later
"""A stand of the sample whose left arm turns toward its trunk for a while, or into it."""

import numpy as np

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import Motion, rotations
from genmm_addon.core.evaluation import find_capsules
from genmm_addon.core.motion import smoothstep

FIRST, END, FRAMES, RATE = 30, 70, 100, 30.0
"""The frames at which the arm is turned, the number of all frames, and their rate."""


def arm_in_trunk(angle: float) -> Motion:
    """Return the stand; angle: of the arm in radians, from the hand at the side, about the forward axis."""
    walk = sample_motions(RATE)["GenMM Walk"]
    stands = walk.take(np.zeros(FRAMES, np.int64))
    arm = find_capsules(walk.skeleton).limbs[0]
    frames = np.arange(FRAMES)
    share = smoothstep(np.clip(np.minimum(frames - FIRST, END - frames) / 10.0, 0.0, 1.0))
    matrices, places = stands.slice(0, 1).pose()
    toward = np.cross(places[0, arm.wrist] - places[0, arm.hip], places[0, 0] - places[0, arm.hip])
    axis = matrices[0, arm.hip].T.astype(np.float64) @ (toward / np.linalg.norm(toward))
    values = stands.rotations.astype(np.float64)
    extra = rotations.from_axis_angle(np.tile(axis, (FRAMES, 1)), angle * share)
    values[:, arm.hip] = rotations.multiply(values[:, arm.hip], extra)
    return stands.with_channels({**stands.channels(), "rotations": values.astype(np.float32)})
