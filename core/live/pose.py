# SPDX-License-Identifier: GPL-3.0-or-later
"""Poses relative to their place: read at fractional frames of an example, changed by differences, and placed."""

from dataclasses import dataclass, replace
from math import acos, exp, log

import numpy as np

from ..arrays import Float64
from ..feet.two_bone_ik import NEARLY_STRAIGHT
from ..motion import rotations
from ..motion.motion import Motion
from ..motion.root_motion import RootTrack, apply_root
from .examples import LiveExamples
from .single.hinges import NO_BEND
from .single.rotations import Quaternion, multiply

SOFT_BEND = 2.0 * acos(NEARLY_STRAIGHT)
"""Bend, in radians, below which a knee or elbow that is straightened by a difference straightens less and less: that of
a leg of two equal bones that is nearly straight."""
FOLDED, ROOM = 2.4, 0.3
"""Bend, in radians, above which a knee or elbow is folded less and less by a difference, and the largest bend beyond
it, unless its example is folded more."""


@dataclass(frozen=True, eq=False)
class Pose:
    """A pose relative to the root's place and heading: orientations `(J, 4)`, and all other animated values `(D,)`.

    Orientations are not relative to parents: a straight arm twists quickly in recordings, and would fling a hand that
    keeps a difference from it. Limbs with a hinge are extended (see Hinge); the last `bends` columns are their bends,
    in radians.
    """

    turns: Float64
    columns: Float64
    bends: int = 0


def read_pose(examples: LiveExamples, frame: float) -> Pose:
    """Return the pose at a frame, which may be fractional."""
    before = int(frame)
    share = frame - before
    first = _pose_at(examples, before)
    if share < 1e-6:
        return _oriented(examples, first.turns, first.columns)
    second = _pose_at(examples, before + 1)
    signs = np.where(np.sum(first.turns * second.turns, axis=1, keepdims=True) < 0, -1.0, 1.0)
    # Neighboring frames are so similar that a normalized linear interpolation is accurate.
    turns = rotations.normalize((1 - share) * first.turns + share * signs * second.turns)
    return _oriented(examples, np.asarray(turns), (1 - share) * first.columns + share * second.columns)


def _pose_at(examples: LiveExamples, frame: int) -> Pose:
    index = examples.index
    clip = index.clips[frame]
    motion, row = examples.library.motions[clip], frame - index.starts[clip]
    turns = motion.rotations[row].astype(np.float64)
    turns[index.space.plan.anchored] = examples.body[frame]
    others = (motion.translations[row], motion.scales[row], motion.scalars[row])
    return Pose(
        turns, np.concatenate([values.ravel() for values in (examples.offset[frame], *others)]).astype(np.float64)
    )


def difference(target: Pose, start: Pose, like: Float64 | None = None) -> Float64:
    """Return the difference `(3 J + D,)` that changes `start` into `target`; its turns go the same way as in `like`."""
    turns = rotations.to_vector(rotations.multiply(target.turns, rotations.inverse(start.turns)))
    if like is not None:
        # Turns by about half a round are as short either way; two frames of one movement must turn the same way.
        angles = np.linalg.norm(turns, axis=1, keepdims=True)
        other = turns * (1.0 - 2.0 * np.pi / np.maximum(angles, rotations.SMALLEST_NORM))
        same = like[: turns.size].reshape(-1, 3)
        farther = np.square(turns - same).sum(axis=1) > np.square(other - same).sum(axis=1)
        turns = np.where(farther[:, None], other, turns)
    columns = target.columns - start.columns
    for place in range(len(columns) - start.bends, len(columns)):
        bend = float(start.columns[place])
        columns[place] = _unflexed(float(target.columns[place]), bend) - bend
    return np.concatenate((turns.ravel(), columns))


