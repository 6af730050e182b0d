# SPDX-License-Identifier: GPL-3.0-or-later
"""Displacement of a motion to meet fixed poses exactly: the difference is added there, and fades out to both sides.

The patches' path has already come near, so that the displacement is small and preserves the movement.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Float32, Int64, Mask
from ..examples.speeds import Speeds
from ..motion import kinematics, rotations
from ..motion.channels import Channels
from ..motion.filters import SMOOTHSTEP_SLOPE, smoothstep
from ..motion.piecewise import pieces
from ..motion.skeleton import Skeleton
from ..motion.spans import marks_around
from ..planning.crossfades import LONGEST_CROSSFADE_SECONDS, SHORTEST_CROSSFADE_SECONDS


@dataclass(frozen=True, eq=False)
class Easing:
    """Weights of displacements in the frames around fixed poses.

    before, after: `(F,)` the number of the fixed frame before and after each frame (the same one on it).
    before_weight, after_weight: `(F,)` share of their differences that is added, 0 to 1.
    """

    before: Int64
    after: Int64
    before_weight: Float32
    after_weight: Float32

    def at(self, frames: Int64) -> "Easing":
        """Return the easing of some of the frames."""
        return Easing(self.before[frames], self.after[frames], self.before_weight[frames], self.after_weight[frames])

    def of(self, values: Array) -> Array:
        """Return differences `(K, ...)` at the fixed frames, spread over all frames `(F, ...)`."""
        shape = (-1,) + (1,) * (values.ndim - 1)
        first = values[self.before] * self.before_weight.reshape(shape)
        return np.asarray(first + values[self.after] * self.after_weight.reshape(shape))


def ease(frames: int, fixed: Int64, lengths: Array) -> Easing:
    """Return the easing of `fixed` frames `(K,)`, ascending, over at most `lengths` `(K,)` frames on either side."""
    at = np.arange(frames)
    before, after = marks_around(fixed, frames)
    gaps = np.where(fixed[after] > fixed[before], fixed[after] - fixed[before], np.inf)

    def weight(number: Int64, away: Int64) -> Float32:
        share = np.clip(away / np.maximum(np.minimum(lengths[number], gaps), 1e-9), 0.0, 1.0)
        return np.where(away < 0, 0.0, 1.0 - smoothstep(share)).astype(np.float32)

    first, second = weight(before, at - fixed[before]), weight(after, fixed[after] - at)
    return Easing(before, after, first, np.where(before == after, np.where(first > 0, 0.0, second), second))


def displace(
    channels: Channels,
    given: Channels,
    frames: Int64,
    joints: Mask,
    owners: Int64,
    speeds: Speeds,
    skeleton: Skeleton,
    rate: float,
) -> Channels:
    """Return the channels with those of `given` where `joints` `(F, J)` are fixed, blended in and out smoothly.

    given: of the `frames` `(K,)` at which anything is fixed. owners: the joint `(C,)` of each linear channel, -1 for
    none.
    """
    orientations, linear = channels.orientations.copy(), channels.linear.copy()
    _, firsts, members = np.unique(np.packbits(joints, axis=0), axis=1, return_index=True, return_inverse=True)
    for number, pattern in enumerate(joints[:, firsts].T):
        fixed = np.flatnonzero(pattern)
        if not len(fixed):
            continue
        group = np.flatnonzero(members.ravel() == number)
        columns = np.flatnonzero(np.isin(owners, group))
        at = np.searchsorted(frames, fixed)
        target, linear_target = given.orientations[np.ix_(at, group)], given.linear[np.ix_(at, columns)]
        if not pattern.all():
            now = orientations[np.ix_(fixed, group)]
            turns = rotations.to_vector(rotations.multiply(target, rotations.inverse(now)))
            lengths = _lengths(turns, speeds.highest_turns[group], speeds, _distances(skeleton, group, turns), rate)
            easing = ease(len(joints), fixed, lengths)
            near = np.flatnonzero(easing.before_weight + easing.after_weight > 0)
            easing, place = easing.at(near), np.ix_(near, group)
            part = skeleton.along(tuple(group.tolist()))
            orientations[place] = _turned(orientations[place], now, target, easing, part)
            linear[np.ix_(near, columns)] += easing.of(linear_target - linear[np.ix_(fixed, columns)])
        orientations[np.ix_(fixed, group)] = target
        linear[np.ix_(fixed, columns)] = linear_target
    return Channels(orientations, linear, channels.rates)


def _turned(
    channels: Array,
    now: Array,
    target: Array,
    easing: Easing,
    part: Skeleton,
) -> Array:
    """Return orientations `(T, G, 4)` of a part with the differences of `now` and `target` `(K, G, 4)` eased in.

    Each joint turns in the axes of the part, not in those of its parent: a hand whose arm moves would otherwise be
    thrown by the turns of all joints above it.
    """
    given = (np.transpose(kinematics.orientations(part, values), (2, 0, 1)) for values in (channels, now, target))
    of_part, before, after = given
    turns = rotations.to_vector(rotations.multiply(after, rotations.inverse(before)))
    turned = rotations.multiply(rotations.from_vector(easing.of(turns)), of_part)
    base = np.broadcast_to(part.rest_rotations, turned.shape)
    above = np.where((part.parents >= 0)[:, None], rotations.multiply(turned[:, part.parents], base), base)
    return rotations.normalize(rotations.multiply(rotations.inverse(above), turned)).astype(np.float32)


def _lengths(turns: Array, highest: Float32, speeds: Speeds, distances: Array, rate: float) -> Array:
    """Return the numbers of frames `(K,)` over which differences `(K, G, 3)` can be added within the speed limit.

    distances: `(K,)` the farthest that the differences move a joint.
    """
    by_turn = (np.linalg.norm(turns, axis=2) / highest).max(axis=1)
    by_distance = distances / max(speeds.highest, 1e-9)
    needed = SMOOTHSTEP_SLOPE * np.maximum(by_turn, by_distance)
    return np.asarray(np.clip(needed, SHORTEST_CROSSFADE_SECONDS * rate, LONGEST_CROSSFADE_SECONDS * rate))


def _distances(skeleton: Skeleton, group: Int64, turns: Array) -> Array:
    """Return the farthest `(K,)` that turns `(K, G, 3)` of a group of joints move a joint."""
    squares, farthest = np.linalg.norm(turns, axis=2) ** 2, np.zeros(len(turns))
    count = len(skeleton.names)
    for piece in pieces(count, count):
        levers = skeleton.levers(piece)[:, group]
        # Turns of the joints of a chain add up, in any direction.
        farthest = np.maximum(farthest, (squares @ (levers**2).T).max(axis=1))
    return np.asarray(np.sqrt(farthest))
