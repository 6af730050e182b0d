# SPDX-License-Identifier: GPL-3.0-or-later
"""Capsules that are as thick as the skin around the bones of a body."""

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Float64, Int64
from ...errors import InputError
from ...motion import rotations
from ...motion.piecewise import pieces
from ...motion.skeleton import Skeleton
from .capsules import Capsules, capsules_of_bones
from .human_segments import drawn_human_joints


@dataclass(frozen=True, eq=False)
class RestSkin:
    """Points of a skin in the rest pose, in the space of the roots.

    points: `(K, 3)`. areas: `(K,)` of the surface that each stands for, in any unit. joints: `(K,)` the joint that
    carries each; -1 if it is unknown. outward: `(K, 3)` normals out of the faces whose middles the points are, as long
    as their areas; zeros for other points. None if masses are not asked for.

    >>> len(RestSkin(np.zeros((2, 3)), np.ones(2), np.zeros(2, int)).points)
    2
    """

    points: Float64
    areas: Float64
    joints: Int64
    outward: Float64 | None = None


def capsules_of_skin(skeleton: Skeleton, skin: RestSkin) -> Capsules:
    """Return the capsules of a skeleton's body with the thickness of its skin, and only where it has any.

    Capsules of limbs keep their axes. Those of the trunk, head, hands and feet, whose bones may lie beside the middle
    of the flesh, move there. Quartiles of the skin decide, so that hair and clothes matter little. The body may have
    any proportions.
    Raises InputError for arrays of other shapes.

    >>> skin = RestSkin(np.zeros((2, 3)), np.ones(2), np.zeros(2, int))
    >>> capsules_of_skin(skeleton, skin).pairs.shape
    (0, 2)
    """
    count = len(skin.points)
    if skin.points.shape != (count, 3) or skin.areas.shape != (count,) or skin.joints.shape != (count,):
        raise InputError("The skin needs points (K, 3), and an area and a joint (K,) for each.")
    capsules = capsules_of_bones(skeleton, drawn_human_joints(skeleton))
    axes = rotations.to_matrix(skeleton.rest_orientations)[capsules.carriers]
    heads = skeleton.rest_positions[capsules.carriers]
    starts, ends = (heads + np.einsum("cab,cb->ca", axes, at) for at in (capsules.starts, capsules.ends))
    radii, owned = capsules.radii.copy(), _owned(skeleton, skin, capsules.carriers, starts, ends)
    covered = np.bincount(owned + 1, skin.areas, len(radii) + 1)[1:] > 0
    for capsule in np.flatnonzero(covered).tolist():
        around = owned == capsule
        points, areas = skin.points[around], skin.areas[around]
        if capsules.owners[capsule] < 0 or capsules.bones[capsule] == 2:
            starts[capsule], ends[capsule] = _through_flesh(points, areas, starts[capsule], ends[capsule])
        distances, shares = _from_axes(points, starts[[capsule]], ends[[capsule]])
        radii[capsule] = _half_radii(distances[:, 0], shares[:, 0], areas)
    starts, ends = (np.einsum("cba,cb->ca", axes, at - heads) for at in (starts, ends))
    pairs = capsules.pairs[covered[capsules.pairs].all(axis=1)]
    return replace(capsules, starts=starts, ends=ends, radii=radii, pairs=pairs)


def _owned(skeleton: Skeleton, skin: RestSkin, carriers: Int64, starts: Float64, ends: Float64) -> Int64:
    """Return the capsule `(K,)` that each point is on: of its joint, or else of the nearest joint above with one."""
    # Parents come before their children.
    carrying = np.full(len(skeleton.names), -1)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        carrying[joint] = joint if joint in carriers else carrying[parent] if parent >= 0 else -1
    of_point = np.where(skin.joints >= 0, carrying[skin.joints], -1)
    owned = np.full(len(of_point), -1)
    for carrier in np.unique(of_point).tolist():
        members = np.flatnonzero(of_point == carrier)
        candidates = np.flatnonzero(carriers == carrier) if carrier >= 0 else np.arange(len(carriers))
        for piece in pieces(len(members), len(candidates)) if len(candidates) else ():
            spots = members[piece]
            distances, _ = _from_axes(skin.points[spots], starts[candidates], ends[candidates])
            owned[spots] = candidates[distances.argmin(axis=1)]
    return owned


def _from_axes(points: Float64, starts: Float64, ends: Float64) -> tuple[Float64, Float64]:
    """Return the distances `(K, C)` of points from axes, and the shares of the axes at which these are nearest."""
    along = ends - starts
    squares = np.maximum(np.einsum("ca,ca->c", along, along), 1e-12)
    away = points[:, None] - starts
    shares = np.clip(np.einsum("kca,ca->kc", away, along) / squares, 0.0, 1.0)
    return np.asarray(rotations.lengths(away - shares[..., None] * along), np.float64), shares


def _half_radii(distances: Float64, shares: Float64, areas: Float64) -> tuple[float, float]:
    """Return the radii of both halves of an axis, beyond which three quarters of the skin lie.

    No limb may enter them, however the flesh is shaped. A half without points is as thick as the other one.
    """
    halves = [shares < 0.5, shares >= 0.5]
    sound = [half if areas[half].sum() > 0 else np.ones_like(half) for half in halves]
    first, second = (_quantile(distances[half], areas[half], 0.25) for half in sound)
    return first, second


def _through_flesh(points: Float64, areas: Float64, start: Float64, end: Float64) -> tuple[Float64, Float64]:
    """Return the ends `(3,)` of an axis in the middle of the flesh, in the direction of another one.

    It is as long as the other one, or ends where its round capsule ends with the flesh, whichever lies more evenly
    below the skin.
    """
    length = float(np.linalg.norm(end - start))
    axis = (end - start) / length if length > 0 else np.array([0.0, 0.0, 1.0])
    # The first of three unit vectors is along the axis, forward or backward.
    frame = np.linalg.svd(axis[None])[2]
    lowest, middle, highest = (
        np.array([_quantile(column, areas, share) for column in (points @ frame.T).T]) for share in (0.25, 0.5, 0.75)
    )
    center = middle @ frame
    away = points - center
    thick = _quantile(np.asarray(rotations.lengths(away - (away @ axis)[:, None] * axis)), areas, 0.75)
    # On a tube and on a ball, half of the surface lies between the quarters of the length.
    reach = max(float((highest - lowest)[0]) - thick, 0.0)
    across = center - start - ((center - start) @ axis) * axis
    starts, ends = np.stack((start + across, center - reach * axis)), np.stack((end + across, center + reach * axis))
    distances, _ = _from_axes(points, starts, ends)
    spreads = [_quantile(column, areas, 0.75) - _quantile(column, areas, 0.25) for column in distances.T]
    better = int(np.argmin(spreads))
    return starts[better], ends[better]


def _quantile(values: Float64, weights: Float64, share: float) -> float:
    """Return the value below which values have a share of the weight."""
    order = np.argsort(values, kind="stable")
    below = np.cumsum(weights[order]) - weights[order] / 2
    return float(np.interp(share * weights.sum(), below, values[order]))
