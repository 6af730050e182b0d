# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks of a body: the joints of its limbs' two long bones, chest, head and tail, however many joints lie between.

A limb has two long bones of about the same length: thigh and shin, upper arm and forearm. Clavicles come before them,
hands and feet after, and twist bones between.
"""

from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import combinations

import numpy as np

from ...arrays import Array
from .body import Body
from .tree import LIMB, NEAR, Branch, Tree, off_line

EXTRA = 0.4
"""Cost of a joint between those of a long bone, as twist bones are, and gain of an arm's end where fingers begin; less
for a joint that bends little in the motions. The unit is the logarithm of lengths: a joint more between is accepted if
the shorter long bone becomes 49 % longer. From 0.2 to 0.5, as many joints of the table are right; below 0.35, a
clavicle of an asymmetric body may be an upper arm."""
ZIGZAG = 2.0
"""Gain of a bend of a lying body's limb in the direction of its kind: logarithm of lengths for a joint off the line by
the line's length. Knees bend forward. At 2 and 3, as many joints of the table are right; 1 is too little."""
LEAST_SURE = 0.4
"""Confidence, from 0 to 1, in a head without a face, which may be the end of one, and in joints that only have one
order. Lower than the default trust in names, which then decide."""

LongBones = tuple[tuple[int, ...], tuple[int, ...], float]
"""A limb's steps, the places of the joints of its long bones among them, and the confidence."""


def long_bones(body: Body, limb: Branch, *, is_leg: bool, most: int | None = None) -> LongBones:
    """Return a limb's steps, the places of the three joints of its long bones among them, and the confidence.

    Joints that do no work, as twist bones do, are not among the steps; most: see `Body.helpers`.
    """
    steps = body.steps(limb.joints)
    helpers = body.helpers(steps, most)
    steps = tuple(joint for joint in steps if joint not in helpers)
    if len(steps) < 3:
        return steps, tuple(range(len(steps))), 1.0
    tree = body.tree
    along = tree.along(steps)
    up = np.array(tree.skeleton.up)
    places = tree.positions[list(steps)]
    between = EXTRA * body.bends(steps)
    # Each of these belongs to many choices of three joints.
    off_line_of = cache(lambda start, stop: _off_line(places, start, stop))
    before_bone = cache(lambda start, stop: float(_ahead(places, start - 1, start, stop) @ body.forward))
    after_bone = cache(lambda start, stop: float(_ahead(places, start, stop, stop + 1) @ body.forward))
    options = []
    for first, middle, end in combinations(range(len(steps)), 3):
        one, other = along[middle] - along[first], along[end] - along[middle]
        if min(one, other) <= NEAR * along[-1]:
            continue
        cost = -np.log(min(one, other) / along[-1])
        cost += float(between[first + 1 : middle].sum() + between[middle + 1 : end].sum())
        cost += off_line_of(first, middle) + off_line_of(middle, end)
        if not body.is_upright:
            inside = float(_ahead(places, first, middle, end) @ body.forward)
            bends = (before_bone(first, middle), inside, after_bone(middle, end))
            toward = 1.0 if is_leg else -1.0
            signs = (-toward, toward, -toward if is_leg else 0.0)
            cost -= ZIGZAG * sum(max(sign * bend, 0.0) for sign, bend in zip(signs, bends, strict=True))
        elif is_leg:
            for start, stop, length in ((first, middle, one), (middle, end, other)):
                cost += 1.0 - abs(float((places[stop] - places[start]) @ up)) / length
        else:
            cost -= EXTRA * _divides(body, limb, steps[end])
        options.append((float(cost), (first, middle, end)))
    if not options:
        return steps, (0, 1, 2), LEAST_SURE
    options.sort()
    margin = options[1][0] - options[0][0] if len(options) > 1 else 1.0
    # Bones of animals often have the names of a human's, which are then one joint off.
    doubt = (1.0 if body.is_upright else 0.5) * np.exp(-margin / EXTRA)
    return steps, options[0][1], float(1.0 - doubt)


def _divides(body: Body, limb: Branch, end: int) -> bool:
    """Return whether fingers begin at a joint of a limb, or at one in the same place."""
    group = [joint for joint in limb.joints if body.tree.is_same_place(joint, end)]
    return any(len(body.tree.children[joint]) > 1 for joint in group)


def _ahead(places: Array, before: int, place: int, after: int) -> Array:
    """Return the vector to a place from the line between two others, over the line's length; 0 without one of them."""
    if before < 0 or after >= len(places):
        return np.zeros(3)
    length = float(np.linalg.norm(places[after] - places[before]))
    return off_line(places[place], places[before], places[after]) / (length or 1.0)


def _off_line(places: Array, start: int, end: int) -> float:
    """Return the largest distance of the places between two from the line between these, as a share of its length."""
    away = off_line(places[start + 1 : end], places[start], places[end])
    length = float(np.linalg.norm(places[end] - places[start]))
    return float(np.linalg.norm(away, axis=1).max(initial=0.0)) / (length or 1.0)


