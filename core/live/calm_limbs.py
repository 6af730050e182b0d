# SPDX-License-Identifier: GPL-3.0-or-later
"""Calm limbs: no joint of a limb accelerates by more than joints do in the examples.

The pose that is shown is limited, whatever the cause: a decaying difference, a planted foot, or a leg that passes
through straight. Joints are moved as in position based dynamics (Müller 2007): each stays within a ball around the
place to which its speed takes it, and bones keep their lengths.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import cos, sin, sqrt

import numpy as np

from ..arrays import Float64
from ..motion.comparing import ROUNDING
from ..motion.motion import Motion
from ..motion.rotations import SMALLEST_NORM
from ..motion.skeleton import LIMB_REACH, Skeleton
from .inertia import braking
from .single import rotations
from .single.rotations import Quaternion, Vector

SHORTEST_BONE = 0.04
"""Length, in sizes, below which a bone, such as a finger's, moves with the bone before it."""
ROUNDS = 8
"""Number of rounds in which bones regain their lengths and joints return into their balls. With 16 rounds, a leg that
stretches quickly accelerates by up to 1.44 times the limit; with these, by 1.27."""
BRAKED = 0.6
"""Share of the allowed acceleration with which a limb that stretches brakes, so that it stops before it is straight."""
MOST_TURN = 0.8
"""Largest turn of a joint away from its pose, in radians, so that no knee or elbow bends the wrong way."""
NO_TURN: Quaternion = (1.0, 0.0, 0.0, 0.0)
"""The identity rotation."""


@dataclass(frozen=True, eq=False)
class Limbs:
    """Bones of arms, legs, necks and tails, from the trunk outward.

    bones: the two joints of each. hung: whether the first joint of each is carried by the trunk, and is not moved.
    roots: for each, the joint carried by the trunk from which its limb hangs. parents, rests, offsets: of all joints
    the parent, -1 for none, the rest rotation and the rest translation.
    """

    bones: tuple[tuple[int, int], ...]
    hung: tuple[bool, ...]
    roots: tuple[int, ...]
    parents: tuple[int, ...]
    rests: tuple[Quaternion, ...]
    offsets: tuple[Vector, ...]

    @classmethod
    def of(cls, skeleton: Skeleton, travels: Sequence[int]) -> "Limbs":
        """Return the limbs of a skeleton; travels: joints that belong to the trunk, as do all joints above them."""
        parents, count = skeleton.parents.tolist(), len(skeleton.names)
        lengths = np.linalg.norm(skeleton.stance - skeleton.stance[skeleton.parents], axis=1) / skeleton.size
        children = [[child for child in range(count) if parents[child] == joint] for joint in range(count)]
        below, trunk = np.zeros(count), np.zeros(count, bool)
        trunk[list(travels)] = True
        for joint in reversed(range(count)):
            branches = [below[child] + lengths[child] for child in children[joint]]
            below[joint] = max(branches, default=0.0)
            trunk[joint] |= sum(branch >= LIMB_REACH for branch in branches) > 1
            trunk[joint] |= any(trunk[child] for child in children[joint])
        bones = list[tuple[int, int]]()
        for joint in np.flatnonzero(~trunk).tolist():
            if children[joint]:
                end = max(children[joint], key=lambda child: below[child] + lengths[child])
                bones += [(joint, end)] if lengths[end] > SHORTEST_BONE else []
        roots = dict[int, int]()
        for joint, end in bones:
            roots[end] = roots.get(joint, joint)
        return cls(
            tuple(bones),
            tuple(joint not in roots for joint, _ in bones),
            tuple(roots[end] for _, end in bones),
            tuple(parents),
            tuple((w, x, y, z) for w, x, y, z in skeleton.rest_rotations.tolist()),
            tuple((x, y, z) for x, y, z in skeleton.rest_translations.tolist()),
        )

    def posed(self, pose: Motion) -> tuple[list[Quaternion], list[Vector]]:
        """Return the orientations and places of all joints in a pose, a motion of one frame."""
        if len(pose.scaled):
            matrices, positions = (values[0].tolist() for values in pose.pose())
            return [rotations.orientation_of(matrix) for matrix in matrices], [(x, y, z) for x, y, z in positions]
        moves = dict(zip(pose.translated.tolist(), pose.translations[0].tolist(), strict=True))
        turns, places = list[Quaternion](), list[Vector]()
        for joint, rotation in enumerate(pose.rotations[0].tolist()):
            parent, rest, offset = self.parents[joint], self.rests[joint], self.offsets[joint]
            if joint in moves:
                offset = rotations.add(offset, rotations.rotate(rest, moves[joint]))
            turn = rotations.multiply(rest, rotation)
            if parent >= 0:
                turn = rotations.multiply(turns[parent], turn)
                offset = rotations.add(places[parent], rotations.rotate(turns[parent], offset))
            turns.append(turn)
            places.append(offset)
        return turns, places

    def hangs(self, places: list[Vector]) -> Float64:
        """Return the places `(B, 3)` where the bones' limbs hang from the trunk; places: of all joints."""
        return np.array([places[root] for root in self.roots]).reshape(-1, 3)

    def reaches(self, places: list[Vector]) -> Float64:
        """Return the largest distances `(B,)` of bones' ends from where their limbs hang; places: of all joints."""
        lengths = dict[int, float]()
        for start, end in self.bones:
            lengths[end] = lengths.get(start, 0.0) + rotations.length_of(rotations.subtract(places[end], places[start]))
        return np.array(list(lengths.values()))

    def ends(self, places: list[Vector]) -> Float64:
        """Return the places `(B, 3)` of the ends of bones; places: of all joints."""
        return np.array([places[end] for _, end in self.bones]).reshape(-1, 3)