def changed(pose: Pose, by: Float64) -> Pose:
    """Return the pose changed by a difference; no knee or elbow bends backward unless it does in the pose itself."""
    count = pose.turns.size // 4 * 3
    turns = rotations.multiply(rotations.from_vector(by[:count].reshape(-1, 3)), pose.turns)
    columns = pose.columns + by[count:]
    for place in range(len(columns) - pose.bends, len(columns)):
        columns[place] = _flexed(float(columns[place]), float(pose.columns[place]))
    return replace(pose, turns=np.asarray(turns), columns=columns)


def _flexed(bend: float, played: float) -> float:
    """Return the bend of a joint, in radians, limited on both sides; own: the bend in its example.

    It is not below 0 unless the own bend is, nor much above FOLDED; it approaches both limits gradually.
    """
    soft, folded = min(played, SOFT_BEND), max(played, FOLDED)
    if bend < soft:
        return soft * exp((bend - soft) / soft) if soft > NO_BEND else max(bend, soft)
    return bend if bend <= folded else folded + ROOM * (1.0 - exp((folded - bend) / ROOM))


def _unflexed(bend: float, played: float) -> float:
    """Return the bend, in radians, that `_flexed` limits to a given one."""
    soft, folded = min(played, SOFT_BEND), max(played, FOLDED)
    if bend < soft:
        return soft + soft * log(max(bend, NO_BEND) / soft) if soft > NO_BEND else bend
    return bend if bend <= folded else folded - ROOM * log(max(folded + ROOM - bend, NO_BEND) / ROOM)


def put_down(examples: LiveExamples, pose: Pose, place: Float64, heading: float, before: Motion | None) -> Motion:
    """Return a motion of one frame: the pose at a place `(2,)`, in sizes, and heading; before: the frame before it."""
    like, plan = examples.library.motions[0], examples.index.space.plan
    up, ground = examples.up, place @ examples.axes * examples.skeleton.size
    count, joints = 3 * len(plan.anchored), plan.anchored
    sizes = (count, 3 * len(like.translated), 3 * len(like.scaled), len(pose.columns) - pose.bends)
    pieces = np.split(pose.columns, [*np.cumsum(sizes[:3]), sizes[3]])
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
    # Quaternions keep their signs, so that keys of neighboring frames do not oppose each other.
    signs = np.where(np.sum(placed.rotations * before.rotations, axis=2, keepdims=True) < 0, -1, 1)
    return placed.with_channels({**placed.channels(), "rotations": (placed.rotations * signs).astype(np.float32)})


def _oriented(examples: LiveExamples, turns: Float64, columns: Float64) -> Pose:
    """Return the pose for rotations `(J, 4)`, which are relative to parents except for the joints that travel."""
    travels, skeleton = set(examples.index.space.plan.anchored.tolist()), examples.skeleton
    orientations = list[Quaternion]()
    for joint, (parent, rotation, rest) in enumerate(
        zip(*(values.tolist() for values in (skeleton.parents, turns, skeleton.rest_rotations)), strict=True)
    ):
        inside = rotation if joint in travels else multiply(rest, rotation)
        orientations.append(inside if joint in travels or parent < 0 else multiply(orientations[parent], inside))
    bends = [hinge.extended(orientations) for hinge in examples.hinges]
    return Pose(np.array(orientations), np.append(columns, bends), len(bends))


def _relative(examples: LiveExamples, pose: Pose) -> Float64:
    """Return the rotations `(J, 4)` of a pose relative to parents; those of the joints that travel are arbitrary."""
    skeleton, orientations = examples.skeleton, [(w, x, y, z) for w, x, y, z in pose.turns.tolist()]
    for hinge, bend in zip(examples.hinges, pose.columns[len(pose.columns) - pose.bends :].tolist(), strict=True):
        hinge.flexed(orientations, bend)
    turns = np.array(orientations)
    above = turns[skeleton.parents]
    above[skeleton.parents < 0] = (1.0, 0.0, 0.0, 0.0)
    rests = rotations.multiply(above, skeleton.rest_rotations)
    return np.asarray(rotations.multiply(rotations.inverse(rests), turns))
