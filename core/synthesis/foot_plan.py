# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of a result: their contacts and heights, and the root's movement, which they guide across transitions.

If all feet changed sides at the transition, they could stop in the middle of a swing, leave the ground together, or
lift twice. In a crossfade each foot follows the later side from the frame at which the least of this happens.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, Float64, Int64, Mask
from ..constraints.constraint import Span
from ..examples.example_data import ExampleFeet, Examples
from ..examples.part_plans import PlanningData
from ..feet.contact_detection import NEAR_GROUND, Foot
from ..feet.fixed_stances import LEAST_DRIFT
from ..feet.footsteps import STEP_SECONDS
from ..motion import rotations
from ..motion.filters import smooth
from ..motion.ground_travel import WEIGHTY_SECONDS
from ..motion.motion import Motion, joint_path
from ..motion.root_motion import RootTrack, at_origin
from ..planning.crossfades import Crossfades
from ..planning.segments import Segments

LIFT_INTERVAL_SECONDS = 0.8
"""Shortest time, in seconds, from one lift of a foot to its next; a walk takes more than a second."""
SHORT_INTERVAL, LIFTS_TWICE = 4.0, 8.0
"""Penalties for each stance or swing shorter than a short step, and for each shorter interval between lifts, in frames
on the wrong side."""
LARGEST_LEAD = 0.5
"""Largest change of the root's speed by a foot, as a share of the examples' highest: nobody stops in a walk to step."""


@dataclass(frozen=True, eq=False)
class Sides:
    """Both sides of a crossfade of X frames.

    before, after: `(X, feet)` contacts. heights_before, heights_after: `(X, feet)`. weights: `(X,)` of the later side.
    earlier, later: `(C, feet)` contacts in the frames before and after the crossfade, in order of time.
    """

    before: Mask
    after: Mask
    heights_before: Float64
    heights_after: Float64
    weights: Float64
    earlier: Mask
    later: Mask


def plan_contacts(sides: Sides, others: Mask, rate: float, size: float) -> Mask:
    """Return the contacts `(X, feet)` in a crossfade; others: mask `(X,)` of frames in which another foot stands."""
    frames = len(sides.before)
    weights = sides.weights[:, None]
    is_after = np.arange(frames) >= np.arange(frames + 1)[:, None]
    middle = int(np.searchsorted(sides.weights, 0.5))
    planned = np.where(is_after[middle][:, None], sides.after, sides.before)
    differs = np.flatnonzero((sides.before != sides.after).any(axis=0))
    if not len(differs):
        return planned
    # A foot that is no longer near the ground counts as much as one that swings on one side only.
    rise = (sides.heights_after - sides.heights_before) / (NEAR_GROUND * size)
    # A foot planted on one side only is on the ground as far as the other side's swing allows.
    wrong_before = np.where(sides.after, 0.0, weights**2 + (weights * np.maximum(rise, 0.0)) ** 2)
    wrong_after = np.where(sides.before, 0.0, (1 - weights) ** 2 + ((1 - weights) * np.maximum(-rise, 0.0)) ** 2)
    in_before = np.where(sides.before, wrong_before, np.where(sides.after, weights**2, 0.0))
    in_after = np.where(sides.after, wrong_after, np.where(sides.before, (1 - weights) ** 2, 0.0))
    needed = (1 - sides.weights) * sides.before.any(axis=1) + sides.weights * sides.after.any(axis=1)
    options = {}
    for foot in differs:
        choices = np.where(is_after, sides.after[:, foot], sides.before[:, foot])
        costs = np.where(is_after, in_after[:, foot], in_before[:, foot]).sum(axis=1)
        around = [np.repeat(part[None, :, foot], frames + 1, axis=0) for part in (sides.earlier, sides.later)]
        options[foot] = choices, costs + _change_costs(np.concatenate((around[0], choices, around[1]), axis=1), rate)
    for foot, (choices, costs) in options.items():
        # Frames in which a foot other than this one stands.
        are_others_planted = others | (planned.sum(axis=1) > planned[:, foot])
        # A frame without a planted foot, if both sides have one, counts as much as one on the wrong side.
        nobody = ~choices @ np.where(are_others_planted, 0.0, needed)
        planned[:, foot] = choices[int(np.argmin(costs + nobody))]
    return planned


def with_steps(planned: Mask, sides: Sides, rate: float, size: float) -> Mask:
    """Return planned contacts `(X, feet)` of a climb with time for a step where a foot would change its height at once.

    Both sides of a crossfade may stand on different stairs.
    """
    early, late = (1 - sides.weights)[:, None] * sides.before, sides.weights[:, None] * sides.after
    heights = (early * sides.heights_before + late * sides.heights_after) / np.maximum(early + late, 1e-9)
    leaps = planned[1:] & planned[:-1] & (np.abs(np.diff(heights, axis=0)) > LEAST_DRIFT * size)
    stepping, half = planned.copy(), round(STEP_SECONDS * rate / 2)
    for frame, foot in np.argwhere(leaps).tolist():
        stepping[max(frame + 1 - half, 0) : frame + 1 + half, foot] = False
    return stepping


