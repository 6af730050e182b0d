# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet planted while motion is made frame by frame, without knowledge of the frames to come."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import asin, atan2, cos, hypot, sin, sqrt

import numpy as np

from ..arrays import Float64, Mask
from ..feet.contact_detection import NEAR_GROUND
from ..feet.footsteps import HIGHEST_LIFT, step_heights
from ..motion.motion import Motion
from ..motion.rotations import SMALLEST_NORM
from .examples import LEAST_ACCELERATION, LiveExamples
from .inertia import Decay, braking, calm_frames
from .single.legs import PosedLeg, bend_for, bend_leg, near_bend, write_leg
from .single.rotations import add

RETURN_SECONDS = 0.35
"""Time, in seconds, in which a released foot returns to its place in the example, and every foot to the example's
height after a transition, or sooner if it would sink."""
NO_CROSSING = 2.5
"""Largest speed at which a decaying difference never crosses 0, in multiples of the difference over its decay time."""


@dataclass(frozen=True, eq=False)
class FootHeights:
    """Heights `(F,)` of feet in the example, and their height above it in the last step, each with its change.

    rise: what remains of the last transition. lift: height by which a foot is raised while it steps instead of slides.
    """

    played: Float64
    played_change: Float64
    above: Float64
    above_change: Float64
    rise: Decay
    lift: Float64

    @classmethod
    def at_rest(cls, heights: Float64) -> "FootHeights":
        """Return the heights of feet that are as high as in their example."""
        zero, full = np.zeros(len(heights)), np.ones(len(heights))
        return cls(heights, zero, zero, zero, Decay(zero, zero, full, full), zero)

    def after_transition(self, examples: LiveExamples, before: float, frame: float) -> "FootHeights":
        """Return the heights after a transition to `before`, shown at `frame`, without a jump of height or speed."""
        played = heights_at(examples, before)
        above = self.above + self.played - played
        change = self.above_change + self.played_change - (heights_at(examples, frame) - played)
        rise = dying_out(above, change, RETURN_SECONDS * examples.index.frames_per_second)
        return FootHeights(played, self.played_change, above, change, rise, np.zeros(len(played)))

    def raised(self, examples: LiveExamples, begun: Mask, lift: Float64) -> "FootHeights":
        """Return the heights with some feet raised for a new movement; what remains of the one before decays."""
        rise = dying_out(self.above, self.above_change, RETURN_SECONDS * examples.index.frames_per_second)
        return replace(self, rise=self.rise.replaced_where(begun, rise), lift=np.where(begun, lift, self.lift))

    def next(self, examples: LiveExamples, frame: float, ease: Decay) -> "FootHeights":
        """Return the heights one step later, at a frame; ease: the movements during which feet are raised."""
        played, rise = heights_at(examples, frame), self.rise.next()
        share = np.minimum(np.asarray(ease.since) / ease.frames, 1.0)
        # 0 at both ends of a movement, and for a foot that is as high in its example.
        low = np.clip(1.0 - (played - examples.ground) / (HIGHEST_LIFT * examples.skeleton.size), 0.0, 1.0)
        above = rise.now() + low * self.lift * (4.0 * share * (1.0 - share)) ** 2
        return FootHeights(played, played - self.played, above, above - self.above, rise, self.lift)

    @property
    def total(self) -> Float64:
        """Return the heights `(F,)` of the feet."""
        return self.played + self.above


def dying_out(above: Float64, change: Float64, frames: float) -> Decay:
    """Return the decay of heights `(F,)` above an example's, with their change, in at most `frames` frames.

    No foot above the example's sinks below it, and none below it sinks farther.
    """
    height, change = np.maximum(above, 0.0), np.where(above > 0.0, change, np.maximum(change, 0.0))
    soonest = NO_CROSSING * height / np.maximum(-change, 1e-9)
    within = np.where(change < 0.0, np.clip(soonest, 1.0, frames), frames)
    return Decay(above, np.maximum(change, -NO_CROSSING * height / within), within, np.zeros(len(above)))


