# SPDX-License-Identifier: GPL-3.0-or-later
"""Matching of the joints of two bodies: landmarks to landmarks, and what lies between and beyond them in order."""

from collections.abc import Iterable, Sequence
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from ...motion import rotations
from .alignment import SAME_SCALE, align
from .body import Body
from .landmarks import LEAST_SURE, hip_width, long_bones, neck_and_head
from .tree import Limb

Array = NDArray[np.floating]

MOST_LANDMARKS = 3
"""Largest number of pairs of limbs that have landmarks; the legs of insects have more joints than two long bones."""
IN_ORDER = 0.8
"""Confidence in joints that are matched only by their order."""
CLEAR = 0.01
"""Smallest value of a body's facing, as a share of its extent, for which left and right are sure."""
NEAR = 0.01
"""Distance, as a share of the body's extent, that is added to those compared; the ratio of tiny ones means nothing."""
MOST_CHOICES = 10_000
"""Largest number of choices of joints that are compared, for chains of dozens of joints beside short ones."""
MOST_UNLIKE = 1.0
"""Largest difference of two small branches that are matched: fingers, twist bones, ears."""
SIZES = 0.3
"""Weight of the logarithm of the ratio of two small branches' lengths, against the distance of their directions."""
DIRECTIONS = 0.5
"""Weight of the directions of bones in chains without landmarks, against the height of their joints."""
SMALL = 1e-9

Found = dict[int, tuple[int, float]]
"""The target's joint and the confidence for each joint of the source."""


def match_parts(source: Body, target: Body) -> Found:
    """Return the target's joint that does the work of each joint of the source, with the confidence from 0 to 1.

    These are the joints of the trunk and head, the limbs without fingers, and the tail.
    """
    matching = _Matching(source, target)
    matching.add(source.hips, target.hips, 1.0)
    matching.above_hips()
    matching.trunk_and_head()
    matching.pelvis()
    for one, other in _limb_pairs(source, target):
        for first, second in zip(source.pairs[one], target.pairs[other], strict=True):
            matching.limb(first, second, one, other)
    if source.tail and target.tail:
        matching.series(source.steps(source.tail), target.steps(target.tail))
    return matching.found


def with_small_branches(source: Body, target: Body, found: Found) -> Found:
    """Return the pairs with those of fingers, twist bones and the like, which begin at joints that are matched."""
    matching = _Matching(source, target)
    for one, (other, confidence) in found.items():
        matching.add(one, other, confidence)
    for one in list(matching.found):
        matching.branches(one, matching.found[one][0])
    return matching.found


