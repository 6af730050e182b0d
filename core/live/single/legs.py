# SPDX-License-Identifier: GPL-3.0-or-later
"""Legs of a single frame in plain numbers: posed, and bent to move their feet.

The solution is that of `core.feet.two_bone_ik`, in a tenth of its time for one frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import acos, asin, cos, exp, hypot, pi, sqrt

from ...arrays import Array, Float32, Float64
from ...feet.contact_detection import Foot
from ...feet.two_bone_ik import NEARLY_STRAIGHT, STRAIGHTNESS, pose_leg
from ...motion.motion import Motion, pose_along
from ...motion.rotations import SMALLEST_NORM
from . import rotations
from .hinges import bend_of
from .rotations import Matrix, Quaternion, Vector


@dataclass(frozen=True)
class LegJoints:
    """Joints of a leg: hip, knee and end, which turn, and the foot's joint, which stands.

    parents: of hip, knee and end, None if there is none. rests: their rotations at rest. hinge: the axis about which
    the knee bends, in the thigh's own axes.
    """

    joints: tuple[int, int, int]
    foot: int
    parents: tuple[int | None, int, int]
    rests: tuple[Quaternion, Quaternion, Quaternion]
    hinge: Vector


@dataclass(frozen=True)
class PosedLeg:
    """A leg in a pose: places of its joints, and axes of hip, knee, end and their parents, with scale.

    thigh, shin: its bones as vectors. bend: of the knee about its axis, in radians. constant, radius: the squared
    distance of the leg's ends at a bend b is constant + 2 radius cos(b).
    """

    leg: LegJoints
    hip: Vector
    foot: Vector
    thigh: Vector
    shin: Vector
    axis: Vector
    matrices: tuple[Matrix, Matrix, Matrix]
    parents: tuple[Matrix | None, Matrix, Matrix]
    constant: float
    radius: float
    bend: float

    @property
    def reach(self) -> float:
        """Return the length of the straight leg."""
        return rotations.length_of(self.thigh) + rotations.length_of(self.shin)


@dataclass(frozen=True)
class LegTurns:
    """Turns of a leg: angle added to the knee, in radians, its rotation, the hip's rotation after it, and the foot."""

    added: float
    turn: Quaternion
    aim: Quaternion
    foot: Vector


@dataclass(frozen=True)
class LegSet:
    """Legs that are posed together; chain: all their joints, from the roots, ascending."""

    legs: tuple[LegJoints, ...]
    chain: tuple[int, ...]

    @classmethod
    def of(cls, motion: Motion, feet: Sequence[Foot], hinges: Float64) -> "LegSet":
        """Return the legs of feet, with the axes `(F, 3)` of their knees; motion: any motion on the skeleton."""
        skeleton, legs, chain = motion.skeleton, list[LegJoints](), set[int]()
        for foot, hinge in zip(feet, hinges, strict=True):
            leg = pose_leg(motion.slice(0, 1), foot)
            hip, knee, end = (leg.chain[place] for place in (leg.hip, leg.knee, leg.end))
            rests = [_quaternion(skeleton.rest_rotations[joint]) for joint in (hip, knee, end)]
            legs.append(
                LegJoints(
                    joints=(hip, knee, end),
                    foot=leg.chain[-1],
                    parents=(
                        leg.chain[leg.hip - 1] if leg.hip else None,
                        leg.chain[leg.knee - 1],
                        leg.chain[leg.end - 1],
                    ),
                    rests=(rests[0], rests[1], rests[2]),
                    hinge=_vector(hinge),
                )
            )
            chain.update(leg.chain)
        return cls(tuple(legs), tuple(sorted(chain)))

    def posed(self, pose: Motion) -> list[PosedLeg]:
        """Return the legs in a pose, a motion of one frame."""
        if not self.legs:
            return []
        matrices, positions = (values[0].tolist() for values in pose_along(pose, list(self.chain)))
        at = {joint: place for place, joint in enumerate(self.chain)}
        return [_posed(leg, {joint: matrices[at[joint]] for joint in _joints(leg)}, positions, at) for leg in self.legs]


def _joints(leg: LegJoints) -> list[int]:
    return [joint for joint in (*leg.joints, *leg.parents) if joint is not None]


def _posed(leg: LegJoints, matrices: dict[int, Matrix], positions: list[list[float]], at: dict[int, int]) -> PosedLeg:
    hip, knee, end, foot = (_vector(positions[at[joint]]) for joint in (*leg.joints, leg.foot))
    thigh, shin = rotations.subtract(knee, hip), rotations.subtract(end, knee)
    bases = (matrices[leg.joints[0]], matrices[leg.joints[1]], matrices[leg.joints[2]])
    axes, (x, y, z) = rotations.columns_of(bases[0]), leg.hinge
    axis = (
        x * axes[0][0] + y * axes[1][0] + z * axes[2][0],
        x * axes[0][1] + y * axes[1][1] + z * axes[2][1],
        x * axes[0][2] + y * axes[1][2] + z * axes[2][2],
    )
    above = None if leg.parents[0] is None else matrices[leg.parents[0]]
    along = rotations.dot(thigh, axis) * rotations.dot(shin, axis)
    cosine = rotations.dot(thigh, shin) - along
    sine = rotations.dot(axis, rotations.cross(thigh, shin))
    squared = rotations.dot(thigh, thigh) + rotations.dot(shin, shin)
    return PosedLeg(
        leg=leg,
        hip=hip,
        foot=foot,
        thigh=thigh,
        shin=shin,
        axis=axis,
        matrices=bases,
        parents=(above, matrices[leg.parents[1]], matrices[leg.parents[2]]),
        constant=squared + 2.0 * along,
        radius=max(hypot(cosine, sine), SMALLEST_NORM),
        bend=bend_of(cosine, sine),
    )


