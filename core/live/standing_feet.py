# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that stand in one place while motion is made frame by frame, with nothing known of the frames to come."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import asin, atan2, cos, hypot, sin, sqrt

import numpy as np
from numpy.typing import NDArray

from ..feet.foot_moves import HIGHEST_LIFT, LIFT
from ..motion.motion import Motion
from ..motion.rotations import SMALLEST_NORM
from .calm_legs import CalmFeet, CalmKnee
from .examples import LiveExamples
from .foot_heights import FootHeights, heights_at
from .inertia import Decay, calm_frames
from .single.legs import PosedLeg, bend_for, bend_leg, write_leg
from .single.rotations import add

Float64 = NDArray[np.float64]

FREE_EASE_SECONDS = 0.35
"""A foot that is let go comes back to where it is by itself over so long."""
STOP_SECONDS = 0.12
"""A foot that comes down stops in so long. In 0.25 it slid through half of its stance; in 0.08 knees jerk."""
SLIDE_ON = 0.5
"""It stops after this share of the way that it would go in that time at its speed: what slows down evenly does."""
STEP_SPEED = 2.5
"""Sizes a second at which a foot that is away from where it will stand steps there, beside that time."""
STEP_ACCELERATION = 30.0
"""Sizes a second squared by which it is slowed at most: a fast one takes longer, and is raised for ..."""
SLIDE_LIFTED = 0.4
"""... this share of the way that it would go meanwhile, beside that to where it stands: in the air nothing slides."""
LONGEST_MOVE = 0.2
"""A foot that its leg would leave so far behind, in sizes, is let go."""
LONGEST_LEG = 0.995
"""So is one that would stretch its leg beyond this share of its length."""
LONGER_FOR = 0.1
"""A foot takes twice as long for a way of so many sizes, and more."""
FOLDED = 0.5
"""A foot comes down where its leg would be folded to less than this share of its length, if it is not by itself; ..."""
MOST_FOLDED = 0.3
"""... and to less than this in any case: no knee bends by more than some 145 degrees."""
BEHIND = 4
"""Power of the share of that length by which a foot that is above its hip, and too near, stays there."""
FREE_SECONDS = 0.03
"""A foot that was let go is held no sooner than after so long."""
COMES_WITHIN = 0.05
"""A foot that comes down this near to the ground, in sizes, ..."""
COMES_AT = 1.0
"""... and slower than this, sizes a second, stops there; else it steps to where it will be by itself."""


@dataclass(frozen=True, eq=False)
class StandingFeet:
    """Feet as they are held: which are, where `(F, 3)`, and how that differs from what was shown before, dying out.

    calm: where they are, and where they were to be and were by themselves. knees: how those bend.
    """

    planted: NDArray[np.bool_]
    places: Float64
    ease: Decay
    heights: FootHeights
    calm: CalmFeet
    knees: tuple[CalmKnee, ...]


def feet_at_rest(examples: LiveExamples, pose: Motion) -> StandingFeet:
    """Return the feet of the first pose, none of them held."""
    legs = examples.legs.posed(pose)
    places = foot_places(examples, legs)
    count = len(places)
    long_ago = np.full(count, 1e6)
    ease = Decay(np.zeros((count, 3)), np.zeros((count, 3)), np.ones(count), long_ago)
    heights = FootHeights.at_rest(places @ examples.up)
    knees = tuple(CalmKnee.at_rest(leg.bend) for leg in legs)
    return StandingFeet(np.zeros(count, bool), places, ease, heights, CalmFeet.at_rest(places), knees)


