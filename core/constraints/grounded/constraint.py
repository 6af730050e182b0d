# SPDX-License-Identifier: GPL-3.0-or-later
"""A result on uneven ground: it is planned on flat ground, then placed so that its feet find footholds."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import numpy as np

from ...arrays import Float64, Int64, Mask
from ...environment import GroundContacts, Grounded, Surface, put_on_ground, standing_of
from ...environment.ground.footholds import STEP_UP
from ...environment.ground.soles import flat_level
from ...errors import InputError
from ...feet.climbs import plan_of_climb
from ...feet.contact_detection import ground_heights, label_contacts
from ...feet.leg_ik import ik_weights_beside, move_root, move_together
from ...motion.motion import Motion
from ...motion.root_motion import RootTrack
from ..constraint import Composed, Constraint, Span, Task, Walk
from ..displacement import ease
from ..pose import PoseConstraint
from ..pose_targets import CONTEXT_SECONDS
from .pinned import PosesOnGround, calmest, flat_poses, poses_on_ground
from .step_rates import StepRates, step_rates


@dataclass(frozen=True, eq=False)
class GivenHeights:
    """Frames `(K,)`, ascending, at which the pelvis is raised by heights `(K,)` without moving along the ground.

    posed: the original poses, if their legs were put on flat ground; None if the legs keep their poses.
    """

    frames: Int64
    heights: Float64
    posed: PosesOnGround | None = None

    def through(self, moves: Float64, rate: float) -> Float64:
        """Return moves `(T, 3)` of the pelvis, in the coordinates of the ground, guided through these heights."""
        given = np.zeros((len(self.frames), 3))
        given[:, 2] = self.heights
        easing = ease(len(moves), self.frames, np.full(len(self.frames), CONTEXT_SECONDS * rate))
        return np.asarray(moves + easing.of(given - moves[self.frames]))


@dataclass(frozen=True, eq=False)
class Course:
    """Properties of a motion's trajectory over flat ground, before it is put on uneven ground.

    rise: `(T,)` intended height of the ground at each frame above that at the first; None is level. located: whether a
    constraint fixes the character's place, so that steps must not be shortened. placed: the frames, ascending, at which
    its place along the ground is fixed.

    >>> Course().located
    False
    """

    rise: Float64 | None = None
    located: bool = False
    placed: Int64 = field(default_factory=lambda: np.zeros(0, np.int64))


LEVEL = Course()
"""Trajectory without any guidance."""


@dataclass(frozen=True, eq=False)
class OnGround(Constraint):
    """The ground on which the feet of a result stand, and which its pelvis follows.

    given: the heights of poses that are fixed with their place, see lowered_poses. first_frame: the number of the
    result's first frame in messages. stepping: rates of the examples where their steps are too long for the ground.

    >>> from genmm_addon.core.environment import make_surface
    >>> square = np.array([[[-9, -9, 0], [9, -9, 0], [9, 9, 0]]], float)
    >>> OnGround(make_surface(square, (0.0, 0.0, 1.0))).cyclic
    False
    """

    surface: Surface
    given: GivenHeights | None = None
    first_frame: float = 0.0
    stepping: StepRates | None = None
    why_not_in_loops: ClassVar[str] = (
        "A loop ends on other ground than it begins on; switch Loop off or leave out the ground."
    )

    @property
    def rates(self) -> Float64 | None:
        """Return the example frames that pass in each frame of the result, on stairs."""
        return None if self.stepping is None else self.stepping.rates

    def bound(self, task: Task) -> Constraint:
        """Return the constraint with the rates at which the examples' steps fit the ground."""
        given = np.arange(task.frames, dtype=np.float64)
        if task.cyclic or any(constraint.at_rates(given) is None for constraint in task.constraints):
            return self
        routes = (constraint.route(task) for constraint in task.constraints)
        route = next((route for route in routes if route is not None), None)
        if route is None:
            return self
        prepared = task.prepared
        return replace(self, stepping=step_rates(prepared.examples, prepared.example_feet, self.surface, route))

    def steered(self, task: Task, track: RootTrack) -> RootTrack:
        """Return the root's track with steps that are as much shorter as the examples are faster."""
        if self.stepping is None:
            return track
        slower = (1.0 / self.stepping.rates)[:, None]
        return replace(track, velocity=(track.velocity * slower).astype(np.float32))

    def notes(self, task: Task) -> tuple[str, ...]:
        """Return a sentence on stairs that ask for more steps than the examples can take in the time."""
        return () if self.stepping is None else self.stepping.notes(self.first_frame)

    def check(self, task: Task) -> None:
        """Raise InputError if no foot stands, or only on ground that moves under a character in place."""
        motions = task.prepared.motions
        feet = [foot for foot in task.prepared.feet if foot.has_leg]
        base = ground_heights(motions, feet)
        if not any(label_contacts(motion, feet, base).any() for motion in motions):
            raise InputError(
                "No foot with a leg stands on level ground in the examples; choose feet, other examples, or leave out "
                "the ground."
            )

    def finished(self, task: Task, composed: Composed, walk: Walk, span: Span) -> Composed:
        """Return the motion on the ground; fixed legs keep their poses."""
        prepared, feet, root = task.prepared, task.prepared.feet, task.prepared.root.joint
        rise = np.asarray(walk.rise, np.float64)
        flat = move_together(composed.motion, prepared.root.anchored, -rise[:, None] * self.surface.axes[2])
        contacts = label_contacts(flat, feet, ground_heights(prepared.motions, feet))
        standing = GroundContacts(feet, contacts, prepared.example_feet.footing.knees)
        pinned = [constraint.posed_joints(span) for constraint in task.constraints]
        fixed = [joints for joints in pinned if joints is not None]
        kept_joints = np.logical_or.reduce(fixed) if fixed else np.zeros(flat.rotations.shape[:2], bool)
        through = partial(_brought_through, self.given, _placed_frames(task.constraints), flat.frames_per_second)

        def put_on(motion: Motion, kept: Mask, shorten: bool, at: tuple[int, float] | None) -> Grounded:
            weights = ik_weights_beside(kept, feet, root, motion.frames_per_second).feet if fixed else None
            return put_on_ground(
                motion, self.surface, standing, root, rise - rise[0], weights, through, self.first_frame, shorten, at
            )

        if self.given is None or self.given.posed is None:
            free = not any(constraint.locates for constraint in task.constraints)
            put = put_on(flat, kept_joints, free, None)
        else:
            put = self._through_poses(flat, standing, kept_joints, self._fixed(task), put_on)
        return replace(composed, motion=put.motion, notes=(*composed.notes, *put.notes))

    def _through_poses(
        self,
        flat: Motion,
        standing: GroundContacts,
        kept_joints: Mask,
        at: tuple[int, float] | None,
        put_on: Callable[[Motion, Mask, bool, tuple[int, float] | None], Grounded],
    ) -> Grounded:
        """Return a motion on the ground through poses whose legs were planned on flat ground.

        Steps are shortened around the one fixed place, if any. If that is not calm, steps keep their lengths, or legs
        are blended to the poses directly, and the calmest of these is kept.
        """
        assert self.given is not None and self.given.posed is not None
        posed, surface = self.given.posed, self.surface
        others = kept_joints & ~np.isin(np.arange(flat.frames), posed.frames)[:, None]

        def met(shorten: bool) -> Grounded:
            put = put_on(flat, others, shorten, at if shorten else None)
            return replace(put, motion=posed.met_by(put.motion, surface, standing))

        attempts: list[Callable[[], Grounded]] = [partial(met, True)] if at is not None else []
        attempts += [partial(met, False), lambda: put_on(posed.kept_by(flat), kept_joints, False, None)]
        legs = [index for index, foot in enumerate(standing.feet) if foot.has_leg]
        level = flat_level(flat, [standing.feet[index] for index in legs], standing.contacts[:, legs], surface)
        return calmest(attempts, flat, surface, standing, level)

    def _fixed(self, task: Task) -> tuple[int, float] | None:
        """Return the frame and the height of the single pose that fixes the body's place; None if others do too."""
        others = [constraint for constraint in task.constraints if constraint.locates and constraint.poses is None]
        if others or self.given is None or self.given.posed is None or len(self.given.frames) != 1:
            return None
        return int(self.given.frames[0]), float(self.given.heights[0])


