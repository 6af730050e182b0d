# SPDX-License-Identifier: GPL-3.0-or-later
"""A joint dragged to a place at one frame: its limb, trunk or root follows over time, and planted feet stay.

The movement decays over time as in motion warping (Witkin, Popovic 1995), here of a joint's place instead of channels.
"""

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, Float64, Mask
from ..errors import InputError
from ..feet.contact_detection import GROUND_BAND, Foot, ground_heights, label_contacts
from ..feet.foot_moves import EASE_SECONDS
from ..feet.leg_ik import ik_weights_beside, move_root
from ..feet.two_bone_ik import Leg, pose_leg, turn_leg
from ..motion import rotations
from ..motion.filters import spread_smoothly
from ..motion.motion import Motion, joint_path
from ..motion.spans import spans, without_gaps
from .reach.approach import Approach, minimum_jerk
from .reach.body import ReachBody, find_body
from .reach.closing import close_limb
from .reach.ends import ReachTask, end_places, orientations_of, places_of
from .reach.limbs import is_of_foot
from .reach.reach import Reach
from .reach.solving import asks_of_trunk, limb_for, standing_legs, trunk_of
from .reach.trunk_ik import ROUNDS, STRAIGHTEST, Trunk, TrunkTask, limb_goal, moved_trunk


def falloff(frame: int, reach: int, contacts: Mask) -> Float64:
    """Return the weights `(T,)` of a drag: 1 at `frame`, falling to 0 beyond `reach` frames before and after it.

    contacts: `(T,)` frames at which the dragged joint itself stands. A contact moves as a whole, with the reach counted
    from its ends, or not at all: the weights fall to 0 before the next one.

    >>> falloff(2, 1, np.zeros(5, bool)).tolist()
    [0.0, 0.5, 1.0, 0.5, 0.0]
    """
    own = next((span for span in spans(contacts) if span[0] <= frame < span[1]), (frame, frame + 1))
    at, standing = np.arange(len(contacts)), np.flatnonzero(contacts)
    before, after = standing[standing < own[0]], standing[standing >= own[1]]
    length = min(reach + 1, own[0] - int(before[-1]) if len(before) else reach + 1)
    length_after = min(reach + 1, int(after[0]) - own[1] + 1 if len(after) else reach + 1)
    shares = np.maximum((own[0] - at) / length, (at - own[1] + 1) / length_after)
    return minimum_jerk(np.clip(shares, 0.0, 1.0))


@dataclass(frozen=True, eq=False)
class DraggedJoint:
    """A joint of a motion that is dragged, and what does not depend on where it goes.

    contacts: `(T, feet)` frames at which each foot stands. stands: `(T,)` frames at which the joint itself stands.
    fixed: `(J,)` joints that keep their rotations.

    >>> isinstance(make_draggable(swing, 1), DraggedJoint)
    True
    """

    motion: Motion
    joint: int
    body: ReachBody
    contacts: Mask
    stands: Mask
    fixed: Mask

    def weights(self, frame: int, reach: int) -> Float64:
        """Return the shares `(T,)` of the movement at `frame` with which the joint moves, see `drag_joint`."""
        return falloff(frame, reach, self.stands)


def make_draggable(motion: Motion, joint: int, fixed: Mask | None = None) -> DraggedJoint:
    """Return a joint that can be dragged, with the contacts of the motion's feet.

    fixed: `(J,)` joints that keep their rotations; None: none does.
    Raises InputError for a motion with values that are not finite.

    >>> make_draggable(swing, 1).contacts.shape
    (60, 0)
    """
    motion.check_values("The motion whose joint is dragged")
    body = find_body([motion], [joint])
    known = [*body.feet, *_standing_alone(motion, joint, body)]
    contacts = label_contacts(motion, known, ground_heights([motion], known))
    contacts = without_gaps(contacts, round(EASE_SECONDS * motion.frames_per_second / 2))
    stands = np.zeros(motion.frames, bool)
    for number, foot in enumerate(known):
        if is_of_foot(motion.skeleton, joint, foot):
            stands |= contacts[:, number]
    kept = np.zeros(len(motion.skeleton.names), bool) if fixed is None else fixed
    return DraggedJoint(motion, joint, body, contacts[:, : len(body.feet)], stands, kept)


