# SPDX-License-Identifier: GPL-3.0-or-later
"""A root that follows a path: its travel is laid along the path, and its sway is kept (paper, section 5)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from ..arrays import Array, Float32, Float64, Int64
from ..errors import InputError, counted
from ..evaluation.body.flights import find_gravity
from ..evaluation.body.segments import find_body_model
from ..examples.example_data import Examples
from ..examples.memory.estimates import PAIR_BYTES, ConstraintBytes
from ..examples.part_plans import PartPlan
from ..fields.values import numbers, optional, settle
from ..motion import rotations
from ..motion.filters import smooth_line, smoothstep, wrap_angle
from ..motion.ground_travel import STANDS, SWAY_SECONDS
from ..motion.root_motion import RootTrack
from ..planning.frame_cost import PathCosts
from ..settings import Facing
from .constraint import Constraint, Task, Walk
from .ground_path import GroundPath, ground_path_of
from .rate_cost import frame_cost_of_rates
from .travel import Travel, angle_of, forward_of, travel_of


@dataclass(frozen=True, eq=False)
class RootPath(Constraint):
    """The path that the root follows, with its natural sway.

    points: `(M, 3)`, densely sampled, in the space of the skeleton's roots; lists become arrays. closed: the last leads
    to the first.
    progress: `(F,)` share of the path, 0 to 1, at each frame; None: at the motion's own speed.
    arrives: the root is at the end with the last frame, and covers the whole path in the given time (only without
    progress).
    along: the character faces along the path as it faces along its own trajectory in the examples; otherwise it keeps
    its heading.
    climbs: the height follows that of the points, relative to the first one's.
    Raises InputError for fewer than two points, or if they are not finite (paper, section 5: trajectories).

    >>> path = RootPath(np.array([[0.0, 0.0, 0.0], [0.0, 2.0, 0.0]]), arrives=True, along=False)
    >>> motion = synthesize(prepared, 60, constraints=Constraints(path=path)).motion
    >>> ends = motion.pose()[1][[0, -1], 0]
    >>> round(float(np.linalg.norm(ends[1] - ends[0])), 2)
    2.0
    """

    points: Float64
    closed: bool = False
    progress: Float64 | None = None
    arrives: bool = False
    along: bool = True
    climbs: bool = False
    memory: ClassVar[ConstraintBytes] = ConstraintBytes(pairs=PAIR_BYTES)
    follows_path: ClassVar[bool] = True

    def __post_init__(self) -> None:
        settle(self, points=numbers, progress=optional(numbers))
        if self.points.ndim != 2 or self.points.shape[1] != 3 or len(self.points) < 2:
            raise InputError("A path needs two points or more; add points.")
        if not np.isfinite(self.points).all():
            raise InputError("The path has a point that is not a finite number; repair the curve.")

    @property
    def locates(self) -> bool:
        """Return whether this fixes the character's place in the world at any frame."""
        return True

    @property
    def at_own_speed(self) -> bool:
        """Return whether the character goes as fast as the examples do."""
        return self.progress is None and not self.arrives

    @property
    def why_not_in_loops(self) -> str:
        """Return a sentence on a path with a progress of its own, which a loop cannot repeat; "" without one."""
        if self.progress is None:
            return ""
        return "A loop goes round its path at the examples' speed; choose that speed or switch the loop off."

    def climb(self, up: Float64) -> Callable[[Float64], Float64] | None:
        """Return a function from positions to the rise of the path above its beginning, where it climbs."""
        return partial(_rise_at, self.points, up) if self.climbs else None

    def route(self, task: Task) -> Float64 | None:
        """Return the places `(F, 3)` on the path, at an even pace or its own progress."""
        examples = task.prepared.examples
        path = ground_path_of(self.points, self.closed, examples.skeleton.up)
        along = _distances(self, path.length, task.frames, examples.mean_root_speed)
        return np.asarray(path.at(along)[0] @ rotations.ground_axes(examples.skeleton.up), np.float64)

    def at_rates(self, planned: Float64) -> Constraint:
        """Return the path with its progress at the planned frames."""
        if self.progress is None:
            return self
        frames = np.arange(round(float(planned[-1])) + 1)
        return replace(self, progress=np.interp(frames, planned, self.progress))

    def check(self, task: Task) -> None:
        """Raise InputError if poses fix the character's place as well, or if the progress has another length."""
        if any(other.poses is not None and other.poses.place.any() for other in task.constraints):
            raise InputError(
                "Both the path and fixed poses say where the character is; "
                "pin the pose alone, keep a part without the root, or switch the path off."
            )
        if self.progress is not None and len(self.progress) != task.frames:
            length = counted(len(self.progress), "frame")
            raise InputError(f"The path's progress has {length}, and the result {task.frames}; make them the same.")

    def notes(self, task: Task) -> tuple[str, ...]:
        """Return a sentence if the path is probably in other units than the character, or turns too sharply."""
        examples = task.prepared.examples
        ground_path = ground_path_of(self.points, self.closed, examples.skeleton.up)
        part = 1.0 if self.progress is None else float(np.ptp(self.progress))
        length = 0.0 if self.closed else part * ground_path.length
        on_units = notes_on_units("path", length, task.frames - 1, examples, by_itself=self.at_own_speed)
        return on_units or _notes_on_turns(self, ground_path, task.frames, examples)

    def path_costs(self, task: Task, plan: PartPlan, initial_path: Int64, costs: PathCosts) -> PathCosts:
        """Add the cost of frames with another speed or turning than the path, for the part that has the root."""
        examples = task.prepared.examples
        if not task.leads(plan):
            return costs
        speed, turn = target_rates(self, task.frames, examples.mean_root_speed, examples.skeleton.up)
        rates = frame_cost_of_rates(examples, plan, speed, turn, len(initial_path))
        return replace(costs, frame_costs=(*costs.frame_costs, rates))

    def rooted(self, task: Task, walk: Walk) -> Walk:
        """Return the walk laid along the path."""
        examples, skeleton = task.prepared.examples, task.prepared.examples.skeleton
        forward = forward_of([examples.tracks[number] for number in examples.leading], skeleton.up)
        followed = follow(
            walk.track,
            self,
            examples.root.facing,
            forward,
            skeleton.up,
            examples.frames_per_second,
            skeleton.size,
            lap=task.cyclic,
        )
        track, rise = followed.track, followed.rise
        raised = track.offset + (rise[:, None] * np.array(skeleton.up))[:, None].astype(np.float32)
        return replace(walk, track=replace(track, offset=raised), rise=rise, notes=(*walk.notes, *followed.notes))


