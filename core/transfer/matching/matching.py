# SPDX-License-Identifier: GPL-3.0-or-later
"""Matching of the joints of two bodies: landmarks to landmarks, and what lies between and beyond them in order."""

from collections.abc import Sequence

import numpy as np

from ...arrays import Array
from ...motion import rotations
from ...motion.rotations import SMALLEST_NORM
from ...motion.skeleton import NO_PARENT, SAME_PLACE
from .alignment import MOST_UNLIKE, align
from .body import Body
from .landmarks import LEAST_SURE, LongBones, chest_of, long_bones, neck_and_head, tail_of
from .tree import NEAR, Branch, off_line

MOST_LANDMARKS = 3
"""Largest number of pairs of limbs that have landmarks; the legs of insects have more joints than two long bones."""

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
    matching.tail()
    return matching.found


def with_joints_in_place(source: Body, target: Body, found: Found) -> Found:
    """Return the pairs with all joints of a chain in one place, in order, if both bodies have as many there.

    On a rig, joints of its mechanism lie there.
    """
    if source.is_rig or target.is_rig:
        return found
    pairs, inverse = dict(found), {other: one for one, (other, _) in found.items()}
    for one, (other, confidence) in found.items():
        ones, others = _in_place(source, one), _in_place(target, other)
        if len(ones) != len(others) or len(ones) < 2:
            continue
        strangers = {found[joint][0] for joint in ones if joint in found} - {*others}
        if strangers or any(joint in inverse and inverse[joint] not in ones for joint in others):
            continue
        for first, second in zip(ones, others, strict=True):
            pairs[first] = second, confidence
    return pairs


def _in_place(body: Body, joint: int) -> list[int]:
    """Return the joints of the chain through a joint that are in its place."""
    tree = body.tree
    chain = [above for above in tree.chain(joint) if tree.is_same_place(above, joint)]
    while True:
        below = [child for child in tree.children[chain[-1]] if tree.is_same_place(child, joint)]
        if len(below) != 1:
            return chain
        chain += below


def with_small_branches(source: Body, target: Body, found: Found) -> Found:
    """Return the pairs with those of fingers, twist bones and the like, which begin at joints that are matched.

    Branches above the hips are no part of the body: controls of inverse kinematics, and props.
    """
    matching = _Matching(source, target)
    for one, (other, confidence) in found.items():
        matching.add(one, other, confidence)
    above = _above_hips(source)
    ones = [joint for joint in matching.found if joint not in above]
    for one in ones:
        before = len(matching.found)
        matching.branches(one, matching.found[one][0])
        ones += list(matching.found)[before:]
    return matching.found