def course_of(constraints: Iterable[Constraint], rise: Float64 | None) -> Course:
    """Return the course over flat ground of a result with these constraints; rise: see Course.

    >>> course_of([], None).placed.shape
    (0,)
    """
    known = list(constraints)
    return Course(rise, any(constraint.locates for constraint in known), _placed_frames(known))


def _placed_frames(constraints: Iterable[Constraint]) -> Int64:
    """Return the frames, ascending, at which waypoints fix the root's place along the ground."""
    return np.unique(np.concatenate([np.zeros(0, np.int64), *(constraint.passed for constraint in constraints)]))


def _brought_through(given: GivenHeights | None, placed: Int64, rate: float, moves: Float64) -> Float64:
    """Return moves `(T, 3)` of the pelvis guided through given heights, without horizontal moves at `placed` frames."""
    if len(placed):
        easing = ease(len(moves), placed, np.full(len(placed), CONTEXT_SECONDS * rate))
        moves = moves - easing.of(moves[placed] * np.array([1.0, 1.0, 0.0]))
    return moves if given is None else given.through(moves, rate)


def put_between_poses(
    motion: Motion,
    surface: Surface,
    standing: GroundContacts,
    root: int,
    kept: Sequence[int],
    first_frame: float,
    course: Course = LEVEL,
) -> Grounded:
    """Return a motion of T frames on the ground, without changing the frames that are `kept`.

    root, first_frame: see put_on_ground. course: of the motion, which is on flat ground throughout. Raises InputError
    as put_on_ground does, and for motion that climbs already.

    >>> square = np.array([[[-9, -9, 0], [9, -9, 0], [9, 9, 0]]], float)
    >>> from genmm_addon.core.environment import make_surface, standing_of
    >>> surface = make_surface(square, (0.0, 0.0, 1.0))
    >>> put_between_poses(swing, surface, standing_of(swing), root=0, kept=[0], first_frame=1.0)
    Traceback (most recent call last):
        ...
    genmm_addon.core.errors.InputError: No foot stands on a leg with keys of its own; choose another motion.
    """
    motion.check_values("The motion to put on the ground")
    if course.rise is None and plan_of_climb(motion) is not None:
        raise InputError("The motion climbs already, as on stairs or a slope; choose motion on level ground.")
    weights = through = given = None
    rate, at = motion.frames_per_second, np.array(sorted(kept), np.int64)
    if len(at):
        fixed = np.zeros(motion.rotations.shape[:2], bool)
        fixed[at] = True
        weights = ik_weights_beside(fixed, standing.feet, root, rate).feet
        given = GivenHeights(at, np.zeros(len(at)))
    if given is not None or len(course.placed):
        through = partial(_brought_through, given, course.placed, rate)
    shorten = not len(at) and not course.located
    return put_on_ground(motion, surface, standing, root, course.rise, weights, through, first_frame, shorten)


