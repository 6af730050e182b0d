# SPDX-License-Identifier: GPL-3.0-or-later
"""Connection of two motions by a window of a library; seams may slide, and the second motion is moved to its end."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Float32, Int64
from ..computation import computing
from ..errors import InputError
from ..feet.soft_footing import planted
from ..library.indexed_motions import IndexedMotions
from ..library.pose_index import PoseIndex, rows_of
from ..motion.begin_at import moved_to
from ..motion.comparing import check_comparable, same_rest_pose
from ..motion.gap import Gap
from ..motion.motion import Motion, joined
from .laying import going_on, lay_window
from .seams import highest_acceleration

SEAM_STEP_SECONDS = 1 / 6
"""Time between seams that are tried, in seconds."""
DURATIONS = (0.3, 0.5, 0.8, 1.2)
"""Durations of a transition that are tried, in seconds."""


@dataclass(frozen=True, eq=False)
class Connection:
    """A transition from one motion to another.

    before, after: number of frames left out at the end of the first motion and at the beginning of the second. motion:
    the frames between. following: the rest of the second motion, moved to continue from there. clip: the number of the
    library's motion from which the transition is taken. acceleration: the highest of a joint in the transition, as a
    multiple of the highest in both motions and that clip.

    >>> from genmm_addon.core.library import index_motions
    >>> isinstance(connect(index_motions([swing]), swing, swing, slide=0), Connection)
    True
    """

    before: int
    after: int
    motion: Motion
    following: Motion
    clip: int
    acceleration: float


@computing()
def connect(library: IndexedMotions, first: Motion, second: Motion, slide: int) -> Connection:
    """Return a transition, from a library, between two motions.

    slide: number of frames by which the seam may slide into each of the two. The second motion is turned and moved
    along the ground, so that the root continues. Raises InputError for motions below three frames, of another skeleton,
    rest pose or rate, and if no clip is long enough.

    >>> from genmm_addon.core.library import index_motions
    >>> connect(index_motions([swing]), swing, swing, slide=10).following.frames >= 50
    True
    """
    if min(first.frames, second.frames) < 3:
        raise InputError("A motion to connect has at least three frames; choose a longer one.")
    for motion in (first, second):
        motion.check_values("A motion to connect")
    index = library.index
    for motion in (first, second):
        check_comparable(motion, index.space.joints, index.frames_per_second, "the examples", who="A motion to connect")
        if not same_rest_pose(motion.skeleton, library.motions[0].skeleton):
            raise InputError(
                "A motion to connect has another rest pose than the examples; bring one onto the skeleton of the other."
            )
    before, after, start, length = _best(index, first, second, slide)
    clip = int(index.clips[start])
    source, frame = library.motions[clip], start - int(index.starts[clip])
    positions, last, plan = frame + np.arange(-1, length + 2), source.frames - 1, index.space.plan
    window = source.take(np.clip(positions, 0, last))
    window = going_on(window, at_start=bool(positions[0] < 0), at_end=bool(positions[-1] > last))
    kept = first.slice(0, first.frames - before)
    moved = moved_to(window, plan, 1, kept, kept.frames - 1)
    following = moved_to(second.slice(after, second.frames), plan, 0, moved, length + 1)
    laid = lay_window(window, Gap(kept, following), plan)
    standing = planted(library.standing, window.slice(1, length + 2), laid)
    transition = standing.slice(1, length)
    # Accelerations are second differences, so those across a seam reach two frames into both sides.
    beside = joined([kept.slice(max(kept.frames - 2, 0), kept.frames), transition, following.slice(0, 2)])
    acceleration = highest_acceleration([beside]) / highest_acceleration([first, second, source])
    return Connection(before, after, transition, following, clip, acceleration)


def _best(index: PoseIndex, first: Motion, second: Motion, slide: int) -> tuple[int, int, int, int]:
    """Return the numbers of frames left out of both motions, and first frame and length of the cheapest window."""
    rate = index.frames_per_second
    step = max(1, round(SEAM_STEP_SECONDS * rate))
    outs = np.arange(0, max(min(slide, first.frames - 3), 0) + 1, step)
    ins = np.arange(0, max(min(slide, second.frames - 3), 0) + 1, step)
    leaving, arriving = rows_of(index.space, first), rows_of(index.space, second)
    from_first = _nearest([leaving[first.frames - 1 - out] for out in outs], index)
    from_second = _nearest([arriving[frame] for frame in ins], index)
    best: tuple[float, int, int] | None = None
    for seconds in DURATIONS:
        length = max(2, round(seconds * rate))
        if length >= index.frames:
            continue
        costs = from_first[0][:-length] + from_second[0][length:]
        costs = np.where(index.clips[:-length] == index.clips[length:], costs, np.inf)
        start = int(np.argmin(costs))
        if best is None or costs[start] < best[0]:
            best = float(costs[start]), start, length
    if best is None or not np.isfinite(best[0]):
        raise InputError("No example is long enough for a transition; add a longer one.")
    _, start, length = best
    return int(outs[from_first[1][start]]), int(ins[from_second[1][start + length]]), start, length


def _nearest(rows: Sequence[Float32], index: PoseIndex) -> tuple[Float32, Int64]:
    """Return the least cost `(N,)` over K poses for each frame of the index, and the number of that pose `(N,)`."""
    least, which = np.full(index.frames, np.inf, np.float32), np.zeros(index.frames, np.int64)
    for number, row in enumerate(rows):
        costs = index.squared_distances(row)
        which = np.where(costs < least, number, which)
        least = np.minimum(costs, least)
    return least, which
