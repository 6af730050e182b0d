# SPDX-License-Identifier: GPL-3.0-or-later
"""Candidates: frames at which motion may continue, compared by pose, standing feet and trajectory.

They lie in cells of similar candidates, of which only the nearest are searched: see `core.features.cells`.
"""

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Float32, Indices, Mask
from ..features.cells import MOST_CELLS, SEARCHED, Lists, k_means, nearest_center
from ..features.pyramid import PLANNING_RATE
from ..feet.contact_detection import SLOW
from ..library.pose_index import PoseIndex

AHEAD_SECONDS = (1 / 3, 2 / 3, 1.0)
"""Times ahead, in seconds, at which trajectories are compared, as is usual in motion matching (Clavet 2016). Beyond its
last frame, a motion continues with its mean velocity over the first of these times before it. A motion must continue
for as long after a candidate."""
POSE_COLUMNS = 24
"""Number of main components of a pose by which all candidates are compared; the best are compared by all components."""
TRAJECTORY_WEIGHTS = (0.015, 0.25)
"""Weights of trajectories relative to poses: when smooth, and when responsive."""


@dataclass(frozen=True)
class SearchWeights:
    """Weights, relative to squared distances of poses, of those of trajectories and of each foot that stands in one."""

    trajectory: float
    contact: float


def trajectory_weight(responsiveness: float) -> float:
    """Return the weight of trajectories relative to poses at a responsiveness from 0 to 1."""
    smooth, responsive = TRAJECTORY_WEIGHTS
    return float(smooth * (responsive / smooth) ** responsiveness)


@dataclass(frozen=True, eq=False)
class Motions:
    """Frames from which candidates are taken: rows of all, their trajectories `(N, W)`, and contacts `(N, F)`.

    gathered: `(G,)` frames at which the feet are nearer to the ground below the root than for a step around them, at
    least one in each motion.
    """

    index: PoseIndex
    trajectories: Float32
    contacts: Mask
    gathered: Indices


@dataclass(frozen=True, eq=False)
class Candidates:
    """Candidates `frames` `(C,)`, ordered by cell, and their rows `table` `(C, P + W + 2 + F)`.

    A row has the pose, the trajectory, the squared lengths of both, and 1 for each foot that stands. centers:
    `(G, P + W + 2 + F)` the mean row of each cell. offsets: `(G + 1,)` the first row of each cell. rests: `(R,)` frames
    to stand at: candidates, or if none of them stands, frames that are frozen. allowed: `(M,)` the motions of the
    candidates; None is all.
    """

    frames: Indices
    table: Float32
    centers: Float32
    offsets: Indices
    rests: Indices
    frozen: bool
    allowed: Mask | None

    def only(self, motions: Motions, allowed: Mask) -> "Candidates":
        """Return the candidates of some of the motions `(M,)`, in the same cells."""
        chosen = allowed[motions.index.clips[self.frames]]
        before = np.concatenate((np.zeros(1, np.int64), np.cumsum(chosen)))
        offsets = np.asarray(before[self.offsets], np.int64)
        gathered = motions.gathered[allowed[motions.index.clips[motions.gathered]]]
        rests, frozen = _rests(motions, self.frames[chosen], gathered)
        return Candidates(self.frames[chosen], self.table[chosen], self.centers, offsets, rests, frozen, allowed)

    def nearest_rest(self, motions: Motions, frame: int) -> int:
        """Return the frame to stand at whose pose is nearest to a frame's."""
        rows = motions.index.rows
        return int(self.rests[np.argmin(np.square(rows[self.rests] - rows[frame]).sum(axis=1))])

    def nearest(self, asked: Float32) -> int:
        """Return the number of the cheapest candidate; asked: `(P + W + 2 + F,)` weights of the columns."""
        if len(self.frames) <= SEARCHED:
            return int(np.argmin(self.table @ asked))
        order = np.argsort(self.centers @ asked, kind="stable")
        firsts, lasts = self.offsets[order], self.offsets[order + 1]
        used = int(np.searchsorted(np.cumsum(lasts - firsts), SEARCHED)) + 1
        best, least = 0, np.inf
        for first, last in zip(firsts[:used].tolist(), lasts[:used].tolist(), strict=True):
            if first < last:
                costs = self.table[first:last] @ asked
                number = int(costs.argmin())
                if costs[number] < least:
                    best, least = first + number, float(costs[number])
        return best


