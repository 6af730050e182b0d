# SPDX-License-Identifier: GPL-3.0-or-later
"""Landmarks of a body: the joints of its limbs' two long bones, and its head, whatever the number of joints between.

A limb has two long bones of about the same length: thigh and shin, upper arm and forearm. Clavicles come before them,
hands and feet after, and twist bones between.
"""

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from .body import Body
from .tree import Limb

Array = NDArray[np.floating]

EXTRA = 0.35
"""Cost of a joint between those of a long bone, as twist bones are."""
UNEQUAL = 0.7
"""Cost of the logarithm of the ratio of the two long bones' lengths."""
LOW = 0.5
"""Cost of an ankle's height, as a share of the leg's."""
INSIDE = 1.5
"""Cost of a shoulder that is as near to the middle as the spine."""
BROAD = 0.8
"""Distance of a shoulder from the middle from which on it costs nothing, in distances of the hips' joints."""
HALFWAY = 1.0
"""Cost of a knee's distance from half the leg's height, as a share of it."""
BEFORE = 0.1
"""Cost of a joint before a leg's long bones."""
UPRIGHT = 1.0
"""Cost of a leg's bone that lies, as feet do."""
ZIGZAG = 3.0
"""Gain of a bend of a lying body's limb in the direction of its kind, over the length: knees bend forward."""
OFF_LINE = 2.0
"""Cost of a joint's distance from the line of a long bone that it lies within, as a share of that bone."""
FINGERS = 0.3
"""Gain of an arm's end where fingers begin."""
LEAST_SURE = 0.4
"""Confidence in a head without a face, which may be the end of one, and in joints that only have one order."""
BESIDE = 0.004
"""Smallest distance of eyes and ears from the middle of a head, as a share of the body's extent."""
SKULL = 2.0
"""Smallest ratio of the skull's length to that of the bone below it; joints of a neck are closer."""
NECK = 1.0
"""Largest height of the head's joint above the shoulders, as a share of the trunk's; the top of a head is higher."""


def long_bones(
    body: Body, limb: Limb, *, is_leg: bool, hip_width: float
) -> tuple[tuple[int, ...], tuple[int, ...], float]:
    """Return a limb's steps, the places of the three joints of its long bones among them, and the confidence."""
    steps = body.steps(limb.joints)
    if len(steps) < 3:
        return steps, tuple(range(len(steps))), 1.0
    tree = body.tree
    along = tree.along(steps)
    up = np.array(tree.skeleton.up)
    places = tree.positions[list(steps)]
    heights = places @ up
    heights = (heights - heights.min()) / max(float(np.ptp(heights)), 1e-9)
    beside = np.abs((tree.positions[list(steps)] - tree.positions[limb.base]) @ body.left)
    options = []
    for first, middle, end in combinations(range(len(steps)), 3):
        one, other = along[middle] - along[first], along[end] - along[middle]
        if min(one, other) <= 0.02 * along[-1]:
            continue
        cost = -np.log(min(one, other) / along[-1]) + UNEQUAL * abs(np.log(one / other)) + EXTRA * (end - first - 2)
        cost += OFF_LINE * (_off_line(places, first, middle) + _off_line(places, middle, end))
        if not body.is_upright:
            bends = [
                float(_ahead(places, *three) @ body.forward)
                for three in ((first - 1, first, middle), (first, middle, end), (middle, end, end + 1))
            ]
            toward = 1.0 if is_leg else -1.0
            signs = (-toward, toward, -toward if is_leg else 0.0)
            cost -= ZIGZAG * sum(min(max(sign * bend, 0.0), 0.2) for sign, bend in zip(signs, bends, strict=True))
        elif is_leg:
            cost += LOW * heights[end] + HALFWAY * abs(heights[middle] - 0.5) + BEFORE * first
            for start, stop, length in ((first, middle, one), (middle, end, other)):
                cost += UPRIGHT * (1.0 - abs(float((places[stop] - places[start]) @ up)) / length)
        elif hip_width > 0:
            cost += INSIDE * max(0.0, 1.0 - beside[first] / (BROAD * hip_width))
            cost -= FINGERS * (len(tree.children[steps[end]]) > 1)
        options.append((float(cost), (first, middle, end)))
    if not options:
        return steps, (0, 1, 2), 0.3
    options.sort()
    margin = options[1][0] - options[0][0] if len(options) > 1 else 1.0
    return steps, options[0][1], float(1.0 - 0.5 * np.exp(-3.0 * margin))