def bend_for(leg: PosedLeg, move: Vector) -> float:
    """Return the bend of the knee, in radians, with which the foot moves by a vector."""
    now = rotations.add(leg.thigh, leg.shin)
    reach, distance = leg.reach, rotations.length_of(now)
    # Softness applies only to the change: a leg that is straight in the example stays straight.
    target = distance + _soft(rotations.length_of(rotations.add(now, move)), reach) - _soft(distance, reach)
    straightest = _soft_bend(1.0 - cos(max(leg.bend, 0.0)))
    straightest = 2.0 * pi - straightest if leg.bend > pi else straightest
    added = _soft_bend(1.0 - (target * target - leg.constant) / (2.0 * leg.radius)) - straightest
    return leg.bend + max(added, -max(leg.bend, 0.0))


def near_bend(leg: PosedLeg, goal: float, bend: float, share: float) -> float:
    """Return the bend nearest to `bend`, in radians, at which the leg reaches nearly as far as at `goal`.

    share: allowed difference of both distances, as a share of the leg's length.
    """
    least, most = goal, goal
    room, distance = share * leg.reach, sqrt(max(leg.constant + 2.0 * leg.radius * cos(goal), 0.0))
    longer, shorter = ((distance + change) ** 2 - leg.constant for change in (room, max(-room, -distance)))
    if abs(goal) < pi:
        most = acos(min(max(shorter / (2.0 * leg.radius), -1.0), 1.0))
        least = acos(min(longer / (2.0 * leg.radius), 1.0))
        least = -most if longer >= 2.0 * leg.radius else least
    return min(max(bend, min(least, goal)), max(most, goal))


def bend_leg(leg: PosedLeg, move: Vector, bend: float) -> LegTurns:
    """Return the turns of a leg with its knee bent by an angle, in radians, and its hip aimed at the moved foot."""
    turn = rotations.about(leg.axis, bend - leg.bend)
    now, ankle = rotations.add(leg.thigh, leg.shin), rotations.add(leg.thigh, rotations.rotate(turn, leg.shin))
    aim = rotations.shortest_turn(ankle, rotations.add(now, move))
    moved = rotations.subtract(rotations.rotate(aim, ankle), now)
    return LegTurns(bend - leg.bend, turn, aim, rotations.add(leg.foot, moved))


def write_leg(joint_rotations: Float32, leg: PosedLeg, turns: LegTurns) -> None:
    """Turn hip, knee and end in the rotations `(J, 4)` of a pose; the end keeps its orientation."""
    hip, knee, end = (rotations.orientation_of(matrix) for matrix in leg.matrices)
    above, before_knee, before_end = (
        (1.0, 0.0, 0.0, 0.0) if matrix is None else rotations.orientation_of(matrix) for matrix in leg.parents
    )
    before_end = rotations.multiply(rotations.multiply(turns.aim, turns.turn), before_end)
    pairs = (
        (above, rotations.multiply(turns.aim, hip)),
        (before_knee, rotations.multiply(turns.turn, knee)),
        (before_end, end),
    )
    for joint, rest, (parent, orientation) in zip(leg.leg.joints, leg.leg.rests, pairs, strict=True):
        base = rotations.inverse(rotations.multiply(parent, rest))
        local, before = rotations.normalize(rotations.multiply(base, orientation)), joint_rotations[joint].tolist()
        # Quaternions keep their signs, so that neighboring keys do not oppose each other.
        opposed = sum(now * earlier for now, earlier in zip(local, before, strict=True)) < 0.0
        joint_rotations[joint] = [-value for value in local] if opposed else local


def _soft(distance: float, reach: float) -> float:
    """Return a distance, reduced near the leg's reach so that it never exceeds the reach."""
    start, room = NEARLY_STRAIGHT * reach, (1.0 - NEARLY_STRAIGHT) * reach
    if distance <= start:
        return distance
    return start + room * (1.0 - exp(-(distance - start) / max(room, SMALLEST_NORM)))


def _soft_bend(versine: float) -> float:
    """Return the bend of a knee, in radians, for a value of 1 - cosine, even for distances that no leg reaches."""
    positive = 0.5 * (versine + sqrt(versine * versine + STRAIGHTNESS * STRAIGHTNESS))
    return 2.0 * asin(sqrt(min(0.5 * positive, 1.0)))


def _vector(values: Sequence[float] | Array) -> Vector:
    x, y, z = values
    return float(x), float(y), float(z)


def _quaternion(values: Array) -> Quaternion:
    w, x, y, z = values.tolist()
    return w, x, y, z
