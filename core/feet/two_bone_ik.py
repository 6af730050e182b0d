# SPDX-License-Identifier: GPL-3.0-or-later
"""Closed-form inverse kinematics of a leg: the knee bends about its hinge, the hip aims, the foot's orientation stays.

The hinge is an axis of the thigh, the same at every frame, and is found from all frames of the examples. An axis
computed from thigh and shin at one frame would flip when the leg is straight, and the knee with it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, Float64, Int64
from ..motion import rotations
from ..motion.filters import smooth_beside
from ..motion.motion import Motion, joint_path, pose_along
from ..motion.piecewise import pieces
from ..motion.skeleton import SAME_PLACE, forward_kinematics
from .contact_detection import Foot
from .leg_copies import Bends, places_of_bends

FORWARD_HINT = 0.02
"""Weight of the toes' direction against the sine of the mean bend; it decides the hinge of a knee that never bends."""
NEARLY_STRAIGHT = 0.97
"""Extension, as a share of the leg's length, from which it increases softly, so that the knee does not snap. As near to
its shortest length, it decreases softly."""
STRAIGHTNESS = 0.005
"""Value of 1 - cos(bend) below which a knee bends less than its foot's place demands: 0.005 is a bend of 6 degrees.

At that bend, one thousandth of the leg's length is five degrees of its knee. The foot misses its place, along the leg,
by at most this share of a quarter of the leg's length.
"""
CALM_BEND = 0.4
"""Bend, in radians, at which the foot's place and a calm knee have equal weight; see BEND_SECONDS."""
BEND_SECONDS = 0.05
"""Deviation, in seconds, of the Gaussian that smooths a bend added to a nearly straight knee."""


@dataclass(frozen=True, eq=False)
class Leg:
    """A leg as three joints of a chain, posed over time.

    chain: joints from a root to the foot's joint. hip, knee, end: places in the chain. matrices: `(T, C, 3, 3)`, in
    single precision to save memory. positions: `(T, C, 3)`. copies: joints of copies of the leg, which turn with it.
    control: that brings the end along; the last two positions are then the control's and the foot's, not the chain's.
    """

    chain: list[int]
    hip: int
    knee: int
    end: int
    matrices: Array
    positions: Float64
    copies: tuple[Bends, ...] = ()
    control: int | None = None

    @property
    def target(self) -> Float64:
        """Return the places `(T, 3)` that hip and knee must reach: of the end, or of its control."""
        return np.asarray(self.positions[:, self.end if self.control is None else -2])

    def goes_along(self, size: float) -> bool:
        """Return whether the end is where the control is, and not left to inverse kinematics of another program."""
        away = rotations.lengths(self.positions[:, self.end] - self.target)
        return bool(np.median(away) <= SAME_PLACE * size)

    @property
    def bones(self) -> tuple[Float64, Float64]:
        """Return the vectors `(T, 3)` of thigh and shin."""
        hip, knee, end = (self.positions[:, place] for place in (self.hip, self.knee, self.end))
        return knee - hip, end - knee

    @property
    def reach(self) -> Float64:
        """Return the length `(T,)` of the extended leg."""
        thigh, shin = self.bones
        return rotations.lengths(thigh) + rotations.lengths(shin)

    def directions(self, frames: Int64 | slice = slice(None)) -> Float64:
        """Return the thigh's axes at some of the frames, as the columns of matrices `(T, 3, 3)` without scale."""
        return np.asarray(rotations.without_scale(_at(self.matrices[:, self.hip], frames)))

    def bends(self) -> Float64:
        """Return the sum `(3,)` over the frames of the bending axes, each with the sine of the bend as its length."""
        thigh, shin = (bone / np.maximum(np.linalg.norm(bone, axis=1, keepdims=True), 1e-12) for bone in self.bones)
        foot = self.positions[:, -1] - self.positions[:, self.end]
        forward = foot / np.maximum(np.linalg.norm(foot, axis=1, keepdims=True), 1e-12)
        axes = rotations.cross(thigh, shin) + FORWARD_HINT * rotations.cross(forward, thigh)
        return np.asarray(np.einsum("tba,tb->a", self.directions(), axes))

    def at(self, frames: Int64) -> "Leg":
        """Return the leg at some of the frames."""
        return replace(self, matrices=self.matrices[frames], positions=self.positions[frames])


def _at(values: Array, frames: Int64 | slice) -> Float64:
    """Return values `(T, ...)` at some frames; poses have their frames last in memory, where indexing is faster."""
    return np.moveaxis(np.moveaxis(values, 0, -1)[..., frames].astype(np.float64), -1, 0)