def lowered_poses(
    poses: PoseConstraint, surface: Surface, example: Motion, root: int
) -> tuple[PoseConstraint, GivenHeights | None]:
    """Return the poses with those that are fixed with their place moved to flat ground, and their heights before.

    example: a motion that shows the height of flat ground. root: the joint whose translation carries the pelvis. Raises
    InputError if there is no ground under such a pose.

    >>> from genmm_addon.core.environment import make_surface
    >>> square = np.array([[[-9, -9, 0], [9, -9, 0], [9, 9, 0]]], float)
    >>> surface, joints = make_surface(square, (0.0, 0.0, 1.0)), np.zeros((60, 2), bool)
    >>> lowered_poses(PoseConstraint(swing, joints, np.zeros(60, bool)), surface, swing, root=0)[1] is None
    True
    """
    frames = np.flatnonzero(poses.place & poses.joints[:, root])
    if not len(frames):
        return poses, None
    standing = standing_of(example)
    legs = [index for index, foot in enumerate(standing.feet) if foot.has_leg]
    if not legs:
        return poses, None
    level = flat_level(example, [standing.feet[index] for index in legs], standing.contacts[:, legs], surface)
    joints = surface.to_ground(poses.motion.take(frames).pose()[1])
    lowest = joints[np.arange(len(frames)), np.argmin(joints[..., 2], axis=1)]
    under = surface.heights(lowest[:, :2], lowest[:, 2] + STEP_UP * example.skeleton.size)
    missing = np.flatnonzero(np.isnan(under))
    if len(missing):
        raise InputError(
            f"There is no ground under the pin at frame {int(frames[missing[0]]) + 1} of the motion; "
            "move the pin or enlarge the ground."
        )
    placed = poses_on_ground(poses, frames, surface, standing, legs, example, level)
    if placed is not None:
        posed, soles = placed
        flat, under = flat_poses(posed, soles, surface, standing, legs, root, level)
        return replace(poses, motion=poses.motion.with_frames(frames, flat)), GivenHeights(frames, under - level, posed)
    drops = np.zeros((poses.motion.frames, 3))
    drops[frames, 2] = level - under
    return replace(poses, motion=move_root(poses.motion, root, surface.from_ground(drops))), GivenHeights(
        frames, under - level
    )
