# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet that stand in one place while motion is made frame by frame, with nothing known of the frames to come."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..feet.foot_moves import HIGHEST_LIFT, LIFT
from ..feet.two_bone_ik import Leg, solve_leg, turn_leg
from ..motion.motion import Motion
from .examples import LiveExamples
from .inertia import Decay

Float64 = NDArray[np.float64]

FREE_EASE_SECONDS = 0.35
"""A foot that is let go comes back to where it is by itself over so long."""
STOP_SECONDS = 0.12
"""A foot that comes down stops in so long. In 0.25 it slid through half of its stance; in 0.08 knees jerk."""
SLIDE_ON = 0.2
"""It stops after this share of the way that it would go in that time at its speed."""
LONGEST_MOVE = 0.2
"""A foot that its leg would leave so far behind, in sizes, is let go."""
LONGEST_LEG = 0.995
"""So is one that would stretch its leg beyond this share of its length."""
LONGER_FOR = 0.1
"""A foot takes twice as long for a way of so many sizes, and more."""
FREE_SECONDS = 0.03
"""A foot that was let go is held no sooner than after so long, ..."""
COMES_WITHIN = 0.05
"""... this near to the ground, in sizes, ..."""
COMES_AT = 1.0
"""... and slower than this, sizes a second."""


@dataclass(frozen=True, eq=False)
class StandingFeet:
    """Feet as they are held: which are, where `(F, 3)`, and how that differs from what was shown before, dying out.

    lift: `(F,)` how high each is raised on its way to where it is by itself, a step in place of a slide.
    displayed, before, played: `(F, 3)` where each was last, the frame before that, and where it was last by itself.
    """

    planted: NDArray[np.bool_]
    places: Float64
    ease: Decay
    lift: Float64
    displayed: Float64
    before: Float64
    played: Float64


def feet_at_rest(examples: LiveExamples, pose: Motion) -> StandingFeet:
    """Return the feet of the first pose, none of them held."""
    places = foot_places(examples, legs_of(examples, pose))
    count = len(places)
    long_ago = np.full(count, 1e6)
    ease = Decay(np.zeros((count, 3)), np.zeros((count, 3)), np.ones(count), long_ago)
    return StandingFeet(np.zeros(count, bool), places, ease, np.zeros(count), places, places, places)


def stand(examples: LiveExamples, feet: StandingFeet, pose: Motion, frame: int) -> tuple[StandingFeet, Motion]:
    """Return the feet a frame later, and the pose with its legs bent so that they are there; frame: that it shows."""
    if not examples.legs:
        return feet, pose
    up, size = examples.up, examples.skeleton.size
    legs = legs_of(examples, pose)
    played = foot_places(examples, legs)
    feet = _decided(examples, feet, legs, played, frame)
    ease = feet.ease.next()
    places = np.where(feet.planted[:, None], feet.places, played)
    # A foot that is held keeps its example's height, at which it may roll.
    rise = np.where(feet.planted, examples.heights[frame] - places @ up, 0.0)
    goals = places + (rise + _lifted(examples, feet.lift, ease, played @ up))[:, None] * up + ease.now()
    for number, leg in enumerate(legs):
        move = (goals[number] - played[number])[None]
        if np.abs(move).max() > 1e-5 * size:
            pose = turn_leg(pose, leg, solve_leg(leg, move, examples.hinges[number], pose.frames_per_second, size))
    return replace(feet, ease=ease, displayed=goals, before=feet.displayed, played=played), pose


def legs_of(examples: LiveExamples, pose: Motion) -> list[Leg]:
    """Return the legs as they are in a pose."""
    if not examples.legs:
        return []
    matrices, positions = pose.pose()
    return [
        replace(
            leg, matrices=matrices[:, leg.chain].astype(np.float64), positions=positions[:, leg.chain].astype(float)
        )
        for leg in examples.legs
    ]


def foot_places(examples: LiveExamples, legs: list[Leg]) -> Float64:
    """Return where `(F, 3)` the joints are that stand."""
    return np.array([leg.positions[0, -1] for leg in legs]).reshape(len(legs), 3)


def _decided(examples: LiveExamples, feet: StandingFeet, legs: list[Leg], played: Float64, frame: int) -> StandingFeet:
    """Return the feet, those that come down held, and those let go that leave the ground or are left behind."""
    up, size, rate = examples.up, examples.skeleton.size, examples.index.frames_per_second
    speed, lowest = feet.displayed - feet.before, examples.heights[frame]
    level = speed - (speed @ up)[:, None] * up
    comes = (feet.displayed @ up - lowest < COMES_WITHIN * size) & (
        np.linalg.norm(level, axis=1) * rate < COMES_AT * size
    )
    settled = np.asarray(feet.ease.since) >= FREE_SECONDS * rate
    stands = np.where(feet.planted, ~_left_behind(examples, feet, legs, played), comes & settled)
    switched = (stands & examples.contacts[frame]) != feet.planted
    if not switched.any():
        return feet
    planted = feet.planted ^ switched
    stop = feet.displayed + SLIDE_ON * STOP_SECONDS * rate * level
    places = np.where((switched & planted)[:, None], stop, feet.places)
    now = np.where(planted[:, None], places, feet.played)
    now = now + np.where(planted, lowest - now @ up, 0.0)[:, None] * up
    start, start_speed = feet.displayed - now, speed - np.where(planted[:, None], 0.0, played - feet.played)
    length = np.linalg.norm(start - (start @ up)[:, None] * up, axis=1)
    lift = np.where(planted, 0.0, np.minimum(LIFT * length, HIGHEST_LIFT * size))
    longer = 1.0 + np.minimum(np.linalg.norm(start, axis=1) / (LONGER_FOR * size), 1.0)
    ease = Decay(
        np.where(switched[:, None], start, feet.ease.start),
        np.where(switched[:, None], start_speed, feet.ease.speed),
        np.where(switched, rate * np.where(planted, STOP_SECONDS, longer * FREE_EASE_SECONDS), feet.ease.frames),
        np.where(switched, 0.0, feet.ease.since),
    )
    return replace(feet, planted=planted, places=places, ease=ease, lift=np.where(switched, lift, feet.lift))


def _lifted(examples: LiveExamples, lift: Float64, ease: Decay, heights: Float64) -> Float64:
    """Return how much higher `(F,)` feet are on their way than by themselves: nothing at both of its ends, and where a
    foot is as high by itself. heights: `(F,)` of the feet by themselves.
    """
    share = np.minimum(np.asarray(ease.since) / ease.frames, 1.0)
    low = np.clip(1.0 - (heights - examples.ground) / (HIGHEST_LIFT * examples.skeleton.size), 0.0, 1.0)
    return np.asarray(low * lift * (4.0 * share * (1.0 - share)) ** 2)


def _left_behind(examples: LiveExamples, feet: StandingFeet, legs: list[Leg], played: Float64) -> NDArray[np.bool_]:
    """Return which feet `(F,)` are farther from where they would be than a leg should bend for, or than it is long."""
    away = played - feet.places
    away -= (away @ examples.up)[:, None] * examples.up
    stretch = []
    for leg, gap in zip(legs, away, strict=True):
        reach, (thigh, shin) = float(leg.reach[0]), leg.bones
        now = thigh[0] + shin[0]
        target = float(np.linalg.norm(now - gap))
        stretch.append(target > max(LONGEST_LEG * reach, float(np.linalg.norm(now))))
    return np.asarray((np.linalg.norm(away, axis=1) > LONGEST_MOVE * examples.skeleton.size) | np.array(stretch, bool))
