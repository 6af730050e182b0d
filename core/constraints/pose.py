# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses that a result meets exactly: pins, pinned ranges, a given part (paper, section 5)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..arrays import Float64, Int64, Mask, Rows
from ..errors import InputError, counted, listed
from ..examples.example_data import Examples, channels_of
from ..examples.memory.estimates import PAIR_BYTES, PLACED_BYTES, ConstraintBytes
from ..examples.part_plans import PartPlan
from ..examples.preparing import Prepared
from ..examples.transition_costs import movement_unit
from ..features.features import FeatureRows
from ..motion import rotations
from ..motion.channels import Channels, linear_owners
from ..motion.climbing import encode_poses
from ..motion.filters import wrap_angle
from ..motion.motion import Motion
from ..motion.root_motion import RootPlan, encode_root
from ..planning.frame_cost import PathCosts
from ..planning.segments import Segments
from .constraint import SHORTEST_SHARE, UNCONSTRAINED, Composed, Constraint, PosedMoments, Settled, Span, Task, Walk
from .displacement import displace
from .pose_targets import (
    FootPlaces,
    Poses,
    PoseTargets,
    feet_from_root,
    foot_places,
    frame_costs_of_poses,
    heights_above_ground,
    pose_targets,
    squared_movements,
)
from .rate_cost import frame_cost_of_rates
from .root_places import lead_through

FAR = 0.8
"""Distance of a pose from the nearest frame, in deviations of the examples, from which it counts as far."""


@dataclass(frozen=True, eq=False)
class PoseConstraint(Poses, Constraint):
    """Poses that the result meets exactly.

    motion: F frames, as long as the result, on the examples' skeleton and with their channels; only fixed channels
    count.
    joints: mask `(F, J)` of the joints whose rotation, translation and scale are fixed. Of the joint that carries the
    travel this fixes the posture and the height; its place and heading only with `place`.
    place: mask `(F,)` of the frames at which the character has the place and heading of `motion`.
    Raises InputError for masks of other shapes (paper, section 5: key frames, and parts that are given).

    >>> joints = np.zeros((60, 2), bool)
    >>> joints[20] = True
    >>> pinned = Constraints(poses=PoseConstraint(swing, joints, place=np.zeros(60, bool)))
    >>> motion = synthesize(prepared, 60, constraints=pinned).motion
    >>> bool(np.allclose(motion.rotations[20], swing.rotations[20], atol=1e-6))
    True
    """

    memory: ClassVar[ConstraintBytes] = ConstraintBytes(PLACED_BYTES, PAIR_BYTES)

    @classmethod
    def at(cls, motion: Motion, frames: int, poses: Mapping[int, int], *, place: bool = False) -> "PoseConstraint":
        """Return whole poses of a motion at frames of a result of `frames` frames, all counted from 0.

        poses: for each frame of the result, the number of the pose in `motion`. place: the character also has that
        pose's place and heading. Raises InputError for frames that do not exist.

        >>> pinned = Constraints(poses=PoseConstraint.at(swing, 90, {0: 12, 89: 40}))
        >>> motion = synthesize(prepared, 90, constraints=pinned).motion
        >>> bool(np.allclose(motion.rotations[89], swing.rotations[40], atol=1e-6))
        True
        """
        for of, numbers, count in (("result", poses, frames), ("motion", poses.values(), motion.frames)):
            if outside := [number for number in numbers if not 0 <= number < count]:
                raise InputError(f"Frame {outside[0]} is not in the {of}, whose frames are 0 to {count - 1}.")
        chosen, fixed = np.zeros(frames, np.int64), np.zeros(frames, bool)
        chosen[list(poses)], fixed[list(poses)] = list(poses.values()), True
        joints = np.repeat(fixed[:, None], len(motion.skeleton.names), axis=1)
        return cls(motion.take(chosen), joints, fixed & place)

    def __post_init__(self) -> None:
        frames, count = self.motion.frames, len(self.motion.skeleton.names)
        if self.joints.shape != (frames, count) or self.place.shape != (frames,):
            raise InputError(f"The fixed poses need {frames} frames of {count} joints.")

    @property
    def locates(self) -> bool:
        """Return whether this fixes the character's place in the world at any frame."""
        return bool(self.place.any())

    @property
    def poses(self) -> Poses:
        """Return the poses."""
        return self

    @property
    def why_not_in_loops(self) -> str:
        """Return a sentence on poses that last or fix several places, to which a loop does not return; else ""."""
        if self.joints.all(axis=0).any():
            return "A kept part does not end as it begins; switch Loop or Keep Part off."
        if np.count_nonzero(self.place) > 1:
            return "A loop can fix the place of the root at one frame only; pin the other poses without locations."
        return ""

    def why_not_replaced(self, first: int, end: int, start: int) -> str:
        """Return a sentence on a pose in frames `first` up to `end`; "" if there is none."""
        posed = start + first + np.flatnonzero(self.joints[first:end].any(axis=1) | self.place[first:end])
        return "" if not len(posed) else f"Frame {posed[0]} of the stretch is pinned; choose a stretch between pins."

    def at_rates(self, planned: Float64) -> None:
        """Return None, since poses belong to frames of the result."""
        return None

    def check(self, task: Task) -> None:
        """Raise InputError unless the poses are as long as the result."""
        if self.motion.frames != task.frames:
            length = counted(self.motion.frames, "frame")
            raise InputError(f"The fixed poses have {length}, and the result {task.frames}; make them the same.")

    def bound(self, task: Task) -> Constraint:
        """Return the poses with their features. Raises InputError for poses of another skeleton or not finite."""
        if not len(self.frames):
            return UNCONSTRAINED
        _check_channels(task.prepared.motions[0], self)
        examples, feet, features = task.prepared.examples, task.prepared.feet, task.prepared.planning.features
        above = heights_above_ground(self, examples.motions, features, examples.root)
        targets = pose_targets(features, examples.root, self, above)
        places = foot_places(self, feet, examples.root, examples.speeds.poses, above)
        return _BoundPoses(self.motion, self.joints, self.place, targets, places, above)


