# SPDX-License-Identifier: GPL-3.0-or-later
"""Feet of a result: their contacts and heights, and the root's movement, which they guide across transitions."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, Float64, Int64, Mask
from ..constraints.constraint import Span
from ..examples.example_data import ExampleFeet, Examples
from ..examples.part_plans import PlanningData
from ..feet.contact_detection import Foot
from ..feet.contact_plan import LIFT_INTERVAL_SECONDS, Sides, plan_contacts, with_steps
from ..motion import rotations
from ..motion.filters import smooth
from ..motion.ground_travel import WEIGHTY_SECONDS
from ..motion.motion import Motion, joint_path
from ..motion.root_motion import RootTrack, at_origin
from ..planning.crossfades import Crossfades
from ..planning.segments import Segments

LARGEST_LEAD = 0.5
"""Largest change of the root's speed by a foot, as a share of the examples' highest: nobody stops in a walk to step."""


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
