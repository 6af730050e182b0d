# SPDX-License-Identifier: GPL-3.0-or-later
"""Stops and starts: a root that slows down before it stops and gathers speed from rest, on shorter steps."""

from dataclasses import replace

import numpy as np

from ..arrays import Float64
from ..examples.example_data import ExampleFeet, Examples
from ..feet.contact_detection import NEAR_GROUND
from ..motion import rotations
from ..motion.filters import smooth
from ..motion.ground_travel import WEIGHTY_SECONDS
from ..motion.root_motion import RootTrack
from .foot_plan import Steps

BRAKING = 1.7
"""Largest change of the root's speed, in body sizes per second squared, if the examples have none that is larger: about
3 m/s² for a person, a third of gravity, so that a run of 3 m/s stops in a second."""
SHORTER_STEPS = 0.75
"""Share of its speed below which the feet of a braking root get stances of their own. With less braking, they step as
in the examples."""


def with_braking(examples: Examples, feet: ExampleFeet, track: RootTrack, steps: Steps) -> tuple[RootTrack, Steps]:
    """Return the track and the steps with a root that stops and starts no faster than a body can.

    Only the faster side of a transition changes: the root travels less in it, and its feet step shorter.
    """
    rate, speeds = examples.frames_per_second, _speeds(track, examples.frames_per_second)
    largest = BRAKING * examples.skeleton.size / rate**2
    if np.abs(np.diff(speeds)).max(initial=0.0) <= largest:
        return track, steps
    own = (np.abs(np.diff(_speeds(example, rate))).max(initial=0.0) for example in examples.tracks)
    shares = _reachable(speeds, max(largest, *own)) / np.maximum(speeds, 1e-12)
    slower = np.minimum(shares, 1.0)[:, None]
    # In a dash no foot stands still, but in its stance each falls behind the body, by more than half the body's speed.
    behind = 2.0 * rotations.lengths(steps.drifts) < rotations.lengths(track.velocity)[:, None]
    low = steps.heights - feet.heights.min(axis=0) < NEAR_GROUND * examples.skeleton.size
    stands = steps.contacts | (low & behind & (slower < SHORTER_STEPS))
    velocity = (track.velocity * slower).astype(np.float32)
    return replace(track, velocity=velocity), replace(steps, contacts=stands, drifts=steps.drifts * slower[..., None])


def _speeds(track: RootTrack, rate: float) -> Float64:
    """Return the speeds `(T,)` of a root, in units per frame, without the rise and fall within a stride."""
    return np.asarray(rotations.lengths(smooth(track.velocity.astype(np.float64), WEIGHTY_SECONDS, rate)), np.float64)


def _reachable(speeds: Float64, largest: float) -> Float64:
    """Return the highest speeds `(T,)` up to the given ones that change by at most `largest` from frame to frame."""
    ramp = largest * np.arange(len(speeds))
    rising = np.minimum.accumulate(speeds - ramp) + ramp
    return np.asarray(np.minimum.accumulate((rising + ramp)[::-1])[::-1] - ramp)