@dataclass(frozen=True, eq=False)
class _BoundPoses(PoseConstraint):
    """Poses, their features in the rows of the examples, and the places of their feet.

    above: `(F,)`, see heights_above_ground.
    """

    targets: PoseTargets
    feet: FootPlaces
    above: Float64

    def notes(self, task: Task) -> tuple[str, ...]:
        """Return sentences on poses that are far from the examples, and on those too near to each other in time."""
        return notes_on_poses(task.prepared.examples, task.prepared.planning.features, self, self.targets)

    def posed_moments(self, task: Task) -> PosedMoments | None:
        """Return the frames with fixed joints; None if some are fixed throughout, which any example may fit."""
        if self.joints.all(axis=0).any():
            return None
        prepared, frames = task.prepared, np.flatnonzero(self.joints.any(axis=1))
        rows, bounds, rate = prepared.rows, prepared.bounds, prepared.frames_per_second
        least, costs = movement_unit(rows, bounds, rate), np.zeros((len(frames), len(rows)))
        for number, frame in enumerate(frames):
            seen = rows[:, self.targets.mask[frame]]
            target = self.targets.rows[frame : frame + 1, self.targets.mask[frame]]
            costs[number] = squared_movements(target, seen, bounds, rate, least)[0]
        return PosedMoments(frames, costs)

    def path_costs(self, task: Task, plan: PartPlan, initial_path: Int64, costs: PathCosts) -> PathCosts:
        """Add the costs of frames that differ from the poses, and of frames too fast or too slow between places."""
        examples, length = task.prepared.examples, len(initial_path)
        feet = self._foot_places(task, plan)
        frame_costs = frame_costs_of_poses(task.prepared.planning.finest.rows, plan, self.targets, length, feet)
        shortest = SHORTEST_SHARE if frame_costs else costs.shortest
        if task.leads(plan) and np.count_nonzero(self.place) > 1:
            frame_costs.append(frame_cost_of_rates(examples, plan, *_rates_between(examples.root, self), length))
        by_poses = costs.by_poses or bool(frame_costs)
        return replace(costs, frame_costs=(*costs.frame_costs, *frame_costs), shortest=shortest, by_poses=by_poses)

    def with_targets(self, rows: Rows, patch: int) -> Rows:
        """Return the rows with the poses' features in their place."""
        return self.targets.put_into(rows)

    def settled(self, task: Task, plan: PartPlan, settled: Settled, reach: int) -> Settled:
        """Shift each segment by a few frames so that it shows a pose at its frame."""
        return _showing(self.targets, task.prepared, plan, settled, reach, self._foot_places(task, plan))

    def _foot_places(self, task: Task, plan: PartPlan) -> FootPlaces | None:
        """Return the places of a part's feet, in the examples and in the poses; None for a part without feet."""
        part_legs = np.array([foot.joint in plan.part.joints for foot in task.prepared.feet], bool)
        return self.feet.of_legs(part_legs) if part_legs.any() else None

    def displaced(self, task: Task, channels: Channels, span: Span) -> Channels:
        """Return the channels displaced to meet the poses."""
        examples, poses = task.prepared.examples, self._over(span)
        posed = poses.motion.take(poses.frames)
        track = encode_poses(posed, examples.root, self.above[span.at][poses.frames])
        target = channels_of([posed], [track], examples.root)
        owners = linear_owners(examples.motions[0], examples.root)
        owners[: 3 * len(examples.root.anchored)] = np.repeat(examples.root.anchored, 3)
        skeleton, rate = poses.motion.skeleton, examples.frames_per_second
        return displace(channels, target, poses.frames, poses.joints, owners, examples.speeds, skeleton, rate)

    def rooted(self, task: Task, walk: Walk) -> Walk:
        """Return the walk guided through the fixed places."""
        if not self.place.any():
            return walk
        up = task.prepared.motions[0].skeleton.up
        at = np.flatnonzero(self.place)
        pinned = encode_poses(self.motion.take(at), task.prepared.root, self.above[at])
        return replace(walk, track=lead_through(walk.track, pinned, self.place, up))

    def posed_joints(self, span: Span) -> Mask:
        """Return the joints that are fixed."""
        return self._over(span).joints

    def finished(self, task: Task, composed: Composed, walk: Walk, span: Span) -> Composed:
        """Return the motion with exactly the fixed channels; for anchored joints only where the place is fixed too."""
        poses, motion = self._over(span), composed.motion
        joints = poses.joints.copy()
        joints[:, task.prepared.root.anchored] &= poses.place[:, None]
        exact = replace(
            motion,
            rotations=np.where(joints[..., None], poses.motion.rotations, motion.rotations),
            translations=np.where(joints[:, motion.translated, None], poses.motion.translations, motion.translations),
            scales=np.where(joints[:, motion.scaled, None], poses.motion.scales, motion.scales),
        )
        return replace(composed, motion=exact)

    def _over(self, span: Span) -> Poses:
        """Return the poses of all composed frames."""
        return Poses(self.motion.take(span.at), self.joints[span.at], self.place[span.at]) if span.margin else self


