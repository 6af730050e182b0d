# SPDX-License-Identifier: GPL-3.0-or-later
"""The plane between left and right of a pose."""

from dataclasses import dataclass

import numpy as np

from ...arrays import Array, Int64
from ...motion.skeleton import SAME_PLACE, Skeleton
from ...motion.symmetry_plane import BESIDE, FLATNESS, asymmetry, beside_plane, upright_normals
from .pairing import ONE_SIDED, SIMILAR, pair_joints

BEST = 4
"""Number of the best candidate planes for which joints are paired."""
NEARER = 4.0
"""Weight of a pair of joints in the plane's normal, in multiples of the weight of the pair that hangs from it."""


@dataclass(frozen=True, eq=False)
class Halves:
    """The two halves of a pose.

    normal: `(3,)` unit normal of the plane. partners: `(J,)`, ONE_SIDED for none. errors: `(J,)` the distance of each
    reflected joint from its partner, as a share of the skeleton's size.
    """

    normal: Array
    partners: Int64
    errors: Array


def halves_of(skeleton: Skeleton, positions: Array, *, is_rest: bool = True) -> Halves | None:
    """Return the two halves of a pose `(J, 3)`; None if no plane has joints on both sides.

    is_rest: the pose is the rest pose. Otherwise the body stands upright, and its limbs may be anywhere.
    """
    candidates: list[tuple[float, Halves]] = []
    for normal in _normals(skeleton, positions):
        partners = pair_joints(skeleton, positions, normal, is_rest=is_rest)
        exact = _normal_between(skeleton, positions, partners, normal, upright=not is_rest)
        halves = _measured(skeleton, positions, exact, partners)
        if _has_sides(skeleton, positions, halves):
            beside = np.abs(beside_plane(positions, exact)).mean() / skeleton.size
            candidates.append((float(halves.errors.mean()) - FLATNESS * float(beside), halves))
    return min(candidates, key=lambda pair: pair[0])[1] if candidates else None


def reflection(normal: Array) -> Array:
    """Return the matrix `(3, 3)` that reflects across the plane through the origin with a unit normal."""
    return np.asarray(np.eye(3) - 2.0 * np.outer(normal, normal))


def _normals(skeleton: Skeleton, positions: Array) -> list[Array]:
    """Return the best candidates among the axes, the pose's own axes, and the horizontal directions."""
    centered = positions - positions.mean(axis=0)
    main_axes = np.linalg.eigh(centered.T @ centered)[1].T
    every = [*np.eye(3), *main_axes, *upright_normals(skeleton.up)]
    return sorted(every, key=lambda normal: asymmetry(positions, normal))[:BEST]


def _normal_between(skeleton: Skeleton, positions: Array, partners: Int64, normal: Array, *, upright: bool) -> Array:
    """Return the unit normal computed from the pairs, which is more exact than the candidate.

    Shoulders and hips have more weight than hands and feet, which may be anywhere in a pose.
    """
    total = np.zeros(3)
    depths = np.zeros(len(partners), np.int64)
    for joint, partner in enumerate(partners):
        if partner not in (ONE_SIDED, joint):
            parent = int(skeleton.parents[joint])
            depths[joint] = depths[parent] + 1 if parent >= 0 else 1
            across = positions[joint] - positions[partner]
            total += across * np.copysign(NEARER ** -float(depths[joint]), across @ normal)
    if upright:
        up = np.array(skeleton.up)
        total -= (total @ up) * up
    length = float(np.linalg.norm(total))
    if length == 0:
        return normal
    total /= length
    largest = int(np.argmax(np.abs(total)))
    axis = np.eye(3)[largest] * np.sign(total[largest])
    # A body that was modeled symmetrically has an exact plane.
    return np.asarray(axis if np.linalg.norm(total - axis) < SAME_PLACE else total)


def _measured(skeleton: Skeleton, positions: Array, normal: Array, partners: Int64) -> Halves:
    paired = partners != ONE_SIDED
    center = np.median(positions @ normal)
    mirrored = positions - 2.0 * (positions @ normal - center)[:, None] * normal
    # A joint without a counterpart is as far off as a partner may be.
    errors = np.full(len(partners), SIMILAR)
    errors[paired] = np.linalg.norm(mirrored[paired] - positions[partners[paired]], axis=1) / skeleton.size
    return Halves(normal, partners, errors)


def _has_sides(skeleton: Skeleton, positions: Array, halves: Halves) -> bool:
    pairs = np.flatnonzero((halves.partners != ONE_SIDED) & (halves.partners != np.arange(len(halves.partners))))
    across = np.abs((positions[pairs] - positions[halves.partners[pairs]]) @ halves.normal)
    return bool(len(pairs) and across.max() > BESIDE * skeleton.size)
