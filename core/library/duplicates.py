# SPDX-License-Identifier: GPL-3.0-or-later
"""Duplicate clips: copies of one source, and nearly equal takes."""

import numpy as np

from ..arrays import Array, Float32
from ..feet.fixed_stances import LEAST_DRIFT
from ..motion import rotations
from ..motion.motion import Motion
from ..motion.piecewise import CLIPS, MOMENTS, evenly, pieces
from ..motion.root_motion import find_root
from .clip_library import ClipLibrary

SAME_LENGTH = 0.1
"""Largest difference of the logarithms of the lengths of duplicates; others show the same at another speed."""


def same_sources(library: ClipLibrary) -> list[tuple[int, int]]:
    """Return pairs of a clip and an earlier one from files with identical content.

    >>> clips = [Clip("a", "a.bvh", 0, 0, fingerprint="1"), Clip("b", "b.bvh", 0, 0, fingerprint="1")]
    >>> same_sources(library_of([swing, swing], clips))
    [(1, 0)]
    """
    first: dict[tuple[str, str, bool, int], int] = {}
    pairs = []
    for number, clip in enumerate(library.clips):
        if clip.fingerprint:
            key = (clip.fingerprint, clip.source.partition(":")[2], clip.mirrored, clip.frames)
            earlier = first.setdefault(key, number)
            if earlier != number:
                pairs.append((number, earlier))
    return pairs


def near_duplicates(library: ClipLibrary) -> list[tuple[int, int]]:
    """Return pairs of a clip and the earlier one that it nearly repeats, each clip at most once.

    The root mean square of their joints' distances, from the same place and heading, is below the shortest that is
    visible.

    >>> near_duplicates(library_of([swing, swing], [Clip("a", "a.bvh", 0, 0), Clip("b", "b.bvh", 0, 0)]))
    [(1, 0)]
    """
    rows, lengths = poses_of_clips(library), (library.stops - library.starts).astype(np.float64)
    squares = np.einsum("cd,cd->c", rows, rows)
    nearest = np.full(len(rows), -1)
    for piece in pieces(len(rows), columns=len(rows)):
        chosen = np.arange(len(rows))[piece]
        distances = squares[chosen, None] + squares[: chosen[-1] + 1] - 2 * rows[chosen] @ rows[: chosen[-1] + 1].T
        similar = np.maximum(distances, 0.0) < LEAST_DRIFT**2
        similar &= np.abs(np.log(lengths[chosen, None] / lengths[: chosen[-1] + 1])) < SAME_LENGTH
        for row, number in enumerate(chosen):
            # Only kept clips count, so that no clip is a duplicate of one that is removed as well.
            kept = np.flatnonzero(similar[row, :number] & (nearest[:number] < 0))
            if len(kept):
                nearest[number] = kept[np.argmin(distances[row, kept])]
    return [(int(number), int(nearest[number])) for number in np.flatnonzero(nearest >= 0)]


def poses_of_clips(library: ClipLibrary) -> Float32:
    """Return evenly spaced poses of each clip as a row `(C, MOMENTS * J * 3)`.

    Joints are relative to the root's place and heading in the first pose, in sizes of the skeleton. The distance
    between two rows is the root mean square over joints and moments.
    """
    joints = len(library.skeleton.names)
    rows = np.empty((len(library.clips), MOMENTS * joints * 3), np.float32)
    if not len(rows):
        return rows
    root = find_root([library.motion(number) for number in evenly(len(rows), CLIPS).tolist()])
    shares = np.linspace(0, 1, MOMENTS)
    for piece in pieces(len(rows), columns=rows.shape[1]):
        first, last = library.starts[piece], library.stops[piece] - 1
        at = np.round(first[:, None] + (last - first)[:, None] * shares).astype(np.int64)
        seen = _seen_from_root(library.at(at.reshape(-1)), MOMENTS, root)
        rows[piece] = seen.reshape(len(at), -1)
    return rows / np.float32(library.skeleton.size * np.sqrt(MOMENTS * joints))


def _seen_from_root(motion: Motion, moments: int, root: int) -> Array:
    """Return joints `(C * moments, J, 3)`, relative to the root's first place and heading in each clip."""
    matrices, positions = motion.pose()
    up = np.array(motion.skeleton.up)
    turned = rotations.without_scale(matrices[::moments, root]).astype(np.float64)
    turns = rotations.inverse(rotations.twist_about(rotations.from_matrix(turned), up))
    starts = positions[::moments, root] - (positions[::moments, root] @ up)[:, None] * up
    moved = positions - np.repeat(starts, moments, axis=0)[:, None]
    return rotations.rotate(np.repeat(turns, moments, axis=0)[:, None], moved)
