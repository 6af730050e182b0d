# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of the sample motions: planned footholds that never slide, rolled over heel and ball, and the swing between."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..core import rotations
from .sample_curves import hermite, monotone_through, turned
from .sample_skeleton import head_of

Array = NDArray[np.floating]

ANKLE_HEIGHT = float(head_of("Foot.L")[2])
HEEL = np.array([0.0, 0.055, -ANKLE_HEIGHT])
"""From the ankle to where the heel meets the ground, in the flat foot."""
BALL = head_of("Toes.L") - head_of("Foot.L")
"""From the ankle to the joint of the toes, about which the foot rolls when the heel rises."""

FOREVER = 1e3
"""Seconds beyond any of the motions: when a foot that stands from the start came down."""


@dataclass(frozen=True)
class Foothold:
    """Where and when a foot stands.

    x, y: the ground below the ankle of the flat foot, in meters; heading: degrees, to the left.
    down, flat, heel_off, off: seconds at which the foot touches, stands flat, lifts its heel, and leaves.
    strike, push: degrees by which the toes point up on touching (below zero: the ball comes first) and on leaving.
    lift: meters by which the ankle is raised further in the swing that follows.
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
    """A foot over time: ankle positions `(T, 3)`, orientations `(T, 4)` against the rest pose, and in degrees `(T,)`
    how far the toes bend up and where the foot heads."""

    ankles: Array
    orientations: Array
    toes: Array
    headings: Array


def track(times: Array, footholds: Sequence[Foothold], raised: Array | float = 0.0) -> FootTrack:
    """The way of a foot over its footholds, which follow one another in time.

    raised: degrees `(T,)` by which a standing foot's heel comes up besides; zero whenever the foot steps.
    """
    pitch = _pitch(times, footholds) - raised
    headings = np.full(len(times), footholds[0].heading)
    ankles = _standing(footholds[0], pitch)
    for here, there in pairwise(footholds):
        swinging = (times > here.off) & (times < there.down)
        share = (times[swinging] - here.off) / (there.down - here.off)
        headings[swinging] = here.heading + (there.heading - here.heading) * share**2 * (3 - 2 * share)
        ankles[swinging] = _swing(share, here, there, footholds)
        after = times >= there.down
        headings[after] = there.heading
        ankles[after] = _standing(there, pitch[after])
    return FootTrack(ankles, turned(headings, -pitch), _toes(times, footholds, pitch), headings)


def _pitch(times: Array, footholds: Sequence[Foothold]) -> Array:
    """Degrees `(T,)` by which the toes point up."""
    keys = [key for foothold in footholds for key in _rolling(foothold)]
    for here, there in pairwise(footholds):
        swing = there.down - here.off
        # The foot goes on pointing for a moment, then hangs, and is cocked well before it lands.
        keys += [(here.off + 0.12 * swing, 1.2 * here.push), (here.off + 0.8 * swing, 1.05 * there.strike)]
    key_times, values = np.array(sorted(keys)).T
    return monotone_through(times, key_times, values)


def _rolling(foothold: Foothold) -> tuple[tuple[float, float], ...]:
    """Times and pitches of a standing foot; the heel rises slowly at first."""
    late = foothold.heel_off + 0.6 * (foothold.off - foothold.heel_off)
    return (
        (foothold.down, foothold.strike),
        (foothold.flat, 0.0),
        (foothold.heel_off, 0.0),
        (late, 0.36 * foothold.push),
        (foothold.off, foothold.push),
    )


def _toes(times: Array, footholds: Sequence[Foothold], pitch: Array) -> Array:
    """Degrees `(T,)` by which the toes bend up: on the ground as much as the heel is raised, in the air relaxing."""
    toes = np.maximum(-pitch, 0.0)
    for here, there in pairwise(footholds):
        swing, leaving = there.down - here.off, max(-here.push, 0.0)
        keys = here.off + swing * np.array([0.0, 0.12, 0.6, 0.85])
        bends = np.array([leaving, 1.2 * leaving, 0.0, max(-there.strike, 0.0)])
        swinging = (times > here.off) & (times < there.down)
        toes[swinging] = monotone_through(times[swinging], keys, bends)
    return toes


def _standing(foothold: Foothold, pitch: Array) -> Array:
    """Ankles `(T, 3)` of a standing foot: it turns about the heel with its toes up, about the ball with its heel up."""
    pivots = np.where((pitch >= 0)[:, None], HEEL, BALL)
    ankles = pivots - rotations.rotate(turned(0.0, -pitch), pivots)
    ankles = rotations.rotate(turned(foothold.heading), ankles)
    return np.asarray(ankles + np.array([foothold.x, foothold.y, ANKLE_HEIGHT]))


def _swing(share: Array, here: Foothold, there: Foothold, footholds: Sequence[Foothold]) -> Array:
    """Ankles `(T, 3)` in the air, leaving and arriving at the speed of the rolling foot."""
    swing, instant = there.down - here.off, 1e-3
    ends = []
    for foothold, time in ((here, here.off), (there, there.down)):
        around = np.array([time - instant, time, time + instant])
        ends.append(_standing(foothold, _pitch(around, footholds)))
    leaving, arriving = ((end[2] - end[0]) / (2 * instant) * swing for end in ends)
    ankles = hermite(share[:, None], ends[0][1], ends[1][1], leaving, arriving)
    # A bump of height `lift`, highest after a third of the way: the shin is pulled up before it swings through.
    ankles[:, 2] += here.lift * 729 / 16 * share**2 * (1 - share) ** 4
    return ankles