def heights_at(examples: LiveExamples, frame: float) -> Float64:
    """Return the height `(F,)` of each foot at a fractional frame."""
    before = int(frame)
    share, after = frame - before, min(before + 1, len(examples.heights) - 1)
    return np.asarray((1 - share) * examples.heights[before] + share * examples.heights[after], np.float64)


KNEE_ACCELERATION = 150.0
"""Largest angular acceleration of a knee's bend, in radians per second squared, in addition to that of its example."""
MISS = 0.06
"""Largest distance of a foot from its place while its knee is calmed, as a share of the leg's length."""


@dataclass(frozen=True)
class CalmKnee:
    """Bend of a knee in radians, its last change and goal; played, played_change: those of its example."""

    bend: float
    change: float
    goal: float
    played: float
    played_change: float

    @classmethod
    def at_rest(cls, bend: float) -> "CalmKnee":
        """Return a knee at rest, bent as in its example."""
        return cls(bend, 0.0, bend, bend, 0.0)

    def next(self, leg: PosedLeg, goal: float, rate: float) -> "CalmKnee":
        """Return the knee one step later, on its way to a goal."""
        played, change = leg.bend, leg.bend - self.played
        most = KNEE_ACCELERATION / rate**2 + abs(change - self.played_change)
        to = goal - self.goal - _approach(self.bend - self.goal, most)
        # A leg that stretches brakes before it is straight.
        to = max(to, min(-float(braking(max(self.bend, 0.0), most)), change))
        speed = self.change + min(max(to - self.change, -most), most)
        # No knee bends backward unless it does in its example.
        bend = max(near_bend(leg, goal, self.bend + speed, MISS), min(played, 0.0))
        return CalmKnee(bend, bend - self.bend, goal, played, change)


def _approach(gap: float, most: float) -> float:
    """Return the amount by which a gap closes in a step, such that it can brake in time."""
    size = min(float(braking(abs(gap), most)), abs(gap))
    return size if gap > 0.0 else -size


STOP_SECONDS = 0.12
"""Time, in seconds, in which a foot that comes down stops. In 0.25 s it slid through half of its stance; in 0.08 s
knees jerk."""
SLIDE_ON = 0.5
"""Distance in which a foot stops, as a share of what it would cover in that time at its speed: uniform deceleration. It
is raised for this distance and that to its place as in a step: in the air, sliding is not seen."""
LONGEST_MOVE = 0.2
"""Largest distance of a planted foot from its place in the example, in sizes; beyond it the foot is released."""
LONGER_FOR = 0.1
"""Distance, in sizes, from which a released foot takes twice as long to return."""
MOST_FOLDED = 0.3
"""Smallest distance of a foot from its hip, as a share of the leg's length: a bend of about 145 degrees."""
FAR_SIDE_POWER = 4
"""Power that says which feet, too near to their hips, go around them to the side on which legs hang: those on the far
side, as above the hip, keep this power of their distance, relative to the smallest allowed one, as a share of their
angle behind the hip. At the smallest distance they stay, for the goal must not jump there. With a larger power a foot
turns around the hip as soon as it is a little nearer; with a smaller one, feet close to the hip stay on the far side.
Set so that a foot kicked above its hip stays up."""


@dataclass(frozen=True, eq=False)
class StandingFeet:
    """Planted feet, their places `(F, 3)`, and the decaying differences from the places shown before.

    heights: of all feet. reached: `(F, 3)` places of all feet, and change: of these in the last step. played: `(F, 3)`
    their places in the example. knees: their bends.
    """

    planted: Mask
    places: Float64
    ease: Decay
    heights: FootHeights
    reached: Float64
    change: Float64
    played: Float64
    knees: tuple[CalmKnee, ...]


def feet_at_rest(examples: LiveExamples, pose: Motion) -> StandingFeet:
    """Return the feet of the first pose, none of them planted."""
    legs = examples.legs.posed(pose)
    places = foot_places(examples, legs)
    count = len(places)
    long_ago = np.full(count, 1e6)
    ease = Decay(np.zeros((count, 3)), np.zeros((count, 3)), np.ones(count), long_ago)
    heights = FootHeights.at_rest(places @ examples.up)
    knees = tuple(CalmKnee.at_rest(leg.bend) for leg in legs)
    return StandingFeet(np.zeros(count, bool), places, ease, heights, places, np.zeros((count, 3)), places, knees)