def _above_hips(body: Body) -> list[int]:
    """Return the joints above the trunk."""
    return [joint for joint in body.tree.chain(body.hips) if joint not in body.axis]


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

    def in_order(self, ones: Sequence[int], others: Sequence[int], costs: Array) -> None:
        """Match the joints of two chains. costs: `(N, M)` of the pairs, minus the logarithms of the confidences."""
        for one, other in align(costs):
            self.add(ones[one], others[other], float(np.exp(-costs[one, other])))

    def by_distance(self, ones: Sequence[int], others: Sequence[int], away: Array, other_away: Array) -> None:
        """Match the joints of two chains by their distances from joints that correspond."""
        own = np.log(away / self.source.tree.extent + NEAR)
        theirs = np.log(other_away / self.target.tree.extent + NEAR)
        self.in_order(ones, others, np.abs(own[:, None] - theirs))

    def working(
        self, ones: Sequence[int], others: Sequence[int], *, is_trunk: bool = False
    ) -> tuple[Sequence[int], Sequence[int]]:
        """Return two chains without the joints that do no work beside others that do.

        Where no joint turns, and in a trunk, which often has still joints, the longer chain lacks some as long as it
        has more.
        """
        surplus = len(ones) - len(others)
        return (
            _working(self.source, ones, surplus, is_trunk=is_trunk),
            _working(self.target, others, -surplus, is_trunk=is_trunk),
        )

    def series(self, ones: Sequence[int], others: Sequence[int]) -> None:
        """Match two chains of which both the first and the last joints correspond."""
        if not ones or not others:
            return
        self.add(ones[-1], others[-1], 1.0)
        if min(len(ones), len(others)) == 1:
            return
        self.add(ones[0], others[0], 1.0)
        shares = _shares(self.source, ones), _shares(self.target, others)
        self.in_order(ones[1:-1], others[1:-1], np.abs(shares[0][1:-1, None] - shares[1][1:-1]))

    def tail(self) -> None:
        """Match tails, of which the first joints turn all."""
        ones, others = self.working(tail_of(self.source), tail_of(self.target))
        if ones and others:
            self.add(ones[0], others[0], 1.0)
        self.series(ones, others)

    def trunk_and_head(self) -> None:
        """Match spine, neck and head."""
        trunks = [body.steps(body.axis[1 : body.axis.index(chest_of(body)) + 1]) for body in (self.source, self.target)]
        self.series(*self.working(*trunks, is_trunk=True))
        (neck, head, sure), (other_neck, other_head, other_sure) = (
            neck_and_head(self.source),
            neck_and_head(self.target),
        )
        if head is not None and other_head is not None:
            self.add(head, other_head, min(sure, other_sure))
        for place, (one, other) in enumerate(zip(*self.working(neck, other_neck), strict=False)):
            self.add(one, other, LEAST_SURE if place else 1.0)

    def above_hips(self) -> None:
        """Match the joints above the trunk if both skeletons have the same number of them."""
        chains = [_above_hips(body) for body in (self.source, self.target)]
        if len(chains[0]) == len(chains[1]):
            for one, other in zip(*chains, strict=True):
                self.add(one, other, 1.0)

    def pelvis(self) -> None:
        """Match the joints between the hips and where the legs begin."""
        chains = []
        for body in (self.source, self.target):
            chain = body.tree.chain(body.pairs[0][0].base)
            chains.append(body.steps(chain[chain.index(body.hips) + 1 :]) if body.hips in chain else ())
        for one, other in zip(*chains, strict=False):
            self.add(one, other, 1.0)

    def limb(self, first: Branch, second: Branch, number: int, other_number: int) -> None:
        """Match two limbs of the pairs with the given numbers, of which 0 are the legs."""
        source, target = self.source, self.target
        if max(len(source.long_pairs), len(target.long_pairs)) > MOST_LANDMARKS:
            ones, others = source.steps(first.joints), target.steps(second.joints)
            shapes = _shapes(source, ones), _shapes(target, others)
            self.in_order(ones, others, np.linalg.norm(shapes[0][:, None] - shapes[1], axis=-1))
            return
        (ones, places, sure), (others, other_places, other_sure) = self._long_bones(first, second, number, other_number)
        if min(source.facing, target.facing) < NEAR:
            sure = min(sure, LEAST_SURE)
        count = min(len(places), len(other_places))
        for place, other_place in zip(places[:count], other_places[:count], strict=True):
            self.add(ones[place], others[other_place], min(sure, other_sure))
        along, other_along = source.tree.along(ones), target.tree.along(others)
        bounds = (-1, *places[:count], len(ones)), (-1, *other_places[:count], len(others))
        for stretch in range(count + 1):
            inner, other_inner = (range(each[stretch] + 1, each[stretch + 1]) for each in bounds)
            own = _off_line_places(source, ones, inner, len(other_inner))
            theirs = _off_line_places(target, others, other_inner, len(inner))
            if stretch < count:
                # Clavicles are next to the arm, all others next to the joint before them.
                nearest = max(stretch - 1, 0)
                away = np.abs(along[own] - along[places[nearest]])
                other_away = np.abs(other_along[theirs] - other_along[other_places[nearest]])
                self.by_distance([ones[p] for p in own], [others[p] for p in theirs], away, other_away)
            elif number == other_number == 0 or not source.is_upright:
                for one, two in zip(own, theirs, strict=False):
                    self.add(ones[one], others[two], min(sure, other_sure))

    def _long_bones(self, first: Branch, second: Branch, number: int, other_number: int) -> tuple[LongBones, LongBones]:
        """Return the long bones of two limbs of the pairs with the given numbers.

        Where only one body has motions, joints without work may be among those of the other: the choice with or without
        them of which the bones are most alike counts.
        """
        source, target = self.source, self.target
        surplus = len(source.steps(first.joints)) - len(target.steps(second.joints))
        options, fewer = [], (max(surplus, 0), max(-surplus, 0))
        for most in ((None, None), *((fewer,) if (source.turns is None) != (target.turns is None) else ())):
            one = long_bones(source, first, is_leg=number == 0, most=most[0])
            other = long_bones(target, second, is_leg=other_number == 0, most=most[1])
            sizes = [_bone_sizes(body, bones) for body, bones in ((source, one), (target, other))]
            count = min(map(len, sizes))
            options.append((float(np.abs(sizes[0][:count] - sizes[1][:count]).sum()), one, other))
        _, one, other = min(options, key=lambda option: round(option[0], 3))
        return one, other

    def branches(self, one: int, other: int) -> None:
        """Match small branches of two joints, the most similar first; those that are matched tell how these turn."""
        source, target = self.source.tree, self.target.tree
        ones, others = source.children[one], target.children[other]
        leading = [self._leads_to(child, others) for child in ones]
        taken = {child for child in others if self.taken.intersection(target.below(child))}
        if all(to is not None for to in leading) or len(taken) == len(others):
            return
        vectors = _branch_vectors(self.source, one, ones), _branch_vectors(self.target, other, others)
        lengths = [(tree.lengths[list(each)] / tree.extent + NEAR) for tree, each in ((source, ones), (target, others))]
        unlike = np.abs(np.log(lengths[0][:, None] / lengths[1]))
        for row, to in enumerate(leading):
            for column, counterpart in enumerate(others):
                is_free = to is None and counterpart not in taken
                if not is_free and to != counterpart:
                    unlike[row, column] = np.inf
        if min(len(ones), len(others)) > 2:
            bones = vectors[0].mean(axis=0), vectors[1].mean(axis=0)
        else:
            bones = _bone(self.source, one), _bone(self.target, other)
        turned = rotations.rotate(self._turn_between(*bones), vectors[0])
        for row, column in _nearest_branches(turned, vectors[1], bones[1], unlike):
            if leading[row] is not None:
                continue
            one_chain, other_chain = self.working(
                self.source.steps(source.main_chain(ones[row])),
                self.target.steps(target.main_chain(others[column])),
            )
            self.by_distance(one_chain, other_chain, source.along(one_chain), target.along(other_chain))

    def _leads_to(self, child: int, others: Sequence[int]) -> int | None:
        """Return which of the target's branches has joints of a branch; NO_PARENT for none of them, None if free."""
        found = [self.found[joint][0] for joint in self.source.tree.below(child) if joint in self.found]
        above = {joint for counterpart in found for joint in self.target.tree.chain(counterpart)}
        return next((joint for joint in others if joint in above), NO_PARENT) if found else None

    def _turn_between(self, bone: Array, other: Array) -> Array:
        """Return the rotation `(4,)` from the source's body to the target's in which two bones have one direction."""
        frames = [
            np.stack((body.left, body.forward, np.array(body.tree.skeleton.up)), axis=1)
            for body in (self.source, self.target)
        ]
        turn = rotations.from_matrix((frames[1] @ frames[0].T)[None])[0]
        if min(np.linalg.norm(bone), np.linalg.norm(other)) < SMALLEST_NORM:
            return np.asarray(turn)
        return np.asarray(rotations.multiply(rotations.shortest_turn(rotations.rotate(turn, bone), other), turn))


