# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of the sample motions: planned footholds that do not slide, rolling over heel and ball, and the swing."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ...core import Array, rotations
from ...core.motion import monotone_cubic, smoothstep
from .sample_curves import turned
from .sample_skeleton import head_of

ANKLE_HEIGHT = float(head_of("Foot.L")[2])
HEEL = np.array([0.0, 0.055, -ANKLE_HEIGHT])
"""Vector from the ankle to the heel's contact with the ground, in the flat foot, in meters."""
BALL = head_of("Toes.L") - head_of("Foot.L")
"""Vector in meters from the ankle to the toes' joint, about which the foot rolls when the heel rises."""

FOREVER = 1e3
"""Time in seconds beyond the ends of all motions, at which a foot that always stands came down or leaves."""


@dataclass(frozen=True)
class Foothold:
    """The place and time at which a foot stands.

    x, y: the ground below the ankle of the flat foot, in meters. heading: degrees to the left.
    down, flat, heel_off, off: seconds at which the foot touches, stands flat, lifts its heel, and leaves.
    strike, push: degrees by which the toes point up on touching (below zero: the ball comes first) and on leaving.
    lift: meters by which the ankle is raised further in the next swing.
    """

    x: float
    y: float
    heading: float
    down: float = -FOREVER
    flat: float = -FOREVER + 1.0
    heel_off: float = FOREVER - 1.0
    off: float = FOREVER
    strike: float = 0.0
    push: float = 0.0
    lift: float = 0.03


@dataclass(frozen=True, eq=False)
class FootTrack:
    """A foot over time.

    ankles, orientations: `(T, 3)` in meters, and `(T, 4)` relative to the rest pose. toes, headings: `(T,)` in degrees,
    the toes' bend upward and the foot's heading.
    """

    ankles: Array
    orientations: Array
    toes: Array
    headings: Array


def track(times: Array, footholds: Sequence[Foothold], raised: Array | float = 0.0) -> FootTrack:
    """Return a foot's track over its footholds, which are in order of time, at `times` `(T,)` in seconds.

    raised: degrees `(T,)` by which a standing foot's heel is raised in addition; zero whenever the foot steps.
    """
    keys = _pitch_keys(footholds)
    pitch = monotone_cubic(*keys, times) - raised
    ground = np.array([(foothold.x, foothold.y, foothold.heading) for foothold in footholds])
    downs = np.array([foothold.down for foothold in footholds])
    latest = ground[np.maximum(np.searchsorted(downs, times, side="right") - 1, 0)]
    ankles, headings = _standing(latest, pitch), latest[:, 2].copy()
    ends = _swing_ends(footholds, keys)
    for (lifted, landed), end in zip(pairwise(footholds), ends, strict=True):
        swinging = (times > lifted.off) & (times < landed.down)
        share = (times[swinging] - lifted.off) / (landed.down - lifted.off)
        headings[swinging] = lifted.heading + (landed.heading - lifted.heading) * smoothstep(share)
        ankles[swinging] = _swing(share, end, lifted.lift)
    return FootTrack(ankles, turned(headings, -pitch), _toes(times, footholds, pitch), headings)


def _pitch_keys(footholds: Sequence[Foothold]) -> tuple[Array, Array]:
    """Return ascending times `(N,)` and the degrees `(N,)` by which the toes point up at them."""
    keys = [key for foothold in footholds for key in _rolling(foothold)]
    for lifted, landed in pairwise(footholds):
        swing = landed.down - lifted.off
        # The foot points down for a moment longer, then hangs, and is raised well before it lands.
        keys += [(lifted.off + 0.12 * swing, 1.2 * lifted.push), (lifted.off + 0.8 * swing, 1.05 * landed.strike)]
    key_times, values = np.array(sorted(keys)).T
    return key_times, values


def _rolling(foothold: Foothold) -> tuple[tuple[float, float], ...]:
    """Return times and pitches of a standing foot, whose heel rises slowly at first."""
    late = foothold.heel_off + 0.6 * (foothold.off - foothold.heel_off)
    return (
        (foothold.down, foothold.strike),
        (foothold.flat, 0.0),
        (foothold.heel_off, 0.0),
        (late, 0.36 * foothold.push),
        (foothold.off, foothold.push),
    )


def _toes(times: Array, footholds: Sequence[Foothold], pitch: Array) -> Array:
    """Return degrees `(T,)` by which the toes bend up: the heel's angle on the ground, and relaxing in the air."""
    toes = np.maximum(-pitch, 0.0)
    for lifted, landed in pairwise(footholds):
        swing, leaving = landed.down - lifted.off, max(-lifted.push, 0.0)
        keys = lifted.off + swing * np.array([0.0, 0.12, 0.6, 0.85])
        bends = np.array([leaving, 1.2 * leaving, 0.0, max(-landed.strike, 0.0)])
        swinging = (times > lifted.off) & (times < landed.down)
        toes[swinging] = monotone_cubic(keys, bends, times[swinging])
    return toes


def _standing(ground: Array, pitch: Array) -> Array:
    """Return ankles `(T, 3)` of a foot that stands at x, y and heading `(T, 3)`; its toes point up by `pitch` `(T,)`.

    The foot rotates about the heel if its toes are up, and about the ball if its heel is up.
    """
    pivots = np.where((pitch >= 0)[:, None], HEEL, BALL)
    ankles = pivots - rotations.rotate(turned(0.0, -pitch), pivots)
    ankles = rotations.rotate(turned(ground[:, 2]), ankles)
    ankles[:, :2] += ground[:, :2]
    ankles[:, 2] += ANKLE_HEIGHT
    return np.asarray(ankles)


def _swing_ends(footholds: Sequence[Foothold], keys: tuple[Array, Array]) -> Array:
    """Return ankles at the start and end of each swing, then their velocities times its duration, `(swings, 4, 3)`."""
    instant = 1e-3
    swings = list(pairwise(footholds))
    moments = [moment for lifted, landed in swings for moment in ((lifted, lifted.off), (landed, landed.down))]
    times = np.array([time + shift for _, time in moments for shift in (-instant, 0.0, instant)])
    ground = np.array([(foothold.x, foothold.y, foothold.heading) for foothold, _ in moments]).reshape(-1, 3)
    ankles = _standing(np.repeat(ground, 3, axis=0), monotone_cubic(*keys, times)).reshape(-1, 2, 3, 3)
    lasting = np.array([landed.down - lifted.off for lifted, landed in swings])[:, None, None]
    moves = (ankles[:, :, 2] - ankles[:, :, 0]) / (2 * instant) * lasting
    return np.concatenate((ankles[:, :, 1], moves), axis=1)


def _swing(share: Array, ends: Array, lift: float) -> Array:
    """Return ankles `(T, 3)` in the air, between ends `(4, 3)` of `_swing_ends`, whose velocities they continue."""
    start, end, leaving, arriving = ends
    squared, cubed = share[:, None] ** 2, share[:, None] ** 3
    ankles = start + (3 * squared - 2 * cubed) * (end - start)
    ankles += leaving * (cubed - 2 * squared + share[:, None]) + arriving * (cubed - squared)
    # A bump of height `lift`, highest after a third of the time: the shin is raised before it swings forward.
    ankles[:, 2] += lift * 729 / 16 * share**2 * (1 - share) ** 4
    return np.asarray(ankles)
