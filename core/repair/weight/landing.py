# SPDX-License-Identifier: GPL-3.0-or-later
"""Landings on stiff legs, and their repair: the body goes on downward after touchdown, and its legs slow it.

Legs that stop a fall of a height h within a distance d carry 1 + h / d times the weight on average.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Float64
from ...evaluation.body.center import center_of_mass
from ...evaluation.body.flights import LEAST_HEIGHT, Flight, find_flights, frames_in_air
from ...feet.calm_paths import NOTICED, accelerations
from ...feet.contact_detection import foot_heights
from ...feet.planting import Standing
from ...feet.two_bone_ik import BEND_SECONDS, pose_leg
from ...motion.motion import Motion
from ...motion.spans import spans
from .bodies import ROUNDS, BodyOnGround, carried_along, eased_ends, with_feet_kept

HARDEST = 3.0
"""Largest mean force of legs that stop a fall, beyond the weight and as a multiple of it: two of 579 recorded landings
of runs and jumps exceed it visibly. Peaks of runs and low jumps are 0.3 to 1.6 (Ricard and Veatch 1994)."""


@dataclass(frozen=True)
class Landing:
    """A landing. touchdown: the last frame in the air; speed: downward at it, in units per second; delay: seconds from
    it until the feet stand.

    lost: height of a fall that gives the energy lost until at most half of the speed remains. give: how far the legs
    shorten in this time. Both are in units of length. force: of the legs on average, as a multiple of the weight.
    """

    touchdown: int
    speed: float
    delay: float
    lost: float
    give: float
    force: float

    def is_stiff(self, size: float) -> bool:
        """Return True if legs would have to give visibly more to carry no more than they can."""
        return self.lost / HARDEST - self.give > LEAST_HEIGHT * size


def stiff_landings(motion: Motion, body: BodyOnGround) -> list[tuple[int, int, tuple[int, ...], float]]:
    """Return the frame before each stiff landing and the last one that its repair may change, all joints, and the mean
    force as a multiple of the weight.
    """
    size = motion.skeleton.size
    landings = [landing for landing in _landings(motion, body, body.flights) if landing.is_stiff(size)]
    if not landings:
        return []
    rate, lengths = motion.frames_per_second, _lengths(motion, body, body.heights(motion))
    starts = [start for start, _ in spans(frames_in_air(motion, body.standing))] + [motion.frames]
    joints, stiff = tuple(range(len(motion.skeleton.names))), []
    for landing in landings:
        lasts = int(np.ceil((landing.delay + _seconds(landing, lengths[landing.touchdown], body.gravity)) * rate))
        next_start = next(start for start in starts if start > landing.touchdown)
        last = min(landing.touchdown + lasts, next_start - 1)
        stiff.append((landing.touchdown, last, joints, landing.force))
    return stiff


def with_give(motion: Motion, body: BodyOnGround, span: tuple[int, int], strength: float) -> Motion:
    """Return the motion whose legs give after the first stiff landing in a span, first and last frame; feet stay.

    They give less where knees would accelerate noticeably more than before. The motion itself is returned if there is
    no such landing, or if its legs would not carry less.
    """
    first, last = span
    flights = find_flights(motion, center_of_mass(motion, body.model), body.standing)
    inside = tuple(flight for flight in flights if first <= flight.last < last)
    landings = [landing for landing in _landings(motion, body, inside) if landing.is_stiff(motion.skeleton.size)]
    if not landings:
        return motion
    landing = landings[0]
    part = motion.slice(landing.touchdown, last + 1)
    before = body.heights(part)
    seconds = _seconds(landing, _lengths(part, body, before)[0], body.gravity)
    lift = _aim(before, landing, seconds, motion.frames_per_second) - before
    mended = _with_calm_knees(
        motion,
        body.standing,
        slice(max(landing.touchdown - 2, 0), last + 3),
        strength,
        lambda share: motion.with_frames(np.arange(landing.touchdown, last + 1), _lifted(part, body, share * lift)),
    )
    flight = next(flight for flight in inside if flight.last == landing.touchdown)
    after = _landings(mended, body, (flight,))
    return mended if after and after[0].force < landing.force else motion


def _lifted(part: Motion, body: BodyOnGround, lift: Float64) -> Motion:
    """Return a part of a motion with its center of mass lifted by `(T,)`, and its feet in place."""
    up, frames, rate = np.array(part.skeleton.up), part.frames, part.frames_per_second
    still, goal = np.zeros((frames, len(body.standing.feet), 3)), body.heights(part) + lift
    # A bend is smoothed within the part only, or knees would jump at its ends.
    weights = eased_ends(frames, (True, True), round(2 * BEND_SECONDS * rate))
    # The knees of a landing bend quickly; smoothing them would move the feet.
    knees = body.standing.knees
    standing = replace(body.standing, knees=replace(knees, acceleration=np.full_like(knees.acceleration, np.inf)))
    made = part
    for _ in range(ROUNDS):
        made = carried_along(part, standing, lift[:, None] * up, np.zeros((frames, 3)))
        made = with_feet_kept(part, made, standing, still, weights)
        lift = lift + goal - body.heights(made)
    return made


def _with_calm_knees(
    motion: Motion, standing: Standing, near: slice, strength: float, made_with: Callable[[float], Motion]
) -> Motion:
    """Return a motion made with a strength, or a smaller one at which knees are calm in the frames `near` it.

    They accelerate no more than is noticed beside the quickest knee, before or in the examples. The motion itself is
    returned if no strength is found.
    """
    before = _knee_accelerations(motion.slice(near.start, near.stop), standing)
    limit = NOTICED * max(standing.knees.quickest, float(before.max(initial=0.0)))
    for _ in range(2 * ROUNDS):
        made = made_with(strength)
        after = _knee_accelerations(made.slice(near.start, near.stop), standing)
        quick = after > limit
        if not quick.any():
            return made
        # Of a knee on the straight line between two places, the acceleration is at most in proportion.
        strength *= float(((limit - before) / np.maximum(after - before, 1e-12))[quick].min())
    return motion


def _knee_accelerations(motion: Motion, standing: Standing) -> Float64:
    """Return the accelerations `(legs, T)` of knees, in units per frame squared."""
    legs = [pose_leg(motion, foot) for foot in standing.feet if foot.has_leg]
    return np.array([accelerations(leg.positions[:, leg.knee]) for leg in legs]).reshape(len(legs), motion.frames)


def _landings(motion: Motion, body: BodyOnGround, flights: tuple[Flight, ...]) -> list[Landing]:
    """Return the landings after flights of a motion that goes on until they have lost half of their speed."""
    if not flights:
        return []
    heights, rate = body.heights(motion), motion.frames_per_second
    lengths = _lengths(motion, body, heights)
    landings = [_landing(flight, heights, lengths, body.gravity, rate) for flight in flights]
    return [landing for landing in landings if landing is not None]


def _lengths(motion: Motion, body: BodyOnGround, heights: Float64) -> Float64:
    """Return how far the center of mass `(T,)` at some heights is above the lowest foot, in units of length."""
    return np.asarray(heights - foot_heights(motion, body.standing.feet).min(axis=1))


def _landing(flight: Flight, heights: Float64, lengths: Float64, gravity: float, rate: float) -> Landing | None:
    """Return the landing after a flight; None if the motion ends before it loses half of its speed.

    heights, lengths: `(T,)` of the center of mass above the ground, and above the lowest foot.
    """
    first, touchdown = flight.first, flight.last
    seconds = (touchdown - first) / rate
    speed = flight.gravity * seconds / 2 - (heights[touchdown] - heights[first]) / seconds
    after = -np.diff(heights[touchdown + 1 :]) * rate
    slower = np.flatnonzero(after < speed / 2)
    if speed <= 0.0 or not len(slower):
        return None
    stop = int(slower[0])
    fallen = float(heights[touchdown] - heights[touchdown + 1 + stop])
    lost = float(speed**2 - max(after[stop], 0.0) ** 2) / (2 * gravity)
    give = float(lengths[touchdown : touchdown + 2].max() - lengths[touchdown + 1 + stop])
    # A stop from one frame to the next takes half of the way between them.
    force = 1.0 + lost / max(give, float(speed) / rate / 2)
    return Landing(touchdown, float(speed), max(fallen - give, 0.0) / float(speed), lost, give, force)


def _seconds(landing: Landing, length: float, gravity: float) -> float:
    """Return the time from touchdown to the end of the rise after a landing of medium hardness.

    Legs give by no more than a third of the length from the center of mass to the feet.
    """
    depth = min(landing.speed**2 / (2 * gravity) / np.sqrt(HARDEST), length / 3)
    # A cubic that begins with the speed, and ends level, is lowest at a third of its time.
    return float(27 / 4 * depth / landing.speed)


def _aim(heights: Float64, landing: Landing, seconds: float, rate: float) -> Float64:
    """Return the heights `(T,)` of the center of mass from touchdown on: a cubic from its speed to the motion after."""
    time = np.arange(len(heights)) / rate - landing.delay
    stop = 1 + int(np.flatnonzero(np.append(np.diff(heights[1:]) * -rate < landing.speed / 2, True))[0])
    onto = np.where(np.arange(len(heights)) < stop, heights[stop], heights)
    seconds = min(seconds, float(time[-1]))
    if seconds <= 0.0:
        return heights
    share = np.minimum(time / seconds, 1.0)
    cubic = (1.0 - share) ** 2 * (max(landing.give, 0.0) * (1.0 + 2.0 * share) - landing.speed * seconds * share)
    return np.asarray(np.where(time > 0.0, onto + cubic, heights))
