# SPDX-License-Identifier: GPL-3.0-or-later
"""The mean of fillings that agree: if several clips move alike, it is nearer to the original motion than each of them.

Fillings meet the same two poses at the same frames; between them each clip differs. Poses are averaged only if they
correspond (registration curves: Kovar and Gleicher 2003): the trajectory of the majority leads, and fillings that
differ from it are left out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ..arrays import Float32, Float64
from ..evaluation.metrics import foot_skate
from ..feet.planting import Standing
from ..motion import rotations
from ..motion.comparing import ROUNDING
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan
from .alternatives import MOST_TRIED, body_places, difference
from .fillings import GapWindow
from .timing import AS_GOOD

MOST_DIFFERENCES = (1.0, 0.5)
"""Largest differences of fillings that agree, in shares of the gap's own motion; the second is used if the mean with
the first is rough or slides. Chosen on 160 gaps of 60 frames, with action and style left out: L2P is 0.439 of that of
interpolation, with 0.5 alone 0.462. A value of 1.5 improves it by another hundredth, but then in one gap of ten joints
move less than 0.67 of captured ones (1.0: 0.75, 0.5: 0.79)."""
SLIDES_MORE, SLIDES_BESIDE = 1.1, 1.0
"""Largest sliding of the mean's feet: this multiple of the cheapest filling's, plus this many cm/s at a height of
170 cm. Beyond it, the cheapest filling is used."""


@dataclass(frozen=True, eq=False)
class Agreement:
    """Windows that agree, their weights, and the mean of their motions; leading: the number of the one they agree with,
    among all windows that were compared.
    """

    leading: int
    windows: tuple[GapWindow, ...]
    weights: Float64
    motion: Motion


def weighted_windows(ranked: Sequence[GapWindow]) -> tuple[list[GapWindow], list[float]]:
    """Return the windows that may be averaged, the first one among them, and their weights.

    >>> weighted_windows([GapWindow(0, 30, 0.2), GapWindow(90, 30, 0.2), GapWindow(200, 30, 9.0)])[1]
    [1.0, 1.0]
    """
    least = ranked[0].cost
    # A filling that is only just good has 1 / e of the cheapest one's weight.
    scale = max((AS_GOOD - 1.0) * least, 1e-9)
    weights = [float(np.exp((least - window.cost) / scale)) for window in ranked[:MOST_TRIED]]
    chosen = [(window, weight) for window, weight in zip(ranked, weights, strict=False) if weight > ROUNDING]
    return [window for window, _ in chosen], [weight for _, weight in chosen]


def differences(motions: Sequence[Motion], plan: RootPlan) -> Float64:
    """Return the differences `(M, M)` between motions of equal length, in shares of their own motion."""
    bodies = [body_places(motion, plan) for motion in motions]
    distances = np.zeros((len(motions), len(motions)))
    for first, second in combinations(range(len(motions)), 2):
        distances[first, second] = distances[second, first] = difference(bodies[first], bodies[second])
    return distances


def agreeing_mean(
    windows: Sequence[GapWindow], weights: Sequence[float], motions: Sequence[Motion], distances: Float64, limit: float
) -> Agreement:
    """Return the windows that agree, and the mean of their motions as laid.

    distances: see `differences`; motions with a distance below `limit` agree. The leading one has the largest weight of
    motions that agree with it, times the root of its own weight. All motions have the same length, and the same poses
    at both ends.
    """
    counted, agree = np.array(weights), distances < limit
    leading = int(np.argmax((agree @ counted) * np.sqrt(counted)))
    chosen = np.flatnonzero(agree[leading])
    mean = motions[leading]
    if len(chosen) > 1:
        means = {
            name: _mean(name, values, [getattr(motions[number], name) for number in chosen.tolist()], counted[chosen])
            for name, values in mean.channels().items()
        }
        mean = mean.with_channels(means)
    return Agreement(leading, tuple(windows[number] for number in chosen.tolist()), counted[chosen], mean)


def slides_more(standing: Standing, motion: Motion, other: Motion) -> bool:
    """Return whether feet of a motion slide visibly faster than those of another."""
    if not standing.feet:
        return False
    joints, size = [foot.joint for foot in standing.feet], motion.skeleton.size
    ours, theirs = (foot_skate(compared, joints, standing.ground, size) for compared in (motion, other))
    return ours > SLIDES_MORE * theirs + SLIDES_BESIDE


def _mean(name: str, leading: Float32, values: Sequence[Float32], weights: Float64) -> Float32:
    """Return the weighted mean of a channel; quaternions get the leading motion's signs."""
    total = np.zeros(leading.shape)
    for rows, weight in zip(values, weights, strict=True):
        turns = name == "rotations" and np.sum(rows * leading, axis=-1, keepdims=True) < 0
        total += weight * np.where(turns, -rows, rows)
    if name == "rotations":
        return np.asarray(rotations.make_continuous(rotations.normalize(total)), np.float32)
    return np.asarray(total / weights.sum(), np.float32)