class _Matching:
    """Pairs of joints while they are found; the first pair of a joint counts."""

    def __init__(self, source: Body, target: Body) -> None:
        self.source, self.target = source, target
        self.found: Found = {}
        self.taken: set[int] = set()

    def add(self, one: int, other: int, confidence: float) -> None:
        """Match two joints, if both are free."""
        if one not in self.found and other not in self.taken:
            self.found[one] = other, confidence
            self.taken.add(other)

    def in_order(self, ones: Iterable[int], others: Iterable[int], sure: float = IN_ORDER) -> None:
        """Match joints one by one, as far as both have some."""
        for one, other in zip(ones, others, strict=False):
            self.add(one, other, sure)

    def by_distance(self, ones: Sequence[int], others: Sequence[int], one_near: int, other_near: int) -> None:
        """Match as many joints as both have, in order, by their distances from two joints that correspond."""
        few, many = sorted((ones, others), key=len)
        if len(few) == len(many) or not few:
            self.in_order(ones, others)
            return
        distances = []
        for chain, near, body in ((ones, one_near, self.source), (others, other_near, self.target)):
            away = np.linalg.norm(body.tree.positions[list(chain)] - body.tree.positions[near], axis=1)
            distances.append(np.log(away / body.tree.extent + NEAR))
        short, long = distances if few is ones else distances[::-1]
        options = islice(combinations(range(len(many)), len(few)), MOST_CHOICES)
        best = min(options, key=lambda option: float(np.abs(long[list(option)] - short).sum()))
        chosen = [many[place] for place in best]
        if few is ones:
            self.in_order(ones, chosen)
        else:
            self.in_order(chosen, others)

    def chains(self, ones: Sequence[int], others: Sequence[int], costs: Array | None = None) -> None:
        """Match the joints of two chains by their places along them."""
        if not ones or not others:
            return
        along, other_along = self.source.tree.along(ones), self.target.tree.along(others)
        shares = along / max(along[-1], SMALL), other_along / max(other_along[-1], SMALL)
        pairs, values = align(*shares, np.zeros((len(ones), len(others))) if costs is None else costs)
        for (one, other), value in zip(pairs, values, strict=True):
            self.add(ones[one], others[other], float(np.exp(-value)))

    def series(self, ones: Sequence[int], others: Sequence[int]) -> None:
        """Match two chains of which both the first and the last joints correspond."""
        if not ones or not others:
            return
        self.add(ones[-1], others[-1], 1.0)
        if min(len(ones), len(others)) == 1:
            return
        self.add(ones[0], others[0], 1.0)
        if len(ones) == len(others):
            self.in_order(ones[1:-1], others[1:-1])
        elif min(len(ones), len(others)) > 2:
            places = [tree.along(chain) for tree, chain in ((self.source.tree, ones), (self.target.tree, others))]
            shares = [(along - along[0]) / max(along[-1] - along[0], SMALL) for along in places]
            costs = np.zeros((len(ones) - 2, len(others) - 2))
            pairs, values = align(shares[0][1:-1], shares[1][1:-1], costs, SAME_SCALE)
            for (one, other), value in zip(pairs, values, strict=True):
                self.add(ones[one + 1], others[other + 1], float(np.exp(-value)))

    def trunk_and_head(self) -> None:
        """Match spine, neck and head."""
        trunks = [body.steps(body.axis[1 : body.axis.index(body.chest) + 1]) for body in (self.source, self.target)]
        self.series(*trunks)
        (neck, head, sure), (other_neck, other_head, other_sure) = (
            neck_and_head(self.source),
            neck_and_head(self.target),
        )
        if head is not None and other_head is not None:
            self.add(head, other_head, min(sure, other_sure))
        self.in_order(neck[:1], other_neck[:1])
        self.in_order(neck[1:], other_neck[1:], LEAST_SURE)

    def above_hips(self) -> None:
        """Match the joints above the hips if both skeletons have the same number of them."""
        chains = [body.tree.chain(body.hips)[:-1] for body in (self.source, self.target)]
        if len(chains[0]) == len(chains[1]):
            self.in_order(chains[0], chains[1])

    def pelvis(self) -> None:
        """Match the joints between the hips and where the legs begin."""
        chains = []
        for body in (self.source, self.target):
            chain = body.tree.chain(body.pairs[0][0].base)
            chains.append(body.steps(chain[chain.index(body.hips) + 1 :]) if body.hips in chain else ())
        self.in_order(chains[0], chains[1])

    def limb(self, first: Limb, second: Limb, number: int, other_number: int) -> None:
        """Match two limbs of the pairs with the given numbers, of which 0 are the legs."""
        source, target = self.source, self.target
        if max(source.limb_pairs, target.limb_pairs) > MOST_LANDMARKS:
            ones, others = source.steps(first.joints), target.steps(second.joints)
            shapes = _shapes(source, ones), _shapes(target, others)
            self.chains(ones, others, np.linalg.norm(shapes[0][:, None] - shapes[1], axis=-1))
            return
        (ones, places, sure), (others, other_places, other_sure) = (
            long_bones(body, limb, is_leg=own == 0, hip_width=hip_width(body))
            for body, limb, own in ((source, first, number), (target, second, other_number))
        )
        if min(source.facing, target.facing) < CLEAR:
            sure = min(sure, LEAST_SURE)
        count = min(len(places), len(other_places))
        for place, other_place in zip(places[:count], other_places[:count], strict=True):
            self.add(ones[place], others[other_place], min(sure, other_sure))
        bounds = (-1, *places[:count], len(ones)), (-1, *other_places[:count], len(others))
        for stretch in range(count):
            inner, other_inner = (
                chain[around[stretch] + 1 : around[stretch + 1]]
                for chain, around in ((ones, bounds[0]), (others, bounds[1]))
            )
            # Clavicles are next to the arm, all others next to the joint before them.
            nearest = max(stretch - 1, 0)
            self.by_distance(inner, other_inner, ones[places[nearest]], others[other_places[nearest]])
        if number == other_number == 0 or not source.is_upright:
            self.in_order(ones[bounds[0][count] + 1 :], others[bounds[1][count] + 1 :])

    def branches(self, one: int, other: int) -> None:
        """Match small branches of two joints, the most similar first."""
        source, target = self.source.tree, self.target.tree
        ones = [child for child in source.children[one] if child not in self.found and not self._leads_on(child, True)]
        others = [
            child for child in target.children[other] if child not in self.taken and not self._leads_on(child, False)
        ]
        if not ones or not others:
            return
        turn = self._turn_between(one, other)
        vectors = _branch_vectors(self.source, one, ones), _branch_vectors(self.target, other, others)
        away = np.linalg.norm(rotations.rotate(turn, vectors[0])[:, None] - vectors[1], axis=-1)
        lengths = source.lengths[ones] / source.extent + 0.01, target.lengths[others] / target.extent + 0.01
        costs = away + SIZES * np.abs(np.log(lengths[0][:, None] / lengths[1]))
        for place in np.argsort(costs, axis=None, kind="stable").tolist():
            row, column = divmod(place, len(others))
            if costs[row, column] < MOST_UNLIKE and ones[row] not in self.found and others[column] not in self.taken:
                chains = (
                    self.source.steps(source.main_chain(ones[row])),
                    self.target.steps(target.main_chain(others[column])),
                )
                self.chains(*chains)

    def _leads_on(self, child: int, is_source: bool) -> bool:
        """Return whether a matched joint is below, so that the child belongs to a larger part of the body."""
        body = self.source if is_source else self.target
        return any(joint in (self.found if is_source else self.taken) for joint in body.tree.below(child))

    def _turn_between(self, one: int, other: int) -> Array:
        """Return the rotation `(4,)` from the source's body to the target's in which two bones have one direction."""
        frames = [
            np.stack((body.left, body.forward, np.array(body.tree.skeleton.up)), axis=1)
            for body in (self.source, self.target)
        ]
        turn = rotations.from_matrix((frames[1] @ frames[0].T)[None])[0]
        bones = [_bone(body, joint) for body, joint in ((self.source, one), (self.target, other))]
        if min(np.linalg.norm(bone) for bone in bones) < SMALL:
            return np.asarray(turn)
        return np.asarray(rotations.multiply(rotations.shortest_turn(rotations.rotate(turn, bones[0]), bones[1]), turn))