def _change_costs(contacts: Mask, rate: float) -> Float64:
    """Return the penalty `(N,)` for short stances or swings, and repeated lifts, in each row of contacts `(N, T)`."""
    steps = np.diff(contacts.astype(np.int8), axis=1)
    return SHORT_INTERVAL * _closer_than(steps != 0, STEP_SECONDS * rate) + LIFTS_TWICE * _closer_than(
        steps < 0, LIFT_INTERVAL_SECONDS * rate
    )


def _closer_than(events: Mask, frames: float) -> Float64:
    """Return for each row `(N,)` the number of pairs of events `(N, T)` that are less than `frames` frames apart."""
    counted = np.cumsum(events, axis=1)
    reach = max(int(np.ceil(frames)) - 1, 0)
    later = counted[:, np.minimum(np.arange(events.shape[1]) + reach, events.shape[1] - 1)]
    return np.asarray(np.sum(np.where(events, later - counted, 0), axis=1), np.float64)


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps of the feet of a result.

    contacts: `(F, feet)` frames at which each stands. shares: `(F, feet)` weights of standing: 1, or in a crossfade
    the weight of the sides that stand. heights: `(F, feet)` of each. crossfaded: `(F,)` frames at which the root is in
    a crossfade. drifts: `(F, feet, 3)` movement of each along the ground to the next frame while it stands, relative to
    the root.
    """

    contacts: Mask
    shares: Float64
    heights: Float64
    crossfaded: Mask
    drifts: Float64

    def repeated(self, span: Span) -> "Steps":
        """Return the steps with equal frames on both sides of a loop's seam, where frames are planned twice.

        If two plans differ, the one with more planned frames around it is used.
        """
        first = span.margin + span.margin // 2
        at = first + (np.arange(span.frames + 2 * span.margin) - first) % span.frames
        return Steps(self.contacts[at], self.shares[at], self.heights[at], self.crossfaded[at], self.drifts[at])

    def movements(self, headings: Array) -> Float64:
        """Return the movements `(F, feet, 3)` of feet by themselves, for a root with headings `(F, 4)`."""
        around = np.broadcast_to(headings[:-1, None].astype(np.float64), (*self.drifts[:-1].shape[:2], 4))
        steps = rotations.rotate(around, self.drifts[:-1])
        return np.asarray(np.concatenate((np.zeros_like(self.drifts[:1]), np.cumsum(steps, axis=0))))


def plan_steps(
    example_feet: ExampleFeet,
    planning: PlanningData,
    examples: Examples,
    segments: list[Segments],
    crossfades: list[Crossfades],
) -> Steps:
    """Return the feet's contacts and heights as in the examples; in a crossfade, they are planned for all of it."""
    frames, count = segments[0].frames, len(example_feet.feet)
    contacts, shares, heights = np.zeros((frames, count), bool), *np.zeros((2, frames, count))
    drifts, parts = np.zeros((frames, count, 3)), [planning.part_of(foot.joint) for foot in example_feet.feet]
    steps = Steps(contacts, shares, heights, np.zeros(frames, bool), drifts)
    for part in sorted(set(parts)):
        feet, part_segments = np.flatnonzero(np.array(parts) == part), segments[part]
        contacts[:, feet] = part_segments.of_examples(example_feet.contacts[:, feet].astype(np.float64)) >= 0.5
        heights[:, feet] = part_segments.of_examples(example_feet.heights[:, feet])
        passed = np.ones(frames) if part_segments.rates is None else part_segments.rates
        drifts[:, feet] = part_segments.of_examples(example_feet.footing.drifts[:, feet]) * passed[:, None, None]
    shares[:] = contacts
    for part in sorted(set(parts)):
        feet = np.flatnonzero(np.array(parts) == part)
        _plan_crossfades(example_feet, examples, crossfades[part], segments[part].rates, feet, steps)
    steps.crossfaded[crossfades[planning.root_part].frames] = True
    return steps