def drag_joint(dragged: DraggedJoint, frame: int, goal: Array, reach: int) -> Motion:
    """Return the motion with a joint brought to a goal `(3,)` at a frame, or as near to it as the body allows.

    goal: in the space of the roots. reach: number of frames before and after that follow, less and less; all others
    keep their values. A foot that stands at the frame moves during its whole contact, and the reach begins at its ends.
    Other planted feet stay; feet in flight follow the hips.
    Raises InputError for a frame that does not exist, a negative reach, and a goal that is not finite.

    >>> goal = swing.pose()[1][30, 1] + np.array([0.0, 0.0, 0.1])
    >>> moved = drag_joint(make_draggable(swing, 1), 30, goal, 10)
    >>> bool(np.array_equal(moved.rotations[:20], swing.rotations[:20]))
    True
    """
    motion, joint = dragged.motion, dragged.joint
    if not 0 <= frame < motion.frames:
        raise InputError(f"The motion has no frame {frame}; drag a joint at one of its {motion.frames} frames.")
    if reach < 0:
        raise InputError("The reach of a drag is at least 0 frames; choose a larger one.")
    if not np.isfinite(goal).all():
        raise InputError("The goal of a drag is not finite; choose a place.")
    offset = np.asarray(goal, np.float64) - joint_path(motion, joint)[frame]
    if not offset.any():
        return motion
    weights = dragged.weights(frame, reach)
    changed = np.flatnonzero(weights > 0)
    first, end = int(changed[0]), int(changed[-1]) + 1
    inside = motion.slice(first, end)
    task = _task(dragged, inside, frame - first, weights[first:end], offset)
    carrier = joint if task.limb is None and joint in motion.translated else dragged.body.root
    legs = [
        (leg, number)
        for leg, number in standing_legs(inside, [task], dragged.body)
        # Constraints of a rig, not keys, turn the others, or another joint carries them.
        if carrier in leg.chain[: leg.hip] and not dragged.fixed[[leg.chain[leg.hip], leg.chain[leg.knee]]].any()
    ]
    return motion.with_frames(np.arange(first, end), _Part(dragged, inside, first, frame - first, task, legs).solved())


def _standing_alone(motion: Motion, joint: int, body: ReachBody) -> list[Foot]:
    """Return the joint as a foot without a leg, if it is near the ground and moved by itself, as a rig's control is."""
    skeleton = motion.skeleton
    if any(is_of_foot(skeleton, joint, foot) for foot in body.feet) or joint in skeleton.chain(body.root):
        return []
    if joint not in motion.translated:
        return []
    heights = np.asarray(motion.pose()[1] @ np.array(skeleton.up))
    is_low = float(heights[:, joint].min() - heights.min()) < GROUND_BAND * skeleton.size
    return [Foot(joint, ())] if is_low else []


def _task(dragged: DraggedJoint, motion: Motion, frame: int, weights: Float64, offset: Float64) -> ReachTask:
    """Return the movement of the joint by an offset `(3,)` at a frame, by weights `(T,)` at the others."""
    moves = weights[:, None] * offset
    places = joint_path(motion, dragged.joint) + moves
    reach = Reach(dragged.joint, np.arange(motion.frames) == frame, places)
    return ReachTask(reach, Approach(moves, weights), *limb_for(motion, reach, dragged.body, dragged.fixed))


