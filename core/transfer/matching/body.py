# SPDX-License-Identifier: GPL-3.0-or-later
"""The body of a skeleton, found from its shape: trunk, limbs with their sides, head and tail, whatever the names are.

Long branches off the middle of the joints' tree are limbs, in pairs on both sides of the plane between left and right.
The pair that stands on the ground nearest to the top of the tree are the legs. The trunk goes from where they begin to
where the last pair begins, and on to the head; another long branch in the middle is a tail.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...arrays import Array
from ...motion.comparing import ROUNDING
from ...motion.motion import Motion
from ...motion.piecewise import MOMENTS, evenly
from ...motion.skeleton import SAME_PLACE, Skeleton, forward_kinematics
from ..mirroring.symmetry import WORST
from ..usual_pose import usual_pose
from .sides import normal_between_branches, normal_in_pose, placed_halves
from .tree import CONSTRAINED, NEAR, SIMILAR, Branch, Tree, off_line, tree_of
from .trunk import TrunkAndLimbs, find_trunk, grounded, is_upright, toes_ahead

STEEP = 0.9
"""Smallest cosine with the vertical of what is vertical: a foot under its leg, the left of a body on its side. Within
26 degrees; from 0.8 to 0.95, as many joints of the table are right."""


@dataclass(frozen=True, eq=False)
class Body:
    """A skeleton with the parts of its body.

    left, forward: `(3,)` unit vectors; their sign is only known if `facing` is not 0. hips: the joint that carries legs
    and trunk. chest: the one that carries the last limbs. axis: joints from the hips to the head. bases: those of the
    axis or below the hips where limbs begin. tail: its joints. pairs: limbs, each the left one and the right one, along
    the trunk, legs first. turns: `(J,)` how far each joint turns in motions, 1 minus the cosine of half the angle; None
    without motions. moments: `(M, J, 3)` places of the joints at moments of the motions; None without them.
    """

    tree: Tree
    left: Array
    forward: Array
    facing: float
    hips: int
    chest: int
    axis: tuple[int, ...]
    tail: tuple[int, ...]
    pairs: tuple[tuple[Branch, Branch], ...]
    turns: Array | None = None
    moments: Array | None = None

    def mirrored(self) -> "Body":
        """Return the body that faces the other way."""
        pairs = tuple((right, left) for left, right in self.pairs)
        return replace(self, left=-self.left, forward=-self.forward, pairs=pairs)

    @property
    def long_pairs(self) -> list[tuple[Branch, Branch]]:
        """Return the pairs that are about as long as the legs, unlike ears."""
        lengths = [self.tree.reaches[pair[0].joints[0]] for pair in self.pairs]
        return [pair for pair, length in zip(self.pairs, lengths, strict=True) if length >= SIMILAR * lengths[0]]

    @property
    def standing_pairs(self) -> int:
        """Return the number of pairs as long as the legs that stand on the ground: more than two are an insect's."""
        return len(grounded(self.tree, self.long_pairs))

    @property
    def is_rig(self) -> bool:
        """Return whether constraints move some of the joints, so that joints of its mechanism lie in one place."""
        return bool(np.any(self.tree.carriers == CONSTRAINED))

    @property
    def stands_on_four(self) -> bool:
        """Return whether a trunk that lies stands on legs at both ends, in a pose that is plausible."""
        return not self.is_upright and self.standing_pairs > 1 and _is_plausible(self)

    @property
    def feet_point_forward(self) -> bool:
        """Return whether the ends of both legs are ahead of the lowest quarter's beginning."""
        heights, ahead = self.tree.positions @ np.array(self.tree.skeleton.up), self.tree.positions @ self.forward
        return all(toes_ahead(limb, heights, ahead) > NEAR * self.tree.extent for limb in self.pairs[0])

    @cached_property
    def is_upright(self) -> bool:
        """Return whether the trunk stands, as a biped's does, rather than lies."""
        if self.chest == self.hips and len(self.long_pairs) > 1:
            return is_upright(self.tree, self.long_pairs[0], self.long_pairs[-1])
        along = self.tree.positions[self.chest] - self.tree.positions[self.hips]
        return abs(float(along @ self.tree.skeleton.up)) >= abs(float(along @ self.forward))

    def from_hips(self, joint: int) -> list[int]:
        """Return the joints from the hips to another, or from its root if the hips are not in its tree."""
        chain = self.tree.chain(joint)
        return self.tree.path(self.hips, joint) if chain[0] == self.tree.chain(self.hips)[0] else chain

    def steps(self, joints: Sequence[int]) -> tuple[int, ...]:
        """Return a chain with one joint of those in one place: the one that turns most, or leads on from there."""
        groups: list[list[int]] = []
        for joint in joints:
            place = self.tree.positions[joint]
            if groups and np.linalg.norm(place - self.tree.positions[groups[-1][0]]) < SAME_PLACE * self.tree.extent:
                groups[-1].append(joint)
            else:
                groups.append([joint])
        return tuple(map(self._leading, groups))

    def helpers(self, steps: Sequence[int], most: int | None = None) -> list[int]:
        """Return those of a chain's steps that never turn in the motions and lie on the line between their neighbors.

        They do no work. Without motions, these are unknown: an elbow or a spine may be straight at rest. most: the
        largest number of them; None for any.
        """
        if self.turns is None or not steps:
            return []
        positions = self.tree.positions
        above = next(
            (joint for joint in self.tree.chain(steps[0])[-2::-1] if not self.tree.is_same_place(joint, steps[0])), None
        )
        chain = steps if above is None else (above, *steps)
        return [
            joint
            for before, joint, after in zip(chain, chain[1:], chain[2:], strict=False)
            if self.turns[joint] < ROUNDING
            and np.linalg.norm(off_line(positions[joint], positions[before], positions[after]))
            < SAME_PLACE * self.tree.extent
        ][:most]

    def bends(self, steps: Sequence[int]) -> Array:
        """Return how far a limb bends at each step in the motions, as a share of where it bends most; 1 if unknown.

        A bend is 1 minus the cosine of the angle between the bones there. The ends do not bend. The feet of a body that
        lies bend little where they stand; there, only steps in line with their neighbors at rest do not bend.
        """
        if len(steps) < 3:
            return np.ones(len(steps))
        places = self.tree.positions[list(steps)]
        if not self.is_upright:
            away = np.linalg.norm(off_line(places[1:-1], places[:-2], places[2:]), axis=1)
            return np.pad((away >= SAME_PLACE * self.tree.extent).astype(np.float64), 1)
        if self.moments is None:
            return np.ones(len(steps))
        bones = np.diff(self.moments[:, list(steps)], axis=1)
        bones /= np.linalg.norm(bones, axis=2, keepdims=True)
        bends = 1.0 - np.einsum("tsc,tsc->ts", bones[:, 1:], bones[:, :-1]).min(axis=0)
        most = float(bends.max())
        return np.pad(bends / most, 1) if most >= ROUNDING else np.ones(len(steps))

    def turns_any(self, joints: Sequence[int]) -> bool:
        """Return whether one of the joints turns in the motions."""
        return self.turns is not None and bool(np.any(self.turns[list(joints)] >= ROUNDING))

    def _leading(self, group: Sequence[int]) -> int:
        turns = self.turns
        if turns is not None:
            return max(group, key=lambda joint: (round(float(turns[joint]), 2), -joint))
        place = self.tree.positions[group[0]]
        for joint in group:
            below = self.tree.positions[list(self.tree.children[joint])] - place
            # A hand is where fingers begin, though they begin at joints in its place.
            is_fork = len(below) > 1 and not self.is_rig
            if is_fork or (len(below) and np.linalg.norm(below[0]) >= SAME_PLACE * self.tree.extent):
                return joint
        return group[-1] if self.is_rig else group[0]