def stand(
    examples: LiveExamples,
    feet: StandingFeet,
    pose: Motion,
    frame: float,
    since: float | None,
    settled: Callable[[], Motion],
) -> tuple[StandingFeet, Motion]:
    """Return the feet one frame later, and the pose with its legs bent to reach their places.

    frame: the frame that the pose shows, which may be fractional. since: the frame before a transition made in this
    step; None without one. settled: makes the pose without the remaining differences of the last transition, at its
    final place.
    """
    if not examples.legs.legs:
        return feet, pose
    up = examples.up
    if since is not None:
        feet = replace(feet, heights=feet.heights.after_transition(examples, since, frame))
    legs = examples.legs.posed(pose)
    played = foot_places(examples, legs)
    feet = _decided(examples, feet, legs, played, frame, settled)
    ease = feet.ease.next()
    heights = feet.heights.next(examples, frame, ease)
    places = np.where(feet.planted[:, None], feet.places, played) + ease.now()
    goals = _unfolded(examples, legs, played, places + (heights.total - places @ up)[:, None] * up)
    pose, reached, knees = _brought(examples, feet, legs, goals - played, pose)
    change = reached - feet.reached
    feet = replace(feet, ease=ease, heights=heights, reached=reached, change=change, played=played, knees=knees)
    return feet, pose


def _brought(
    examples: LiveExamples, feet: StandingFeet, legs: list[PosedLeg], moves: Float64, pose: Motion
) -> tuple[Motion, Float64, tuple[CalmKnee, ...]]:
    """Return the pose with its feet moved `(F, 3)` as far as knees bend calmly, the feet's places, and the knees."""
    turns, reached, knees = pose.rotations.copy(), [], []
    for leg, knee, (x, y, z) in zip(legs, feet.knees, moves.tolist(), strict=True):
        calm = knee.next(leg, bend_for(leg, (x, y, z)), examples.index.frames_per_second)
        leg_turns = bend_leg(leg, (x, y, z), calm.bend)
        if max(abs(x), abs(y), abs(z)) > 1e-5 * examples.skeleton.size or abs(leg_turns.added) > 1e-5:
            write_leg(turns[0], leg, leg_turns)
        reached.append(leg_turns.foot)
        knees.append(calm)
    return replace(pose, rotations=turns), np.array(reached), tuple(knees)


def foot_places(examples: LiveExamples, legs: list[PosedLeg]) -> Float64:
    """Return the places `(F, 3)` of the joints that stand."""
    return np.array([leg.foot for leg in legs]).reshape(len(legs), 3)


def _unfolded(examples: LiveExamples, legs: list[PosedLeg], played: Float64, goals: Float64) -> Float64:
    """Return goals `(F, 3)` of feet, moved away from hips at which legs would fold up.

    They are moved downward, or in the direction of the leg if it kicks above the hip.
    """
    unfolded = goals.copy()
    for number, leg in enumerate(legs):
        least, now = MOST_FOLDED * leg.reach, np.array(add(leg.thigh, leg.shin))
        target, length = now + goals[number] - played[number], max(float(np.linalg.norm(now)), SMALLEST_NORM)
        if float(target @ target) < least * least:
            kicks = min(max(float(now @ examples.up) / least, 0.0), 1.0)
            # A leg that is fully folded, with its foot at its hip, has no direction to kick.
            kicks *= min(max(length / least - 1.0, 0.0), 1.0)
            out = kicks / length * now - (1.0 - kicks) * examples.up
            unfolded[number] += (
                _pushed_out(target, out / max(float(np.linalg.norm(out)), SMALLEST_NORM), least) - target
            )
    return unfolded


