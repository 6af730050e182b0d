# SPDX-License-Identifier: GPL-3.0-or-later
"""Interpolation of two motions of one action, registered in time (registration curves: Kovar, Gleicher 2003).

Only poses of the same moment of the action are mixed; speeds, turning and tempo are mixed with the same weights.
"""

from dataclasses import replace

import numpy as np

from ..arrays import Float64
from ..computation import computing
from ..errors import InputError
from ..library.indexed_motions import IndexedMotions
from ..motion import rotations
from ..motion.filters import smooth_line, to_next
from ..motion.ground_travel import SWAY_SECONDS
from ..motion.motion import Motion, sample
from ..progress import Progress
from .composition import composed, trajectory_of_speeds
from .frames import Frames, played_by
from .registering import register_motion
from .restyle import STRONGEST, Restyled, check_action, retimed
from .style_free_rows import mean_rotations


@computing()
def blend_motions(
    motion: Motion, style: IndexedMotions, weights: Float64 | float, progress: Progress | None = None
) -> Restyled:
    """Return a motion between one and another of the same action; it begins at the place of the first.

    weights: of the other, 0 to 1, a number or `(T,)` over the frames of the first. progress: see `core.Progress`.
    Raises InputError for other weights, and for motions of different actions, skeletons or rates; Cancelled as
    `progress` asks.

    >>> blend_motions(swing, index_motions([swing]), 0.5).motion.frames
    60
    """
    motion.check_values("The motion to blend")
    over_time = np.broadcast_to(np.asarray(weights, np.float64), (motion.frames,))
    if not np.isfinite(over_time).all() or over_time.min() < 0 or over_time.max() > 1:
        raise InputError("The share of the other motion must lie between 0 and 1.")
    registration = register_motion(motion, style, progress=progress)
    check_action(registration, instead="go from one to the other with Connect Action")
    if not over_time.any():
        return Restyled(motion, np.arange(motion.frames, dtype=np.float64), registration.cost, 0)
    rate = motion.frames_per_second
    positions = retimed(1 + over_time * (registration.time_map.rate - 1))
    seconds = np.gradient(positions)
    ours = registration.ours.frames.at(positions, seconds)
    time_map = registration.time_map.at(positions, seconds)
    played = played_by(registration.theirs, time_map)
    shares = np.interp(positions, np.arange(motion.frames), over_time)
    mixed = with_amplitudes(ours.mixed(played, shares), ours, played, shares, rate)
    trajectory, turns = trajectory_of_speeds(ours, mixed)
    motion = composed(sample(motion, positions, rate), registration, mixed, trajectory, turns, time_map.usual_rate)
    return Restyled(motion, positions, registration.cost, time_map.segments)


def with_amplitudes(mixed: Frames, first: Frames, second: Frames, weights: Float64, rate: float) -> Frames:
    """Return mixed frames with swings and speeds between those of both motions; weights: `(T,)` of the other.

    A swing is a joint's deviation from its mean over all frames, or the sway of the root. rate: frames per second.
    """
    sway = mixed.sway * _swing_gain(first.sway[:, None], second.sway[:, None], weights)
    swung = replace(mixed, sway=sway, rotations=_swung(mixed.rotations, first.rotations, second.rotations, weights))
    ours, theirs, left = (_root_speed(frames, rate) for frames in (first, second, swung))
    return replace(swung, velocity=swung.velocity * _gain(ours, theirs, left, weights)[:, None])


def _root_speed(frames: Frames, rate: float) -> Float64:
    """Return the distance `(T,)` that the root covers to the next frame, sway included, smoothed over a step."""
    step = np.linalg.norm(frames.velocity + to_next(frames.sway), axis=1)
    return np.asarray(smooth_line(step, SWAY_SECONDS * rate))


def _swung(mixed: Float64, first: Float64, second: Float64, weights: Float64) -> Float64:
    """Return mixed rotations `(T, J, 4)` with each joint's deviation from its mean between those of both motions."""
    means = [mean_rotations(turns) for turns in (first, second)]
    ours, theirs = (
        np.asarray(rotations.to_vector(rotations.multiply(rotations.inverse(mean), turns)), np.float64)
        for mean, turns in zip(means, (first, second), strict=True)
    )
    between = rotations.to_vector(rotations.multiply(rotations.inverse(means[0]), means[1]))
    mean = rotations.multiply(means[0], rotations.from_vector(between * weights[:, None, None]))
    deviation = rotations.to_vector(rotations.multiply(rotations.inverse(mean), mixed))
    turned = rotations.multiply(mean, rotations.from_vector(deviation * _swing_gain(ours, theirs, weights)[..., None]))
    return np.asarray(rotations.normalize(turned))


def _swing_gain(first: Float64, second: Float64, weights: Float64) -> Float64:
    """Return the factor `(T, J)` that restores the amplitude of a mix of two swings `(T, J, D)`."""
    ours, theirs, common = (np.sum(a * b, axis=(0, 2)) for a, b in ((first, first), (second, second), (first, second)))
    share = weights[:, None]
    left = (1 - share) ** 2 * ours + share**2 * theirs + 2 * share * (1 - share) * common
    return _gain(np.sqrt(ours), np.sqrt(theirs), np.sqrt(np.maximum(left, 0.0)), share)


def _gain(first: Float64, second: Float64, mixed: Float64, weights: Float64) -> Float64:
    """Return the factor on a mix; swings that cancel each other have nothing in common and are raised no further."""
    target = (1 - weights) * first + weights * second
    return np.asarray(np.clip(target / np.maximum(mixed, 1e-12), 1.0, STRONGEST))