def stand(
    examples: LiveExamples,
    feet: StandingFeet,
    pose: Motion,
    frame: float,
    since: float | None,
    settled: Callable[[], Motion],
) -> tuple[StandingFeet, Motion]:
    """Return the feet a frame later, and the pose with its legs bent so that they are there.

    frame: that it shows, between two maybe. since: the frame of a transition, where it was made in this step.
    settled: makes the pose without what is left of the last transition, where it will be when that is over.
    """
    if not examples.legs.legs:
        return feet, pose
    up = examples.up
    if since is not None:
        feet = replace(feet, heights=feet.heights.gone_over(examples, since, frame))
    legs = examples.legs.posed(pose)
    played = foot_places(examples, legs)
    feet = _decided(examples, feet, legs, played, frame, settled)
    ease = feet.ease.next()
    heights = feet.heights.next(examples, frame, ease)
    places = np.where(feet.planted[:, None], feet.places, played) + ease.now()
    goals = _unfolded(examples, legs, played, places + (heights.total - places @ up)[:, None] * up, FOLDED)
    near = _unfolded(examples, legs, played, feet.calm.toward(examples, goals, played), MOST_FOLDED)
    pose, there, knees = _brought(examples, feet, legs, near - played, pose)
    calm = feet.calm.next(goals, played, there)
    return replace(feet, ease=ease, heights=heights, calm=calm, knees=knees), pose


def _brought(
    examples: LiveExamples, feet: StandingFeet, legs: list[PosedLeg], moves: Float64, pose: Motion
) -> tuple[Motion, Float64, tuple[CalmKnee, ...]]:
    """Return the pose with its feet moved `(F, 3)` as far as knees do calmly, where they are, and the knees."""
    turns, found, knees = pose.rotations.copy(), [], []
    for leg, knee, (x, y, z) in zip(legs, feet.knees, moves.tolist(), strict=True):
        calm = knee.next(leg, bend_for(leg, (x, y, z)), examples.index.frames_per_second)
        there = bend_leg(leg, (x, y, z), calm.bend)
        if max(abs(x), abs(y), abs(z)) > 1e-5 * examples.skeleton.size or abs(there.added) > 1e-5:
            write_leg(turns[0], leg, there)
        found.append(there.foot)
        knees.append(calm)
    return replace(pose, rotations=turns), np.array(found), tuple(knees)


def foot_places(examples: LiveExamples, legs: list[PosedLeg]) -> Float64:
    """Return where `(F, 3)` the joints are that stand."""
    return np.array([leg.foot for leg in legs]).reshape(len(legs), 3)


def _unfolded(examples: LiveExamples, legs: list[PosedLeg], played: Float64, goals: Float64, folded: float) -> Float64:
    """Return goals `(F, 3)` of feet, farther from their hips where a leg would fold up too far: lower, or out the way
    that it points where it kicks above the hip.
    """
    found = goals.copy()
    for number, leg in enumerate(legs):
        reach, now = leg.reach, np.array(add(leg.thigh, leg.shin))
        target, length = now + goals[number] - played[number], max(float(np.linalg.norm(now)), SMALLEST_NORM)
        least = max(min(folded * reach, length), MOST_FOLDED * reach)
        if float(target @ target) < least * least:
            kicks = min(max(float(now @ examples.up) / (MOST_FOLDED * reach), 0.0), 1.0)
            # A leg that is folded up altogether, its foot beside its hip, kicks nowhere.
            kicks *= min(max(length / (MOST_FOLDED * reach) - 1.0, 0.0), 1.0)
            out = kicks / length * now - (1.0 - kicks) * examples.up
            found[number] += _pushed_out(target, out / max(float(np.linalg.norm(out)), SMALLEST_NORM), least) - target
    return found


def _pushed_out(target: Float64, out: Float64, radius: float) -> Float64:
    """Return a place `(3,)` within a ball about 0, moved to its surface along a direction; continuous with those beyond
    the ball, which are not moved: what lies behind the middle goes around less the nearer it is to the surface.
    """
    along = float(target @ out)
    aside = target - along * out
    width = float(np.linalg.norm(aside))
    if along >= 0.0 or width < SMALLEST_NORM:
        return np.asarray(aside + sqrt(max(radius * radius - width * width, 0.0)) * out)
    share = min(hypot(along, width) / radius, 1.0)
    angle = asin(share) + share**BEHIND * atan2(-along, width)
    return np.asarray(radius * (cos(angle) * out + sin(angle) / width * aside))


