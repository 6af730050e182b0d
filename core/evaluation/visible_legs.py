# SPDX-License-Identifier: GPL-3.0-or-later
"""Visible flaws of legs: popping knees, feet that stop abruptly, slide or are dragged, and floating bodies."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ..arrays import Float64, Int64, Mask
from ..feet.calm_paths import NOTICED, accelerations
from ..feet.contact_detection import Foot, label_contacts
from ..feet.fixed_stances import LEAST_DRIFT
from ..feet.footing import Footing
from ..feet.footsteps import STEP_SECONDS
from ..feet.leg_ik import UNSEEN
from ..feet.two_bone_ik import knee_of
from ..motion.bvh.numbers import DEFAULT_RATE
from ..motion.motion import Motion, joint_path
from ..motion.spans import spans
from .metrics import skate_speeds

SUDDEN, SLIDING = 1.4, 1.6
"""Multiples of the worst in the examples from which a flaw is visible: for accelerations of knees and feet, and for
sliding feet. NOTICED is that for the distance that a foot is dragged, and for the time without a planted foot. In 95 of
100 other takes of the same movement by the same actor the worst is no more than 1.4, 1.6, and 0.9 times that of a first
take (25 kinds of walks, turns, runs and gestures of the Bandai Namco data set, up to five takes each)."""
LEAST_SLIDE = 10.0
"""Slowest visible slide, in cm/s at a body height of 170 cm."""
ONE_FLAW_SECONDS = 1 / 3
"""Shortest time, in seconds, between reported flaws of a kind; of nearer ones the most visible is reported."""
MOST_NAMED = 50
"""Largest number of reported flaws of a kind; the most visible are reported."""


class LegFlawKind(Enum):
    """The kinds of flaws of legs.

    >>> LegFlawKind("KNEE").name
    'KNEE'
    """

    KNEE = "KNEE"
    """A knee accelerates more than any knee in the examples."""
    STOP = "STOP"
    """A foot stops, or starts to swing, more suddenly than any in the examples."""
    SLIDE = "SLIDE"
    """A foot near the ground slides faster than any in the examples."""
    DRAG = "DRAG"
    """A foot moves farther along the ground in one stance than any in the examples."""
    AIR = "AIR"
    """No foot stands, for longer than in the examples."""


@dataclass(frozen=True)
class LegFlaw:
    """A flaw that may be visible: its kind, and the frame, from 0, at which it is worst.

    >>> LegFlaw(LegFlawKind.KNEE, 112).frame
    112
    """

    kind: LegFlawKind
    frame: int


@dataclass(frozen=True, eq=False)
class StandingLegs:
    """Legs in all N frames of the examples.

    feet: the joints that stand. contacts: `(N, feet)`. heights: `(N, feet)` of the feet. base: `(feet,)` their heights
    on the ground. footing: movement of feet and knees. starts: `(E,)` the first frame of each example.

    >>> known = prepared.example_feet
    >>> base = np.zeros(len(known.feet))
    >>> legs = StandingLegs(known.feet, known.contacts, known.heights, base, known.footing, prepared.bounds.starts)
    >>> len(legs.contacts) == prepared.motions[0].frames
    True
    """

    feet: Sequence[Foot]
    contacts: Mask
    heights: Float64
    base: Float64
    footing: Footing
    starts: Int64


def leg_flaws(result: Motion, legs: StandingLegs) -> tuple[LegFlaw, ...]:
    """Return the visible flaws of a result's legs, ascending by frame; legs: of the examples, at the same rate.

    Movements that the examples have are not flaws.

    >>> known = prepared.example_feet
    >>> base = np.zeros(len(known.feet))
    >>> legs = StandingLegs(known.feet, known.contacts, known.heights, base, known.footing, prepared.bounds.starts)
    >>> leg_flaws(prepared.motions[0], legs)
    ()
    """
    if not legs.feet:
        return ()
    flaws = [
        LegFlaw(kind, frame)
        for kind, shares in leg_shares(result, legs).items()
        for frame in _worst(shares, round(ONE_FLAW_SECONDS * result.frames_per_second))
    ]
    return tuple(sorted(flaws, key=lambda flaw: (flaw.frame, flaw.kind.value)))


def leg_shares(result: Motion, legs: StandingLegs) -> dict[LegFlawKind, Float64]:
    """Return for each kind of flaw its measure in each frame `(T,)`, as a multiple of the limit: above 1 is a flaw."""
    rate, size, up = result.frames_per_second, result.skeleton.size, np.array(result.skeleton.up)
    knees = [knee_of(result, foot) for foot in legs.feet if foot.has_leg]
    places = np.stack([joint_path(result, foot.joint) for foot in legs.feet], axis=1)
    contacts = label_contacts(result, legs.feet, legs.base, treadmill=True)
    slides = _around(skate_speeds(places, result, legs.base, size), rate)
    at_rest = UNSEEN * size * (DEFAULT_RATE / rate) ** 2
    bending, steps = legs.footing.knees.quickest, float(legs.footing.knees.foot_acceleration.max())
    level = places - (places @ up)[..., None] * up
    # Beyond the longest in the examples, no foot stands visibly from the duration of a short step on.
    flying = _longest(_flies(legs.contacts), legs.starts) + STEP_SECONDS * rate
    return {
        LegFlawKind.KNEE: _largest([accelerations(joint_path(result, knee)) for knee in knees], len(places))
        / (SUDDEN * max(bending, at_rest)),
        LegFlawKind.STOP: _largest([accelerations(path) for path in places.swapaxes(0, 1)], len(places))
        / (SUDDEN * max(steps, at_rest)),
        LegFlawKind.SLIDE: np.pad(slides, (len(places) - len(slides), 0))
        / (SLIDING * max(_fastest_slide(legs, size, rate), LEAST_SLIDE)),
        LegFlawKind.DRAG: _distances(level, contacts) / (NOTICED * max(legs.footing.longest_drift, LEAST_DRIFT * size)),
        LegFlawKind.AIR: _airs(contacts) / (NOTICED * flying),
    }


def _largest(values: Sequence[Float64], frames: int) -> Float64:
    """Return the largest `(T,)` of several values in each frame; 0 if there are none."""
    return np.max(values, axis=0) if len(values) else np.zeros(frames)


def _fastest_slide(legs: StandingLegs, size: float, rate: float) -> float:
    """Return the fastest slide of a foot in the examples, in cm/s."""
    centimeters = 170.0 / size
    speeds = np.linalg.norm(legs.footing.drifts, axis=2) * centimeters * rate
    # At the end of an example its feet do not move.
    low = np.clip((np.roll(legs.heights, -1, axis=0) - legs.base) * centimeters, 0.0, 2.5)
    every = np.split(speeds * (2.0 - 2.0 ** (low / 2.5)), legs.starts[1:])
    return max(float(_around(example[:-1], rate).max(initial=0.0)) for example in every)


def _around(speeds: Float64, rate: float) -> Float64:
    """Return the mean over STEP_SECONDS `(T,)` of speeds `(T, feet)`, for the fastest foot at each frame."""
    length = max(1, round(STEP_SECONDS * rate))
    if len(speeds) < length:
        return np.zeros(len(speeds))
    sums = np.concatenate((np.zeros((1, speeds.shape[1])), np.cumsum(speeds, axis=0)))
    means = ((sums[length:] - sums[:-length]) / length).max(axis=1)
    before = (len(speeds) - len(means)) // 2
    return np.pad(means, (before, len(speeds) - len(means) - before))


def _distances(level: Float64, contacts: Mask) -> Float64:
    """Return values `(T,)`: at each stance's middle the distance, in units, that its foot moves in it; else 0."""
    distances = np.zeros(len(level))
    for foot, stands in enumerate(contacts.T):
        for first, end in spans(stands):
            middle = (first + end) // 2
            moved = float(np.linalg.norm(level[end - 1, foot] - level[first, foot]))
            distances[middle] = max(distances[middle], moved)
    return distances


def _airs(contacts: Mask) -> Float64:
    """Return values `(T,)`: at the middle of each stretch without a standing foot its number of frames; else 0."""
    durations = np.zeros(len(contacts))
    for first, end in spans(_flies(contacts)):
        durations[(first + end) // 2] = end - first
    return durations


def _flies(contacts: Mask) -> Mask:
    """Return a mask `(T,)` of the frames in which no foot stands."""
    return np.asarray(~np.any(contacts, axis=1), bool)


def _longest(flies: Mask, starts: Int64) -> int:
    """Return the number of frames of the longest stretch in the air within one example; flies: `(N,)`."""
    examples = np.split(flies, starts[1:])
    return max((end - first for example in examples for first, end in spans(example)), default=0)


def _worst(shares: Float64, near: int) -> list[int]:
    """Return the frames whose shares `(T,)` are above 1, the largest first, and more than `near` frames apart."""
    kept: list[int] = []
    beyond = np.flatnonzero(shares > 1.0)
    for frame in beyond[np.argsort(-shares[beyond], kind="stable")].tolist():
        if len(kept) < MOST_NAMED and all(abs(frame - other) > near for other in kept):
            kept.append(frame)
    return kept