def candidates_of(motions: Motions) -> Candidates:
    """Return the candidates among all frames; a motion that is too short has its first frame."""
    index = motions.index
    rate, frames = index.frames_per_second, np.arange(index.frames)
    since = frames - index.starts[index.clips]
    left = index.stops[index.clips] - frames
    fits = (since % max(1, round(rate / PLANNING_RATE)) == 0) & (left > round(AHEAD_SECONDS[0] * rate))
    chosen = np.flatnonzero(fits | (since == 0))
    pose, trajectory = index.rows[chosen, :POSE_COLUMNS], motions.trajectories[chosen]
    vectors = np.concatenate((pose, np.float32(np.sqrt(trajectory_weight(0.5))) * trajectory), axis=1)
    centers = k_means(vectors, MOST_CELLS) if len(chosen) > SEARCHED else k_means(vectors, 1)
    lists = Lists.of(nearest_center(vectors, centers), len(centers), np.arange(len(chosen)))
    chosen, counts = chosen[lists.members], np.maximum(lists.counts, 1)[:, None]
    columns = (index.rows[chosen, :POSE_COLUMNS], motions.trajectories[chosen], motions.contacts[chosen])
    totals = [
        np.concatenate((np.zeros((1, values.shape[1])), np.cumsum(values, axis=0, dtype=np.float64)))
        for values in columns
    ]
    means = [np.diff(values[lists.offsets], axis=0) / counts for values in totals]
    rests, frozen = _rests(motions, chosen, motions.gathered)
    return Candidates(chosen, _table(*columns), _table(*means), lists.offsets, rests, frozen, None)


def standing(trajectories: Array) -> Mask:
    """Return whether characters with trajectories `(N, W)` stand for as long as trajectories are compared."""
    speeds = trajectories.reshape(len(trajectories), len(AHEAD_SECONDS), -1)[..., :2]
    return np.asarray((np.linalg.norm(speeds, axis=2) < SLOW).all(axis=1))


def _rests(motions: Motions, candidates: Indices, gathered: Indices) -> tuple[Indices, bool]:
    """Return the candidates that stand; if none does, the frames among `gathered`, and that they are frozen."""
    rests = candidates[standing(motions.trajectories[candidates])]
    return (rests, False) if len(rests) else (gathered, True)


def _table(pose: Array, trajectory: Array, contacts: Array | Mask) -> Float32:
    squares = np.stack((np.einsum("nc,nc->n", pose, pose), np.einsum("nc,nc->n", trajectory, trajectory)), axis=1)
    return np.concatenate((pose, trajectory, squares, contacts), axis=1).astype(np.float32)


def nearest_frame(
    motions: Motions,
    candidates: Candidates,
    frame: int,
    planted: Mask,
    trajectory: Float32,
    weights: SearchWeights,
) -> tuple[int, float]:
    """Return the frame at which motion continues best from a frame's pose along a trajectory `(W,)`, and its cost.

    planted: `(F,)` feet that stand now; they affect the choice of the frame but not the cost, since a character that
    stands on both feet must be able to continue on one.
    """
    index = motions.index
    row, stands = index.rows[frame], planted.astype(np.float32)
    asked = np.concatenate(
        (
            -2 * row[:POSE_COLUMNS],
            -2 * weights.trajectory * trajectory,
            (1.0, weights.trajectory),
            weights.contact * (1 - stands),
        )
    ).astype(np.float32)
    closest = int(candidates.frames[candidates.nearest(asked)])
    clip = index.clips[closest]
    beside = np.arange(max(closest - 1, index.starts[clip]), min(closest + 2, index.stops[clip]))
    costs = np.square(index.rows[beside] - row).sum(axis=1)
    costs += weights.trajectory * np.square(motions.trajectories[beside] - trajectory).sum(axis=1)
    best = int(np.argmin(costs + weights.contact * (motions.contacts[beside] & ~planted).sum(axis=1)))
    return int(beside[best]), float(costs[best])
