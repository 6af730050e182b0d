# SPDX-License-Identifier: GPL-3.0-or-later
"""The trunk of a body: the pair of limbs that are its legs, the joints from these to the last pair, and the head.

The legs are the pair that stands on the ground nearest to the top of the tree. On four legs, that pair may be the front
ones, where the tree begins at the chest: the shape of both ends then tells which of them has the head.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Array
from ...motion.rotations import SMALLEST_NORM
from ...motion.skeleton import SAME_PLACE
from .tree import LIMB, NEAR, SIMILAR, Branch, Tree

Pair = tuple[Branch, Branch]


@dataclass(frozen=True, eq=False)
class TrunkAndLimbs:
    """The middle of a body, and the limbs along it.

    joints: from the hips to the chest. axis: those, and on to the head. pairs: limbs along the trunk, legs first.
    """

    joints: tuple[int, ...]
    axis: tuple[int, ...]
    pairs: tuple[Pair, ...]


def find_trunk(tree: Tree, pairs: Sequence[Pair], left: Array, beside: Array) -> TrunkAndLimbs:
    """Return the trunk between pairs of limbs, of which there is at least one.

    left: `(3,)` unit vector to one of the sides. beside: `(J,)` signed distances from the plane between the sides.
    """
    standing = grounded(tree, pairs)
    legs = min(standing, key=lambda pair: (len(tree.chain(pair[0].base)), -_rise(tree, pair)))
    others = _from(tree, legs, _beside_legs(tree, pairs, legs))
    beside_legs = [pair for pair in others if pair in standing]
    arms = max(beside_legs or others, key=lambda pair: tree.lengths[pair[0].joints[0]], default=legs)
    if beside_legs and _has_head(tree, legs, arms, left):
        return _toward_top(tree, pairs, legs=arms, arms=legs, beside=beside)
    base, chest = legs[0].base, arms[0].base
    if base != chest and chest in tree.chain(base):
        return _toward_top(tree, pairs, legs=legs, arms=arms, beside=beside)
    carrier = chest
    while tree.carriers[chest] >= 0 and chest not in tree.chain(base) and tree.bones[chest] < SAME_PLACE * tree.extent:
        chest = int(tree.carriers[chest])
    above = tree.chain(chest)
    joints = above[above.index(tree.common(base, chest)) :]
    near = [legs, *(pair for pair in others or [legs] if pair[0].base == carrier)]
    return TrunkAndLimbs(tuple(joints), _axis(tree, joints, (), beside, near), (legs, *others))


def _toward_top(tree: Tree, pairs: Sequence[Pair], *, legs: Pair, arms: Pair, beside: Array) -> TrunkAndLimbs:
    """Return the trunk of a body whose tree begins at the arms, above them on the ground, or at the head."""
    joints = tree.path(legs[0].base, arms[0].base)
    last = _nearest(tree, joints, arms)
    trunk, above = joints[: last + 1], joints[last + 1 :]
    axis = _axis(tree, trunk, above, beside, [legs, arms])
    if len(axis) == len(trunk):
        places = tree.positions - tree.positions[trunk[-1]]
        beyond = places @ places[trunk[0]] < 0.0
        axis += tuple(joint for joint in tree.chain(trunk[-1])[-2::-1] if beyond[joint])
    others = [
        (replace(one, base=trunk[-1]), replace(other, base=trunk[-1])) if one.base in above else (one, other)
        for one, other in pairs
        if one is not legs[0]
    ]
    return TrunkAndLimbs(tuple(trunk), axis, (legs, *_from(tree, legs, others)))


def _nearest(tree: Tree, joints: Sequence[int], pair: Pair) -> int:
    """Return the place of the joint that is nearest to where two limbs begin."""
    return int(np.argmin(np.linalg.norm(tree.positions[list(joints)] - _start(tree, pair), axis=1)))


def grounded(tree: Tree, pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs of limbs that stand on the ground."""
    lowest = min(pairs, key=lambda pair: _lowest(tree, pair))
    ground, hanging = _lowest(tree, lowest), SIMILAR * _rise(tree, lowest)
    up = np.array(tree.skeleton.up)
    # Feet that end higher than others, as in other proportions, still hang from the trunk below the middles of these.
    near = [
        pair
        for pair in pairs
        if (height := _lowest(tree, pair)) <= ground + LIMB * tree.extent
        or (height <= ground + hanging and float(_start(tree, pair) @ up) - height >= hanging)
    ]
    longest = max(_rise(tree, pair) for pair in near)
    return [pair for pair in near if _rise(tree, pair) >= SIMILAR * longest]


def _rise(tree: Tree, pair: Pair) -> float:
    """Return the difference in height between the ends of a limb."""
    return float(np.ptp(tree.positions[list(pair[0].joints)] @ np.array(tree.skeleton.up)))


def _beside_legs(tree: Tree, pairs: Sequence[Pair], legs: Pair) -> list[Pair]:
    """Return the other pairs, without those that stand on the ground above the legs, as controls of feet do."""
    above = tree.chain(legs[0].base)[:-1]
    ground = min(_lowest(tree, pair) for pair in pairs) + LIMB * tree.extent
    return [
        pair for pair in pairs if pair is not legs and not (pair[0].base in above and _lowest(tree, pair) <= ground)
    ]


