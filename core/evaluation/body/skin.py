# SPDX-License-Identifier: GPL-3.0-or-later
"""Capsules as thick as the skin around the bones of a body, and the masses of what the skin of each bone encloses."""

from dataclasses import dataclass, replace

import numpy as np

from ...arrays import Float64, Int64
from ...errors import InputError
from ...motion import rotations
from ...motion.piecewise import pieces
from ...motion.skeleton import SAME_PLACE, Skeleton
from .capsules import Capsules, capsules_of_bones
from .human_segments import drawn_human_joints
from .segments import BodyModel, find_body_model, in_axes
from .stands import TOLERANCE


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


def body_model_of_skin(skeleton: Skeleton, skin: RestSkin) -> BodyModel:
    """Return the masses of a body by the volumes in its skin, or those of `find_body_model` where it encloses no body.

    A segment is the sum of the signed cones from its joint to its faces (Zhang, Chen: Efficient feature extraction for
    2D/3D objects in mesh representation, 2001), and to the caps at the joints below, whose areas close the skin beyond
    them, so that segments have the volume of the whole skin together. The skin encloses no body if its parts do not
    meet in the trunk, if it is thinner than what counts as the same place, or if what its openings leave out, as far
    from the middle as skin usually is, would move the center of mass as far as a body may be off balance.
    Raises InputError for arrays of other shapes.

    >>> skin = RestSkin(np.zeros((2, 3)), np.ones(2), np.zeros(2, int), np.zeros((2, 3)))
    >>> bool((body_model_of_skin(skeleton, skin).masses == find_body_model(skeleton).masses).all())
    True
    """
    if skin.outward is None or skin.outward.shape != skin.points.shape:
        raise InputError("The masses of a skin need its points, and the areas along their normals, (K, 3) both.")
    model, count = find_body_model(skeleton), len(skeleton.names)
    faces = (skin.joints >= 0) & skin.outward.any(axis=1)
    points, outward, joints = skin.points[faces], skin.outward[faces], skin.joints[faces]
    order = np.argsort(joints, kind="stable")
    borders = np.searchsorted(joints[order], np.arange(count + 1))
    volumes, centers, inertias = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3, 3))
    # The caps at the joints below each joint, and last those of the roots: a point and an area, six numbers each.
    caps: list[list[Float64]] = [[] for _ in range(count + 1)]
    for joint in range(count - 1, -1, -1):
        own, below = order[borders[joint] : borders[joint + 1]], caps[joint]
        if len(own) or len(below) > 1:
            place = skeleton.rest_positions[joint]
            cones = np.concatenate((np.column_stack((points[own], outward[own])), *(cap[None] for cap in below)))
            volumes[joint], centers[joint], inertias[joint] = _of_cones(place, cones[:, :3], cones[:, 3:])
            below = [np.append(place, cones[:, 3:].sum(axis=0))]
        caps[int(skeleton.parents[joint])] += below
    inside = float(volumes.sum())
    if not _meet_in_trunk(skeleton, joints) or not _is_closed(skeleton.size, points, outward, caps[-1], inside):
        return model
    # Flaps that are inside out beside their joint weigh nothing.
    enclosing = volumes > 0
    total = float(volumes[enclosing].sum())
    found = in_axes(skeleton, volumes * enclosing / total, centers, inertias * enclosing[:, None, None] / total)
    return replace(found, stature=model.stature)


def _meet_in_trunk(skeleton: Skeleton, joints: Int64) -> bool:
    """Return whether the parts of a skin meet in the trunk, unlike a sword, or gloves without arms."""
    chains = [set(skeleton.chain(joint)) for joint in np.unique(joints).tolist()]
    shared = set.intersection(*chains) if chains else set()
    return bool(shared) and max(shared) in skeleton.trunk


def _is_closed(size: float, points: Float64, outward: Float64, openings: list[Float64], volume: float) -> bool:
    """Return whether a skin has an inside; size: of the skeleton, openings: above its joints, volume: inside."""
    areas = np.linalg.norm(outward, axis=1)
    if volume <= SAME_PLACE * size * areas.sum() / 2:
        return False
    # By the divergence theorem, a closed skin has the same volume along each axis; an opening is missing along one.
    along = outward.T @ points - sum(np.outer(opening[3:], opening[:3]) for opening in openings)
    missing = float(np.linalg.eigvalsh(along + along.T)[-1]) / 2 - volume
    away = np.linalg.norm(points - areas @ points / areas.sum(), axis=1)
    return missing * float(np.sqrt(areas @ away**2 / areas.sum())) < TOLERANCE * size * volume


def _of_cones(place: Float64, points: Float64, areas: Float64) -> tuple[float, Float64, Float64]:
    """Return the volume, the center `(3,)` and the inertia about it `(3, 3)` of cones from a place to flat faces.

    points: `(K, 3)` the middles of the faces. areas: `(K, 3)` along their normals. A face is as wide as it is long.
    """
    away, sizes = points - place, np.linalg.norm(areas, axis=1)
    volumes = np.einsum("ka,ka->k", away, areas) / 3
    volume = float(volumes.sum())
    offset = 0.75 * volumes @ away / volume if volume else np.zeros(3)
    normals = areas / np.maximum(sizes, np.finfo(np.float64).tiny)[:, None]
    spread = np.einsum("k,ka,kb->ab", volumes, away, away)
    spread += float(volumes @ sizes) / 12 * np.eye(3) - np.einsum("k,ka,kb->ab", volumes * sizes / 12, normals, normals)
    moments = 0.6 * spread - volume * np.outer(offset, offset)
    return volume, place + offset, np.trace(moments) * np.eye(3) - moments