def find_body(skeleton: Skeleton, motions: Sequence[Motion] = ()) -> Body | None:
    """Return the parts of a skeleton's body; None if it has no pair of limbs.

    motions: of the skeleton, whose mean pose replaces a rest pose that is not plausible. The bends of knees and elbows
    in them tell front from back.
    """
    body = _find_body(skeleton, motions, joins_roots=False)
    if body is None or not _stands(body) or len(body.pairs) == 1 or body.hips == body.chest:
        joined = _find_body(skeleton, motions, joins_roots=True)
        if joined is not None and (body is None or _rank(joined) > _rank(body)):
            body = joined
    if body is None or not motions:
        return body
    moments = _moments(motions)
    facing = body.facing + (_facing_in(moments, body) if body.is_upright else 0.0)
    body = body.mirrored() if facing < 0 else body
    return replace(body, facing=abs(facing), turns=_turns(motions), moments=np.concatenate(moments))


def _moments(motions: Sequence[Motion]) -> list[Array]:
    """Return the places `(M, J, 3)` of joints at moments of each motion, without the motion's own translations."""
    return [
        forward_kinematics(motion.skeleton, motion.rotations[evenly(motion.frames, MOMENTS)])[1].astype(np.float64)
        for motion in motions
    ]


def _facing_in(moments: Sequence[Array], body: Body) -> float:
    """Return how far knees bend forward and elbows backward in motions, as a share of the body's extent."""
    bends = 0.0
    for places in moments:
        left, right = (places[:, limb.joints[0]] for limb in body.pairs[0])
        forward = np.cross(left - right, np.array(body.tree.skeleton.up))
        forward /= np.maximum(np.linalg.norm(forward, axis=1, keepdims=True), SAME_PLACE * body.tree.extent)
        for number, pair in enumerate(body.pairs):
            for limb in pair:
                chains = places[:, list(limb.joints)]
                away = np.einsum("tjc,tc->tj", off_line(chains, chains[:, :1], chains[:, -1:]), forward)
                bends += float(away.mean()) * (1.0 if number == 0 else -1.0)
    return bends / (len(moments) * body.tree.extent)