def notes_on_units(
    way: str, length: float, steps: int, examples: Examples, *, by_itself: bool = False
) -> tuple[str, ...]:
    """Return a sentence on a way of a length in frame steps that asks for a speed far from that of the examples.

    by_itself: the character goes at its own speed, and at another one would reach the end. Examples that stay in place
    say nothing about units, nor does a way without length.
    """
    usual = examples.mean_root_speed
    if min(length, steps) <= 0 or usual * examples.frames_per_second < STANDS * examples.skeleton.size:
        return ()
    ratio = length / steps / usual
    # Units of files differ by 100, 39 or 2.5; characters seldom go at a speed of another order of magnitude.
    if abs(np.log10(ratio)) < 1.0:
        return ()
    asked = f"asks for {ratio:.2g} times the examples' mean speed"
    if by_itself:
        asked = f"is {ratio:.2g} times as long as the examples get in that time"
    return (f"The {way} {asked}; make sure that its units are the scene's.",)


def _notes_on_turns(path: RootPath, ground_path: GroundPath, frames: int, examples: Examples) -> tuple[str, ...]:
    """Return a sentence on a path so sharp that feet would have to push sideways with more than the body's weight.

    Of 403 results on circles, corners and curves, by 31 walks and runs, feet slide 1.5 times as much as in the examples
    in 30 of 59 beyond that, and in 5 of the others.
    """
    skeleton, rate = examples.skeleton, examples.frames_per_second
    along = _distances(path, ground_path.length, frames, examples.mean_root_speed)
    # Corners are rounded as by the body.
    direction = smooth_line(np.unwrap(ground_path.at(along)[2]), SWAY_SECONDS * rate)
    sideways = np.abs(np.diff(along) * np.diff(direction)).max(initial=0.0) * rate**2
    weights = float(sideways) / find_gravity(skeleton, find_body_model(skeleton))
    if weights <= 1.0:
        return ()
    return (
        f"The path turns so sharply that feet would have to push sideways with {weights:.1f} times the body's weight, "
        "and slide; make the path wider, or the motion along it slower.",
    )


def _distances(path: RootPath, length: float, frames: int, speed: float) -> Array:
    """Return the intended distances `(F,)` along a path of a length; speed: the root's own, per frame."""
    if path.progress is not None:
        return np.asarray(path.progress, np.float64) * length
    return np.linspace(0.0, length, frames) if path.arrives else np.arange(frames) * speed


def _rise_at(points: Float64, up: Float64, positions: Float64) -> Float64:
    """Return the rise `(K,)` of a path above its beginning, at its points nearest to positions `(K, 3)`."""
    heights = points @ up
    level = points - heights[:, None] * up
    away = [np.linalg.norm(level - (place - (place @ up) * up), axis=1) for place in positions]
    return np.array([heights[int(np.argmin(distances))] - heights[0] for distances in away])


@dataclass(frozen=True, eq=False)
class Followed:
    """A track laid along a path; rise: `(F,)` of the ground; notes: on conditions that cannot be met fully."""

    track: RootTrack
    rise: Array
    notes: tuple[str, ...] = ()


