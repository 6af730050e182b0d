# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations fitted to the places of joints at fixed bone lengths: inverse kinematics of a whole body.

Bones are aimed at the places from the root outward, a first fit at any distance from them. A damped least squares step
(Wampler 1986), with small turns of all joints and a move of the root, then distributes the remaining error.
"""

import numpy as np

from ..arrays import Float64, Indices, Mask
from ..evaluation.visible_transitions import LEAST_REACH
from ..feet.fixed_stances import LEAST_DRIFT
from ..motion import rotations
from ..motion.comparing import ROUNDING
from ..motion.motion import Motion, joined

LARGEST_TURN = 0.5
"""Largest turn of a joint in one step, in radians; the linear step is wrong for larger ones."""
MOST_NUMBERS = 2**20
"""Numbers of the linear systems that are held at a time: 8 MB; 64 MB take a third longer."""


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


def fit_to_places(
    motion: Motion,
    places: Float64,
    body: Indices,
    root: int,
    free: Mask | None = None,
    steps: int = 1,
) -> Motion:
    """Return a motion `(T)` whose joints come as near to `places` `(T, J, 3)` as its bones allow.

    body: `(B,)` the joints that have places, ascending. root: the joint that moves the whole body, if it has
    translations. free: `(J,)` joints that may turn, None is all; other joints keep their rotations. Twists that no
    place determines do not change. steps: of least squares; one is enough if the places are nearly those of a body.

    >>> same = fit_to_places(swing, swing.pose()[1].astype(np.float64), np.arange(2), 0)
    >>> bool(np.allclose(same.rotations, swing.rotations, atol=1e-5))
    True
    """
    motion.check_values("The motion to fit")
    turned = _turned_joints(motion, body if free is None else body[free[body]])
    if not len(turned):  # only fingers or toes are free
        return motion
    fitted = aim_at_places(motion, places, body, turned, root)
    block = max(1, MOST_NUMBERS // ((3 * len(turned) + 3) * 3 * len(body)))
    for _ in range(steps):
        fitted = joined(
            [
                _stepped(fitted.slice(first, first + block), places[first : first + block], body, turned, root)
                for first in range(0, motion.frames, block)
            ]
        )
    return fitted


def _turned_joints(motion: Motion, body: Indices) -> Indices:
    reaches = motion.skeleton.reaches
    return np.array([joint for joint in body.tolist() if reaches[joint] > LEAST_REACH * motion.skeleton.size], np.int64)


def _stepped(motion: Motion, places: Float64, body: Indices, turned: Indices, root: int) -> Motion:
    skeleton, frames = motion.skeleton, motion.frames
    matrices, positions = (values.astype(np.float64) for values in motion.pose())
    below = np.stack([skeleton.descendants(int(joint)) for joint in turned], axis=1)[body] & (body[:, None] != turned)
    arms = (positions[:, body, None] - positions[:, None, turned]) / skeleton.size * below[:, :, None]
    system = np.zeros((frames, len(body), 3, len(turned) + 1, 3))
    for axis, (after, last) in enumerate(((1, 2), (2, 0), (0, 1))):
        # The columns of the cross product with a turn about each axis.
        system[:, :, after, :-1, axis] = -arms[..., last]
        system[:, :, last, :-1, axis] = arms[..., after]
    moves = root in motion.translated
    if moves:
        system[:, :, :, -1] = np.eye(3) * skeleton.descendants(root)[body][:, None, None]
    columns = system.reshape(frames, 3 * len(body), -1)
    gaps = ((places - positions)[:, body] / skeleton.size).reshape(frames, -1, 1)
    across = np.swapaxes(columns, 1, 2)
    # A turn of one radian costs as much as a visible distance, so that turns that move no joint stay zero.
    normal = across @ columns + LEAST_DRIFT**2 * np.eye(columns.shape[2])
    solution = np.linalg.solve(normal, across @ gaps)[..., 0].reshape(frames, -1, 3)
    turns, move = solution[:, :-1], solution[:, -1] * skeleton.size
    lengths = np.linalg.norm(turns, axis=2, keepdims=True)
    turns = turns * np.minimum(1.0, LARGEST_TURN / np.maximum(lengths, LARGEST_TURN))
    own_turns = np.einsum("tjba,tjb->tja", rotations.without_scale(matrices[:, turned]), turns)
    channels = {name: values.copy() for name, values in motion.channels().items()}
    now = motion.rotations[:, turned].astype(np.float64)
    channels["rotations"][:, turned] = rotations.normalize(rotations.multiply(now, rotations.from_vector(own_turns)))
    if moves:
        parent = int(skeleton.parents[root])
        above = matrices[:, parent] if parent >= 0 else np.broadcast_to(np.eye(3), (frames, 3, 3))
        axes = above @ rotations.to_matrix(skeleton.rest_rotations[root])
        slot = motion.translated.tolist().index(root)
        channels["translations"][:, slot] += rotations.in_axes_of(axes, move)
    return motion.with_channels(channels)