def _check_channels(example: Motion, poses: Poses) -> None:
    """Raise InputError unless the poses are of the examples' skeleton and channels, and finite."""
    motion = poses.motion
    if (
        motion.skeleton.names != example.skeleton.names
        or not np.array_equal(motion.translated, example.translated)
        or not np.array_equal(motion.scaled, example.scaled)
    ):
        raise InputError(
            "The fixed poses have other joints or channels than the examples; take them from the same character."
        )
    motion.check_values("The motion of the fixed poses")


def _rates_between(root: RootPlan, poses: Poses) -> tuple[Float64, Float64]:
    """Return the speed and turn `(F,)` of a root that goes straight between pinned places; nan before and after."""
    placed = np.flatnonzero(poses.place)
    track = encode_root(poses.motion.take(placed), root)
    up, spans = np.array(poses.motion.skeleton.up), np.diff(placed)
    distances = np.linalg.norm(np.diff(track.ground, axis=0), axis=1)
    turned = rotations.multiply(track.heading[1:], rotations.inverse(track.heading[:-1]))
    angles = wrap_angle(rotations.angle_about(turned, up))
    speed, turn = np.full((2, poses.motion.frames), np.nan)
    speed[placed[0] : placed[-1]] = np.repeat(distances / spans, spans)
    turn[placed[0] : placed[-1]] = np.repeat(angles / spans, spans)
    return speed, turn


