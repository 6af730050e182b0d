# SPDX-License-Identifier: GPL-3.0-or-later
"""The plane between left and right of a tree of joints: from a symmetric rest pose, or from similar branches."""

from dataclasses import dataclass

import numpy as np

from ...arrays import Array, Int64
from ...motion.skeleton import NO_PARENT, SAME_PLACE, Skeleton, carriers_first
from ..mirroring.plane import halves_of
from ..mirroring.symmetry import WORST
from .tree import LIMB, NEAR, Tree


@dataclass(frozen=True, eq=False)
class Placed:
    """The halves of some joints of a tree."""

    joints: Int64
    normal: Array
    partners: Int64
    errors: Array


def placed_halves(tree: Tree) -> Placed | None:
    """Return the halves of the large joints of a tree at rest."""
    inside = np.array(tree.below(tree.top))
    large = np.sort(inside[tree.lengths[inside] >= NEAR * tree.extent])
    if not len(large):
        return None
    place = {joint: number for number, joint in enumerate(large.tolist())}
    above = []
    for joint in large.tolist():
        carrier = int(tree.carriers[joint])
        while carrier >= 0 and carrier not in place:
            carrier = int(tree.carriers[carrier])
        above.append(place.get(carrier, NO_PARENT))
    names = tree.skeleton.names
    positions = tree.positions[large]
    offsets = positions.copy()
    offsets[[number for number, carrier in enumerate(above) if carrier >= 0]] -= positions[
        [carrier for carrier in above if carrier >= 0]
    ]
    turns = np.tile([1.0, 0.0, 0.0, 0.0], (len(large), 1))
    order = carriers_first(above)
    back = {number: position for position, number in enumerate(order)}
    skeleton = Skeleton(
        tuple(names[large[number]] for number in order),
        np.array([back[above[number]] if above[number] >= 0 else NO_PARENT for number in order], np.int64),
        turns,
        offsets[order],
        tree.skeleton.up,
    )
    halves = halves_of(skeleton, positions[order], is_rest=True)
    if halves is None:
        return None
    return Placed(large[order], halves.normal, halves.partners, halves.errors)


def normal_in_pose(at_rest: Tree, posed: Tree, halves: Placed) -> Array | None:
    """Return the normal in a pose that the partners of the rest pose have there."""
    up = np.array(posed.skeleton.up)
    paired = np.flatnonzero((halves.partners >= 0) & (halves.partners != np.arange(len(halves.partners))))
    joints, partners = halves.joints[paired], halves.joints[halves.partners[paired]]
    sides = np.sign((at_rest.positions[joints] - at_rest.positions[partners]) @ halves.normal)
    across = (sides[:, None] * (posed.positions[joints] - posed.positions[partners])).sum(axis=0)
    across -= (across @ up) * up
    length = float(np.linalg.norm(across))
    return None if length < SAME_PLACE * posed.extent else np.asarray(across / length)


def normal_between_branches(tree: Tree) -> Array | None:
    """Return the horizontal direction `(3,)` between similar branches of one joint: both legs, both arms."""
    across: list[Array] = []
    for joint in tree.below(tree.top):
        children = [child for child in tree.children[joint] if tree.reaches[child] >= LIMB * tree.extent]
        unlike = {
            (one, other): abs(float(tree.reaches[one] - tree.reaches[other])) / tree.extent
            for number, one in enumerate(children)
            for other in children[:number]
        }
        paired = set[int]()
        for one, other in sorted(unlike, key=lambda pair: unlike[pair]):
            if unlike[one, other] < WORST and not {one, other} & paired:
                paired |= {one, other}
                away = tree.positions[one] - tree.positions[other]
                if tree.is_same_place(one, other):
                    middles = [tree.positions[tree.below(child)].mean(axis=0) for child in (one, other)]
                    away = middles[0] - middles[1]
                across.append(away)
    up = np.array(tree.skeleton.up)
    level = [vector - (vector @ up) * up for vector in across]
    if not level:
        return None
    widest = max(level, key=lambda vector: float(vector @ vector))
    total = np.sum([vector * np.sign(vector @ widest) for vector in level], axis=0)
    length = float(np.linalg.norm(total))
    return None if length < SAME_PLACE * tree.extent else np.asarray(total / length)
