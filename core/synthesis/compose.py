# SPDX-License-Identifier: GPL-3.0-or-later
"""Composition of one motion on the skeleton from the segments of all parts, with the sources of its frames."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from ..arrays import Float64, Int64, Mask
from ..constraints.constraint import Composed, Span, Task, Walk
from ..examples.example_data import Examples
from ..examples.part_plans import PlanningData
from ..feet.leg_ik import calm_lengths, ik_weights_beside, lock_feet, move_together
from ..feet.locked_feet import LockedFeet
from ..feet.root_detours import detours_of_feet
from ..motion import rotations
from ..motion.channels import Channels, linear_owners, motion_of, root_track
from ..motion.motion import Motion
from ..motion.root_motion import RootTrack, apply_root
from ..planning.crossfades import Crossfades, cropped, plan_crossfades
from ..planning.segments import Segments, Surrounded
from ..planning.sources import PartSources, values_at
from . import foot_plan
from .braking import with_braking
from .crossfade import assemble
from .crossfaded_flights import lifts_in_flights
from .foot_plan import Steps
from .hand_contacts import with_hand_contacts
from .joints_beside_limbs import with_joints_at_limbs
from .result import Synthesis, WeightedSources
from .root_trajectory import walk
from .whole_rounds import is_seamless, without_seamless


@dataclass(frozen=True, eq=False)
class _Composition:
    """Segments and crossfades of each part, for all frames that are composed."""

    segments: list[Segments]
    crossfades: list[Crossfades]
    span: Span

    def of_result(self, part: int) -> tuple[Segments, Crossfades]:
        """Return the segments and crossfades of a part, from the result's first frame to its last."""
        first = self.span.margin
        return cropped(self.segments[part], self.crossfades[part], first, first + self.span.frames)


def compose(task: Task, segments: list[Segments]) -> Synthesis:
    """Return the motion of all parts' segments: channels are crossfaded, parts averaged, and the root placed."""
    prepared, examples, planning = task.prepared, task.prepared.examples, task.prepared.planning
    composition = _composition(task, segments)
    span = composition.span
    channels = blended = _blend_parts(examples, planning, composition.segments, composition.crossfades)
    for constraint in task.constraints:
        channels = constraint.displaced(task, channels, span)
    crossfaded = None
    changed = np.zeros(len(channels.linear), bool)
    changed[composition.crossfades[0].frames] = True
    if channels is not blended and len(segments) == 1:
        frames = composition.crossfades[0].frames
        changed |= _differ(channels, blended)
        crossfaded = replace(blended, orientations=blended.orientations[frames], linear=blended.linear[frames])
    del blended  # of a long result, as large as the motion
    steps = foot_plan.plan_steps(
        prepared.example_feet, planning, examples, composition.segments, composition.crossfades
    )
    if span.margin:
        steps = steps.repeated(span)
    locked, standing = None, standing_feet(task, span)
    if standing is not None:
        steps, locked = with_standing(steps, standing, by_themselves=prepared.settings.foot_locking)
    motion, walked, steps = _to_motion(task, composition, channels, steps)
    del channels  # as large, too
    posed = _posed_joints(task, span)
    if prepared.settings.foot_locking or locked is not None:
        motion = _with_feet(task, composition, motion, steps, walked, locked, posed)
    if len(segments) == 1:
        motion = with_hand_contacts(examples, motion, composition.crossfades[0], prepared.feet, crossfaded)
        motion = with_joints_at_limbs(examples, motion, changed, posed)
    composed = Composed(motion, sources_of_parts(segments))
    for constraint in task.constraints:
        composed = constraint.finished(task, composed, walked, span)
    # If no constraint replaced the motion, it belongs to this function alone and may be changed in place.
    continuous = rotations.make_continuous(composed.motion.rotations, in_place=composed.motion is motion)
    return Synthesis(
        motion=replace(composed.motion, rotations=continuous),
        **recorded_sources(examples, composed.sources),
        facing=examples.root.facing,
        root=motion.skeleton.names[examples.root.joint],
        loop=walked.closing,
        rise=np.asarray(walked.rise - walked.rise[0], np.float64) if np.any(walked.rise) else None,
        followed=composed.followed,
        notes=(
            *examples.notes,
            *(note for constraint in task.constraints for note in constraint.notes(task)),
            *walked.notes,
            *composed.notes,
        ),
    )


def _composition(task: Task, segments: list[Segments]) -> _Composition:
    examples, frames, span = task.prepared.examples, task.frames, Span(task.frames)
    pieces = []
    for part in segments:
        part.check(examples.bounds)
        around = Surrounded(part)
        for constraint in task.constraints:
            around = constraint.surrounded(task, around)
        planned = plan_crossfades(
            around.segments,
            examples.bounds,
            examples.channels,
            examples.speeds,
            examples.frames_per_second,
            is_seamless(around.segments, examples)[1:],
        )
        first, span = around.begin - around.margin, Span(frames, around.margin)
        pieces.append(cropped(around.segments, planned, first, first + frames + 2 * span.margin))
    return _Composition([part for part, _ in pieces], [crossfades for _, crossfades in pieces], span)


