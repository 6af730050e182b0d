# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands and feet at places: the result's frames and trajectory come near them, and inverse kinematics meets them."""

from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import numpy as np

from ..arrays import Array, Float32, Float64, Int64, Mask
from ..environment import Reach, ReachBody, Surface, find_body, meet_places, note_on_acceleration
from ..environment.reach.above_ground import climb_of_surface, on_level_ground
from ..environment.reach.limbs import find_limb
from ..environment.reach.refusals import why_not_met, why_out_of_reach
from ..errors import InputError, counted
from ..evaluation.body.stands import find_balance
from ..examples.memory.estimates import PAIR_BYTES, PLACED_BYTES, ConstraintBytes
from ..examples.part_plans import PartPlan
from ..feet.calm_knees import find_knees
from ..feet.planting import find_standing
from ..motion import rotations
from ..motion.filters import smooth
from ..motion.ground_travel import SWAY_SECONDS
from ..motion.motion import Motion
from ..motion.piecewise import CLIPS, evenly
from ..motion.skeleton import Skeleton
from ..planning.frame_cost import FrameCost, PathCosts
from .constraint import Composed, Constraint, Span, Task, Walk
from .rate_cost import cost_of, frame_cost_of_rates
from .root_places import lead_to

HEIGHT_UNIT = 0.17
"""Difference in height between a frame's joint and its place that costs one vote, as a share of the skeleton's size."""
LIKE_SHARE = 0.1
"""Share of the examples' frames, the nearest in height to a place, from which the body's distance to it is taken."""
LEASH = 0.35
"""Largest difference of the root from its best distance to a place, as a share of the arm's length; the body bends."""


@dataclass(frozen=True)
class Places(Constraint):
    """Joints of a result at places in the world.

    reaches: each of as many frames as the result. met_later: the result only comes near, because the caller moves the
    joints afterwards, as on a rig with constraints. ground: the uneven ground on which the result is put, if any. If
    nothing else fixes the character's place, the whole result is placed so that the first place is met. `synthesize`
    raises InputError for places outside the result or out of reach, in a loop, and at frames at which the same limb has
    a pose.

    >>> frames = np.arange(60)
    >>> reach = Reach(1, (frames > 20) & (frames < 30), np.tile([0.0, 0.2, 0.2], (60, 1)))
    >>> places = Places((reach,))
    """

    reaches: tuple[Reach, ...]
    met_later: bool = False
    ground: Surface | None = None
    memory: ClassVar[ConstraintBytes] = ConstraintBytes(PLACED_BYTES, PAIR_BYTES)
    why_not_in_crowds: ClassVar[str] = (
        "The characters of a crowd stand at places of their own; remove the places of hands and feet."
    )
    why_not_in_loops: ClassVar[str] = "A loop would reach the place in every cycle; turn Loop off or remove the places."

    @property
    def locates(self) -> bool:
        """Return whether this fixes the character's place in the world at any frame."""
        return any(reach.active.any() for reach in self.reaches)

    def at_rates(self, planned: Float64) -> None:
        """Return None, since poses belong to frames of the result."""
        return None

    def check(self, task: Task) -> None:
        """Raise InputError if places contradict the length or other constraints, or are out of the body's reach."""
        skeleton = task.prepared.motions[0].skeleton
        for reach in self.reaches:
            if len(reach.active) != task.frames:
                length = counted(len(reach.active), "frame")
                raise InputError(f"{reach.said} has {length}, and the result {task.frames}; make them the same.")
            if not 0 <= reach.joint < len(skeleton.names):
                raise InputError(
                    f"{reach.said} names a joint that this skeleton lacks; choose one of the skeleton's joints."
                )
        heights = [motion.take(_some(motion.frames)).pose()[1] @ np.array(skeleton.up) for motion in _sample(task)]
        reason = why_out_of_reach(skeleton, self._on_level_ground(task), np.concatenate(heights).max(axis=0))
        if reason:
            raise InputError(reason)

    def why_not_replaced(self, first: int, end: int, start: int) -> str:
        """Return a sentence on a place in frames `first` up to `end`; "" if there is none."""
        met = first + np.flatnonzero(np.any([reach.active[first:end] for reach in self.reaches], axis=0))
        if not len(met):
            return ""
        return f"At frame {met[0] + start} a hand or foot is at its place; choose a stretch without that frame."

    def bound(self, task: Task) -> Constraint:
        """Return the places with the body's properties, measured from the examples."""
        if not any(reach.active.any() for reach in self.reaches):
            return Constraint()
        joints = [reach.joint for reach in self.reaches]
        feet = task.prepared.feet
        body = find_body(_sample(task), joints, task.prepared.root.joint, feet)
        balance = find_balance(_sample(task), find_standing(_sample(task), task.prepared.root)) if feet else None
        body = replace(body, knees=find_knees(_sample(task), feet), balance=balance)
        return _BoundPlaces(self.reaches, self.met_later, self.ground, body=body, level=self._on_level_ground(task))

    def _on_level_ground(self, task: Task) -> tuple[Reach, ...]:
        """Return the places moved to the height that they have above the examples' level ground."""
        skeleton = task.prepared.motions[0].skeleton
        if self.ground is not None:
            climb = partial(climb_of_surface, self.ground, _ground_level(task), skeleton.size)
            return on_level_ground(self.reaches, skeleton.up, climb)
        climbs = (constraint.climb(np.array(skeleton.up)) for constraint in task.constraints)
        rising = next((climb for climb in climbs if climb is not None), None)
        return self.reaches if rising is None else on_level_ground(self.reaches, skeleton.up, rising)


