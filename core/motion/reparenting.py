# SPDX-License-Identifier: GPL-3.0-or-later
"""The same motion with other joints as parents, at the same poses in the world."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from ..arrays import Float32, Float64, Int64
from . import rotations
from .inheritance import Inheritance, inheriting
from .motion import Motion
from .root_motion import posed_last
from .skeleton import NO_PARENT, Skeleton, below_parents

UNSIZED = (Inheritance.NONE, Inheritance.NONE_LEGACY)
"""Kinds of inheritance without the scale of a parent."""


def with_parents(skeleton: Skeleton, parents: Mapping[int, int], inheritance: Mapping[int, int]) -> Skeleton:
    """Return the skeleton with the same joints at the same places at rest, some of which have other parents.

    Joints come after their parents, else in their order. parents: by joint; none may be below its own joint.
    inheritance: values of Inheritance by joint, of those that inherit scale in another way.

    >>> with_parents(skeleton, {1: -1}, {}).rest_positions.round(2).tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 0.1]]
    """
    above = skeleton.parents.copy()
    above[list(parents)] = list(parents.values())
    order = _parents_first(above)
    places = np.argsort(order)
    own = np.where(above[order] < 0, NO_PARENT, places[above[order]])
    rest = below_parents(own, skeleton.rest_orientations[order], skeleton.rest_positions[order])
    kinds = np.zeros(len(order), np.int64) if skeleton.inheritance is None else skeleton.inheritance.copy()
    kinds[list(inheritance)] = list(inheritance.values())
    typical = skeleton.typical_positions
    carriers = skeleton.carriers
    if carriers is not None:
        # A joint that a constraint takes along follows that, whatever its parent is.
        carriers = np.where(carriers == skeleton.parents, above, carriers)[order]
        carriers = np.where(carriers < 0, NO_PARENT, places[carriers])
    return Skeleton(
        tuple(skeleton.names[joint] for joint in order),
        own.astype(np.int64),
        *rest,
        skeleton.up,
        None if typical is None else typical[order],
        carriers,
        kinds[order] if kinds.any() else None,
    )


def _parents_first(parents: Int64) -> list[int]:
    """Return the joints in their order, but each after its parent."""
    order: list[int] = []
    waiting = list(range(len(parents)))
    while waiting:
        ready = next(joint for joint in waiting if parents[joint] < 0 or int(parents[joint]) in order)
        order.append(ready)
        waiting.remove(ready)
    return order


def on_skeleton(motion: Motion, skeleton: Skeleton) -> Motion:
    """Return the motion on a skeleton that has the same joints at the same places at rest, with other parents.

    Poses in the world are the same. Joints that have another parent get translations, and scales if one of those that
    were above them has.

    >>> loose = with_parents(skeleton, {1: -1}, {})
    >>> bool(np.abs(on_skeleton(swing, loose).pose()[1] - swing.pose()[1]).max() < 1e-6)
    True
    """
    old = motion.skeleton
    if skeleton is old:
        return motion
    if skeleton.names == old.names and np.array_equal(skeleton.parents, old.parents):
        return replace(motion, skeleton=skeleton)
    place = {name: joint for joint, name in enumerate(skeleton.names)}
    places = np.array([place[name] for name in old.names])
    order = np.argsort(places)
    parents = np.where(old.parents < 0, NO_PARENT, places[old.parents])[order]
    changed = np.flatnonzero(parents != skeleton.parents).tolist()
    # Either pass on the scales of those above, or make up for them.
    sizing = {joint: {*places[_sizing(old, int(order[joint]))], *_sizing(skeleton, joint)} for joint in changed}
    scaled = [joint for joint in changed if sizing[joint] & set(places[motion.scaled])]
    moved = _in_order(motion, skeleton, places).widened(
        np.union1d(places[motion.translated], changed).astype(np.int64),
        np.union1d(places[motion.scaled], scaled).astype(np.int64),
    )
    turned, translations, scales = moved.rotations.copy(), moved.translations.copy(), moved.scales.copy()
    for joint in changed:
        turns, offsets, sizes = _below(motion, skeleton, joint, order)
        turned[:, joint] = turns
        translations[:, np.searchsorted(moved.translated, joint)] = offsets
        if joint in moved.scaled:
            scales[:, np.searchsorted(moved.scaled, joint)] = sizes
    return replace(moved, rotations=turned, translations=translations, scales=scales)


def _sizing(skeleton: Skeleton, joint: int) -> list[int]:
    """Return the joints whose scales size a joint: itself, and those above it as far as scales are inherited."""
    kinds = skeleton.inheritance
    sizing = [joint]
    while (kinds is None or kinds[joint] not in UNSIZED) and (joint := int(skeleton.parents[joint])) >= 0:
        sizing.append(joint)
    return sizing


def _in_order(motion: Motion, skeleton: Skeleton, places: Int64) -> Motion:
    """Return the motion's own channels on the skeleton; places: `(J,)` the joint there of each joint here."""
    translated, scaled = places[motion.translated], places[motion.scaled]
    first, second = np.argsort(translated), np.argsort(scaled)
    return replace(
        motion,
        skeleton=skeleton,
        rotations=motion.rotations[:, np.argsort(places)],
        translated=translated[first],
        translations=motion.translations[:, first],
        scaled=scaled[second],
        scales=motion.scales[:, second],
    )


def _below(motion: Motion, skeleton: Skeleton, joint: int, order: Int64) -> tuple[Float32, Float32, Float32]:
    """Return the rotations `(T, 4)`, translations and scales `(T, 3)` that give a joint its pose below its new parent.

    order: `(J,)` the motion's joints in the skeleton's order.
    """
    matrices, places = (values.astype(np.float64) for values in posed_last(motion, int(order[joint])))
    parent, rest = int(skeleton.parents[joint]), skeleton.rest_rotations[joint]
    above, origin = np.tile(np.eye(3), (motion.frames, 1, 1)), np.zeros((motion.frames, 3))
    if parent >= 0:
        above, origin = (values.astype(np.float64) for values in posed_last(motion, int(order[parent])))
    kind = Inheritance.FULL if skeleton.inheritance is None else Inheritance(int(skeleton.inheritance[joint]))
    at_rest = np.broadcast_to(rotations.to_matrix(rest).astype(np.float64)[..., None], (3, 3, motion.frames))
    unturned = np.broadcast_to(np.eye(3)[..., None], at_rest.shape)
    base = inheriting(kind, np.moveaxis(above, 0, -1), at_rest, unturned)
    # Where a scale of zero leaves a parent without extent, nothing below it has a place or a turn of its own.
    local = _inverse(np.moveaxis(base, -1, 0)) @ matrices
    inside = (_inverse(above) @ (places - origin)[..., None])[..., 0]
    offsets = rotations.rotate(rotations.inverse(rest), inside - skeleton.rest_translations[joint])
    turns = rotations.make_continuous(rotations.from_matrix(rotations.without_scale(local)))
    return (
        rotations.normalize(turns).astype(np.float32),
        offsets.astype(np.float32),
        np.linalg.norm(local, axis=-2).astype(np.float32),
    )


def _inverse(matrices: Float64) -> Float64:
    """Return the pseudoinverses; those of matrices with values that are not finite have such values, too."""
    finite = np.isfinite(matrices).all(axis=(-2, -1), keepdims=True)
    return np.where(finite, np.linalg.pinv(np.where(finite, matrices, 0.0)), np.nan)