def pose_leg(motion: Motion, foot: Foot) -> Leg:
    """Return the leg, of at least three joints, of a foot, posed at every frame; or that of its control."""
    if len(foot.leg) == 1:
        return _pose_driven_leg(motion, foot)
    chain = motion.skeleton.chain(foot.joint)
    matrices, positions = pose_along(motion, chain)
    places = [chain.index(joint) for joint in foot.leg]
    lengths = np.linalg.norm(np.diff(positions[:1, places], axis=1), axis=2)[0]
    hip, knee, end = (places[place] for place in places_of_bends(lengths))
    return Leg(chain, hip, knee, end, matrices, positions.astype(np.float64), foot.copies)


def _pose_driven_leg(motion: Motion, foot: Foot) -> Leg:
    """Return the leg that a control brings along, followed by the places of the control and the foot."""
    bends, (control,) = foot.copies[0], foot.leg
    chain = motion.skeleton.chain(bends[-1])
    matrices, positions = pose_along(motion, chain)
    beside = [joint_path(motion, joint)[:, None] for joint in (control, foot.joint)]
    places = np.concatenate((positions, *beside), axis=1, dtype=np.float64)
    hip, knee, end = (chain.index(joint) for joint in bends)
    return Leg(chain, hip, knee, end, matrices, places, foot.copies[1:], control)


def knee_of(motion: Motion, foot: Foot) -> int:
    """Return the knee joint of a foot whose leg has at least three joints.

    >>> [knee_of(swing, foot) for foot in prepared.feet if foot.has_leg]
    []
    """
    leg = pose_leg(motion.slice(0, 1), foot)
    return leg.chain[leg.knee]


def find_hinges(motions: Sequence[Motion], feet: Sequence[Foot]) -> Float64:
    """Return the axis `(len(feet), 3)` about which each knee bends in the motions, see `hinges_of`."""
    return hinges_of([[pose_leg(motion, foot).bends() for motion in motions] if foot.has_leg else [] for foot in feet])


def hinges_of(bends: Sequence[Sequence[Float64]]) -> Float64:
    """Return the axis `(feet, 3)` about which each knee bends, in its thigh's own axes; 0 if there is no leg.

    bends: for each foot, the `bends` of its leg in each motion. The axis is their mean over all frames, weighted by the
    sine of the bend.
    """
    hinges = np.zeros((len(bends), 3))
    for hinge, of_foot in zip(hinges, bends, strict=True):
        if of_foot:
            total = np.sum(of_foot, axis=0)
            hinge[:] = total / max(float(np.linalg.norm(total)), 1e-12)
    return hinges


@dataclass(frozen=True, eq=False)
class Solution:
    """Turns of a leg at `frames` `(K,)`: the knee's about its hinge, then the hip's, both `(K, 4)` and global."""

    frames: Int64
    bend: Array
    aim: Array


def solve_leg(
    leg: Leg, moves: Float64, hinge: Float64, rate: float, size: float, weights: Array | None = None
) -> Solution:
    """Return the turns that move the end of a leg by `(T, 3)`; hinge: see find_hinges.

    weights: `(T,)`, 0 at frames at which the leg does not turn, and less than 1 near them; None is 1.
    """
    changed = rotations.lengths(moves) > 1e-6 * size
    spread = np.ones(4 * max(1, round(BEND_SECONDS * rate)) + 1)
    reach = len(spread) // 2
    busy = np.convolve(changed, spread)[reach : reach + len(moves)] > 0
    weights = np.ones(len(moves)) if weights is None else weights
    frames = np.flatnonzero(busy & (weights > 0))
    # Only hip, knee and end are copied: the chain above them is most of a leg's memory.
    hip, knee, end = (leg.positions[frames, place] for place in (leg.hip, leg.knee, leg.end))
    thigh, shin = knee - hip, end - knee
    now, target = thigh + shin, thigh + shin + moves[frames]
    now_distance, target_distance = (np.asarray(rotations.lengths(vector), np.float64) for vector in (now, target))
    bones = [np.asarray(rotations.lengths(bone), np.float64) for bone in (thigh, shin)]
    # Only the change is softened: a leg that is straight in the example stays straight.
    distance = now_distance + soft_distance(target_distance, *bones) - soft_distance(now_distance, *bones)
    axis = np.einsum("tab,b->ta", leg.directions(frames), hinge)
    before, added = _bends(thigh, shin, axis, distance)
    added = _calm_bends(before, added, frames, weights, rate)
    bend = rotations.from_axis_angle(axis, added)
    return Solution(frames, bend, rotations.shortest_turn(thigh + rotations.rotate(bend, shin), target))


