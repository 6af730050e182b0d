# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of a skeleton's joints: what carries each of them, how far they reach, and the limbs among its branches."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np

from ...arrays import Array, Int64
from ...motion.skeleton import NO_PARENT, SAME_PLACE, Skeleton, carriers_first
from ..bone_names import Meaning, driven_joints, meanings_by_name
from ..mirroring.symmetry import WORST

HEAD = Meaning("head", "")
CONSTRAINED = -2
"""Carrier of a joint that constraints move, so that it has no motion of its own."""
LIMB = 0.08
"""Shortest reach of a limb below its first joint, as a share of the body's extent, and largest difference of what is at
one height or in one plane. Most fingers are shorter, feet of a standing body differ less."""
SIMILAR = 0.5
"""Smallest ratio of the lengths of two limbs of one kind: left and right, legs of one body, branches of a fork. Thumbs,
twist bones and controls of feet are shorter; from 0.4 to 0.6, as many joints of the table are right."""
NEAR = 0.01
"""Largest distance without meaning, as a share of the body's extent: 2 cm of a human."""


@dataclass(frozen=True)
class Branch:
    """A chain of joints from the trunk outward.

    joints: from the first to the end. side: 1 and -1 for the sides of the plane, 0 for the middle. base: the joint of
    the trunk that carries it.
    """

    joints: tuple[int, ...]
    side: int
    base: int


