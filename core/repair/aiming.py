# SPDX-License-Identifier: GPL-3.0-or-later
"""Aiming of bones at the places of joints, from the root outward: a first fit at any distance from the places."""

import numpy as np

from ..arrays import Float64, Indices
from ..motion import rotations
from ..motion.comparing import ROUNDING
from ..motion.motion import Motion


def aim_at_places(motion: Motion, places: Float64, body: Indices, turned: Indices, root: int) -> Motion:
    """Return a motion `(T)` whose bones aim at `places` `(T, J, 3)`, each from the new place of its joint.

    body: `(B,)` the joints that have places. turned: the joints that turn. root: the joint that is moved to its place,
    if it has translations. A joint with several children turns so that their directions fit best (Wahba's problem,
    solved by singular values: Markley 1988).

    >>> where = swing.pose()[1].astype(np.float64)
    >>> aimed = aim_at_places(swing, where, np.arange(2), np.arange(1), 0)
    >>> bool(np.allclose(aimed.pose()[1], where, atol=1e-4))
    True
    """
    skeleton = motion.skeleton
    matrices, positions = (np.asarray(values, np.float64) for values in motion.pose())
    bases: Float64 = np.asarray(rotations.without_scale(matrices), np.float64)
    channels = {name: values.copy() for name, values in motion.channels().items()}
    turns, at = bases.copy(), positions.copy()
    aims, has_place = set(turned.tolist()), set(body.tolist())
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            offset = _in_axes(bases[:, parent], positions[:, joint] - positions[:, parent])
            at[:, joint] = at[:, parent] + _turned(turns[:, parent], offset)
            turns[:, joint] = turns[:, parent] @ np.swapaxes(bases[:, parent], 1, 2) @ bases[:, joint]
        if joint == root and joint in motion.translated:
            above = turns[:, parent] if parent >= 0 else np.broadcast_to(np.eye(3), (motion.frames, 3, 3))
            axes: Float64 = np.asarray(above @ rotations.to_matrix(skeleton.rest_rotations[joint]), np.float64)
            slot = motion.translated.tolist().index(joint)
            channels["translations"][:, slot] += _in_axes(axes, places[:, joint] - at[:, joint])
            at[:, joint] = places[:, joint]
        below = [child for child in np.flatnonzero(skeleton.parents == joint).tolist() if child in has_place]
        if joint in aims and below:
            offsets = _in_axes(bases[:, joint, None], positions[:, below] - positions[:, joint, None])
            before = turns[:, joint].copy()
            goals = places[:, below] - at[:, joint, None]
            turns[:, joint] = _best_turn(_turned(before[:, None], offsets), goals) @ before
            local = rotations.from_matrix(np.swapaxes(before, 1, 2) @ turns[:, joint])
            now = channels["rotations"][:, joint].astype(np.float64)
            channels["rotations"][:, joint] = rotations.normalize(rotations.multiply(now, local))
    channels["rotations"] = rotations.make_continuous(channels["rotations"])
    return motion.with_channels(channels)


def _best_turn(bones: Float64, goals: Float64) -> Float64:
    """Return the rotations `(T, 3, 3)` that turn bones `(T, K, 3)` nearest to goals, and otherwise least."""
    products = np.einsum("tka,tkb->tab", goals, bones)
    # The bones' own directions decide the twist, which places do not determine; they weigh no more than rounding.
    products += ROUNDING * np.linalg.norm(products, axis=(1, 2))[:, None, None] * np.eye(3)
    left, _, right = np.linalg.svd(products)
    signs = np.ones((len(bones), 1, 3))
    signs[:, 0, 2] = np.sign(np.linalg.det(left @ right))
    return np.asarray((left * signs) @ right)


def _in_axes(axes: Float64, vectors: Float64) -> Float64:
    return np.asarray(np.einsum("...ba,...b->...a", axes, vectors))


def _turned(axes: Float64, vectors: Float64) -> Float64:
    return np.asarray(np.einsum("...ab,...b->...a", axes, vectors))
