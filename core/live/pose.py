# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses apart from where they are: read between two frames of an example, changed by a difference, and put down."""

from dataclasses import dataclass
from math import exp

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from ..motion.motion import Motion
from ..motion.root_motion import RootTrack, apply_root
from . import single_rotations as single
from .examples import LiveExamples
from .single_legs import LegJoints, bend_between
from .single_rotations import Quaternion, Vector, multiply

Float32 = NDArray[np.float32]
Float64 = NDArray[np.float64]

SOFT_BEND = 0.5
"""A knee that a difference bends to less than this, radians, bends ever less the straighter it is."""
SMALLEST_BEND = 1e-4
"""Radians that are none."""


@dataclass(frozen=True, eq=False)
class Pose:
    """A pose seen from the root's place and heading: turns `(J, 4)`, and all else that is animated `(D,)`.

    Turns are those of joints in space, not relative to parents: an arm that is straight twists quickly in recordings,
    and would fling a hand that a difference holds beside it.
    """

    turns: Float64
    columns: Float64


def read_pose(examples: LiveExamples, frame: float) -> Pose:
    """Return the pose at a frame of all, between two where it is no whole number."""
    before = int(frame)
    share = frame - before
    first = _pose_at(examples, before)
    if share < 1e-6:
        return _oriented(examples, first.turns, first.columns)
    second = _pose_at(examples, before + 1)
    signs = np.where(np.sum(first.turns * second.turns, axis=1, keepdims=True) < 0, -1.0, 1.0)
    # Neighbors are so near to each other that the straight line, made a rotation again, is the short way.
    turns = rotations.normalize((1 - share) * first.turns + share * signs * second.turns)
    return _oriented(examples, np.asarray(turns), (1 - share) * first.columns + share * second.columns)


def _pose_at(examples: LiveExamples, frame: int) -> Pose:
    index = examples.index
    clip = index.clips[frame]
    motion, own = examples.library.motions[clip], frame - index.starts[clip]
    turns = motion.rotations[own].astype(np.float64)
    turns[index.space.plan.anchored] = examples.body[frame]
    rest = (motion.translations[own], motion.scales[own], motion.scalars[own])
    return Pose(
        turns, np.concatenate([values.ravel() for values in (examples.offset[frame], *rest)]).astype(np.float64)
    )


def difference(there: Pose, here: Pose, like: Float64 | None = None) -> Float64:
    """Return what `(3 J + D,)` brings one pose to another; turns the way that those of `like`, a difference, go."""
    turns = rotations.to_vector(rotations.multiply(there.turns, rotations.inverse(here.turns)))
    if like is not None:
        # About half a turn either way is as short: two frames of one movement must not take both.
        angles = np.linalg.norm(turns, axis=1, keepdims=True)
        other = turns * (1.0 - 2.0 * np.pi / np.maximum(angles, rotations.SMALLEST_NORM))
        same = like[: turns.size].reshape(-1, 3)
        farther = np.square(turns - same).sum(axis=1) > np.square(other - same).sum(axis=1)
        turns = np.where(farther[:, None], other, turns)
    return np.concatenate((turns.ravel(), there.columns - here.columns))


def changed(pose: Pose, by: Float64) -> Pose:
    """Return the pose changed by a difference."""
    count = pose.turns.size // 4 * 3
    turns = rotations.multiply(rotations.from_vector(by[:count].reshape(-1, 3)), pose.turns)
    return Pose(np.asarray(turns), pose.columns + by[count:])


def knees_forward(examples: LiveExamples, own: Pose, pose: Pose) -> Pose:
    """Return a pose, changed by a difference, with no knee bent backward that is not in its own pose.

    The leg is turned so that its end stays in the same direction from the hip; the foot keeps its orientation.
    """
    turns = None
    for leg in examples.legs.legs:
        thigh, shin, axis = _leg_at(examples, leg, pose)
        bend = bend_between(thigh, shin, axis)
        target = _forward(bend, bend_between(*_leg_at(examples, leg, own)))
        if target - bend < SMALLEST_BEND:
            continue
        turn = single.about(axis, target - bend)
        aim = single.shortest_turn(single.add(thigh, single.rotate(turn, shin)), single.add(thigh, shin))
        turns = pose.turns.copy() if turns is None else turns
        for joints, by in ((leg.thigh, aim), (leg.shin, multiply(aim, turn))):
            for joint in joints:
                turns[joint] = multiply(by, turns[joint].tolist())
    return pose if turns is None else Pose(turns, pose.columns)