def _from(tree: Tree, legs: Pair, others: Sequence[Pair]) -> list[Pair]:
    """Return pairs in the order of where they begin, from the legs on."""
    start = tree.positions[legs[0].joints[0]]

    def place(pair: Pair) -> tuple[float, float]:
        beside = float(np.linalg.norm(tree.positions[pair[0].joints[0]] - start))
        return round(tree.distance(legs[0].base, pair[0].base) / tree.extent, 3), beside

    return sorted(others, key=place)


def _start(tree: Tree, pair: Pair) -> Array:
    """Return the middle `(3,)` between where two limbs begin."""
    return np.asarray(np.mean([tree.positions[limb.joints[0]] for limb in pair], axis=0))


def _lowest(tree: Tree, pair: Pair) -> float:
    """Return the height of the lower end of two limbs."""
    heights = tree.positions @ np.array(tree.skeleton.up)
    return min(float(heights[list(limb.joints)].min()) for limb in pair)


def is_upright(tree: Tree, legs: Pair, arms: Pair) -> bool:
    """Return whether the limbs begin above one another rather than side by side."""
    up = np.array(tree.skeleton.up)
    along = _start(tree, arms) - _start(tree, legs)
    rise = float(along @ up)
    return float(np.linalg.norm(along - rise * up)) <= abs(rise)


def _has_head(tree: Tree, legs: Pair, arms: Pair, left: Array) -> bool:
    """Return whether a trunk that lies on four legs has its head at the end of those that are nearest to the top.

    All toes point to it. Where some do not, it is higher and broader than the other end.
    """
    up = np.array(tree.skeleton.up)
    start = _start(tree, legs)
    along = _start(tree, arms) - start
    ahead = along - (along @ up) * up - (along @ left) * left
    length = float(np.linalg.norm(ahead))
    if is_upright(tree, legs, arms) or length == 0.0:
        return False
    ahead /= length
    if tree.named_heads:
        return bool(((tree.positions[list(tree.named_heads)] - start) @ ahead).mean() < length / 2)
    limbs = [limb.joints for pair in (legs, arms) for limb in pair]
    toes = [toes_ahead(limb, tree.positions @ up, tree.positions @ ahead) for pair in (legs, arms) for limb in pair]
    if min(toes) * max(toes) >= 0.0 and any(toes):
        return min(toes) < 0.0
    inside = {joint for joints in limbs for joint in tree.below(joints[0])}
    trunk = np.array([joint for joint in tree.below(tree.top) if joint not in inside])
    places, evidence = tree.positions[trunk] - start, 0.0
    for sign, beyond in ((1, places @ ahead > length), (-1, places @ ahead < 0.0)):
        if beyond.any():
            evidence += sign * float((places[beyond] @ up).max() + np.abs(places[beyond] @ left).max())
    return evidence < 0


def toes_ahead(leg: Branch, heights: Array, ahead: Array) -> float:
    """Return how far the end of a leg is in front of its ankle, where the lowest quarter begins."""
    heights, ahead = heights[list(leg.joints)], ahead[list(leg.joints)]
    ankle = int(np.argmax(heights <= heights.min() + 0.25 * np.ptp(heights)))
    return float(ahead[-1] - ahead[ankle])


def _axis(
    tree: Tree, trunk: Sequence[int], above: Sequence[int], beside: Array, pairs: Sequence[Pair]
) -> tuple[int, ...]:
    """Return the joints of a trunk, and on to the head.

    above: joints above the chest that are no part of the trunk, as one on the ground is; a head may begin there.
    """
    main = [limb for pair in pairs for limb in pair]
    limbs = {joint for limb in main for joint in (*limb.joints, *tree.chain(limb.base))}
    up = np.array(tree.skeleton.up)
    along = tree.positions[trunk[-1]] - tree.positions[trunk[0]]
    length = float(np.linalg.norm(along))
    toward = up + (along / length if length > NEAR * tree.extent else up)
    toward = toward / max(float(np.linalg.norm(toward)), SMALLEST_NORM)
    chain, carriers = list(trunk), (trunk[-1], *above)
    while True:
        options = [
            child
            for carrier in carriers
            for child in tree.children[carrier]
            if child not in limbs
            and abs(float(beside[tree.below(child)].mean() - beside[chain[-1]])) < LIMB * tree.extent
        ]
        if not options:
            return tuple(chain)

        middles = [tree.positions[tree.below(child)].mean(axis=0) - tree.positions[chain[-1]] for child in options]
        cosines = [float(middle @ toward) / max(float(np.linalg.norm(middle)), SMALLEST_NORM) for middle in middles]
        values = [
            max(cosine, 0.0) ** 2 * tree.bones[tree.below(child)].sum()
            for cosine, child in zip(cosines, options, strict=True)
        ]
        best = int(np.argmax(values if max(values) > 0 else tree.lengths[options]))
        chain.append(options[best])
        carriers = (chain[-1],)
