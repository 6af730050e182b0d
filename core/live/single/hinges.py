# SPDX-License-Identifier: GPL-3.0-or-later
"""Hinges: knees and elbows, whose limbs are described by one rotation and one angle, so that blends bend correctly."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import atan2, pi

import numpy as np
from numpy.typing import NDArray

from ...arrays import Float64
from ...motion import rotations as arrays
from ...motion.motion import Motion
from ...motion.piecewise import CLIPS, MOMENTS, evenly
from ...motion.skeleton import Skeleton
from . import rotations
from .rotations import Quaternion, Vector

ONE_AXIS = 0.9
"""Smallest share of a joint's squared bends about one axis, and of its bends to one side of it, for which the joint is
a hinge. Elbows of solved recordings have 1.00, hips and shoulders 0.5 to 0.7."""
NO_BEND = 0.02
"""Bend, in radians, below which a joint counts as straight; within as much of its largest bend, it counts as folded. An
axis is found from larger bends, as the root mean square of their sines."""


@dataclass(frozen=True)
class Hinge:
    """A joint that bends about one axis; joints: the joint above it, itself, and the joint that ends the limb.

    axis: in the upper joint's own axes. thigh, shin: parents and offsets from the first joint to the second, and from
    the second to the third, the last one first. with_thigh, with_shin: other joints that turn with each.
    """

    joints: tuple[int, int, int]
    axis: Vector
    thigh: tuple[tuple[int, Vector], ...]
    shin: tuple[tuple[int, Vector], ...]
    with_thigh: tuple[int, ...]
    with_shin: tuple[int, ...]

    @classmethod
    def of(cls, skeleton: Skeleton, joints: tuple[int, int, int], axis: Vector) -> "Hinge":
        """Return the hinge of three joints of a skeleton, each below the one before."""
        upper, lower, end = joints
        with_thigh, with_shin = (_between(skeleton.parents, *pair) for pair in ((upper, lower), (lower, end)))
        return cls(
            joints, axis, _steps(skeleton, upper, lower), _steps(skeleton, lower, end), with_thigh[1:], with_shin[1:]
        )

    def extended(self, turns: list[Quaternion]) -> float:
        """Return the bend, in radians, after removing it from the orientations of all joints.

        The upper joint then has the limb's orientation, halfway between thigh and shin; the orientations of the others
        become relative to the joints with which they turn.
        """
        upper, lower, _ = self.joints
        above, below = turns[upper], turns[lower]
        axis = rotations.rotate(above, self.axis)
        bend = bend_between(_vector_along(turns, self.thigh), _vector_along(turns, self.shin), axis)
        half = rotations.about(axis, 0.5 * bend)
        limb = rotations.multiply(half, above)
        for joints, turn in ((self.with_thigh, above), (self.with_shin, below)):
            for joint in joints:
                turns[joint] = rotations.multiply(rotations.inverse(turn), turns[joint])
        along = rotations.multiply(rotations.inverse(half), below)
        turns[upper], turns[lower] = limb, rotations.multiply(rotations.inverse(limb), along)
        return bend

    def flexed(self, turns: list[Quaternion], bend: float) -> None:
        """Add a bend, in radians, to extended rotations, which become orientations of joints again."""
        upper, lower, _ = self.joints
        limb = turns[upper]
        half = rotations.about(rotations.rotate(limb, self.axis), 0.5 * bend)
        turns[lower] = rotations.multiply(half, rotations.multiply(limb, turns[lower]))
        turns[upper] = rotations.multiply(rotations.inverse(half), limb)
        for joints, turn in ((self.with_thigh, turns[upper]), (self.with_shin, turns[lower])):
            for joint in joints:
                turns[joint] = rotations.multiply(turn, turns[joint])


def find_hinges(
    motions: Sequence[Motion], knees: dict[tuple[int, int, int], Vector], bones: Sequence[tuple[int, int]]
) -> tuple[Hinge, ...]:
    """Return knees with known joints and axes, and other hinges that the examples show.

    bones: pairs of joints, between which hinges are found. No two hinges turn the same joint.
    """
    after, joined, axes = dict(bones), set[int](), dict[tuple[int, int, int], Vector]()
    for joints, axis in knees.items():
        if not joined.intersection(joints[:2]):
            axes[joints] = axis
            joined.update(joints[:2])
    triples = [(start, end, after[end]) for start, end in bones if end in after and not joined & {start, end}]
    matrices, positions = _sample(motions) if triples else (np.zeros(0), np.zeros(0))
    shares = [(*_axis(matrices, positions, joints), joints) for joints in triples]
    for share, (x, y, z), joints in sorted(shares, key=lambda candidate: -candidate[0]):
        if share >= ONE_AXIS and not joined.intersection(joints[:2]):
            axes[joints] = (x, y, z)
            joined.update(joints[:2])
    return tuple(Hinge.of(motions[0].skeleton, joints, axis) for joints, axis in axes.items())


def _sample(motions: Sequence[Motion]) -> tuple[Float64, Float64]:
    """Return matrices `(T, J, 3, 3)`, without scale, and positions `(T, J, 3)` of poses spread over the motions."""
    sample = [motions[number] for number in evenly(len(motions), CLIPS)]
    poses = [motion.take(evenly(motion.frames, MOMENTS)).pose() for motion in sample]
    matrices, positions = (np.concatenate([pose[part] for pose in poses]).astype(np.float64) for part in (0, 1))
    return np.asarray(arrays.without_scale(matrices)), positions


def _axis(matrices: Float64, positions: Float64, joints: tuple[int, int, int]) -> tuple[float, list[float]]:
    """Return the share of bends about one axis, and the axis in the upper joint's own axes."""
    upper, lower, end = joints
    thigh, shin = positions[:, lower] - positions[:, upper], positions[:, end] - positions[:, lower]
    thigh, shin = (bone / np.maximum(arrays.lengths(bone), arrays.SMALLEST_NORM)[:, None] for bone in (thigh, shin))
    bends = np.einsum("tba,tb->ta", matrices[:, upper], np.cross(thigh, shin))
    values, vectors = np.linalg.eigh(bends.T @ bends)
    along = bends @ vectors[:, -1]
    total, sided = float(values.sum()), float(along.sum())
    if total < NO_BEND**2 * len(bends):
        return 0.0, [0.0, 0.0, 0.0]
    share = min(float(values[-1]) / total, abs(sided) / float(np.abs(along).sum()))
    return share, (vectors[:, -1] if sided >= 0.0 else -vectors[:, -1]).tolist()


