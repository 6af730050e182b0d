# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotations fitted to the places of joints at fixed bone lengths: inverse kinematics of a whole body.

Bones are aimed from the root outward. A damped least squares step (Wampler 1986), with small turns of all joints and a
move of the root, then distributes the remaining error.
"""

import numpy as np

from ..arrays import Float64, Indices, Mask
from ..evaluation.visible_transitions import LEAST_REACH
from ..feet.fixed_stances import LEAST_DRIFT
from ..motion import rotations
from ..motion.motion import Motion, joined
from .aiming import aim_at_places

LARGEST_TURN = 0.5
"""Largest turn of a joint in one step, in radians; the linear step is wrong for larger ones."""
MOST_NUMBERS = 2**20
"""Numbers of the linear systems that are held at a time: 8 MB; 64 MB take a third longer."""


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