def _turns(motions: Sequence[Motion]) -> Array:
    """Return how far each joint turns `(J,)`, the largest distance of sampled rotations from the first."""
    turns = [motion.rotations[evenly(motion.frames, MOMENTS)].astype(np.float64) for motion in motions]
    return np.asarray(np.max([1.0 - np.abs(np.einsum("tjc,jc->tj", t, t[0])).min(axis=0) for t in turns], axis=0))


def _find_body(skeleton: Skeleton, motions: Sequence[Motion], *, joins_roots: bool) -> Body | None:
    at_rest = tree_of(skeleton, np.asarray(skeleton.stance, np.float64), joins_roots=joins_roots)
    halves, about = placed_halves(at_rest), None
    if halves is not None and float(halves.errors.mean()) > WORST:
        about, halves = _level(halves.normal, np.array(skeleton.up)), None
    distances = None if halves is None else at_rest.positions @ halves.normal
    body = None if halves is None or distances is None else _body_of(at_rest, halves.normal, distances)
    if body is not None and (not motions or (_is_plausible(body) and _size(body) > 0.5)):
        return body
    posed = at_rest
    if motions:
        pose = usual_pose(motions)
        places = forward_kinematics(skeleton, pose[None])[1][0].astype(np.float64)
        posed = tree_of(skeleton, places, joins_roots=joins_roots)
    bodies = [body] if body is not None and _is_plausible(body) else []
    turned, across = None if halves is None else normal_in_pose(at_rest, posed, halves), normal_between_branches(posed)
    for normal, beside in ((turned, distances), (across, None)):
        if normal is not None:
            found = _body_of(posed, normal, posed.positions @ normal if beside is None else beside)
            bodies += [] if found is None else [found]
    best = max(bodies, key=lambda found: round(_size(found), 1), default=body)
    if about is not None and not (best is not None and _stands(best) and len(best.pairs) > 1):
        rough = _body_of(at_rest, about, at_rest.positions @ about)
        if rough is not None and _is_plausible(rough) and (best is None or _rank(rough) > _rank(best)):
            return rough
    return best


def _level(vector: Array, up: Array) -> Array | None:
    """Return the horizontal direction of a vector; None if it is vertical."""
    level = vector - (vector @ up) * up
    length = float(np.linalg.norm(level))
    return None if length < SAME_PLACE else np.asarray(level / length)


def _size(body: Body) -> float:
    """Return the length of the two main pairs of limbs, as a share of the body's extent."""
    lengths = sorted(float(body.tree.lengths[pair[0].joints[0]]) for pair in body.pairs)
    return sum(lengths[-2:]) / body.tree.extent


def _stands(body: Body) -> bool:
    """Return whether a body has a trunk, unless it is upright, and stands on as many legs as that needs."""
    return body.is_upright or (body.standing_pairs > 1 and body.hips != body.chest)


def _rank(body: Body) -> tuple[bool, int, bool]:
    """Return whether a body stands, its number of pairs of limbs, and whether a trunk is between legs and arms.

    Arms may be at roots of their own, or all limbs beside the trunk below a root.
    """
    return _stands(body), len(body.pairs), body.hips != body.chest


def _is_plausible(body: Body) -> bool:
    """Return whether legs do not lie along the trunk, as bones in one line do."""
    places = body.tree.positions
    trunk = places[body.chest] - places[body.hips]
    legs = np.sum([places[limb.joints[-1]] - places[limb.joints[0]] for limb in body.pairs[0]], axis=0)
    length = float(np.linalg.norm(trunk) * np.linalg.norm(legs))
    return length == 0 or float(trunk @ legs) / length < 0.5


def _body_of(tree: Tree, left: Array, distances: Array) -> Body | None:
    up = np.array(tree.skeleton.up)
    limbs = tree.limbs(distances)
    pairs = _pairs(tree, limbs, left)
    if not pairs or abs(float(left @ up)) > STEEP:
        return None
    trunk = find_trunk(tree, pairs, left, distances)
    pairs, hips, chest = list(trunk.pairs), trunk.joints[0], trunk.joints[-1]
    axis = _to_named_head(tree, trunk, limbs)
    if len(pairs) == len(axis) == 1:
        return None
    tails = [limb.joints for limb in limbs if limb.side == 0 and not {*limb.joints} & {*axis}]
    tail = max(tails, key=lambda joints: tree.lengths[joints[0]]) if tails else ()
    forward = np.cross(left, up)
    forward /= np.linalg.norm(forward)
    facing = _facing(tree, pairs, hips, chest, axis, forward, up)
    if facing < 0:
        pairs = [(right, other) for other, right in pairs]
    sign = -1.0 if facing < 0 else 1.0
    return Body(
        tree, sign * left, sign * forward, abs(facing), hips, chest, axis, tail, tuple(_with_feet(tree, pairs, up))
    )


