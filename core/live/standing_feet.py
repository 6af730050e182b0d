# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that stand in one place while motion is made frame by frame, with nothing known of the frames to come."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..feet.foot_moves import HIGHEST_LIFT, LIFT
from ..motion.motion import Motion
from .examples import LiveExamples
from .foot_heights import FootHeights, heights_at
from .inertia import Decay
from .single_legs import PosedLeg, bend_for, bend_leg, write_leg
from .single_rotations import add

Float64 = NDArray[np.float64]

FREE_EASE_SECONDS = 0.35
"""A foot that is let go comes back to where it is by itself over so long."""
STOP_SECONDS = 0.12
"""A foot that comes down stops in so long. In 0.25 it slid through half of its stance; in 0.08 knees jerk."""
SLIDE_ON = 0.2
"""It stops after this share of the way that it would go in that time at its speed."""
STEP_SPEED = 2.5
"""Sizes a second at which a foot that is away from where it will stand steps there, beside that time."""
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
FREE_SECONDS = 0.03
"""A foot that was let go is held no sooner than after so long."""
COMES_WITHIN = 0.05
"""A foot that comes down this near to the ground, in sizes, ..."""
COMES_AT = 1.0
"""... and slower than this, sizes a second, stops there; else it steps to where it will be by itself."""


@dataclass(frozen=True, eq=False)
class StandingFeet:
    """Feet as they are held: which are, where `(F, 3)`, and how that differs from what was shown before, dying out.

    displayed, before, played: `(F, 3)` where each was last, the frame before that, and where it was last by itself.
    """

    planted: NDArray[np.bool_]
    places: Float64
    ease: Decay
    heights: FootHeights
    displayed: Float64
    before: Float64
    played: Float64


def feet_at_rest(examples: LiveExamples, pose: Motion) -> StandingFeet:
    """Return the feet of the first pose, none of them held."""
    places = foot_places(examples, examples.legs.posed(pose))
    count = len(places)
    long_ago = np.full(count, 1e6)
    ease = Decay(np.zeros((count, 3)), np.zeros((count, 3)), np.ones(count), long_ago)
    heights = FootHeights.at_rest(places @ examples.up)
    return StandingFeet(np.zeros(count, bool), places, ease, heights, places, places, places)


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
    up, size = examples.up, examples.skeleton.size
    if since is not None:
        feet = replace(feet, heights=feet.heights.gone_over(examples, since, frame))
    legs = examples.legs.posed(pose)
    played = foot_places(examples, legs)
    feet = _decided(examples, feet, legs, played, frame, settled)
    ease = feet.ease.next()
    heights = feet.heights.next(examples, frame, ease)
    places = np.where(feet.planted[:, None], feet.places, played) + ease.now()
    goals = _unfolded(examples, legs, played, places + (heights.total - places @ up)[:, None] * up)
    turns = pose.rotations.copy()
    for number, leg in enumerate(legs):
        move = (goals[number] - played[number]).tolist()
        if max(map(abs, move)) > 1e-5 * size:
            write_leg(turns[0], leg, bend_leg(leg, move, bend_for(leg, move)))
    pose = replace(pose, rotations=turns)
    return replace(feet, ease=ease, heights=heights, displayed=goals, before=feet.displayed, played=played), pose


def foot_places(examples: LiveExamples, legs: list[PosedLeg]) -> Float64:
    """Return where `(F, 3)` the joints are that stand."""
    return np.array([leg.foot for leg in legs]).reshape(len(legs), 3)


def _unfolded(examples: LiveExamples, legs: list[PosedLeg], played: Float64, goals: Float64) -> Float64:
    """Return goals `(F, 3)` of feet, lower where a leg would fold up too far."""
    up, found = examples.up, goals.copy()
    for number, leg in enumerate(legs):
        reach, now = leg.reach, np.array(add(leg.thigh, leg.shin))
        target = now + goals[number] - played[number]
        height = float(target @ up)
        level = target - height * up
        least = max(min(FOLDED * reach, float(np.linalg.norm(now))), MOST_FOLDED * reach)
        highest = -np.sqrt(max(least**2 - float(level @ level), 0.0))
        if float(level @ level) < least**2 and height > highest:
            found[number] += (highest - height) * up
    return found


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
    planted, size, speed = feet.planted ^ switched, examples.skeleton.size, feet.displayed - feet.before
    places = _places(examples, feet, switched & planted, frame, settled)
    now = np.where(planted[:, None], places, feet.played)
    start, speed = feet.displayed - now, speed - np.where(planted[:, None], 0.0, played - feet.played)
    start, speed = (one - (one @ examples.up)[:, None] * examples.up for one in (start, speed))
    length = np.linalg.norm(start, axis=1) / size
    longer = FREE_EASE_SECONDS * (1.0 + np.minimum(length / LONGER_FOR, 1.0))
    frames = rate * np.where(planted, STOP_SECONDS + length / STEP_SPEED, longer)
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
    level = feet.displayed - feet.before
    level -= (level @ up)[:, None] * up
    high = feet.displayed @ up - heights_at(examples, frame)
    swings = (high > COMES_WITHIN * size) | (np.linalg.norm(level, axis=1) * rate > COMES_AT * size)
    there = feet.displayed + SLIDE_ON * STOP_SECONDS * rate * level
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
