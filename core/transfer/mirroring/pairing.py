# SPDX-License-Identifier: GPL-3.0-or-later
"""Pairing of left and right joints: down the tree, by the places of the branches, with names as a help."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...arrays import Array, Int64, Mask
from ...motion import rotations
from ...motion.piecewise import pieces
from ...motion.skeleton import NO_PARENT, SAME_PLACE, Skeleton
from .side_names import partners_by_name

Places = NDArray[np.int32]

ONE_SIDED = NO_PARENT
"""Partner of a joint that only one side has."""
SIMILAR = 0.12
"""Largest difference between a left and a right branch, as a share of the skeleton's size. An asymmetric captured body
(CMU) differs by up to 0.03, toes of one foot or fingers of one hand by 0.05 and more."""
SHAPES = 0.2
"""Weight of differences in bone lengths and numbers of joints, which distinguish fingers in any pose."""


@dataclass(frozen=True, eq=False)
class Branches:
    """Shape of each joint's branch, relative to its parent.

    vectors: `(J, 2, 3)` to the joint and to the mean of its branch, as shares of the skeleton's size. lengths:
    `(J, 2)` of the bone and of the longest chain below. counts: `(J,)` number of joints in the branch. named: `(J,)`
    the partner by name; the joint's own index if there is none. weights: `(2,)` of the two vectors.
    """

    vectors: Array
    lengths: Array
    counts: Int64
    named: Int64
    weights: Array


def branches_of(skeleton: Skeleton, positions: Array, normal: Array, *, is_rest: bool) -> Branches:
    """Return the branches of a skeleton posed at `positions` `(J, 3)`, for a plane with a unit normal."""
    center = float(np.median(positions @ normal))
    count = len(skeleton.names)
    sums, counts = positions.copy(), np.ones(count, np.int64)
    reaches = np.zeros(count)
    origin = np.broadcast_to(center * normal, (count, 3)).copy()
    has_parent = skeleton.parents != NO_PARENT
    origin[has_parent] = positions[skeleton.parents[has_parent]]
    bones = np.linalg.norm(positions - origin, axis=1)
    for joint in range(count - 1, -1, -1):
        parent = int(skeleton.parents[joint])
        if parent >= 0:
            sums[parent] += sums[joint]
            counts[parent] += counts[joint]
            reaches[parent] = max(reaches[parent], reaches[joint] + bones[joint])
    vectors = np.stack((positions - origin, sums / counts[:, None] - origin), axis=1) / skeleton.size
    # The distance of a whole body from the origin is not part of its shape.
    lengths = np.column_stack((np.where(has_parent, bones, 0.0), reaches)) / skeleton.size
    named = np.array(partners_by_name(skeleton.names), np.int64)
    # In a pose of a motion, one arm may wave while the other hangs, so that the mean places of branches do not count.
    return Branches(vectors, lengths, counts, named, np.array([1.0, float(is_rest)]))


def pair_joints(skeleton: Skeleton, positions: Array, normal: Array, *, is_rest: bool) -> Int64:
    """Return each joint's partner `(J,)` on the other side of the plane with the unit `normal`.

    A joint in the middle is its own partner; that of a left or right joint without a counterpart is ONE_SIDED.
    Parents of partners are partners. positions: `(J, 3)` of a nearly symmetric pose. is_rest: whole branches are
    symmetric, and not only the joints that limbs hang from.
    """
    branches = branches_of(skeleton, positions, normal, is_rest=is_rest)
    children: list[list[int]] = [[] for _ in skeleton.names]
    tops: list[int] = []
    for joint, parent in enumerate(skeleton.parents):
        (children[parent] if parent >= 0 else tops).append(joint)
    partners = np.full(len(skeleton.names), ONE_SIDED, np.int64)
    open_pairs = _matched_among(branches, normal, tops)
    while open_pairs:
        first, second = open_pairs.pop()
        partners[first], partners[second] = second, first
        if first == second:
            open_pairs += _matched_among(branches, normal, children[first])
        else:
            open_pairs += _matched_between(branches, normal, children[first], children[second])
    return partners


def differences(branches: Branches, normal: Array, ones: list[int], others: list[int]) -> Array:
    """Return the differences `(A, B)` of the branches `ones` `(A,)`, reflected, from `others` `(B,)`."""
    mirrored = branches.vectors[ones] - 2.0 * (branches.vectors[ones] @ normal)[..., None] * normal
    distance = rotations.lengths(mirrored[:, None] - branches.vectors[others]) @ branches.weights
    mine, theirs = branches.lengths[ones][:, None], branches.lengths[others]
    ratios = np.abs(mine - theirs) / np.maximum(np.maximum(mine, theirs), SAME_PLACE)
    shapes = np.maximum(ratios[..., 0], ratios[..., 1])
    counts = np.abs(np.log(branches.counts[ones][:, None] / branches.counts[others]))
    named = branches.named[ones][:, None] == np.array(others)
    says_side = (branches.named[ones] != ones)[:, None] | (branches.named[others] != others)
    # Names with a side outweigh any place.
    by_name = np.where(says_side, np.where(named, -1.0, 1.0), 0.0)
    return np.asarray(distance + SHAPES * (shapes + counts) + by_name)


def _matched_among(branches: Branches, normal: Array, joints: list[int]) -> list[tuple[int, int]]:
    """Return pairs among the children of a joint in the middle; others are paired with themselves."""
    if len(joints) <= 1:
        return [(joint, joint) for joint in joints]
    costs, rows, columns = _similar(branches, normal, joints, joints)
    once = rows <= columns
    costs, rows, columns = costs[once], rows[once], columns[once]
    free = np.ones(len(joints), bool)
    matches = _matched(rows, columns, np.lexsort((rows != columns, costs)), free, free)
    matches += [(place, place) for place in np.flatnonzero(free).tolist()]
    return [(joints[row], joints[column]) for row, column in matches]


def _matched_between(branches: Branches, normal: Array, firsts: list[int], seconds: list[int]) -> list[tuple[int, int]]:
    """Return pairs of the children of a left joint and of its right partner."""
    if len(firsts) == len(seconds) == 1:
        return [(firsts[0], seconds[0])]
    costs, rows, columns = _similar(branches, normal, firsts, seconds)
    free, free_seconds = np.ones(len(firsts), bool), np.ones(len(seconds), bool)
    matches = _matched(rows, columns, np.argsort(costs, kind="stable"), free, free_seconds)
    return [(firsts[row], seconds[column]) for row, column in matches]


def _similar(branches: Branches, normal: Array, ones: list[int], others: list[int]) -> tuple[Array, Places, Places]:
    """Return the differences `(N,)` of similar branches, and their places `(N,)` in both lists."""
    costs: list[Array] = [np.zeros(0)]
    rows, columns = [np.zeros(0, np.int32)], [np.zeros(0, np.int32)]
    # In pieces, because thousands of bones may hang from one joint.
    for piece in pieces(len(ones), len(others)):
        distance = differences(branches, normal, ones[piece], others)
        row, column = np.nonzero(distance < SIMILAR)
        costs.append(distance[row, column])
        rows.append((row + piece.start).astype(np.int32))
        columns.append(column.astype(np.int32))
    return np.concatenate(costs), np.concatenate(rows), np.concatenate(columns)


def _matched(
    rows: Places,
    columns: Places,
    order: Int64,
    free_rows: Mask,
    free_columns: Mask,
) -> list[tuple[int, int]]:
    """Return those of the pairs, in an order, whose places are still free, and mark them as taken."""
    matches = []
    for piece in pieces(len(order)):
        options = order[piece]
        options = options[free_rows[rows[options]] & free_columns[columns[options]]]
        for row, column in zip(rows[options].tolist(), columns[options].tolist(), strict=True):
            if free_rows[row] and free_columns[column]:
                free_rows[row] = free_columns[column] = False
                matches.append((row, column))
    return matches