def _to_named_head(tree: Tree, trunk: TrunkAndLimbs, limbs: Sequence[Branch]) -> tuple[int, ...]:
    """Return the joints from the hips to the head that has its name; without one, those of the trunk's own axis."""
    chains = [trunk.axis, *((*trunk.joints, *limb.joints) for limb in limbs if limb.side == 0)]
    for chain in chains:
        heads = [place for place, joint in enumerate(chain) if joint in tree.named_heads]
        if heads:
            return chain[: heads[0] + 1]
    return trunk.axis


def _with_feet(tree: Tree, pairs: list[tuple[Branch, Branch]], up: Array) -> list[tuple[Branch, Branch]]:
    """Return the pairs of limbs with the feet that begin at the top of the skeleton, where legs end above them."""
    inside = {joint for joint in tree.below(pairs[0][0].base)}
    places = tree.positions
    legs = []
    for limb in pairs[0]:
        end = limb.joints[-1]
        away = places - places[end]
        lengths = np.linalg.norm(away, axis=1)
        under = [
            joint
            for joint in range(len(places))
            if joint not in inside
            and tree.carriers[joint] != CONSTRAINED
            and lengths[joint] > 0.0
            and -float(away[joint] @ up) > STEEP * lengths[joint]
        ]
        foot = min(under, key=lambda joint: lengths[joint], default=None)
        if len(limb.joints) > 2 or foot is None:
            return pairs
        legs.append(replace(limb, joints=(*limb.joints, *tree.main_chain(foot))))
    return [(legs[0], legs[1]), *pairs[1:]]


def _pairs(tree: Tree, limbs: Sequence[Branch], left: Array) -> list[tuple[Branch, Branch]]:
    """Return the limbs of both sides in pairs, the most similar first; what has no partner is left out."""
    ones, others = ([limb for limb in limbs if limb.side == side] for side in (1, -1))
    costs = {}
    for one in ones:
        for other in others:
            # Legs of an insect may begin in one place.
            first, second = (tree.positions[list(limb.joints)].mean(axis=0) for limb in (one, other))
            mirrored = first - second - ((first - second) @ left) * left
            lengths = tree.lengths[one.joints[0]] - tree.lengths[other.joints[0]]
            if one.base == other.base:
                costs[one, other] = float(np.linalg.norm(mirrored) + abs(lengths)) / tree.extent
    pairs: list[tuple[Branch, Branch]] = []
    for one, other in sorted(costs, key=lambda pair: costs[pair]):
        if costs[one, other] < 1.0 - SIMILAR and not any(one is pair[0] or other is pair[1] for pair in pairs):
            pairs.append((one, other))
    return pairs


def _facing(
    tree: Tree,
    pairs: Sequence[tuple[Branch, Branch]],
    hips: int,
    last: int,
    axis: Sequence[int],
    forward: Array,
    up: Array,
) -> float:
    """Return a positive value if the body faces `forward`, a negative one if it faces backward, larger if it is clear.

    A trunk that lies points to its head. Toes point forward, knees bend forward and elbows backward, and faces are in
    front of heads.
    """
    places = tree.positions
    # An insect's legs all begin at one joint.
    trunk = places[axis[-1] if last == hips else last] - places[hips]
    level = float(trunk @ forward)
    if abs(level) > abs(float(trunk @ up)):
        return level / tree.extent
    toes, knees, elbows = 0.0, 0.0, 0.0
    for number, pair in enumerate(pairs):
        for limb in pair:
            chain = places[list(limb.joints)]
            if number == 0:
                toes += toes_ahead(limb, places @ up, places @ forward)
                knees += _bend(chain, forward)
            else:
                elbows -= _bend(chain, forward)
    head = [joint for joint in tree.below(last) if joint not in {j for pair in pairs for x in pair for j in x.joints}]
    face = float(np.mean([(places[joint] - places[last]) @ forward for joint in head])) if head else 0.0
    return (toes + knees + elbows + face) / tree.extent


def _bend(chain: Array, forward: Array) -> float:
    """Return how far a chain's middle is in front of the line between its ends."""
    return float((off_line(chain, chain[0], chain[-1]) @ forward).mean())
