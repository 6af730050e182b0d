# SPDX-License-Identifier: GPL-3.0-or-later
"""Composition of a motion from frames: the root follows a trajectory, and feet that stand are planted."""

from dataclasses import replace

import numpy as np

from ..arrays import Float64
from ..feet.leg_ik import lock_feet
from ..feet.planting import Standing
from ..motion import rotations
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, RootTrack, apply_root
from .frames import Frames
from .registering import Registration


def composed(
    like: Motion, registration: Registration, played: Frames, trajectory: Float64, turns: Float64, rate: float
) -> Motion:
    """Return frames `(T,)` as a motion along a trajectory `(T, 2)` with headings `(T,)`, its feet planted.

    like: motion of T frames, whose scales and other values are kept. rate: the usual rate at which examples are shown.
    """
    standing, ours, theirs = registration.library.standing, registration.ours, registration.theirs
    plan = standing.plan
    heading = turns + played.twist
    ground = (trajectory + rotations.turn_on_ground(played.sway, turns)) @ rotations.ground_axes(like.skeleton.up)
    headings: Float64 = np.asarray(rotations.from_axis_angle(np.array(like.skeleton.up), heading))
    laid = _laid(like, plan, played, headings, ground)
    if not standing.feet:
        return laid
    # Accelerations grow with the square of the rate.
    most = standing.knees.acceleration * max(rate, 1.0) ** 2
    standing = replace(standing, knees=replace(standing.knees, acceleration=most))
    return _standing(laid, standing, played, headings, ours.ground, max(ours.longest_drift, theirs.longest_drift))


def _laid(like: Motion, plan: RootPlan, played: Frames, headings: Float64, ground: Float64) -> Motion:
    frames = len(ground)
    track = RootTrack(
        heading=headings.astype(np.float32),
        ground=ground.astype(np.float32),
        velocity=np.zeros((frames, 3), np.float32),
        yaw_rate=np.zeros(frames, np.float32),
        body=played.rotations[:, plan.anchored].astype(np.float32),
        offset=played.offsets.astype(np.float32),
    )
    turns = rotations.make_continuous(played.rotations).astype(np.float32)
    posed = replace(like, rotations=turns, translations=played.translations.astype(np.float32))
    return apply_root(posed, plan, track)


def _standing(
    laid: Motion, standing: Standing, played: Frames, headings: Float64, ground: Float64, longest_drift: float
) -> Motion:
    contacts = played.stands >= 0.5
    around = np.broadcast_to(headings[:-1, None], (*played.drifts[:-1].shape[:2], 4))
    stays = (contacts[:-1] & contacts[1:])[..., None]
    steps = rotations.rotate(around, played.drifts[:-1]) * stays
    places: Float64 = np.concatenate((np.zeros_like(played.drifts[:1]), np.cumsum(steps, axis=0)))
    return lock_feet(
        laid,
        standing.feet,
        contacts,
        played.heights + ground,
        np.zeros(0, np.int64),
        standing.plan.joint,
        knees=standing.knees,
        movement=places,
        longest_drift=longest_drift,
    )