def bend_of(cosine: float, sine: float) -> float:
    """Return the bend of a hinge, in radians, from its cosine and sine, in any unit."""
    bend = atan2(sine, cosine)
    # No knee bends back so far: a bend beyond half a turn is a folded knee.
    return bend + 2.0 * pi if bend < -pi / 2 else bend


def bend_between(thigh: Vector, shin: Vector, axis: Vector) -> float:
    """Return the bend of a knee, in radians, about an axis between a thigh and a shin."""
    along = rotations.dot(thigh, axis) * rotations.dot(shin, axis)
    return bend_of(rotations.dot(thigh, shin) - along, rotations.dot(axis, rotations.cross(thigh, shin)))


def _between(parents: NDArray[np.integer], first: int, last: int) -> tuple[int, ...]:
    """Return the joints that turn with `first`, itself included, without `last` and the joints below it."""
    joints = {first}
    for joint, parent in enumerate(parents.tolist()):
        if parent in joints and joint != last:
            joints.add(joint)
    return tuple(sorted(joints))


def _steps(skeleton: Skeleton, start: int, stop: int) -> tuple[tuple[int, Vector], ...]:
    """Return parents and offsets from one joint down to another, the last one first."""
    steps = list[tuple[int, Vector]]()
    while stop != start:
        x, y, z = skeleton.rest_translations[stop].tolist()
        stop = int(skeleton.parents[stop])
        steps.append((stop, (x, y, z)))
    return tuple(steps)


def _vector_along(turns: list[Quaternion], steps: tuple[tuple[int, Vector], ...]) -> Vector:
    """Return the vector along steps; turns: orientations of joints."""
    vector = (0.0, 0.0, 0.0)
    for parent, offset in steps:
        vector = rotations.add(vector, rotations.rotate(turns[parent], offset))
    return vector