def _blend_parts(
    examples: Examples, planning: PlanningData, segments: list[Segments], crossfades: list[Crossfades]
) -> Channels:
    """Return the channels of all parts; joints in several parts get the mean of these."""
    of_parts = [assemble(examples, part, crossfade) for part, crossfade in zip(segments, crossfades, strict=True)]
    root_part = planning.root_part
    if len(of_parts) == 1:
        return of_parts[0]
    orientations, linear = of_parts[root_part].orientations.copy(), of_parts[root_part].linear.copy()
    owners = linear_owners(examples.motions[0], examples.root)
    for joint in range(orientations.shape[1]):
        members = [index for index, plan in enumerate(planning.parts) if joint in plan.part.joints]
        if joint in examples.root.anchored:
            members = [root_part]
        columns = np.flatnonzero(owners == joint)
        orientations[:, joint] = of_parts[members[0]].orientations[:, joint]
        linear[:, columns] = of_parts[members[0]].linear[:, columns]
        for count, index in enumerate(members[1:], start=2):
            share = np.full(len(orientations), 1.0 / count, np.float32)
            orientations[:, joint] = rotations.slerp(
                orientations[:, joint], of_parts[index].orientations[:, joint], share
            )
            linear[:, columns] += (of_parts[index].linear[:, columns] - linear[:, columns]) / count
    return Channels(orientations, linear, examples.channels.rates)


def _to_motion(task: Task, composition: _Composition, channels: Channels, steps: Steps) -> tuple[Motion, Walk, Steps]:
    """Return the channels as a motion, with the root on its trajectory, and the steps on it."""
    prepared, examples = task.prepared, task.prepared.examples
    plan = examples.root
    motion = motion_of(channels, examples.motions[0], plan)
    segments, crossfades = composition.of_result(prepared.planning.root_part)
    start = _beginning(examples, int(segments.source_frames()[0]))
    track = root_track(channels.linear, channels.orientations[:, plan.anchored], start, plan)
    if prepared.settings.foot_locking:
        track = foot_plan.root_from_feet(motion, examples, prepared.feet, track, steps)
        track, steps = with_braking(examples, prepared.example_feet, track, steps)
    walked = walk(task, track, composition.span, segments, crossfades)
    return apply_root(motion, plan, walked.track, in_place=True), walked, steps


def _differ(channels: Channels, others: Channels) -> Mask:
    """Return a mask `(T,)` of the frames at which channels differ."""
    turned = (channels.orientations != others.orientations).any(axis=(1, 2))
    return np.asarray(turned | (channels.linear != others.linear).any(axis=1))


def _posed_joints(task: Task, span: Span) -> Mask | None:
    """Return a mask `(F', J)` of joints whose poses constraints give; None for none."""
    posed = [constraint.posed_joints(span) for constraint in task.constraints]
    given = [joints for joints in posed if joints is not None]
    return np.logical_or.reduce(given) if given else None


def _with_feet(
    task: Task,
    composition: _Composition,
    motion: Motion,
    steps: Steps,
    walked: Walk,
    locked: LockedFeet | None,
    posed: Mask | None,
) -> Motion:
    """Return the motion with its feet locked, except where constraints fix the pose; posed: see `_posed_joints`."""
    prepared = task.prepared
    root, heights = prepared.root.joint, steps.heights + walked.rise[:, None]
    ik_weights = None
    if posed is not None:
        of_feet = prepared.example_feet.footing.knees.foot_acceleration
        lengths = calm_lengths(motion, prepared.feet, heights, of_feet)
        ik_weights = ik_weights_beside(posed, prepared.feet, root, prepared.frames_per_second, lengths)
    of_root = composition.segments[prepared.planning.root_part]
    transitions = without_seamless(of_root, prepared.examples).starts
    paces = [float(part.rates.max()) for part in composition.segments if part.rates is not None]
    footing = prepared.example_feet.footing.at_pace(max([1.0, *paces]))
    movements = steps.movements(walked.track.heading)
    if root in motion.translated:
        fixed_root = np.zeros(motion.frames, bool) if ik_weights is None else ik_weights.pelvis == 0.0
        crossfades = composition.crossfades[prepared.planning.root_part]
        in_air = np.asarray(~steps.contacts.any(axis=1))
        lifts = lifts_in_flights(motion, prepared.examples, crossfades, in_air, fixed_root, footing.body)
        motion = move_together(motion, prepared.root.anchored, lifts)
    if walked.closing is not None and walked.closing.closes:
        movements = foot_plan.closed_movements(movements, steps.contacts, composition.span)
    detours = None
    if walked.by_itself is not None:
        detours = detours_of_feet(motion, prepared.feet, walked.by_itself, walked.track)
    return lock_feet(
        motion,
        prepared.feet,
        steps.contacts,
        heights,
        transitions,
        root,
        ik_weights,
        footing.knees,
        movements,
        footing.longest_drift,
        footing.swing_heights(steps.crossfaded),
        locked,
        detours,
        in_place=True,
    )