@dataclass(frozen=True, eq=False)
class _Part:
    """Frames of a motion, from `first` on, that follow the drag by `offset` `(3,)` at frame `at`, by their weights.

    legs: those that keep or lead their feet, posed, with the numbers of these feet.
    """

    dragged: DraggedJoint
    motion: Motion
    first: int
    at: int
    task: ReachTask
    legs: list[tuple[Leg, int]]

    @property
    def weights(self) -> Float64:
        """Return the weights `(T,)` of the drag."""
        return self.task.approach.shares

    @property
    def stands(self) -> Mask:
        """Return the contacts `(T, feet)`."""
        return self.dragged.contacts[self.first : self.first + self.motion.frames]

    def solved(self) -> Motion:
        """Return the frames with the joint dragged."""
        task, motion = self.task, self.motion
        if task.limb is None and task.reach.joint in motion.translated:
            return self._with_feet(move_root(motion, task.reach.joint, self._within_legs(task.approach.moves)))
        turned = orientations_of(motion, task)
        ends = end_places(motion, task, places_of(motion, task), turned)
        moved = self._with_feet(self._with_trunk(ends))
        if task.limb is None:
            return moved
        now = task.limb.posed(moved, rigid=task.rigid)
        solution = close_limb(now, ends - now.positions[:, now.end], task.hinge, self.weights)
        return turn_leg(moved, now, solution, None if task.rigid else turned, carried=task.rigid)

    def _with_trunk(self, ends: Float64) -> Motion:
        """Return the motion with its trunk moved as the frame of the drag needs it, by the weights at all frames.

        The spine turns toward the limb's goal, and the hips move by what is missing, as far as planted legs allow.
        """
        motion, task, at = self.motion, self.task, np.array([self.at])
        if not asks_of_trunk(motion, task):
            return motion
        still, trunk, weights = motion.take(at), self._trunk(), self.weights[:, None]
        goal = limb_goal(still, task, ends[at])
        if trunk.joints:
            of_frame = TrunkTask(still, trunk, [goal], np.ones(1))
            state = of_frame.within(of_frame.solved())
            # A spine that cannot stretch so far would fold up: only turns that help are made.
            before, after = (goal.lacking(pose)[0] for pose in (still, moved_trunk(still, trunk, state)))
            state *= 1.0 - min(max(after / max(before, 1e-12), 0.0), 1.0)
            still, motion = moved_trunk(still, trunk, state), moved_trunk(motion, trunk, weights[..., None] * state)
        if trunk.root not in motion.translated:
            return motion
        return move_root(motion, trunk.root, self._within_legs(weights * goal.missing(still)))

    def _trunk(self) -> Trunk:
        """Return the trunk, without joints that would turn the hips of planted legs."""
        trunk = trunk_of(self.motion, [self.task], self.dragged.body, self.dragged.fixed)
        above = {joint for leg, _ in self.legs for joint in leg.chain[: leg.hip]}
        return replace(trunk, joints=tuple(joint for joint in trunk.joints if joint not in above), shifts=0.0)

    def _with_feet(self, moved: Motion) -> Motion:
        """Return the moved motion with planted feet back in their places, and feet in flight moved with the hips."""
        flying, body, up = self._flying(), self.dragged.body, np.array(moved.skeleton.up)
        for leg, number in self.legs:
            now = pose_leg(moved, body.feet[number])
            shifts = now.positions[:, now.hip] - leg.positions[:, leg.hip]
            if not shifts.any():
                continue
            heights = leg.positions[:, leg.end] @ up
            # A foot in flight comes down no lower than it does in the motion.
            sunk = np.minimum(shifts @ up + heights - heights.min(), 0.0)
            moves = flying[:, number, None] * (shifts - sunk[:, None] * up)
            back = leg.positions[:, leg.end] + moves - now.positions[:, now.end]
            solution = close_limb(now, back, self._hinge(number), np.zeros(moved.frames))
            moved = turn_leg(
                moved, now, solution, rotations.from_matrix(rotations.without_scale(leg.matrices[:, leg.end]))
            )
        return moved

    def _flying(self) -> Float64:
        """Return the shares `(T, feet)` with which each foot follows the hips: 0 while it stands, 1 in flight."""
        motion, feet = self.motion, self.dragged.body.feet
        standing = np.zeros(motion.rotations.shape[:2], bool)
        standing[:, [foot.joint for foot in feet]] = self.stands
        return ik_weights_beside(standing, feet, self.dragged.body.root, motion.frames_per_second).feet

    def _hinge(self, foot: int) -> Float64:
        return np.asarray(self.dragged.body.knees.hinges[foot])

    def _within_legs(self, moves: Float64) -> Float64:
        """Return moves `(T, 3)` of the hips, reduced along legs that would be too short for their planted feet.

        Alternating projections with corrections (Dykstra 1983) leave of each move what both legs allow, where one leg
        after the other could turn it around.
        """
        rate, given_up = self.motion.frames_per_second, [np.zeros_like(moves)] * len(self.legs)
        for number in list(range(len(self.legs))) * ROUNDS:
            (leg, foot), asked = self.legs[number], moves + given_up[number]
            before = leg.positions[:, leg.hip] - leg.positions[:, leg.end]
            after = before + asked
            distances = rotations.lengths(after)
            along = after / distances[:, None]
            stretch = np.maximum((asked * along).sum(axis=1), 1e-12)
            beyond = distances - np.maximum(STRAIGHTEST * leg.reach, rotations.lengths(before))
            # As a share of the stretch, which keeps the decay of the drag.
            lacking = np.where(self.stands[:, foot], np.clip(beyond / stretch, 0.0, 1.0), 0.0)
            shares = spread_smoothly(lacking, max(1, round(EASE_SECONDS * rate)))
            moves = asked - (shares * stretch)[:, None] * along
            given_up[number] = asked - moves
        return moves
