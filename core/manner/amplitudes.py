# SPDX-License-Identifier: GPL-3.0-or-later
"""Amplitudes of mixed frames: swings and speeds brought to values between those of the two motions that are mixed.

The mean of two swings with different directions or timing is smaller than both; a mix must not lose this amplitude.
"""

from dataclasses import replace

import numpy as np

from ..arrays import Float64
from ..motion import rotations
from ..motion.filters import smooth_line, to_next
from ..motion.ground_travel import SWAY_SECONDS
from .frames import Frames
from .restyle import STRONGEST
from .style_free_rows import mean_rotations


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