def _calm_bends(before: Float64, added: Float64, frames: Int64, weights: Array, rate: float) -> Float64:
    """Return bends `(K,)` added to those `before` at some frames of T, smoothed over time where knees are straight."""
    every = np.zeros((len(weights), 1))
    every[frames, 0] = added
    calm = 1.0 / (1.0 + ((before + added) / CALM_BEND) ** 2)
    smoothed = added + calm * (smooth_beside(every, BEND_SECONDS, rate, weights)[frames, 0] - added)
    # Smoothing takes a straight knee no further than straight, though its neighbors straighten.
    return np.asarray(np.maximum(smoothed, np.minimum(added, -np.maximum(before, 0.0))))


def reached_distances(leg: Leg, targets: Float64, weights: Array, rate: float) -> Float64:
    """Return the distances `(T,)` from the hip to which a leg brings its control, in place of targets `(T,)`.

    The knee bends as in solve_leg.
    """
    sides = (*leg.bones, leg.target - leg.positions[:, leg.hip])
    thigh, shin, now = (np.asarray(rotations.lengths(side), np.float64) for side in sides)
    distance = now + soft_distance(targets, thigh, shin) - soft_distance(now, thigh, shin)
    constant, radius = thigh**2 + shin**2, np.maximum(thigh * shin, 1e-12)
    cosines = (now**2 - constant) / (2 * radius)
    before = np.arccos(np.clip(cosines, -1.0, 1.0))
    added = _soft_bend(1.0 - (distance**2 - constant) / (2 * radius)) - _soft_bend(1.0 - cosines)
    after = before + _calm_bends(before, added, np.arange(len(now)), weights, rate)
    # A control beyond the reach of its leg stays so.
    return np.asarray(np.sqrt(constant + 2 * radius * np.cos(after)) + np.maximum(now - thigh - shin, 0.0))


def knee_path(leg: Leg, solution: Solution) -> Float64:
    """Return the positions `(T, 3)` of the knee after the leg's turns."""
    path, hip = leg.positions[:, leg.knee].copy(), leg.positions[solution.frames, leg.hip]
    path[solution.frames] = hip + rotations.rotate(solution.aim, path[solution.frames] - hip)
    return np.asarray(path)


def hip_to_end(leg: Leg, solution: Solution) -> Float64:
    """Return the vectors `(T, 3)` from the hip to the end after turns at all frames of a leg."""
    thigh, shin = leg.bones
    return np.asarray(rotations.rotate(solution.aim, thigh + rotations.rotate(solution.bend, shin)))


def swivel_axis(leg: Leg, solution: Solution) -> Float64:
    """Return the directions `(T, 3)` from the hip to the end, about which the knee can turn while both stay."""
    line = hip_to_end(leg, solution)
    return np.asarray(line / np.maximum(np.linalg.norm(line, axis=1, keepdims=True), 1e-12))


def swiveled(solution: Solution, axis: Float64, angles: Array) -> Solution:
    """Return the turns of a leg with its knee turned by angles `(T,)` about its swivel axis."""
    return replace(solution, aim=rotations.multiply(rotations.from_axis_angle(axis, angles), solution.aim))


def turn_leg(
    motion: Motion, leg: Leg, solution: Solution, ends: Array | None = None, *, carried: bool = False
) -> Motion:
    """Return the motion with the turns of a leg applied; leg: as posed in the motion.

    ends: new orientations `(K, 4)` of its end; None keeps the orientations. carried: the end turns with the shin
    instead, and keeps its local rotation.
    """
    if not len(solution.frames):
        return motion
    turned = replace(motion, rotations=motion.rotations.copy())
    write_turns(turned, leg, solution, ends, carried=carried)
    return turned


def write_turns(
    motion: Motion, leg: Leg, solution: Solution, ends: Array | None = None, *, carried: bool = False
) -> None:
    """Write the turns of a leg into the rotations of a motion; for other arguments see `turn_leg`."""
    for piece in pieces(len(solution.frames)):
        part = Solution(solution.frames[piece], solution.bend[piece], solution.aim[piece])
        _write_piece(motion, leg, part, None if ends is None else ends[piece], carried)


def _write_piece(motion: Motion, leg: Leg, solution: Solution, ends: Array | None, carried: bool) -> None:
    busy, skeleton = solution.frames, motion.skeleton
    # Only the leg and the joint above it are used: converting the spine would take as long again.
    above = max(leg.hip - 1, 0)
    joints, bends = leg.chain[above : leg.end + 1], (leg.hip - above, leg.knee - above, leg.end - above)
    matrices = _at(leg.matrices[:, above : leg.end + 1], busy)
    orientation: Array = rotations.from_matrix(rotations.without_scale(matrices))
    _write_chain(motion, joints, bends, orientation, solution, ends, carried)
    for copy in leg.copies:
        joints = skeleton.chain(copy[-1])
        # Without scales, of which only shear would turn a joint.
        posed = forward_kinematics(skeleton.along(tuple(joints)), motion.rotations[busy[:, None], joints])[0]
        of_copy = rotations.from_matrix(posed)
        copied = None
        if ends is not None:
            turn = rotations.multiply(ends, rotations.inverse(orientation[:, bends[-1]]))
            copied = rotations.multiply(turn, of_copy[:, -1])
        bends_of_copy = joints.index(copy[0]), joints.index(copy[1]), len(joints) - 1
        _write_chain(motion, joints, bends_of_copy, of_copy, solution, copied, carried)


