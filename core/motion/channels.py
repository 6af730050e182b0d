# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels that results are composed of: orientations, and linear channels."""

from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import Float32, Int64
from .motion import Motion
from .root_motion import RootPlan, RootTrack


@dataclass(frozen=True, eq=False)
class Channels:
    """All values of T frames that are crossfaded.

    orientations: `(T, J, 4)`, relative to the parent; those of anchored joints are relative to the heading. Signs do
    not flip within an example.
    linear: `(T, C)`, everything else: translations, scales, scalars, and the root's offsets and velocities. The
    velocities are in the columns `rates`.
    """

    orientations: Float32
    linear: Float32
    rates: slice = field(default_factory=lambda: slice(0, 0))


def linear_owners(motion: Motion, plan: RootPlan) -> Int64:
    """Return the joint `(C,)` of each linear channel; -1 for the root's own channels and for scalars."""
    nobody = -1
    return np.concatenate(
        (
            np.full(3 * len(plan.anchored) + 4, nobody),
            np.repeat(motion.translated, 3),
            np.repeat(motion.scaled, 3),
            np.full(len(motion.scalar_names), nobody),
        )
    )


def motion_of(channels: Channels, like: Motion, plan: RootPlan) -> Motion:
    """Return the channels as a motion like another one, whose anchored joints are not yet on a root's trajectory."""
    frames = len(channels.orientations)
    widths = (3 * len(plan.anchored) + 4, 3 * len(like.translated), 3 * len(like.scaled), len(like.scalar_names))
    _, translations, scales, scalars = np.split(channels.linear, np.cumsum(widths)[:-1], axis=1)
    return replace(
        like,
        rotations=channels.orientations,
        translations=translations.reshape(frames, -1, 3),
        scales=scales.reshape(frames, -1, 3),
        scalars=scalars,
    )


def root_columns(track: RootTrack) -> Float32:
    """Return the linear channels `(T, 3 A + 4)` of a root track: offsets, velocity, yaw rate."""
    frames = len(track.velocity)
    return np.concatenate((track.offset.reshape(frames, -1), track.velocity, track.yaw_rate[:, None]), axis=1).astype(
        np.float32
    )


def root_track(columns: Float32, body: Float32, start: RootTrack, plan: RootPlan) -> RootTrack:
    """Return the track encoded by root columns `(F, 3 A + 4)` and the anchored joints' orientations `(F, A, 4)`.

    start: a track whose first frame gives the character's first position and heading.
    """
    count = len(plan.anchored)
    return RootTrack(
        heading=start.heading,
        ground=start.ground,
        velocity=columns[:, 3 * count : 3 * count + 3],
        yaw_rate=columns[:, 3 * count + 3],
        body=body,
        offset=columns[:, : 3 * count].reshape(-1, count, 3),
    )
