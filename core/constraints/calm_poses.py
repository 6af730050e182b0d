# SPDX-License-Identifier: GPL-3.0-or-later
"""Calm movement beside fixed poses: displaced joints accelerate no more than in the motion that is displaced."""

from dataclasses import replace

import numpy as np

from ..arrays import Float64, Mask
from ..feet.calm_paths import (
    ALLOWED,
    BESIDE_SECONDS,
    QuickFrames,
    accelerations,
    around,
    beside,
    calmed,
    smoothed_turns,
)
from ..feet.leg_ik import ik_weights_beside
from ..motion.channels import Channels, motion_of
from ..motion.motion import Motion
from ..motion.piecewise import pieces
from ..motion.root_motion import RootPlan, at_origin


def calm_beside(
    channels: Channels, displaced: Channels, fixed: Mask, like: Motion, plan: RootPlan, largest: float
) -> Channels:
    """Return displaced channels, smoothed between `fixed` `(F,)` frames where a joint accelerates too much.

    A limb that moves fast adds up the movements of its joints in other directions than in the examples once these
    joints are displaced, and may jerk. The limit is that of the channels before, or the `largest` acceleration known of
    the examples, in units per frame squared. like, plan: see motion_of.
    """
    if fixed.all():
        return displaced
    limit = ALLOWED * max(float(_accelerations(channels, like, plan).max()), largest, 1e-12)
    # What is fixed on both sides cannot change.
    inside = fixed.copy()
    inside[1:-1] &= fixed[:-2] & fixed[2:]
    rate, before = like.frames_per_second, _accelerations(displaced, like, plan)
    too_quick = (before > limit) & ~inside
    frames, _ = beside(too_quick, rate)
    if not len(frames):
        return displaced
    # Smoothing fades out toward its edges, or it would move a jerk there.
    fading = around(too_quick, rate, BESIDE_SECONDS)[frames, None]
    counted = np.isin(frames - 1, frames) & np.isin(frames + 1, frames) & ~inside[frames]
    weights = ik_weights_beside(fixed[:, None], (), 0, rate).pelvis[frames]
    quick = QuickFrames(frames, counted, limit, weights, rate)
    part = Channels(displaced.orientations[frames], displaced.linear[frames], displaced.rates)
    orientations = displaced.orientations.copy()
    orientations[frames] = calmed(
        part.orientations,
        quick,
        lambda turns: _positions(replace(part, orientations=turns), like, plan),
        lambda turns, share: smoothed_turns(turns, share * fading, quick),
    )
    return replace(displaced, orientations=orientations)


def _positions(channels: Channels, like: Motion, plan: RootPlan) -> Float64:
    """Return the positions `(T, J, 3)` of all joints, seen from the root."""
    offset = channels.linear[:, : 3 * len(plan.anchored)].reshape(len(channels.linear), -1, 3)
    posed = at_origin(motion_of(channels, like, plan), plan, channels.orientations[:, plan.anchored], offset)
    return np.asarray(posed.pose()[1], np.float64)


def _accelerations(channels: Channels, like: Motion, plan: RootPlan) -> Float64:
    """Return the largest acceleration `(T,)` of any joint, seen from the root."""
    frames, joints = channels.orientations.shape[:2]
    largest = np.zeros(frames)
    for piece in pieces(frames - 2, joints):
        rows = slice(piece.start, piece.stop + 2)
        part = replace(channels, orientations=channels.orientations[rows], linear=channels.linear[rows])
        largest[piece.start + 1 : piece.stop + 1] = accelerations(_positions(part, like, plan))[1:-1]
    return largest