def _pushed_out(target: Float64, out: Float64, radius: float) -> Float64:
    """Return a place `(3,)` within a ball about 0, moved to its surface along a direction.

    The move is continuous with places beyond the ball, which stay: a place behind the middle moves around it less the
    nearer it is to the surface.
    """
    along = float(target @ out)
    aside = target - along * out
    width = float(np.linalg.norm(aside))
    if along >= 0.0 or width < SMALLEST_NORM:
        return np.asarray(aside + sqrt(max(radius * radius - width * width, 0.0)) * out)
    share = min(hypot(along, width) / radius, 1.0)
    angle = asin(share) + share**FAR_SIDE_POWER * atan2(-along, width)
    return np.asarray(radius * (cos(angle) * out + sin(angle) / width * aside))


def _decided(
    examples: LiveExamples,
    feet: StandingFeet,
    legs: list[PosedLeg],
    played: Float64,
    frame: float,
    settled: Callable[[], Motion],
) -> StandingFeet:
    """Return the feet after planting those that come down and releasing those that rise or are left behind."""
    rate, since = examples.index.frames_per_second, np.asarray(feet.ease.since)
    # A foot on its way to its place may be farther away from the leg's present place.
    keeps = (since < feet.ease.frames) | ~_left_behind(examples, feet, legs, played)
    switched = ((keeps | ~feet.planted) & examples.contacts[round(frame)]) != feet.planted
    if not switched.any():
        return feet
    planted, size, speed = feet.planted ^ switched, examples.skeleton.size, feet.change
    places = _places(examples, feet, switched & planted, frame, settled)
    now = np.where(planted[:, None], places, feet.played)
    start, speed = feet.reached - now, speed - np.where(planted[:, None], 0.0, played - feet.played)
    start, speed = (vectors - (vectors @ examples.up)[:, None] * examples.up for vectors in (start, speed))
    length, fast = np.linalg.norm(start, axis=1) / size, np.linalg.norm(speed, axis=1) / size
    longer = RETURN_SECONDS * (1.0 + np.minimum(length / LONGER_FOR, 1.0))
    stops = np.maximum(rate * STOP_SECONDS, calm_frames(length, fast, LEAST_ACCELERATION / rate**2))
    frames = np.where(planted, stops, rate * longer)
    length = length + np.where(planted, SLIDE_ON * fast * stops, 0.0)
    ease = feet.ease.replaced_where(switched, Decay(start, speed, frames, np.zeros(len(frames))))
    heights = feet.heights.raised(examples, switched, step_heights(size * length, size))
    return replace(feet, planted=planted, places=places, ease=ease, heights=heights)


def _places(
    examples: LiveExamples, feet: StandingFeet, comes: Mask, frame: float, settled: Callable[[], Motion]
) -> Float64:
    """Return the places `(F, 3)` of standing feet; comes: those that come down now.

    Such a foot stands where it is, or, high above its example, at its place after the transition.
    """
    up, rate = examples.up, examples.index.frames_per_second
    level = feet.change - (feet.change @ up)[:, None] * up
    swings = feet.reached @ up - heights_at(examples, frame) > NEAR_GROUND * examples.skeleton.size
    places = feet.reached + SLIDE_ON * STOP_SECONDS * rate * level
    if (comes & swings).any():
        places = np.where(swings[:, None], foot_places(examples, examples.legs.posed(settled())), places)
    return np.where(comes[:, None], places, feet.places)


def _left_behind(examples: LiveExamples, feet: StandingFeet, legs: list[PosedLeg], played: Float64) -> Mask:
    """Return a mask `(F,)` of feet that are too far from their places in the example, or beyond the leg's length."""
    away = played - feet.places
    away -= (away @ examples.up)[:, None] * examples.up
    stretch = []
    for leg, gap in zip(legs, away, strict=True):
        now = np.array(add(leg.thigh, leg.shin))
        stretch.append(float(np.linalg.norm(now - gap)) > max(leg.reach, float(np.linalg.norm(now))))
    return np.asarray((np.linalg.norm(away, axis=1) > LONGEST_MOVE * examples.skeleton.size) | np.array(stretch, bool))