def _beginning(examples: Examples, source: int) -> RootTrack:
    """Return a track whose first frame gives the place and heading at which the result begins.

    The heading is that of the example at this frame; the place is the examples' beginning, or, if they stay in place,
    the example's place.
    """
    which = int(examples.bounds.example_of(np.array(source)))
    first, track = source - int(examples.bounds.starts[which]), examples.tracks[which]
    place = (
        track.ground[first : first + 1] if examples.root.in_place else examples.tracks[examples.leading[0]].ground[:1]
    )
    return replace(track, heading=track.heading[first : first + 1], ground=place)


def standing_feet(task: Task, span: Span) -> NDArray[np.int8] | None:
    """Return, for each foot `(F', feet)`, 1 if constraints plant it, -1 if they release it, else 0; None if none do."""
    requested = [constraint.standing(task, span) for constraint in task.constraints]
    feet = [standing for standing in requested if standing is not None]
    return np.asarray(np.sum(feet, axis=0).clip(-1, 1), np.int8) if feet else None


def with_standing(steps: Steps, standing: NDArray[np.int8], *, by_themselves: bool) -> tuple[Steps, LockedFeet]:
    """Return the steps with feet planted or released as requested, and the feet that are locked.

    by_themselves: feet also stand at other frames, as in the examples; otherwise they stand only where they are locked.
    """
    locked, natural = standing > 0, steps.contacts
    elsewhere = natural if by_themselves else np.zeros_like(natural)
    contacts = np.asarray((elsewhere | locked) & ~(standing < 0))
    heights = steps.heights.copy()
    for foot in np.flatnonzero(locked.any(axis=0)).tolist():
        heights[:, foot] = _standing_heights(heights[:, foot], natural[:, foot], locked[:, foot])
    drifts = np.where(locked[..., None], 0.0, steps.drifts)
    shares = np.where(contacts, np.where(natural, steps.shares, 1.0), 0.0)
    changed = replace(steps, contacts=contacts, shares=shares, heights=heights, drifts=drifts)
    return changed, LockedFeet(locked, natural)


def _standing_heights(heights: Float64, natural: Mask, locked: Mask) -> Float64:
    """Return the heights `(F',)` of a foot; where it is locked in the air, those of its neighboring stances."""
    rows = np.flatnonzero(locked & ~natural)
    known: Sequence[int] | Int64 = np.flatnonzero(natural)
    result = heights.copy()
    result[rows] = np.interp(rows, known, heights[known]) if len(known) else heights.min()
    return result


class Recorded(TypedDict):
    """Fields of a Synthesis with the sources of its frames."""

    source_examples: Int64
    source_frames: Float64
    source_rates: Float64 | None
    weighted_sources: WeightedSources | None


def sources_of_parts(segments: list[Segments]) -> PartSources:
    """Return the sources of all parts' output frames; if a part has fewer than another, the others have weight 0."""
    if all(part.plain for part in segments):
        positions = np.stack([part.source_frames() for part in segments], axis=1)[..., None]
        ones = np.broadcast_to(1.0, positions.shape)
        return PartSources(positions, ones, ones)
    every = [part.weighted_sources() for part in segments]
    most = max(len(sources) for sources in every)
    columns = np.zeros((3, segments[0].frames, len(segments), most))
    for part, sources in enumerate(every):
        for number in range(most):
            source = sources[min(number, len(sources) - 1)]
            weights = source.weights if number < len(sources) else np.zeros(segments[0].frames)
            columns[:, :, part, number] = source.positions, source.rates, weights
    return PartSources(*columns)


def recorded_sources(examples: Examples, sources: PartSources) -> Recorded:
    """Return the sources in the frames of the examples as they were passed in."""
    positions, handed_in = sources.positions, np.concatenate(examples.positions)
    which = examples.bounds.example_of(np.floor(positions).astype(np.int64))
    rounds = examples.rounds[which]
    if positions.dtype.kind == "i":
        return Recorded(
            source_examples=which[..., 0],
            source_frames=handed_in[positions[..., 0]] % rounds[..., 0],
            source_rates=None,
            weighted_sources=None,
        )
    frames = np.asarray(values_at(handed_in, np.ravel(positions)), np.float64).reshape(positions.shape) % rounds
    heaviest = sources.weights.argmax(axis=2)[..., None]

    def of_heaviest(values: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.take_along_axis(values, heaviest, axis=2)[..., 0])

    several = positions.shape[2] > 1
    return Recorded(
        source_examples=of_heaviest(which),
        source_frames=of_heaviest(frames),
        source_rates=of_heaviest(sources.rates),
        weighted_sources=WeightedSources(which, frames, sources.weights) if several else None,
    )