def _showing(
    targets: PoseTargets,
    prepared: Prepared,
    plan: PartPlan,
    settled: Settled,
    reach: int,
    feet: FootPlaces | None,
) -> Settled:
    """Return the segments that show poses shifted by at most `reach` frames to match them, and fixed.

    feet: of the part. A foot lifts off and lands within a frame or two, while the rest of the body hardly changes. If a
    segment showed a pinned foot that much too early or too late, the foot would slide.
    """
    rows, examples = prepared.rows, prepared.examples
    segments = settled.segments
    columns_of_part = np.zeros(len(targets.given), bool)
    columns_of_part[plan.columns] = True
    columns_of_part |= targets.given
    columns = np.flatnonzero((targets.mask & columns_of_part).any(axis=0))
    fixed, sources = settled.fixed.copy(), segments.sources.copy()
    if not len(columns) or not segments.plain:
        return settled
    rows, target_rows, mask = rows[:, columns], targets.rows[:, columns], targets.mask[:, columns]
    unit = movement_unit(rows, examples.bounds, examples.frames_per_second)
    ends = np.append(segments.starts[1:], segments.frames)
    for index, (start, end) in enumerate(zip(segments.starts, ends, strict=True)):
        frames = start + np.flatnonzero(mask[start:end].any(axis=1))
        if not len(frames):
            continue
        example = int(examples.bounds.example_of(segments.sources[index]))
        low = max(-reach, int(examples.bounds.starts[example] - segments.sources[index]))
        high = min(reach, int(examples.bounds.ends[example] - segments.sources[index] - (end - start)))
        shifts = np.array(sorted(range(low, high + 1), key=abs))
        source_frames = segments.sources[index] + shifts[:, None] + (frames - start)
        differences = np.where(mask[frames], rows[source_frames] - target_rows[frames], 0.0)
        costs = np.einsum("sfc,sfc->s", differences, differences) / unit**2
        pinned = np.isin(frames, targets.moments)
        if feet is not None and pinned.any():
            motion, track = examples.motions[example], examples.tracks[example]
            own_frames = source_frames[:, pinned] - examples.bounds.starts[example]
            costs += feet.units_off(frames[pinned], feet_from_root(motion, track, prepared.feet, own_frames))
        sources[index] += shifts[int(np.argmin(costs))]
        fixed[index] = True
    moments = targets.moments if settled.moments is None else np.union1d(settled.moments, targets.moments)
    segments = Segments(segments.starts, sources, segments.frames)
    return replace(settled, segments=segments, fixed=fixed, moments=moments)


def notes_on_poses(examples: Examples, features: FeatureRows, poses: Poses, targets: PoseTargets) -> tuple[str, ...]:
    """Return a sentence on poses of each kind, if there are any."""
    return (*_far_poses(features, targets), *_hasty_pairs(examples, poses, targets))


def _far_poses(features: FeatureRows, targets: PoseTargets) -> list[str]:
    far = []
    for frame in targets.moments:
        columns = targets.mask[frame] & ~targets.given & (features.kinds == 0)
        if not columns.any():
            continue
        distances = np.sum((features.rows[:, columns] - targets.rows[frame, columns]) ** 2, axis=1)
        spread = float(np.sum(np.var(features.rows[:, columns], axis=0)))
        if float(distances.min()) > FAR**2 * spread:
            far.append(int(frame))
    if not far:
        return []
    which = listed([frame + 1 for frame in far], "")
    return [f"Poses pinned far from all poses of the examples: at frame {which} of the motion; add similar examples."]


def _hasty_pairs(examples: Examples, poses: Poses, targets: PoseTargets) -> list[str]:
    """Return a sentence on pairs of poses with less time between them than the examples' highest speed needs."""
    frames = poses.frames if len(targets.moments) else targets.moments
    if len(frames) < 2 or len(frames) == poses.motion.frames:
        return []
    posed = poses.motion.take(frames)
    track = encode_poses(posed, examples.root)
    _, positions = posed.pose()
    if not poses.place[frames].all():
        # Poses without a fixed place are compared relative to the root.
        back = rotations.inverse(track.heading)[:, None]
        positions = rotations.rotate(back, positions - track.ground[:, None])
    both = poses.joints[frames[1:]] & poses.joints[frames[:-1]]
    distance = np.where(both, np.linalg.norm(np.diff(positions, axis=0), axis=2), 0.0).max(axis=1)
    spans = np.diff(frames)
    hasty = np.flatnonzero((spans > 1) & (distance / spans > examples.speeds.highest))
    if not len(hasty):
        return []
    pairs = listed([f"{frames[pair] + 1} and {frames[pair + 1] + 1}" for pair in hasty], "")
    return [f"Pins too close in time for the examples' speed: at frames {pairs} of the motion; move them apart."]