def _write_chain(
    motion: Motion,
    joints: list[int],
    bends: Bends,
    orientation: Array,
    solution: Solution,
    ends: Array | None,
    carried: bool,
) -> None:
    """Apply turns to a chain of joints that are oriented so `(K, C, 4)`; bends: places of hip, knee and end in it."""
    busy, bend, aim = solution.frames, solution.bend, solution.aim
    hip, knee, end = bends
    new = orientation.copy()
    new[:, hip:knee] = rotations.multiply(aim[:, None], orientation[:, hip:knee])
    turned = rotations.multiply(aim, bend)
    new[:, knee:end] = rotations.multiply(turned[:, None], orientation[:, knee:end])
    if ends is not None:
        new[:, end] = ends
    for place in (hip, knee) if carried else bends:
        joint = joints[place]
        local = motion.skeleton.local_rotation(joint, new[:, place], new[:, place - 1] if place else None)
        before = motion.rotations[busy, joint]
        # The sign of the recorded rotation is kept, so that neighboring keys never oppose.
        sign = np.where(np.sum(local * before, axis=1, keepdims=True) < 0, -1.0, 1.0)
        motion.rotations[busy, joint] = (local * sign).astype(np.float32)


def _bends(thigh: Float64, shin: Float64, axis: Float64, distance: Float64) -> tuple[Float64, Float64]:
    """Return the knee's angle `(T,)` about its axis `(T, 3)`, and the change that gives hip and end this distance.

    See bend_terms.
    """
    constant, radius, before = bend_terms(thigh, shin, axis)
    # A knee does not bend back so far: beyond half a turn it is folded.
    before = np.where(before < -np.pi / 2, before + 2 * np.pi, before)
    straightest = _soft_bend(1.0 - np.cos(np.maximum(before, 0.0)))
    straightest = np.where(before > np.pi, 2 * np.pi - straightest, straightest)
    added = _soft_bend(1.0 - (distance**2 - constant) / (2 * radius)) - straightest
    # Softness takes a knee no further than straight, and one that bends back no further back.
    return before, np.maximum(added, -np.maximum(before, 0.0))


def bend_terms(thigh: Float64, shin: Float64, axis: Float64) -> tuple[Float64, Float64, Float64]:
    """Return C, R and the bend b `(T,)` about the axis: the squared distance of hip and end is C + 2 R cos(b).

    b is 0 for a straight leg.
    """
    thigh_along, shin_along = (np.einsum("ta,ta->t", bone, axis) for bone in (thigh, shin))
    cosine = np.einsum("ta,ta->t", thigh, shin) - thigh_along * shin_along
    sine = np.einsum("ta,ta->t", axis, rotations.cross(thigh, shin))
    radius = np.maximum(np.hypot(cosine, sine), 1e-12)
    constant = np.sum(thigh**2, axis=1) + np.sum(shin**2, axis=1) + 2 * thigh_along * shin_along
    return constant, radius, np.arctan2(sine, cosine)


def _soft_bend(versine: Float64) -> Float64:
    """Return the bend `(T,)`, in radians, of a knee from its 1 - cosine, also for values that no leg can reach."""
    positive = 0.5 * (versine + np.sqrt(versine**2 + STRAIGHTNESS**2))
    return np.asarray(2.0 * np.arcsin(np.sqrt(np.minimum(positive / 2, 1.0))))


def soft_distance(distance: Float64, thigh: Float64, shin: Float64) -> Float64:
    """Return the distance `(T,)` of a limb's ends, softened near its limits so that bones of two lengths reach it."""
    reach, folded = thigh + shin, np.abs(thigh - shin)
    start, room = NEARLY_STRAIGHT * reach, (1.0 - NEARLY_STRAIGHT) * reach
    beyond, within = np.maximum(distance - start, 0.0), np.maximum(folded + room - distance, 0.0)
    shortened = np.where(distance <= start, distance, start + room * (1.0 - np.exp(-beyond / np.maximum(room, 1e-12))))
    return np.where(within > 0.0, folded + room * np.exp(-within / np.maximum(room, 1e-12)), shortened)