def _bone(body: Body, joint: int) -> Array:
    """Return the vector to a joint from the nearest one above it in another place."""
    tree, above = body.tree, int(body.tree.carriers[joint])
    while above >= 0 and tree.is_same_place(above, joint):
        above = int(tree.carriers[above])
    return np.zeros(3) if above < 0 else np.asarray(tree.positions[joint] - tree.positions[above])


def _branch_vectors(body: Body, joint: int, children: Sequence[int]) -> Array:
    """Return the vectors `(N, 3)` from a joint to the middles of branches, of which the longest has the length 1."""
    positions = body.tree.positions
    vectors = np.array([positions[body.tree.below(child)].mean(axis=0) - positions[joint] for child in children])
    return np.asarray(vectors / max(float(np.linalg.norm(vectors, axis=1).max()), SMALL))


def _limb_pairs(source: Body, target: Body) -> list[tuple[int, int]]:
    """Return the numbers of corresponding pairs of limbs: legs, and others in the order along the trunk."""
    if len(source.pairs) == len(target.pairs):
        return [(number, number) for number in range(len(source.pairs))]
    few, many = sorted((source, target), key=lambda body: len(body.pairs))
    places, other_places = _limb_places(few), _limb_places(many)
    result, start = [(0, 0)], 1
    for number in range(1, len(few.pairs)):
        options = range(start, len(many.pairs) - (len(few.pairs) - 1 - number))
        best = min(options, key=lambda other: float(np.abs(places[number] - other_places[other]).sum()))
        result.append((number, best))
        start = best + 1
    return result if few is source else [(other, one) for one, other in result]


def _limb_places(body: Body) -> Array:
    """Return for each pair of limbs its place along the trunk, from the legs on, and its length in that of the legs."""
    tree, base = body.tree, body.pairs[0][0].base
    trunk = max(tree.distance(base, body.chest), SMALL)
    legs = max(float(tree.lengths[body.pairs[0][0].joints[0]]), SMALL)
    return np.array(
        [[tree.distance(base, pair[0].base) / trunk, tree.lengths[pair[0].joints[0]] / legs] for pair in body.pairs]
    )


def _shapes(body: Body, joints: Sequence[int]) -> Array:
    """Return for each joint of a limb its height and the directions of the bones to it and from it."""
    tree, up = body.tree, np.array(body.tree.skeleton.up)
    places = tree.positions[list(joints)]
    heights = places @ up
    heights = (heights - heights.min()) / max(float(np.ptp(heights)), SMALL)
    steps = np.diff(places, axis=0)
    steps = steps / np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), SMALL)
    flat = np.stack([steps @ body.forward, steps @ up, np.abs(steps @ body.left)], axis=-1)
    directions = np.concatenate((flat, flat[-1:]), axis=0), np.concatenate((flat[:1], flat), axis=0)
    return np.concatenate((heights[:, None], *(DIRECTIONS * side for side in directions)), axis=1)
