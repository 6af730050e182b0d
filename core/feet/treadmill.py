# SPDX-License-Identifier: GPL-3.0-or-later
"""Treadmill: the ground that moves under a character in place, as in most clips of games.

The root stays where it is, and the feet that carry the body slide back together.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ..arrays import Float64, Int64, Mask
from ..motion import rotations
from ..motion.filters import smooth_line
from ..motion.ground_travel import STRIDE_SECONDS, WEIGHTY_SECONDS
from ..motion.piecewise import pieces
from ..motion.root_motion import IN_PLACE_NET, IN_PLACE_RANGE
from ..motion.rotations import SMALLEST_NORM


@dataclass(frozen=True, eq=False)
class FeetTracks:
    """Tracks of K joints that may be feet.

    heights: `(T, K)` above the lowest place of each. places: `(T, K, 3)` along the ground. legs: `(K,)` first joint of
    the leg of each. near, slow: largest height and speed of a standing foot on ground at rest. least: smallest share of
    the time for which a foot stands. size: of the skeleton. rate: frames per second.
    """

    heights: Float64
    places: Float64
    legs: Int64
    near: float
    slow: float
    least: float
    size: float
    rate: float

    @cached_property
    def velocities(self) -> Float64:
        """The velocities `(T, K, 3)` along the ground, per second."""
        return np.gradient(self.places, axis=0) * self.rate if len(self.places) > 1 else np.zeros_like(self.places)

    def stand(self, ground: Float64) -> Mask:
        """Return a mask `(T, K)` of the joints that stand on ground with velocities `(3,)` or `(T, 1, 3)`."""
        return np.asarray((self.heights < self.near) & self.are_near(self.velocities, ground))

    def are_near(self, velocities: Float64, ground: Float64) -> Mask:
        """Return a mask `(...)` of velocities `(..., 3)` that feet have that stand on ground with others.

        In motion made by hand, feet follow moving ground only roughly: they are nearer to its velocity than to rest.
        """
        largest = np.maximum(self.slow, rotations.lengths(ground) / 2)
        return np.asarray(rotations.lengths(velocities - ground) < largest)

    def of_legs(self, joints: Mask) -> Mask:
        """Return a mask `(T, legs)` of the legs of which a joint is in the mask `(T, K)`."""
        return np.asarray(joints @ (self.legs[:, None] == np.unique(self.legs)))

    def within(self, first: int, end: int) -> "FeetTracks":
        """Return the tracks of some frames."""
        return replace(self, heights=self.heights[first:end], places=self.places[first:end])

    def of_joints(self, chosen: Mask) -> "FeetTracks":
        """Return the tracks of some joints `(K,)`."""
        return replace(self, heights=self.heights[:, chosen], places=self.places[:, chosen], legs=self.legs[chosen])


def ground_velocities(tracks: FeetTracks) -> Float64:
    """Return the velocities `(T, 3)` of the ground under feet, per second: zero, unless they walk in place.

    The velocity is constant for the time of a stride.
    """
    frames = len(tracks.places)
    ground = np.zeros((frames, 3))
    if not tracks.places.size:
        return ground
    middles = tracks.places.mean(axis=1)
    net, extent = rotations.length(middles[-1] - middles[0]), rotations.length(np.ptp(middles, axis=0))
    if net >= IN_PLACE_NET * tracks.size or extent >= IN_PLACE_RANGE * tracks.size:
        return ground
    stride = max(round(STRIDE_SECONDS * tracks.rate), 1)
    for first in range(0, max(frames - stride, 1), stride):
        # Two strides show the ground's velocity; the first half of them has that of the ones before.
        end = frames if first + 2 * stride >= frames else first + 2 * stride
        begin = max(end - 2 * stride, 0)
        ground[first + (stride // 2 if first else 0) : end] = _velocity(tracks.within(begin, end))
    return ground


def velocities_over_ground(tracks: FeetTracks, *, is_cycle: bool) -> Float64:
    """Return the velocities `(T, 3)` per second with which a body that walks in place travels over ground at rest.

    They are opposite to those of its standing feet, smoothed; while none stands, that of the feet in the whole stretch
    of constant ground. They are zero where it does not walk in place. is_cycle: it repeats, so that its ground has one
    velocity, which a stretch of it may fail to show.
    """
    # Without travel, a foot that stands on ground at rest is slower than on the ground of a slow walk.
    ground = ground_velocities(replace(tracks, slow=tracks.slow / 2))
    if is_cycle:
        ground[:] = np.median(ground, axis=0)
    walks = np.asarray(ground.any(axis=1))
    stretches = np.unique(ground, axis=0, return_inverse=True)[1].reshape(-1)
    # Feet are slower than the ground while they come to it and leave it, so that nearer velocities count more and more.
    for share in (0.5, 0.25, 0.125):
        sums, weights = _differences(tracks, ground, share)
        for stretch in np.unique(stretches[walks]):
            inside = stretches == stretch
            ground[inside] += sums[inside].sum(axis=0) / max(weights[inside].sum(), SMALLEST_NORM)
    sums, weights = _differences(tracks, ground, 0.125)
    deviation = WEIGHTY_SECONDS / 2 * tracks.rate
    seen = np.asarray(smooth_line(weights, deviation)) + 0.01
    return -np.where(walks[:, None], ground + smooth_line(sums, deviation) / seen[:, None], 0.0)


def _differences(tracks: FeetTracks, ground: Float64, share: float) -> tuple[Float64, Float64]:
    """Return the sums `(T, 3)` of weighted differences of feet's velocities from the ground's, and of weights `(T,)`.

    share: the deviation of velocities that count, as a share of the ground's speed.
    """
    widths = np.maximum(tracks.slow / 2, share * rotations.lengths(ground))[:, None]
    differences = tracks.velocities - ground[:, None]
    # The lower a foot, the surer it stands.
    weights = np.maximum(1 - tracks.heights / tracks.near, 0.0) ** 2
    weights *= np.exp(-0.5 * (rotations.lengths(differences) / widths) ** 2)
    return (weights[..., None] * differences).sum(axis=1), weights.sum(axis=1)


def _velocity(tracks: FeetTracks) -> Float64:
    """Return the constant velocity `(3,)` of the ground under feet.

    Most legs stand on moving ground in turns, for longer than on ground at rest, and are lifted on their way back.
    """
    still, legs = np.zeros(3), np.unique(tracks.legs)
    # What never moves, such as a tail on the ground, is carried by the body and says nothing about the ground.
    moving_legs = legs[~tracks.of_legs(tracks.stand(still)).all(axis=0)]
    if 2 * len(moving_legs) <= len(legs):
        return still
    tracks = tracks.of_joints(np.isin(tracks.legs, moving_legs))
    low = tracks.heights < tracks.near
    rest, most = (tracks.of_legs(mask).sum() for mask in (tracks.stand(still), low))
    # Only low feet stand, and the lower a foot, the surer it does.
    velocities, depths = tracks.velocities[low], (tracks.near - tracks.heights)[low]
    # A foot on slower ground might stand on ground at rest as well.
    moving = velocities[rotations.lengths(velocities) > 2 * tracks.slow]
    if 2 * rest >= most or not len(moving):
        return still
    votes = list[float]()
    for piece in pieces(len(moving), len(velocities)):
        beside = tracks.are_near(velocities, moving[piece, None])
        votes += [depths[stands].sum() for stands in beside]
    ground = velocities[tracks.are_near(velocities, moving[int(np.argmax(votes))])].mean(axis=0)
    stands = tracks.stand(ground)
    of_legs = tracks.of_legs(stands)
    if 2 * rest >= of_legs.sum() or 2 * of_legs.all(axis=1).sum() >= of_legs.any(axis=1).sum():
        return still
    # A foot that comes back without being lifted slides to and fro.
    back = tracks.velocities @ ground < 0
    highest = np.where(back, tracks.heights, 0.0).max(axis=0)
    standing = np.where(stands, tracks.heights, 0.0).sum(axis=0) / np.maximum(stands.sum(axis=0), 1)
    lifted = highest - standing > tracks.near / 2
    walks = tracks.of_legs(((stands.mean(axis=0) >= tracks.least) & lifted)[None])
    return ground if 2 * walks.sum() > len(legs) else still