def _forward(bend: float, own: float) -> float:
    """Return the bend of a knee, radians, that is to have one and has another of its own, not below 0 if that is not:
    the nearer to it, the less of what is left is taken away.
    """
    soft = min(own, SOFT_BEND)
    if bend >= soft:
        return bend
    return soft * exp((bend - soft) / soft) if soft > SMALLEST_BEND else max(bend, soft)


def _leg_at(examples: LiveExamples, leg: LegJoints, pose: Pose) -> tuple[Vector, Vector, Vector]:
    """Return the thigh and the shin of a leg in a pose, and the axis of its knee, as seen from the root."""
    hip, knee, end = leg.joints
    thigh, shin = (_way(examples, pose, start, stop) for start, stop in ((hip, knee), (knee, end)))
    return thigh, shin, single.rotate(pose.turns[hip].tolist(), leg.hinge)


def _way(examples: LiveExamples, pose: Pose, start: int, stop: int) -> Vector:
    """Return the way from a joint to one below it."""
    way, limbs = (0.0, 0.0, 0.0), examples.limbs
    while stop != start:
        parent = limbs.parents[stop]
        way = single.add(way, single.rotate(pose.turns[parent].tolist(), limbs.offsets[stop]))
        stop = parent
    return way


def put_down(examples: LiveExamples, pose: Pose, place: Float64, heading: float, before: Motion | None) -> Motion:
    """Return a motion of one frame: the pose at a place `(2,)`, in sizes, and heading; before: the frame before it."""
    like, plan = examples.library.motions[0], examples.index.space.plan
    up, ground = examples.up, place @ examples.axes * examples.skeleton.size
    count, joints = 3 * len(plan.anchored), plan.anchored
    pieces = np.split(pose.columns, np.cumsum([count, 3 * len(like.translated), 3 * len(like.scaled)]))
    loose = like.with_channels(
        {
            "rotations": _relative(examples, pose)[None].astype(np.float32),
            "translations": pieces[1].reshape(1, -1, 3).astype(np.float32),
            "scales": pieces[2].reshape(1, -1, 3).astype(np.float32),
            "scalars": pieces[3].reshape(1, -1).astype(np.float32),
        }
    )
    track = RootTrack(
        heading=rotations.from_axis_angle(up[None], np.array([heading])).astype(np.float32),
        ground=ground[None].astype(np.float32),
        velocity=np.zeros((1, 3), np.float32),
        yaw_rate=np.zeros(1, np.float32),
        body=pose.turns[None, joints].astype(np.float32),
        offset=pieces[0].reshape(1, -1, 3).astype(np.float32),
    )
    placed = apply_root(loose, plan, track)
    if before is None:
        return placed
    # Rotations keep their signs, so that keys of neighboring frames never oppose.
    signs = np.where(np.sum(placed.rotations * before.rotations, axis=2, keepdims=True) < 0, -1, 1)
    return placed.with_channels({**placed.channels(), "rotations": (placed.rotations * signs).astype(np.float32)})


def _oriented(examples: LiveExamples, turns: Float64, columns: Float64) -> Pose:
    """Return a pose of turns `(J, 4)` relative to those of parents, but of the joints that travel."""
    travels, skeleton = set(examples.index.space.plan.anchored.tolist()), examples.skeleton
    found = list[Quaternion]()
    for joint, (parent, own, rest) in enumerate(
        zip(*(values.tolist() for values in (skeleton.parents, turns, skeleton.rest_rotations)), strict=True)
    ):
        inside = own if joint in travels else multiply(rest, own)
        found.append(inside if joint in travels or parent < 0 else multiply(found[parent], inside))
    return Pose(np.array(found), columns)


def _relative(examples: LiveExamples, pose: Pose) -> Float64:
    """Return the turns `(J, 4)` of a pose relative to those of parents; those of the joints that travel are any."""
    skeleton = examples.skeleton
    above = pose.turns[skeleton.parents]
    above[skeleton.parents < 0] = (1.0, 0.0, 0.0, 0.0)
    rests = rotations.multiply(above, skeleton.rest_rotations)
    return np.asarray(rotations.multiply(rotations.inverse(rests), pose.turns))
