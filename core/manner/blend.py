# SPDX-License-Identifier: GPL-3.0-or-later
"""Interpolation of two motions of one action, registered in time (registration curves: Kovar, Gleicher 2003).

Only poses of the same moment of the action are mixed; speeds, turning and tempo are mixed with the same weights.
"""

import numpy as np

from ..arrays import Float64
from ..computation import computing
from ..errors import InputError
from ..library.indexed_motions import IndexedMotions
from ..motion.motion import Motion, sample
from ..progress import Progress
from .amplitudes import with_amplitudes
from .composition import composed
from .frames import played_by
from .registering import register_motion
from .restyle import Restyled, check_action, retimed
from .result_trajectory import trajectory_of_speeds


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