def _ahead(places: Array, before: int, place: int, after: int) -> Array:
    """Return the vector to a place from the line between two others, over the line's length; 0 without one of them."""
    if before < 0 or after >= len(places):
        return np.zeros(3)
    line, offset = places[after] - places[before], places[place] - places[before]
    square = float(line @ line)
    return np.zeros(3) if square == 0 else np.asarray((offset - (offset @ line / square) * line) / np.sqrt(square))


def _off_line(places: Array, start: int, end: int) -> float:
    """Return the largest distance of the places between two from the line between these, as a share of its length."""
    line, inside = places[end] - places[start], places[start + 1 : end] - places[start]
    square = float(line @ line)
    if not len(inside) or square == 0:
        return 0.0
    away = inside - (inside @ line / square)[:, None] * line
    return float(np.sqrt((away**2).sum(axis=1).max() / square))


def hip_width(body: Body) -> float:
    """Return the distance of the hips' joints from the middle."""
    tree = body.tree
    steps, places, _ = long_bones(body, body.pairs[0][0], is_leg=True, hip_width=0.0)
    first = tree.positions[steps[places[0]]]
    other_steps, other_places, _ = long_bones(body, body.pairs[0][1], is_leg=True, hip_width=0.0)
    return 0.5 * abs(float((first - tree.positions[other_steps[other_places[0]]]) @ body.left))


def neck_and_head(body: Body) -> tuple[tuple[int, ...], int | None, float]:
    """Return the joints of the neck, that of the head, None if nothing is above the chest, and the confidence in it."""
    tree = body.tree
    chain = body.axis[body.axis.index(body.chest) + 1 :]
    steps = body.steps(chain)
    if not steps:
        return (), None, 0.0
    place, confidence = _last_in_head(body, chain, steps)
    if place > 1 and float(
        np.linalg.norm(tree.positions[steps[place]] - tree.positions[steps[place - 1]])
    ) > SKULL * float(np.linalg.norm(tree.positions[steps[place - 1]] - tree.positions[steps[place - 2]])):
        place -= 1
    group = [joint for joint in chain if tree.is_same_place(joint, steps[place])]
    head = steps[place] if body.is_rig or body.turns is not None else group[0]
    return steps[:place], head, confidence


def _last_in_head(body: Body, chain: Sequence[int], steps: Sequence[int]) -> tuple[int, float]:
    """Return the place of the step from which a face branches, else the last not above the head, and the confidence."""
    tree = body.tree
    up = np.array(tree.skeleton.up)
    for place, joint in enumerate(steps if not body.is_rig else ()):
        below = [child for other in chain if tree.is_same_place(other, joint) for child in tree.children[other]]
        sides = [
            float((tree.positions[tree.below(child)].mean(axis=0) - tree.positions[joint]) @ body.left)
            for child in below
        ]
        if min(sides, default=0.0) < -BESIDE * tree.extent and max(sides, default=0.0) > BESIDE * tree.extent:
            return place, 1.0
    arms = max(body.pairs[1:] or body.pairs, key=lambda pair: tree.lengths[pair[0].joints[0]])
    found = [long_bones(body, limb, is_leg=False, hip_width=hip_width(body)) for limb in arms]
    shoulders = np.mean([tree.positions[arm[0][arm[1][0]]] @ up for arm in found])
    trunk = float(shoulders - tree.positions[body.hips] @ up)
    place = len(steps) - 1
    while (
        place > 0 and float(tree.positions[steps[place]] @ up - shoulders) > NECK * max(trunk, 1e-9) and body.is_upright
    ):
        place -= 1
    return place, LEAST_SURE
