# SPDX-License-Identifier: GPL-3.0-or-later
"""Moves that windows predict together: sums of what they do inside, each with its share."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..arrays import Float32, Float64, Indices
from ..library.pose_index import PoseIndex
from ..motion import rotations
from ..motion.motion import Motion, joined
from ..motion.piecewise import pieces
from ..motion.root_motion import encode_root


@dataclass(frozen=True, eq=False)
class SharedWindows:
    """Windows of motions, and their shares.

    firsts: `(W,)` their first frames in the index, ascending. shares: `(W,)`, which sum to zero.
    """

    motions: Sequence[Motion]
    index: PoseIndex
    firsts: Indices
    shares: Float64


@dataclass(frozen=True, eq=False)
class PredictedMoves:
    """Moves at K frames, J joints, A anchored ones.

    joints: `(K, J, 3)` and body: `(K, A, 3)` rotation vectors, in radians. offset: `(K, A, 3)`, in units. ground:
    `(K, 2)` along the ground, in sizes, seen from the heading at the start. turn: `(K, 1)` of the heading, in radians.
    """

    joints: Float64
    body: Float64
    offset: Float64
    ground: Float64
    turn: Float64


def predicted_moves(windows: SharedWindows, reference: Motion, at: Indices) -> PredictedMoves:
    """Return the moves that windows predict for K frames of a motion.

    at: `(K,)` frames after the windows begin, also before them and after their ends. reference: K frames, from which
    rotations are measured.
    """
    plan = windows.index.space.plan
    track, blocks = encode_root(reference, plan), list[tuple[Float64, Float64, Float64]]()
    frames, places = np.unique(_frames_at(windows, at), return_inverse=True)
    together, places = _frames_of(windows, frames), places.reshape(-1, len(at))
    for block in pieces(len(at), len(windows.firsts) * reference.rotations[0].size):
        poses = together.take(places[:, block].ravel())
        root = encode_root(poses, plan)
        blocks.append(
            (
                _summed_turns(windows.shares, poses.rotations, reference.rotations[block]),
                _summed_turns(windows.shares, root.body, track.body[block]),
                _summed(windows.shares, root.offset),
            )
        )
    joints, body, offset = (np.concatenate(parts) for parts in zip(*blocks, strict=True))
    return PredictedMoves(joints, body, offset, *_summed_travel(windows, at))


def _frames_at(windows: SharedWindows, at: Indices) -> Indices:
    """Return the frames `(W, K)` of the index that are `at` `(K,)` frames after windows begin, within their motions."""
    index, clips = windows.index, windows.index.clips[windows.firsts]
    first, last = index.starts[clips][:, None], index.stops[clips][:, None] - 1
    return np.asarray(np.clip(windows.firsts[:, None] + at, first, last))


def _frames_of(windows: SharedWindows, frames: Indices) -> Motion:
    """Return frames of the index, ascending, as one motion; each motion is read once."""
    index = windows.index
    clips = index.clips[frames]
    borders = np.flatnonzero(np.diff(clips, prepend=-1, append=-1))
    return joined(
        [
            windows.motions[clips[first]].take(frames[first:end] - index.starts[clips[first]])
            for first, end in pairwise(borders.tolist())
        ]
    )


def _summed_travel(windows: SharedWindows, at: Indices) -> tuple[Float64, Float64]:
    """Return the sums `(K, 2)` of the places of windows, seen from where they begin, and `(K, 1)` of their turns."""
    index, firsts, frames = windows.index, windows.firsts, _frames_at(windows, at)
    headings = index.turns[firsts].astype(np.float64)[:, None]
    places = rotations.turn_on_ground(
        index.ground[frames] - index.ground[firsts].astype(np.float64)[:, None], -headings
    )
    turns = windows.shares @ (index.turns[frames] - headings)
    return np.asarray(np.tensordot(windows.shares, places, 1)), turns[:, None]


def _summed_turns(shares: Float64, seen: Float32, reference: Float32) -> Float64:
    """Return the sums `(K, J, 3)` of rotations `(W K, J, 4)`, as vectors from the reference `(K, J, 4)`.

    Near the reference, a rotation vector is twice the vector part of its quaternion.
    """
    quaternions = seen.reshape(len(shares), *reference.shape)
    signs = np.where(np.einsum("wkjc,kjc->wkj", quaternions, reference) < 0, np.float32(-1.0), np.float32(1.0))
    total = np.tensordot(shares, quaternions * signs[..., None], 1)
    return np.asarray(2.0 * rotations.multiply(rotations.inverse(reference.astype(np.float64)), total)[..., 1:])


def _summed(shares: Float64, seen: Float32) -> Float64:
    """Return the sums `(K, ...)` of values `(W K, ...)`."""
    return np.asarray(np.tensordot(shares, seen.reshape(len(shares), -1, *seen.shape[1:]), 1))