def _plan_crossfades(
    example_feet: ExampleFeet,
    examples: Examples,
    crossfades: Crossfades,
    rates: Array | None,
    feet: Int64,
    steps: Steps,
) -> None:
    """Plan the feet of one part in its crossfades, and write them into the steps; rates: see Segments."""
    if not len(crossfades.frames):
        return
    rate, size = examples.frames_per_second, examples.skeleton.size
    around = round(LIFT_INTERVAL_SECONDS * rate)
    stood = crossfades.of_examples(example_feet.contacts[:, feet].astype(np.float64))
    high = crossfades.of_examples(example_feet.heights[:, feet])
    drifted = crossfades.of_examples(example_feet.footing.drifts[:, feet])
    moved = [side[:, None] for side in crossfades.of_examples(example_feet.footing.grounds)]
    edges = np.flatnonzero(np.diff(crossfades.weights) < 0) + 1
    other_feet = np.setdiff1d(np.arange(len(example_feet.feet)), feet)
    weights, place = crossfades.weights.astype(np.float64), (crossfades.frames[:, None], feet)
    before, after = (side >= 0.5 for side in stood)
    low, top = (side.astype(np.float64) for side in high)
    for first, end in itertools.pairwise([0, *edges.tolist(), len(crossfades.frames)]):
        rows, at = slice(first, end), crossfades.frames[first:end]
        earlier = steps.contacts[max(at[0] - around, 0) : at[0], feet]
        later = steps.contacts[at[-1] + 1 : at[-1] + 1 + around, feet]
        others = np.asarray(steps.contacts[at][:, other_feet].any(axis=1))
        sides = Sides(before[rows], after[rows], low[rows], top[rows], weights[rows], earlier, later)
        contacts = plan_contacts(sides, others, rate, size)
        steps.contacts[at[:, None], feet] = (
            with_steps(contacts, sides, rate, size) if examples.root.climbs else contacts
        )
    planned = steps.contacts[place]
    early, late = (1 - weights)[:, None] * before, weights[:, None] * after
    share = early + late
    by_stance = planned & (share > 0)
    # A planted foot has the height of the side on which it stands.
    most = (early * low + late * top) / np.maximum(share, 1e-9)
    low, top = (np.where(by_stance, np.minimum(side, most), side) for side in (low, top))
    steps.heights[place] = (1 - weights)[:, None] * low + weights[:, None] * top
    early, late = (
        np.where(by_stance, early, (1 - weights)[:, None]),
        np.where(by_stance, late, weights[:, None]),
    )
    drift = early[..., None] * (drifted[0] - moved[0]) + late[..., None] * (drifted[1] - moved[1])
    # All feet stand on one ground.
    ground = (1 - weights)[:, None, None] * moved[0] + weights[:, None, None] * moved[1]
    passed = np.ones(len(weights)) if rates is None else rates[crossfades.frames]
    steps.drifts[place] = (drift / (early + late)[..., None] + ground) * passed[:, None, None]
    steps.shares[place] = np.where(planned, share, 0.0)


def closed_movements(movements: Float64, contacts: Mask, span: Span) -> Float64:
    """Return the movements `(F', feet, 3)` in a loop, with feet that never lift brought back after each round.

    Otherwise each round would begin at another place, and the foot would jump there. The movement of a round is
    subtracted evenly. contacts: `(F', feet)` frames at which each stands.
    """
    first, end = span.margin, span.margin + span.frames
    stays = np.asarray(contacts[first:end].all(axis=0))
    share = (np.arange(len(movements)) - first)[:, None, None] / span.frames
    return np.asarray(movements - share * np.where(stays[:, None], movements[end] - movements[first], 0.0))


def root_from_feet(
    motion: Motion, examples: Examples, feet: Sequence[Foot], track: RootTrack, steps: Steps
) -> RootTrack:
    """Return the track with the root moved, during crossfades, so that a standing foot keeps its place.

    If the velocities of two segments were averaged, the foot would slide.
    """
    frames = np.flatnonzero(steps.crossfaded[:-1] & steps.crossfaded[1:])
    if not len(frames) or not feet:
        return track
    total, count = np.zeros((len(frames), 3)), np.zeros(len(frames))
    up, walked = np.array(motion.skeleton.up), track.velocity.astype(np.float64)
    turns = rotations.from_axis_angle(up, track.yaw_rate[frames].astype(np.float64))
    # Most of these frames are consecutive, so each is posed only once.
    posed_frames = np.union1d(frames, frames + 1)
    body, offset = track.body[posed_frames], track.offset[posed_frames]
    posed = at_origin(motion.take(posed_frames), examples.root, body, offset)
    here = np.searchsorted(posed_frames, frames)
    for index, foot in enumerate(feet):
        path = joint_path(posed, foot.joint)
        now, later = path[here], path[here + 1]
        needed = now - rotations.rotate(turns, later) - walked[frames]
        stands = np.minimum(steps.shares[frames, index], steps.shares[frames + 1, index])
        total += stands[:, None] * needed
        count += stands
    lead = np.zeros_like(walked)
    lead[frames] = total / np.maximum(count, 1.0)[:, None]
    lead -= (lead @ up)[:, None] * up
    lead = _at_most(lead, LARGEST_LEAD * examples.highest_root_speed)
    velocity = walked + smooth(lead, WEIGHTY_SECONDS, motion.frames_per_second)
    limit = np.maximum(examples.highest_root_speed, rotations.lengths(walked))
    return replace(track, velocity=_at_most(velocity, limit).astype(np.float32))


def _at_most(vectors: Float64, longest: Array | float) -> Float64:
    """Return vectors `(T, 3)`, shortened where they exceed a length."""
    lengths = rotations.lengths(vectors)
    return np.asarray(vectors * np.minimum(1.0, longest / np.maximum(lengths, 1e-12))[:, None])