@lru_cache(maxsize=2)
def chest_of(body: Body) -> int:
    """Return the joint of the axis before the neck.

    On a body that lies, it is the last one behind the upper arms, wherever they hang from: often from a joint farther
    behind, or from the one before them, where the neck begins. Upright bodies have their arms beside the neck.
    """
    place = body.axis.index(body.chest)
    if body.is_upright or len(body.pairs) == 1:
        return body.axis[place]
    ahead = body.tree.positions @ body.forward
    arms = max(body.pairs[1:], key=lambda pair: body.tree.lengths[pair[0].joints[0]])
    upper = [joint for limb in arms for joint in _to_elbow(body, limb)]
    if ahead[body.axis[place]] > ahead[upper].max():
        return body.axis[min(max(place - 1, 1), len(body.axis) - 1)]
    behind = ahead[upper].min() - NEAR * body.tree.extent
    while place + 1 < len(body.axis) and ahead[body.axis[place + 1]] < behind:
        place += 1
    return body.axis[place]


def _to_elbow(body: Body, arm: Branch) -> tuple[int, ...]:
    """Return the joints of an arm from its first one to the elbow."""
    steps, places, _ = long_bones(body, arm, is_leg=False)
    return steps[: places[1] + 1] if len(places) > 1 else steps


def tail_of(body: Body) -> tuple[int, ...]:
    """Return the steps of the tail, which begins behind the legs.

    Where these hang from a joint farther ahead, the trunk goes on from there to the joint where they begin.
    """
    if body.is_upright:
        return body.steps(body.tail)
    tree = body.tree
    bones = [long_bones(body, limb, is_leg=True) for limb in body.pairs[0]]
    legs = np.mean([tree.positions[leg[places[0]]] for leg, places, _ in bones], axis=0)
    steps = body.steps(body.tail or _short_tail(body, legs))
    if not steps:
        return ()
    base, *ahead = ((tree.positions[[tree.carriers[steps[0]], *steps]] - legs) @ body.forward).tolist()
    nearest = int(np.argmin(np.abs(ahead)))
    return steps[nearest + 1 :] if abs(ahead[nearest]) < base > LIMB * tree.extent else steps


def _short_tail(body: Body, legs: Array) -> tuple[int, ...]:
    """Return the joints of the longest branch at the hips or above them, in the middle behind the legs `(3,)`."""
    tree = body.tree
    away, above = tree.positions - legs, tree.chain(body.hips)
    behind = [
        child
        for joint in above
        for child in tree.children[joint]
        if child not in (*above, *body.axis)
        and away[child] @ body.forward < 0.0
        and abs(float(away[child] @ body.left)) < NEAR * tree.extent
    ]
    return tree.main_chain(max(behind, key=lambda child: tree.lengths[child])) if behind else ()


def neck_and_head(body: Body) -> tuple[tuple[int, ...], int | None, float]:
    """Return the joints of the neck, that of the head, None if nothing is above the chest, and the confidence in it."""
    tree = body.tree
    chain = body.axis[body.axis.index(chest_of(body)) + 1 :]
    steps = body.steps(chain)
    if not steps:
        return (), None, 0.0
    place, confidence = _last_in_head(body, chain, steps)
    group = [joint for joint in chain if tree.is_same_place(joint, steps[place])]
    head = steps[place] if body.is_rig or body.turns is not None else group[0]
    return steps[:place], head, confidence


def _last_in_head(body: Body, chain: Sequence[int], steps: Sequence[int]) -> tuple[int, float]:
    """Return the place of the step from which a face branches, else the last, and the confidence.

    Faces branch to both sides first, or, on a body that lies, forward last: into muzzle and jaw, beyond any mane.
    """
    tree = body.tree
    forked: int | None = None
    for place, joint in enumerate(steps if not body.is_rig else ()):
        below = _face_at(body, chain, joint)
        middles = np.array([tree.positions[tree.below(child)].mean(axis=0) for child in below]).reshape(-1, 3)
        sides, ahead = ((middles - tree.positions[joint]) @ np.stack((body.left, body.forward), axis=1)).T
        if sides.min(initial=0.0) < -NEAR * tree.extent and sides.max(initial=0.0) > NEAR * tree.extent:
            return place - _begins_before(tree, below, steps, place), 1.0
        if not body.is_upright and np.count_nonzero(ahead > NEAR * tree.extent) > 1:
            forked = place
    if forked is not None:
        return forked - _begins_before(tree, _face_at(body, chain, steps[forked]), steps, forked), 1.0
    last = len(steps) - 1
    return last - _ends_head(body, steps), LEAST_SURE


def _ends_head(body: Body, steps: Sequence[int]) -> bool:
    """Return whether the last joint of neck and head is the end of the head, rather than where this begins.

    It never turns while the one before does. Without motions, heads of bodies that lie hang from their necks.
    """
    if len(steps) < 2:
        return False
    if body.turns is not None:
        return body.turns_any([steps[-2]]) and not body.turns_any([steps[-1]])
    places = body.tree.positions[list(body.steps((chest_of(body), *steps))[-3:])]
    return not body.is_upright and float(_ahead(places, 0, 1, 2) @ np.array(body.tree.skeleton.up)) > LIMB


def _face_at(body: Body, chain: Sequence[int], joint: int) -> list[int]:
    """Return the branches of those joints of the neck and head that are in one place."""
    group = [other for other in chain if other != body.chest and body.tree.is_same_place(other, joint)]
    return [child for other in group for child in body.tree.children[other]]


def _begins_before(tree: Tree, face: Sequence[int], steps: Sequence[int], place: int) -> bool:
    """Return whether a branch of a face begins nearer to the joint before than to the one that carries it."""
    if not place:
        return False
    away = [np.linalg.norm(tree.positions[face] - tree.positions[steps[at]], axis=1) for at in (place - 1, place)]
    return bool(np.any(away[0] < away[1]))