def _bone_sizes(body: Body, bones: LongBones) -> Array:
    """Return the logarithms of the lengths of a limb's long bones, as shares of the body's extent."""
    steps, places, _ = bones
    along = body.tree.along(steps)[list(places)] / body.tree.extent
    return np.asarray(np.log(np.diff(along) + NEAR))


def _working(body: Body, joints: Sequence[int], surplus: int, *, is_trunk: bool) -> list[int]:
    helpers = body.helpers(joints)
    if is_trunk or not body.turns_any([joint for joint in joints if joint not in helpers]):
        helpers = helpers[: max(surplus, 0)]
    return [joint for joint in joints if joint not in helpers]


def _bone(body: Body, joint: int) -> Array:
    """Return the vector to a joint from the nearest one above it in another place."""
    tree, above = body.tree, int(body.tree.carriers[joint])
    while above >= 0 and tree.is_same_place(above, joint):
        above = int(tree.carriers[above])
    return np.zeros(3) if above < 0 else np.asarray(tree.positions[joint] - tree.positions[above])


def _nearest_branches(vectors: Array, others: Array, bone: Array, unlike: Array) -> list[tuple[int, int]]:
    """Return the numbers of branches that correspond, the most similar first.

    vectors, others: `(N, 3)` and `(M, 3)`, see `_branch_vectors`. bone: from which they branch off; the first may be
    rolled about it, as a forearm is, if that makes them more similar by more than the roll itself. unlike: `(N, M)`
    costs of the pairs apart from their directions.
    """
    axis = bone / max(float(np.linalg.norm(bone)), SMALLEST_NORM)
    angles, spread = [0.0], 0.0
    if min(len(vectors), len(others)) > 2:
        sides = [each - (each @ axis)[:, None] * axis for each in (vectors, others)]
        spread = float(np.linalg.norm(sides[1], axis=1).mean())
        across = np.cross(sides[0][:, None], sides[1]) @ axis
        angles += np.arctan2(across, sides[0] @ sides[1].T).ravel().tolist()
    best: tuple[float, list[tuple[int, int]]] = np.inf, []
    for angle in angles:
        rolled = rotations.rotate(rotations.from_axis_angle(axis, np.array(angle)), vectors)
        costs = np.linalg.norm(rolled[:, None] - others, axis=-1) + unlike
        pairs = list[tuple[int, int]]()
        for place in np.argsort(costs, axis=None, kind="stable").tolist():
            row, column = divmod(place, len(others))
            if costs[row, column] < MOST_UNLIKE and all(row != a and column != b for a, b in pairs):
                pairs.append((row, column))
        left = min(costs.shape) - len(pairs)
        total = sum(costs[pair] for pair in pairs) + left * MOST_UNLIKE + spread * 2.0 * abs(np.sin(angle / 2.0))
        if round(total, 6) < round(best[0], 6):
            best = float(total), pairs
    return best[1]