@dataclass(frozen=True, eq=False)
class Tree:
    """The joints of a skeleton that move by themselves.

    carriers: `(J,)` the joint that carries each; NO_PARENT or CONSTRAINED for none. positions: `(J, 3)` in a natural
    pose. bones: `(J,)` distances to the carriers. reaches: `(J,)` the length of the longest chain below. top: the joint
    that carries the body. extent: the diameter of what it carries.
    """

    skeleton: Skeleton
    carriers: Int64
    positions: Array
    bones: Array
    reaches: Array
    top: int
    extent: float

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """Return the children of each joint."""
        below: list[list[int]] = [[] for _ in self.carriers]
        for joint, carrier in enumerate(self.carriers.tolist()):
            if carrier >= 0:
                below[carrier].append(joint)
        return tuple(map(tuple, below))

    def below(self, joint: int) -> list[int]:
        """Return a joint and all that it carries."""
        joints = [joint]
        for other in joints:
            joints.extend(self.children[other])
        return joints

    def chain(self, joint: int) -> list[int]:
        """Return the joints from the top of the tree down to `joint`."""
        chain: list[int] = []
        while joint >= 0:
            chain.append(joint)
            joint = int(self.carriers[joint])
        return chain[::-1]

    def common(self, one: int, other: int) -> int:
        """Return the lowest joint that carries both."""
        chain = set(self.chain(other))
        return next(joint for joint in reversed(self.chain(one)) if joint in chain)

    def path(self, one: int, other: int) -> list[int]:
        """Return the joints from one to another of the same tree, up to the joint that carries both and down again."""
        common = self.common(one, other)
        ways = [chain[chain.index(common) :] for chain in (self.chain(one), self.chain(other))]
        return [*ways[0][:0:-1], *ways[1]]

    def distance(self, one: int, other: int) -> float:
        """Return the distance between two joints along the bones."""
        chains = set(self.chain(one)) ^ set(self.chain(other))
        return float(self.bones[list(chains)].sum())

    @cached_property
    def named_heads(self) -> frozenset[int]:
        """The joints of a rig with the name of a head; its controls hang together in ways that shapes do not tell."""
        if not np.any(self.carriers == CONSTRAINED):
            return frozenset()
        names = self.skeleton.names
        meanings = meanings_by_name(names)
        return frozenset(j for j, name in enumerate(names) if self.carriers[j] >= 0 and meanings[name] == HEAD)

    def is_same_place(self, one: int, other: int) -> bool:
        """Return whether two joints are in one place."""
        away = np.linalg.norm(self.positions[one] - self.positions[other])
        return bool(away < SAME_PLACE * self.extent)

    def along(self, joints: Sequence[int]) -> Array:
        """Return the distances `(N,)` along a chain of joints from the carrier of the first one."""
        steps = np.linalg.norm(np.diff(self.positions[list(joints)], axis=0), axis=1)
        return np.cumsum(np.concatenate((self.bones[[joints[0]]], steps)))

    def main_chain(self, joint: int) -> tuple[int, ...]:
        """Return the joints from one to the end of the longest chain below."""
        chain = [joint]
        while self.children[chain[-1]]:
            chain.append(max(self.children[chain[-1]], key=lambda child: (self.lengths[child], -child)))
        return tuple(chain)

    @cached_property
    def spans(self) -> Array:
        """Return the distance `(J,)` from each joint to the farthest one that it carries."""
        spans = np.zeros(len(self.carriers))
        for joint in np.flatnonzero(self.reaches >= LIMB * self.extent).tolist():
            away = self.positions[self.below(joint)] - self.positions[joint]
            spans[joint] = np.sqrt((away**2).sum(axis=1).max())
        return spans

    @cached_property
    def lengths(self) -> Array:
        """Return the length `(J,)` of each joint's branch with its own bone."""
        return np.asarray(self.reaches + self.bones)

    def limbs(self, beside: Array) -> list[Branch]:
        """Return the long branches off the middle. beside: `(J,)` signed distances from the plane between the sides."""
        return list(self._limbs(self.top, beside))

    def _limbs(self, joint: int, beside: Array) -> Iterator[Branch]:
        sides = self._sides(joint, beside)
        for child, side in sides.items():
            if side == 0 and self._carries_limbs(child, beside):
                yield from self._limbs(child, beside)
                continue
            for joints in self._forks((child,)):
                yield Branch(joints, side or self._side(child, joint, beside), joint)

    def _sides(self, joint: int, beside: Array) -> dict[int, int]:
        """Return the long branches of a joint with their sides; 0 for one in the middle or without a counterpart."""
        away = {child: self._away(child, joint, beside) for child in self._long_branches(joint, fork=False)}
        costs = dict[tuple[int, int], tuple[bool, float]]()
        for one, other in permutations(away, 2):
            unlike = self._unlike(one, other)
            # Where legs swing across the plane, both may be on one side, but are alike.
            is_similar = unlike < WORST and len(self.below(one)) == len(self.below(other))
            distance = away[one] - away[other] if is_similar else min(away[one], -away[other])
            if unlike < 1.0 - SIMILAR and distance >= NEAR * self.extent:
                sizes = abs(away[one]) + abs(away[other])
                costs[one, other] = not is_similar, unlike + abs(away[one] + away[other]) / sizes
        sides = dict.fromkeys(away, 0)
        for one, other in sorted(costs, key=lambda pair: costs[pair]):
            if not sides[one] and not sides[other]:
                sides |= {one: 1, other: -1}
        return sides

    def _unlike(self, one: int, other: int) -> float:
        """Return how different the lengths of two branches are, in any pose, from 0 to 1."""
        lengths = self.reaches[[one, other]]
        return float(1.0 - lengths.min() / lengths.max())

    def _forks(self, stem: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """Yield the chains of a limb that may divide."""
        branches = self._long_branches(stem[-1], fork=True)
        if len(branches) > 1:
            for branch in branches:
                yield from self._forks((*stem, branch))
        elif branches:
            yield from self._forks((*stem, branches[0]))
        else:
            yield (*stem, *self.main_chain(stem[-1])[1:])

    def _long_branches(self, joint: int, *, fork: bool) -> list[int]:
        """Return the children that begin limbs; of several that are one limb, the one that reaches farthest."""
        children = [child for child in self.children[joint] if self.spans[child] >= LIMB * self.extent]
        if fork and children:
            longest = max(self.lengths[child] for child in children)
            children = [child for child in children if self.lengths[child] >= SIMILAR * longest]
        children.sort(key=lambda child: (-self.reaches[child], child))
        kept: list[int] = []
        for child in children:
            if not fork or not any(self._are_one_limb(child, other) for other in kept):
                kept.append(child)
        return sorted(kept)

    def _are_one_limb(self, one: int, other: int) -> bool:
        """Return whether two branches begin in one place, and end in one unless constraints move some of the joints."""
        ends = [(joint, self.main_chain(joint)[-1]) for joint in (one, other)]
        starts, tips = (np.linalg.norm(self.positions[a] - self.positions[b]) for a, b in zip(*ends, strict=True))
        is_rig = bool(np.any(self.carriers == CONSTRAINED))
        return bool(starts <= NEAR * self.extent and (is_rig or tips < LIMB * self.extent))

    def _away(self, child: int, base: int, beside: Array) -> float:
        """Return how far a branch is beside the joint that carries it."""
        # A leg that swings across the plane still begins on its side.
        return (float(beside[self.below(child)].mean()) + float(beside[child])) / 2 - float(beside[base])

    def _side(self, child: int, base: int, beside: Array) -> int:
        away = self._away(child, base, beside)
        return 0 if abs(away) < NEAR * self.extent else int(np.sign(away))

    def _carries_limbs(self, joint: int, beside: Array) -> bool:
        """Return whether pairs of long branches begin at a joint in the middle or below it."""
        sides = self._sides(joint, beside)
        return any(sides.values()) or any(self._carries_limbs(child, beside) for child in sides)


def tree_of(skeleton: Skeleton, positions: Array, *, joins_roots: bool = False) -> Tree:
    """Return the tree of a skeleton in a natural pose `(J, 3)`.

    joins_roots: whether roots with joints below them, or what a single root carries, hang from the nearest joint or
    bone of the largest tree.
    """
    carriers = _with_joined_roots(skeleton) if joins_roots else _carriers(skeleton)
    at_rest = skeleton.rest_positions
    bones, reaches = np.zeros(len(carriers)), np.zeros(len(carriers))
    order = carriers_first(carriers.tolist())
    for joint in order:
        if carriers[joint] >= 0:
            bones[joint] = np.linalg.norm(at_rest[joint] - at_rest[carriers[joint]])
    sums = bones.copy()
    for joint in order[::-1]:
        if carriers[joint] >= 0:
            reaches[carriers[joint]] = max(reaches[carriers[joint]], reaches[joint] + bones[joint])
            sums[carriers[joint]] += sums[joint]
    tops = np.flatnonzero(carriers == NO_PARENT)
    inside = sums - bones
    top = int(max(tops.tolist(), key=lambda joint: inside[joint]))
    tree = Tree(skeleton, carriers, positions, bones, reaches, top, 1.0)
    while len(tree.children[top]) == 1:
        top = tree.children[top][0]
    places = positions[tree.below(top)]
    extent = float(np.linalg.norm(places.max(axis=0) - places.min(axis=0)))
    return Tree(skeleton, carriers, positions, bones, reaches, top, extent or 1.0)


def _carriers(skeleton: Skeleton) -> Int64:
    """Return the nearest joint above each that moves by itself; CONSTRAINED for those that constraints move."""
    if skeleton.carriers is None or np.array_equal(skeleton.carriers, skeleton.parents):
        return skeleton.parents
    is_free = skeleton.carriers == skeleton.parents
    is_free &= ~np.isin(skeleton.names, driven_joints(skeleton.names))
    carriers = np.where(is_free, skeleton.parents, CONSTRAINED)
    for joint in np.flatnonzero(is_free):
        above, steps = int(skeleton.parents[joint]), 0
        while above >= 0 and not is_free[above] and steps < len(carriers):
            above, steps = int(skeleton.carriers[above]), steps + 1
        carriers[joint] = above if above < 0 or is_free[above] else NO_PARENT
    return np.asarray(carriers)


def _with_joined_roots(skeleton: Skeleton) -> Int64:
    """Return the carriers of joints, where the nearest of the largest tree carry other roots with branches.

    A single root, as on the ground below a body, carries nothing.
    """
    carriers = _carriers(skeleton).copy()
    if np.count_nonzero(carriers == NO_PARENT) == 1:
        carriers[carriers == int(np.argmax(carriers == NO_PARENT))] = NO_PARENT
    tops = {joint: [joint] for joint in np.flatnonzero(carriers == NO_PARENT).tolist()}
    top_of: dict[int, int] = {}
    for joint in carriers_first(carriers.tolist()):
        top_of[joint] = top_of.get(int(carriers[joint]), joint)
        if top_of[joint] != joint:
            tops[top_of[joint]].append(joint)
    trees = [joints for joints in tops.values() if len(joints) > 1]
    counts = Counter(map(len, trees))
    # Arms of both sides are equally large, and with fingers larger than the trunk.
    trees.sort(key=lambda joints: (counts[len(joints)] % 2, len(joints)), reverse=True)
    if not trees or len(trees) > len(trees[0]):  # as of hair, whose pairs of branches would take long
        return _carriers(skeleton)
    main, places = trees[0], skeleton.rest_positions
    for joints in trees[1:]:
        away = places[main] - places[joints[0]]
        place = int(np.argmin(np.linalg.norm(away, axis=1)))
        above = int(carriers[main[place]])
        # Beside a bone, as a clavicle below the neck is, a root hangs from where this bone begins.
        is_beside = above not in (NO_PARENT, main[0]) and away[place] @ (places[main[place]] - places[above]) > 0.0
        carriers[joints[0]] = above if is_beside else main[place]
    return carriers


def off_line(places: Array, start: Array, end: Array) -> Array:
    """Return the vectors to places `(..., 3)` from the nearest points of lines; 0 where these have no length."""
    line, offset = end - start, places - start
    square = (line**2).sum(axis=-1, keepdims=True)
    along = (offset * line).sum(axis=-1, keepdims=True) / np.where(square > 0, square, 1.0)
    return np.asarray(np.where(square > 0, offset - along * line, 0.0))
