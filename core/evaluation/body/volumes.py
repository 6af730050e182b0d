# SPDX-License-Identifier: GPL-3.0-or-later
"""The masses of a body from its skin: what each joint's part of the skin encloses, of one density everywhere."""

from dataclasses import replace

import numpy as np

from ...arrays import Float64, Int64
from ...errors import InputError
from ...motion.skeleton import SAME_PLACE, Skeleton
from .segments import BodyModel, find_body_model, in_axes
from .skin import RestSkin
from .stands import TOLERANCE


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