def follow(
    track: RootTrack,
    path: RootPath,
    facing: Facing,
    forward: Array,
    up: tuple[float, float, float],
    rate: float,
    size: float,
    lap: bool = False,
) -> Followed:
    """Return the integrated track laid along a path: its travel follows the path, and its sway is kept.

    forward: see forward_of. rate: frames per second. size: of the skeleton. lap: it ends where it begins, after whole
    rounds. Raises InputError if the path or the motion does not allow it.
    """
    if facing is not Facing.FREE and path.along:
        raise InputError(
            "The character keeps its facing and cannot turn along a path; set Facing to Free, or switch Follow "
            "Curve off."
        )
    ground_path, axes = ground_path_of(path.points, path.closed, up), rotations.ground_axes(up)
    travel = travel_of(track, path.along, axes, forward, up, rate, lap)
    along, notes = _progress(travel, ground_path, path, rate, size, lap)
    place, height, direction = ground_path.at(along)
    direction = smooth_line(np.unwrap(direction), SWAY_SECONDS * rate, _turn_of(direction) if lap else None)
    if path.along:
        headings = direction - angle_of(forward, axes) + travel.headings
        sway_axes: Array = direction
    else:
        headings, sway_axes = None, travel.direction
    sway = rotations.turn_on_ground(travel.sway, sway_axes)
    flat = place + sway
    ground = (flat @ axes).astype(np.float32)
    heading = track.heading
    if headings is not None:
        turns = rotations.from_axis_angle(np.array(up), headings)
        heading = turns.astype(np.float32)
    rise = height - height[0] if path.climbs else np.zeros(len(along))
    return Followed(_with_velocities(track, heading, ground, up), rise, notes)


def target_rates(
    path: RootPath, frames: int, speed: float, up: tuple[float, float, float]
) -> tuple[Array | None, Array]:
    """Return the root's target speed `(F,)` on a path (None: free) and its target turn `(F,)`, both per frame.

    speed: the root's own speed. Raises InputError for a path without length.
    """
    ground_path = ground_path_of(path.points, path.closed, up)
    along = _distances(path, ground_path.length, frames, speed)
    turned = np.asarray(np.unwrap(ground_path.at(along)[2]), np.float64)
    turn = np.diff(smooth_line(turned, max(frames / 60, 3.0)), append=np.nan)
    if len(turn) > 1:
        turn[-1] = turn[-2]
    pace = np.abs(np.diff(along, append=2 * along[-1] - along[-2] if frames > 1 else along[-1]))
    return (None if path.at_own_speed else pace), np.nan_to_num(turn)


def _progress(
    travel: Travel, ground_path: GroundPath, path: RootPath, rate: float, size: float, lap: bool
) -> tuple[Array, tuple[str, ...]]:
    """Return the root's distance along the path at each frame, and notes on parts that are not covered."""
    frames, covered = len(travel.along), float(travel.along[-1])
    if path.progress is not None:
        return np.asarray(path.progress, np.float64) * ground_path.length, ()
    stands = covered + travel.step < STANDS * size * frames / rate
    if path.arrives and not lap:
        if stands or covered <= 0:
            share = np.linspace(0.0, 1.0, frames)
            return ground_path.length * smoothstep(share), ()
        return travel.along * (ground_path.length / covered), ()
    if stands:
        raise InputError(
            "The examples stay in place and cannot follow a path; choose In the Given Time or the curve's own speed."
        )
    if lap:
        if not ground_path.closed:
            raise InputError("A loop needs a closed path; make the curve cyclic or switch Loop off.")
        rounds = max(1, round((covered + travel.step) / ground_path.length))
        return travel.along * (rounds * ground_path.length / (covered + travel.step)), ()
    return travel.along, () if ground_path.closed else _notes_on_length(travel.along, ground_path.length)


def _notes_on_length(along: Array, length: float) -> tuple[str, ...]:
    frames, covered = len(along), float(along[-1])
    if covered > length * 1.01:
        reached = int(np.argmax(along > length)) + 1
        return (
            f"The end of the path is reached at frame {reached} of the motion; from there it continues straight on.",
        )
    if covered < length * 0.99:
        if covered < length * 0.01:
            return ("The motion ends near the beginning of the path; give it more frames, or a shorter path.",)
        needed = int(np.ceil(frames * length / covered))
        return (f"The motion ends before the end of the path; about {needed} frames would reach it.",)
    return ()


def _with_velocities(track: RootTrack, heading: Float32, ground: Float32, up: tuple[float, ...]) -> RootTrack:
    """Return the track with another heading and ground, and the corresponding velocities."""
    if len(ground) < 2:
        return replace(track, heading=heading, ground=ground)
    steps = np.diff(ground, axis=0)
    steps = np.concatenate((steps, steps[-1:]))
    turn = rotations.multiply(rotations.inverse(heading[:-1]), heading[1:])
    rate = wrap_angle(rotations.angle_about(turn, np.array(up, np.float32)))
    return replace(
        track,
        heading=heading,
        ground=ground,
        velocity=rotations.rotate(rotations.inverse(heading), steps).astype(np.float32),
        yaw_rate=np.append(rate, rate[-1]).astype(np.float32),
    )


def _turn_of(direction: Array) -> float:
    """Return the turn of directions in one round, in radians: whole turns."""
    turned = np.unwrap(np.append(direction, direction[0]))
    return float(turned[-1] - turned[0])
