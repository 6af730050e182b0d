# SPDX-License-Identifier: GPL-3.0-or-later
"""A root that passes waypoints: its travel is laid along a path through them and meets each exactly (paper, 5)."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ...arrays import Float64, Int64
from ...errors import InputError
from ...examples.example_data import Examples
from ...examples.memory.estimates import PAIR_BYTES, ConstraintBytes
from ...examples.part_plans import PartPlan
from ...motion import rotations
from ...motion.ground_travel import STANDS
from ...planning.frame_cost import PathCosts
from ...settings import Facing
from ..constraint import Constraint, Task, Walk
from ..ground_path import ground_path_of
from ..pose_targets import Poses
from ..rate_cost import frame_cost_of_rates
from ..root_path import RootPath, follow, notes_on_units, target_rates
from ..root_places import lead_to
from ..travel import forward_of, travel_of
from .reach import MOST_FASTER, NOTICED_FASTER, legs_of
from .route import Route, distances_along, route_of
from .waypoint import Targets, Vector, Waypoint, targets_of


@dataclass(frozen=True)
class Waypoints(Constraint):
    """Waypoints that the root passes, each at its frame; between them it moves as in the examples.

    points: in any order. ahead: the direction of an unturned character, for examples that stay in place; from examples
    that travel it is measured. `synthesize` raises InputError for waypoints outside the result or two at one frame,
    together with a path or a loop, for a facing if facing is kept, and for places out of reach in the time.

    >>> points = (Waypoint(0, (0.0, 0.0, 0.0)), Waypoint(59, (0.0, 0.0, 0.0)))
    >>> motion = synthesize(prepared, 60, constraints=Constraints(others=(Waypoints(points),))).motion
    >>> bool(np.abs(motion.pose()[1][[0, 59], 0, :2]).max() < 1e-3)
    True
    """

    points: tuple[Waypoint, ...]
    ahead: Vector | None = None
    memory: ClassVar[ConstraintBytes] = ConstraintBytes(pairs=PAIR_BYTES)
    why_not_in_loops: ClassVar[str] = "A loop returns to its start, and waypoints lead elsewhere; turn one of them off."

    @property
    def locates(self) -> bool:
        """Return whether this fixes the character's place in the world at any frame."""
        return any(point.place is not None for point in self.points)

    @property
    def passed(self) -> Int64:
        """Return the frames of the places."""
        return np.array(sorted(point.frame for point in self.points if point.place is not None), np.int64)

    def route(self, task: Task) -> Float64 | None:
        """Return the places `(F, 3)` on the path, at an even pace between the waypoints."""
        targets, route = self._planned(task)
        if route is None:
            return None
        along = distances_along(route, targets.place_frames, np.arange(task.frames, dtype=np.float64))
        up = task.prepared.examples.skeleton.up
        return ground_path_of(route.points, False, up).at(along)[0] @ rotations.ground_axes(up)

    def at_rates(self, planned: Float64) -> Constraint:
        """Return the waypoints at the planned frames."""
        at = np.rint(planned).astype(np.int64)
        return replace(self, points=tuple(replace(point, frame=int(at[point.frame])) for point in self.points))

    def check(self, task: Task) -> None:
        """Raise InputError if the waypoints contradict each other or the rest of the task, or are out of reach."""
        self._check_points(task)
        if any(other.follows_path for other in task.constraints):
            raise InputError("Both the path and the waypoints set the character's trajectory; turn one of them off.")
        examples = task.prepared.examples
        if examples.root.facing is not Facing.FREE and any(point.facing is not None for point in self.points):
            raise InputError(
                "The character keeps its facing and cannot turn at a waypoint; set Facing to Free, or switch the "
                "waypoints' facing off."
            )
        poses = _poses_of(task)
        for point in self.points:
            if poses is not None and poses.place[point.frame] and (point.place is not None or point.facing is not None):
                raise InputError(
                    f"Both a pin and {point.said} set the character's place at frame {point.frame + 1} of the motion; "
                    "remove one of them."
                )
        targets, route = self._planned(task)
        for leg in legs_of(examples, targets, route):
            if leg.ratio > MOST_FASTER:
                raise InputError(leg.sentence)

    def path_costs(self, task: Task, plan: PartPlan, initial_path: Int64, costs: PathCosts) -> PathCosts:
        """Add the cost of frames with another speed or turning than the path, for the part that has the root."""
        targets, route = self._planned(task)
        if route is None or not task.leads(plan):
            return costs
        examples, frames = task.prepared.examples, task.frames
        path = _path(route, distances_along(route, targets.place_frames, np.arange(frames, dtype=np.float64)), True)
        speed, turn = target_rates(path, frames, examples.mean_root_speed, examples.skeleton.up)
        outside = np.ones(frames, bool)
        outside[targets.place_frames[0] : targets.place_frames[-1]] = False
        speed = None if speed is None else np.where(outside, np.nan, speed)
        turn = np.where(outside, np.nan, turn)
        rates = frame_cost_of_rates(examples, plan, speed, turn, len(initial_path))
        return replace(costs, frame_costs=(*costs.frame_costs, rates))

    def rooted(self, task: Task, walk: Walk) -> Walk:
        """Return the walk laid along the path, and guided to each place and heading."""
        targets, route = self._planned(task)
        track = walk.track
        examples = task.prepared.examples
        skeleton, rate = examples.skeleton, examples.frames_per_second
        if route is not None:
            free = examples.root.facing is Facing.FREE and not examples.root.in_place
            forward = self.forward(examples)
            travel = travel_of(track, free, rotations.ground_axes(skeleton.up), forward, skeleton.up, rate, False)
            # A standing character is moved evenly.
            drift = STANDS * skeleton.size / rate * np.arange(task.frames)
            path = _path(route, distances_along(route, targets.place_frames, travel.along + drift), free)
            track = follow(track, path, examples.root.facing, forward, skeleton.up, rate, skeleton.size).track
        track = lead_to(track, targets.place_frames, targets.places, targets.turn_frames, targets.turns, skeleton.up)
        return replace(walk, track=track)

    def notes(self, task: Task) -> tuple[str, ...]:
        """Return a sentence on each leg that is faster than the examples, and on a route in other units."""
        targets, route = self._planned(task)
        span = 0 if route is None else int(targets.place_frames[-1] - targets.place_frames[0])
        length = 0.0 if route is None else float(route.lengths[-1])
        return notes_on_units("way through the waypoints", length, span, task.prepared.examples) + tuple(
            f"From {leg.names[0]} to {leg.names[1]} the character goes {leg.ratio:.2f} times as fast as the examples "
            "ever do."
            for leg in legs_of(task.prepared.examples, targets, route)
            if leg.ratio > NOTICED_FASTER
        )

    def _check_points(self, task: Task) -> None:
        seen: dict[int, Waypoint] = {}
        for point in self.points:
            name = f"{point.said[0].upper()}{point.said[1:]}"
            if not 0 <= point.frame < task.frames:
                raise InputError(
                    f"{name} lies outside of the motion's {task.frames} frames, at its "
                    f"frame {point.frame + 1}; give it another frame or make the motion longer."
                )
            values = [value for value in (point.place, point.facing) if value is not None]
            if not np.isfinite(np.array(values, np.float64)).all():
                raise InputError(f"{name} has an infinite or undefined location; clear it.")
            if values and point.frame in seen:
                raise InputError(
                    f"{name} and {seen[point.frame].said} have the same frame; move one of them to another frame."
                )
            if values:
                seen[point.frame] = point

    def _planned(self, task: Task) -> tuple[Targets, Route | None]:
        examples = task.prepared.examples
        up = examples.skeleton.up
        targets = targets_of(self.points, _poses_of(task), examples.root, self.forward(examples), up)
        return targets, route_of(targets, examples.skeleton.size, up) if len(targets.place_frames) > 1 else None

    def forward(self, examples: Examples) -> Float64:
        """Return the direction `(3,)` ahead of an unturned root, in which it faces."""
        if examples.root.in_place and self.ahead is not None:
            return np.array(self.ahead, np.float64)
        tracks = [examples.tracks[number] for number in examples.leading]
        return np.asarray(forward_of(tracks, examples.skeleton.up), np.float64)


def _poses_of(task: Task) -> Poses | None:
    return next((constraint.poses for constraint in task.constraints if constraint.poses is not None), None)


def _path(route: Route, along: Float64, follows: bool) -> RootPath:
    return RootPath(route.points, progress=along / route.length, along=follows)