def _decided(
    examples: LiveExamples,
    feet: StandingFeet,
    legs: list[PosedLeg],
    played: Float64,
    frame: float,
    settled: Callable[[], Motion],
) -> StandingFeet:
    """Return the feet, those that come down held, and those let go that leave the ground or are left behind."""
    rate, since = examples.index.frames_per_second, np.asarray(feet.ease.since)
    # What is on its way to where it will stand may be farther from where its leg is by now.
    keeps = (since < feet.ease.frames) | ~_left_behind(examples, feet, legs, played)
    stands = np.where(feet.planted, keeps, since >= FREE_SECONDS * rate)
    switched = (stands & examples.contacts[round(frame)]) != feet.planted
    if not switched.any():
        return feet
    planted, size, speed = feet.planted ^ switched, examples.skeleton.size, feet.calm.change
    places = _places(examples, feet, switched & planted, frame, settled)
    now = np.where(planted[:, None], places, feet.calm.played)
    start, speed = feet.calm.places - now, speed - np.where(planted[:, None], 0.0, played - feet.calm.played)
    start, speed = (one - (one @ examples.up)[:, None] * examples.up for one in (start, speed))
    length, fast = np.linalg.norm(start, axis=1) / size, np.linalg.norm(speed, axis=1) / size
    longer = FREE_EASE_SECONDS * (1.0 + np.minimum(length / LONGER_FOR, 1.0))
    stops = np.maximum(
        rate * (STOP_SECONDS + length / STEP_SPEED), calm_frames(length, fast, STEP_ACCELERATION / rate**2)
    )
    frames = np.where(planted, stops, rate * longer)
    length = length + np.where(planted, SLIDE_LIFTED * fast * stops, 0.0)
    ease = feet.ease.begun_anew(switched, Decay(start, speed, frames, np.zeros(len(frames))))
    heights = feet.heights.raised(examples, switched, size * np.minimum(LIFT * length, HIGHEST_LIFT))
    return replace(feet, planted=planted, places=places, ease=ease, heights=heights)


def _places(
    examples: LiveExamples, feet: StandingFeet, comes: NDArray[np.bool_], frame: float, settled: Callable[[], Motion]
) -> Float64:
    """Return where `(F, 3)` feet stand, also those that come down: where they are, or, of one that is in full swing,
    where it will be.
    """
    up, size, rate = examples.up, examples.skeleton.size, examples.index.frames_per_second
    level = feet.calm.change.copy()
    level -= (level @ up)[:, None] * up
    high = feet.calm.places @ up - heights_at(examples, frame)
    swings = (high > COMES_WITHIN * size) | (np.linalg.norm(level, axis=1) * rate > COMES_AT * size)
    there = feet.calm.places + SLIDE_ON * STOP_SECONDS * rate * level
    if (comes & swings).any():
        there = np.where(swings[:, None], foot_places(examples, examples.legs.posed(settled())), there)
    return np.where(comes[:, None], there, feet.places)


def _left_behind(
    examples: LiveExamples, feet: StandingFeet, legs: list[PosedLeg], played: Float64
) -> NDArray[np.bool_]:
    """Return which feet `(F,)` are farther from where they would be than a leg should bend for, or than it is long."""
    away = played - feet.places
    away -= (away @ examples.up)[:, None] * examples.up
    stretch = []
    for leg, gap in zip(legs, away, strict=True):
        reach, now = leg.reach, np.array(add(leg.thigh, leg.shin))
        target = float(np.linalg.norm(now - gap))
        stretch.append(target > max(LONGEST_LEG * reach, float(np.linalg.norm(now))))
    return np.asarray((np.linalg.norm(away, axis=1) > LONGEST_MOVE * examples.skeleton.size) | np.array(stretch, bool))