@dataclass(frozen=True, eq=False)
class CalmLimbs:
    """Ends of bones in the last step: places, their change, and their gaps from the goals, `(B, 3)` each.

    stretches: `(B,)` distances from where the limbs hang.
    """

    places: Float64
    change: Float64
    gaps: Float64
    stretches: Float64

    @classmethod
    def at_rest(cls, limbs: Limbs, pose: Motion) -> "CalmLimbs":
        """Return limbs at rest, with the places of a pose."""
        places = limbs.posed(pose)[1]
        ends = limbs.ends(places)
        stretches = np.linalg.norm(ends - limbs.hangs(places), axis=1)
        return cls(ends, np.zeros_like(ends), np.zeros_like(ends), stretches)

    def next(self, limbs: Limbs, pose: Motion, most: float) -> tuple["CalmLimbs", Motion]:
        """Return the limbs one step later, and the pose with them; most: acceleration that its motion allows."""
        if not limbs.bones:
            return self, pose
        turns, places = limbs.posed(pose)
        goals, ahead = limbs.ends(places), self.places + self.change
        hangs = limbs.hangs(places)
        target = goals + _left(self.gaps, most)
        stretch = target - hangs
        lengths, longest = np.linalg.norm(stretch, axis=1), self._longest(limbs.reaches(places), most)
        short = lengths > longest
        if not short.any() and not self.gaps.any() and (np.square(target - ahead).sum(axis=1) <= most * most).all():
            return CalmLimbs(goals, goals - self.places, self.gaps, lengths), pose
        target[short] = hangs[short] + stretch[short] * (longest[short] / lengths[short])[:, None]
        pose, ends = _carried(limbs, pose, turns, places, _reached(limbs, places, target, ahead, most))
        gaps = ends - goals
        gaps[np.abs(gaps).max(axis=1) < ROUNDING * most] = 0.0
        return CalmLimbs(ends, ends - self.places, gaps, np.linalg.norm(ends - hangs, axis=1)), pose

    def _longest(self, reaches: Float64, most: float) -> Float64:
        """Return the largest distances `(B,)` of bones' ends from where limbs hang, so that stretching limbs brake."""
        left = np.maximum(reaches - self.stretches, 0.0)
        return np.asarray(self.stretches + np.maximum(braking(left, BRAKED * most), ROUNDING * most))


def _left(gaps: Float64, most: float) -> Float64:
    """Return the gaps `(B, 3)` one step later, closed no faster than they can brake in time."""
    lengths = np.linalg.norm(gaps, axis=1)
    closed = np.minimum(braking(lengths, most), lengths)
    return np.asarray(gaps * (1.0 - closed / np.maximum(lengths, SMALLEST_NORM))[:, None])