@dataclass(frozen=True, eq=False)
class _BoundPlaces(Places):
    """Places, the body that is moved to them, and the places above the examples' level ground."""

    body: ReachBody = field(kw_only=True)
    level: tuple[Reach, ...] = field(kw_only=True)

    def path_costs(self, task: Task, plan: PartPlan, initial_path: Int64, costs: PathCosts) -> PathCosts:
        """Add the costs of joints at other heights, and of a root that is faster or slower than the places move."""
        frame_costs = [self._height_cost(task, plan, reach, len(initial_path)) for reach in self.level]
        if task.leads(plan):
            free = np.full(task.frames, np.nan)
            examples, speeds = task.prepared.examples, self._speeds(task)
            frame_costs.append(frame_cost_of_rates(examples, plan, speeds, free, len(initial_path)))
        return replace(costs, frame_costs=(*costs.frame_costs, *frame_costs))

    def _height_cost(self, task: Task, plan: PartPlan, reach: Reach, length: int) -> FrameCost:
        examples, skeleton = task.prepared.examples, task.prepared.motions[0].skeleton
        up = np.array(skeleton.up)
        heights = examples.speeds.poses[plan.source_frames, reach.joint] @ up
        table, rows = list[Array](), np.full(length, -1)
        middles = ((np.arange(length) + 0.5) * task.frames / length).astype(np.int64)
        for first, end in reach.stretches:
            target = float((reach.positions[first:end] @ up).mean())
            units = (heights - target) / (HEIGHT_UNIT * skeleton.size)
            rows[(middles >= first) & (middles < end)] = len(table)
            table.append(cost_of(units))
        return FrameCost(np.array(table, np.float32), rows)

    def _speeds(self, task: Task) -> Float64:
        """Return the speed `(F,)` of the places along the ground; nan in frames without a place."""
        up, speeds = np.array(task.prepared.motions[0].skeleton.up), np.full(task.frames, np.nan)
        for reach in self.reaches:
            for first, end in reach.stretches:
                steps = np.diff(reach.positions[first:end], axis=0) if end - first > 1 else np.zeros((1, 3))
                level = np.linalg.norm(steps - (steps @ up)[:, None] * up, axis=1)
                speeds[first:end] = np.append(level, level[-1:])[: end - first]
        return speeds

    def rooted(self, task: Task, walk: Walk) -> Walk:
        """Return the walk guided to bring places within reach, unless another constraint fixes the root's place."""
        near = replace(walk, track=replace(walk.track, ground=self._ground_near(task, walk)))
        again = near
        for constraint in task.constraints:
            if constraint is not self:
                again = constraint.rooted(task, again)
        fixed = np.abs(again.track.ground - near.track.ground).max() > 1e-4 * task.prepared.motions[0].skeleton.size
        return walk if fixed else near

    def _ground_near(self, task: Task, walk: Walk) -> Float32:
        skeleton, rate = task.prepared.motions[0].skeleton, task.prepared.frames_per_second
        ground = walk.track.ground.astype(np.float64)
        total, count = np.zeros_like(ground), np.zeros(len(ground))
        for reach in self.level:
            away = self._offsets(task, walk, reach) - ground
            total[reach.active] += away[reach.active]
            count += reach.active
        frames = np.flatnonzero(count)
        best = total[frames] / count[frames, None]
        first = int(np.argmax(np.diff(frames, append=frames[-1] + 2) > 1)) + 1
        put = best[:first].mean(axis=0)
        leash = LEASH * max(_arm_length(task, reach.joint) for reach in self.reaches)
        offset = best - put
        length = np.linalg.norm(offset, axis=1, keepdims=True)
        offset = offset * np.maximum(length - leash, 0.0) / np.maximum(length, 1e-9 * skeleton.size)
        if not offset.any():
            return np.asarray(ground + put, np.float32)
        nowhere = np.zeros(0)
        track = replace(walk.track, ground=(ground + put).astype(np.float32))
        near = lead_to(track, frames, ground[frames] + put + offset, nowhere.astype(np.int64), nowhere, skeleton.up)
        away = smooth(near.ground.astype(np.float64) - ground - put, SWAY_SECONDS, rate)
        return np.asarray(ground + put + away, np.float32)

    def _offsets(self, task: Task, walk: Walk, reach: Reach) -> Float64:
        """Return the ground positions `(F, 3)` of the root at which a joint is at its places as in the examples."""
        up = np.array(task.prepared.motions[0].skeleton.up)
        seen = task.prepared.examples.speeds.poses[:, reach.joint].astype(np.float64)
        ground = np.zeros_like(reach.positions)
        for first, end in reach.stretches:
            target = float((reach.positions[first:end] @ up).mean())
            near = np.argsort(np.abs(seen @ up - target), kind="stable")[: max(1, round(LIKE_SHARE * len(seen)))]
            offset = rotations.rotate(walk.track.heading[first:end].astype(np.float64), seen[near].mean(axis=0))
            ground[first:end] = reach.positions[first:end] - offset
        level = walk.track.ground.astype(np.float64) @ up
        return np.asarray(ground + (level - ground @ up)[:, None] * up)

    def finished(self, task: Task, composed: Composed, walk: Walk, span: Span) -> Composed:
        """Return the motion with each joint at its places. Raises InputError if one is out of reach."""
        posed = _posed(task, span, self)
        if posed is not None:
            _check_poses(composed.motion.skeleton, self.reaches, posed)
        if self.met_later:
            return composed
        met = meet_places(composed.motion, self.reaches, self.body, posed)
        reason = why_not_met(self.reaches, met.missing, composed.motion.skeleton.size)
        if reason:
            raise InputError(reason)
        notes = note_on_acceleration(met.quickest, met.motion, self.reaches, self.body.acceleration)
        return replace(composed, motion=met.motion, notes=(*composed.notes, *notes))


