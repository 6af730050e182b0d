# SPDX-License-Identifier: GPL-3.0-or-later
"""Clips that show the same as another: copies of one source, and takes that are nearly alike."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..motion import rotations
from ..motion.motion import Motion
from ..motion.root_motion import find_root
from .clip_library import ClipLibrary

NEARLY = 0.02
"""Clips whose joints are this near to each other's, in sizes of the skeleton, are nearly alike: 3 cm on a person, where
an animator sees the same take twice."""
MOMENTS = 24
"""Poses of each clip that are compared, evenly spaced over it."""
SAME_LENGTH = 0.1
"""Clips whose lengths differ by more than this share show the same at another speed."""
BLOCK = 512
"""Clips that are compared with all others at once."""


def same_sources(library: ClipLibrary) -> list[tuple[int, int]]:
    """Return pairs of a clip and an earlier one out of a file with the very same content.

    >>> clips = [Clip("a", "a.bvh", 0, 0, fingerprint="1"), Clip("b", "b.bvh", 0, 0, fingerprint="1")]
    >>> same_sources(library_of([swing, swing], clips))
    [(1, 0)]
    """
    first: dict[tuple[str, str, bool, int], int] = {}
    found = []
    for number, clip in enumerate(library.clips):
        if clip.fingerprint:
            key = (clip.fingerprint, clip.source.partition(":")[2], clip.mirrored, clip.frames)
            earlier = first.setdefault(key, number)
            if earlier != number:
                found.append((number, earlier))
    return found


def near_duplicates(library: ClipLibrary, tolerance: float = NEARLY) -> list[tuple[int, int]]:
    """Return pairs of a clip and the earlier one that it nearly repeats, each clip once; earlier ones are kept.

    tolerance: root mean square of the joints' distances, in sizes of the skeleton, where both stand and face alike.

    >>> near_duplicates(library_of([swing, swing], [Clip("a", "a.bvh", 0, 0), Clip("b", "b.bvh", 0, 0)]))
    [(1, 0)]
    """
    rows, lengths = poses_of_clips(library), np.array([clip.frames for clip in library.clips], np.float64)
    squares = np.einsum("cd,cd->c", rows, rows)
    nearest = np.full(len(rows), -1)
    for start in range(0, len(rows), BLOCK):
        chosen = np.arange(start, min(start + BLOCK, len(rows)))
        distances = squares[chosen, None] + squares[: chosen[-1] + 1] - 2 * rows[chosen] @ rows[: chosen[-1] + 1].T
        similar = np.maximum(distances, 0.0) < tolerance**2
        similar &= np.abs(np.log(lengths[chosen, None] / lengths[: chosen[-1] + 1])) < SAME_LENGTH
        for row, number in enumerate(chosen):
            # Only those that are kept count, so that no clip goes for the sake of one that goes as well.
            kept = np.flatnonzero(similar[row, :number] & (nearest[:number] < 0))
            if len(kept):
                nearest[number] = kept[np.argmin(distances[row, kept])]
    return [(int(number), int(nearest[number])) for number in np.flatnonzero(nearest >= 0)]


def poses_of_clips(library: ClipLibrary, moments: int = MOMENTS) -> NDArray[np.float32]:
    """Return evenly spaced poses of each clip as a row `(C, moments * J * 3)`.

    Joints are seen from where the root stands in the first of them and from where the body faces in each, in sizes of
    the skeleton; a distance between two rows is the root mean square over joints and moments.
    """
    whole = [library.motion(number) for number in range(len(library.clips))]
    if not whole:
        return np.empty((0, moments * len(library.skeleton.names) * 3), np.float32)
    root = find_root(_some(whole))
    rows = []
    for motion in whole:
        at = np.round(np.linspace(0, motion.frames - 1, moments)).astype(np.int64)
        rows.append(_seen_from_root(motion.take(at), root).reshape(-1))
    scale = library.skeleton.size * np.sqrt(moments * len(library.skeleton.names))
    return np.asarray(np.stack(rows) / scale, np.float32)


def _some(motions: Sequence[Motion]) -> Sequence[Motion]:
    """Return some of many motions, enough to see which joint travels."""
    return motions[:: max(len(motions) // 50, 1)]


def _seen_from_root(motion: Motion, root: int) -> NDArray[np.floating]:
    """Return joints `(T, J, 3)` from the first place of the root, turned by where the root faces in the first frame."""
    matrices, positions = motion.pose()
    up = np.array(motion.skeleton.up)
    turns = rotations.twist_about(rotations.from_matrix(rotations.without_scale(matrices[:1, root])), up)
    start = positions[0, root] - (positions[0, root] @ up) * up
    return rotations.rotate(rotations.inverse(turns)[:, None], positions - start)