def _reached(limbs: Limbs, places: list[Vector], target: Float64, ahead: Float64, most: float) -> list[Vector]:
    """Return places of bones' ends near targets `(B, 3)`, with the bones' lengths, and within balls.

    ahead: `(B, 3)` the middles of the balls, to which the ends' speeds take them. most: radius of the balls.
    """
    balls = [(x, y, z) for x, y, z in ahead.tolist()]
    reached = [_in_ball((x, y, z), ball, most) for (x, y, z), ball in zip(target.tolist(), balls, strict=True)]
    slots = {end: slot for slot, (_, end) in enumerate(limbs.bones)}
    lengths = [rotations.length_of(rotations.subtract(places[end], places[start])) for start, end in limbs.bones]
    for _ in range(ROUNDS):
        for slot in reversed(range(len(reached))):
            start, hung = limbs.bones[slot][0], limbs.hung[slot]
            bone = rotations.subtract(reached[slot], places[start] if hung else reached[slots[start]])
            now = max(rotations.length_of(bone), SMALLEST_NORM)
            share = (now - lengths[slot]) / now * (1.0 if hung else 0.5)
            over = (share * bone[0], share * bone[1], share * bone[2])
            reached[slot] = rotations.subtract(reached[slot], over)
            if not hung:
                reached[slots[start]] = rotations.add(reached[slots[start]], over)
        reached = [_in_ball(place, ball, most) for place, ball in zip(reached, balls, strict=True)]
    return reached


def _in_ball(place: Vector, middle: Vector, radius: float) -> Vector:
    x, y, z = rotations.subtract(place, middle)
    squared = x * x + y * y + z * z
    if squared <= radius * radius:
        return place
    share = radius / sqrt(squared)
    return middle[0] + share * x, middle[1] + share * y, middle[2] + share * z


def _at_most(turn: Quaternion, angle: float) -> Quaternion:
    """Return a turn about the same axis by at most an angle, in radians."""
    w, x, y, z = turn
    if w >= cos(0.5 * angle):
        return turn
    share = sin(0.5 * angle) / max(sqrt(x * x + y * y + z * z), SMALLEST_NORM)
    return cos(0.5 * angle), share * x, share * y, share * z


def _carried(
    limbs: Limbs, pose: Motion, turns: list[Quaternion], places: list[Vector], reached: list[Vector]
) -> tuple[Motion, Float64]:
    """Return the pose with its bones turned toward the places of their ends, and the ends' new places `(B, 3)`."""
    goals = {start: (end, goal) for (start, end), goal in zip(limbs.bones, reached, strict=True)}
    ends = {end for _, end in limbs.bones}
    moved, by, new, written = list(places), dict[int, Quaternion](), list(turns), pose.rotations.copy()
    for joint, parent in enumerate(limbs.parents):
        if parent >= 0:
            arm = rotations.subtract(places[joint], places[parent])
            moved[joint] = rotations.add(moved[parent], rotations.rotate(by[parent], arm) if parent in by else arm)
        if joint in goals:
            end, goal = goals[joint]
            bone = rotations.subtract(places[end], places[joint])
            with_parent = by.get(parent, NO_TURN)
            turn = rotations.shortest_turn(rotations.rotate(with_parent, bone), rotations.subtract(goal, moved[joint]))
            by[joint] = rotations.multiply(_at_most(turn, MOST_TURN), with_parent)
        elif parent in by and joint not in ends:
            by[joint] = by[parent]
        # Hands, feet and heads keep their orientations.
        if joint in by:
            new[joint] = rotations.multiply(by[joint], turns[joint])
        if joint in by or parent in by:
            base = rotations.multiply(new[parent], limbs.rests[joint]) if parent >= 0 else limbs.rests[joint]
            local = rotations.normalize(rotations.multiply(rotations.inverse(base), new[joint]))
            opposed = sum(before * after for before, after in zip(local, written[0, joint].tolist(), strict=True)) < 0.0
            written[0, joint] = [-value for value in local] if opposed else local
    return replace(pose, rotations=written), limbs.ends(moved)