def _branch_vectors(body: Body, joint: int, children: Sequence[int]) -> Array:
    """Return the vectors `(N, 3)` from a joint to the middles of branches, of which the longest has the length 1."""
    positions = body.tree.positions
    vectors = np.array([positions[body.tree.below(child)].mean(axis=0) - positions[joint] for child in children])
    return np.asarray(vectors / max(float(np.linalg.norm(vectors, axis=1).max()), SMALLEST_NORM))


def _limb_pairs(source: Body, target: Body) -> list[tuple[int, int]]:
    """Return the numbers of corresponding pairs of limbs: legs, and of others the nearest ones, many legs in order."""
    if source.standing_pairs > 2:
        ahead, other_ahead = _limbs_ahead(source), _limbs_ahead(target)
        order, other_order = np.argsort(ahead, kind="stable"), np.argsort(other_ahead, kind="stable")
        pairs = align(np.abs(ahead[order][:, None] - other_ahead[other_order]))
        return sorted((int(order[one]), int(other_order[other])) for one, other in pairs)
    places, other_places = _limb_places(source), _limb_places(target)
    costs = np.linalg.norm(places[1:, None] - other_places[1:], axis=2)
    nearest = list[tuple[int, int]]()
    for place in np.argsort(costs, axis=None, kind="stable").tolist():
        one, other = divmod(place, costs.shape[1])
        if all(one != first and other != second for first, second in nearest):
            nearest.append((one, other))
    return [(0, 0), *((one + 1, other + 1) for one, other in sorted(nearest))]


def _limbs_ahead(body: Body) -> Array:
    """Return how far each pair of limbs `(N,)` reaches ahead on average, as a share of the body's extent."""
    middles = [body.tree.positions[[j for limb in pair for j in limb.joints]].mean(axis=0) for pair in body.pairs]
    return np.asarray(np.array(middles) @ body.forward / body.tree.extent)


def _limb_places(body: Body) -> Array:
    """Return for each pair of limbs `(N, 2)` where it hangs along the trunk, from the legs on, and how far toward the
    belly it begins from there, as shares of the trunk's length: wings begin on the back.
    """
    tree, base = body.tree, body.pairs[0][0].base
    trunk = max(tree.distance(base, body.chest), SMALLEST_NORM)
    along = np.array([tree.distance(base, pair[0].base) for pair in body.pairs])
    starts = np.array([tree.positions[pair[0].joints[0]] - tree.positions[pair[0].base] for pair in body.pairs])
    belly = np.cross(body.left, tree.positions[body.chest] - tree.positions[body.hips])
    return np.stack((along, starts @ belly / max(float(np.linalg.norm(belly)), SMALLEST_NORM)), axis=1) / trunk


def _off_line_places(body: Body, joints: Sequence[int], places: Sequence[int], fewest: int) -> list[int]:
    """Return those of the places in a chain that are not on the line between their neighbors, at least `fewest`.

    Twist bones lie there, and joints halfway along a bone.
    """
    above = int(body.tree.carriers[joints[0]])
    chain = body.tree.positions[[above if above >= 0 else joints[0], *joints]]
    off = np.linalg.norm(off_line(chain[1:-1], chain[:-2], chain[2:]), axis=1) / body.tree.extent
    in_line = sorted((p for p in places if p < len(off) and off[p] < SAME_PLACE), key=lambda p: float(off[p]))
    dropped = in_line[: max(len(places) - fewest, 0)]
    return [place for place in places if place not in dropped]


def _shares(body: Body, joints: Sequence[int]) -> Array:
    """Return the places `(N,)` of a chain's joints between its first and last one, from 0 to 1."""
    along = body.tree.along(joints)
    return np.asarray((along - along[0]) / max(along[-1] - along[0], SMALLEST_NORM))


def _shapes(body: Body, joints: Sequence[int]) -> Array:
    """Return for each joint of a limb its height and the directions of the bones to it and from it."""
    tree, up = body.tree, np.array(body.tree.skeleton.up)
    places = tree.positions[list(joints)]
    heights = places @ up
    heights = (heights - heights.min()) / max(float(np.ptp(heights)), SMALLEST_NORM)
    steps = np.diff(places, axis=0)
    steps = steps / np.maximum(np.linalg.norm(steps, axis=1, keepdims=True), SMALLEST_NORM)
    flat = np.stack([steps @ body.forward, steps @ up, np.abs(steps @ body.left)], axis=-1)
    directions = np.concatenate((flat, flat[-1:]), axis=0), np.concatenate((flat[:1], flat), axis=0)
    return np.concatenate((heights[:, None], *directions), axis=1)