def _ground_level(task: Task) -> float:
    """Return the height of the examples' lowest foot; 0 if they have no feet."""
    joints = [foot.joint for foot in task.prepared.feet]
    heights = task.prepared.examples.speeds.poses[:, joints] @ np.array(task.prepared.motions[0].skeleton.up)
    return float(heights.min(initial=np.inf)) if joints else 0.0


def _sample(task: Task) -> list[Motion]:
    """Return the examples, or of many those from which heights, elbows and accelerations are measured."""
    motions = task.prepared.motions
    return [motions[number] for number in evenly(len(motions), CLIPS)]


def _some(frames: int) -> Int64:
    return np.arange(0, frames, max(1, frames // 300))


def _posed(task: Task, span: Span, places: Constraint) -> Mask | None:
    """Return the joints `(F, J)` that other constraints pose; None for none."""
    masks = [constraint.posed_joints(span) for constraint in task.constraints if constraint is not places]
    posed = [mask for mask in masks if mask is not None]
    return np.logical_or.reduce(posed) if posed else None


def _check_poses(skeleton: Skeleton, reaches: tuple[Reach, ...], posed: Mask) -> None:
    """Raise InputError if a joint has a place at a frame at which its limb has a pose."""
    for reach in reaches:
        limb = find_limb(skeleton, reach.joint)
        joints = [reach.joint] if limb is None else [limb.hip, limb.knee, limb.wrist]
        both = np.flatnonzero(reach.active & posed[:, joints].any(axis=1))
        if len(both):
            raise InputError(
                f"{reach.said} is due at frame {both[0] + 1} of the motion, where {skeleton.names[reach.joint]} has a "
                "pose as well; move one of them."
            )


def _arm_length(task: Task, joint: int) -> float:
    skeleton = task.prepared.motions[0].skeleton
    limb = find_limb(skeleton, joint)
    chain = skeleton.chain(joint)
    below = chain if limb is None else chain[chain.index(limb.hip) :]
    return float(np.linalg.norm(np.diff(skeleton.stance[below], axis=0), axis=1).sum())
