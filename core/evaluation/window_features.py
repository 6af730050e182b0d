# SPDX-License-Identifier: GPL-3.0-or-later
"""Features of windows of one second: poses, travel, speeds by frequency, and sudden accelerations.

No network is trained. The columns are cosine coefficients of joint positions (a truncated discrete cosine transform, as
in the compression of trajectories by Akhter et al. 2008) and the strength of movement in bands of frequency.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Float32, Float64, Int64
from ..motion import rotations
from ..motion.bvh.numbers import DEFAULT_RATE
from ..motion.comparing import ROUNDING
from ..motion.motion import Motion, resample
from ..motion.root_motion import RootPlan, find_root, place_and_heading
from ..motion.skeleton import Skeleton
from ..settings import Facing

WINDOW = round(DEFAULT_RATE)
"""Number of frames of a window: one second at the rate at which windows are compared."""
HOP = WINDOW // 3
"""Number of frames from one window of a motion to the next: a third of a second."""
COEFFICIENTS = 5
"""Number of cosine coefficients of every coordinate: frequencies up to 2 Hz."""
BANDS = ((0, 2), (2, 5), (5, 10), (10, 18), (18, 28))
"""Bands of a window's sine coefficients, as (first, end); the n-th coefficient, from 0, has (n + 1) / 2 Hz."""


@dataclass(frozen=True, eq=False)
class WindowFeatures:
    """Raw features of N windows of J joints.

    pose: `(N, 15 J)` cosine coefficients of positions relative to the root and to the heading in the middle.
    travel: `(N, 15)` cosine coefficients of the root's trajectory relative to its place in the middle.
    bands: `(N, 5, J)` strength of the joints' speeds in each band.
    crest: `(N, J)` largest acceleration divided by the mean one; it is high if a motion jumps.
    motions: `(N,)` the number of the motion that a window is from.
    Positions are in sizes of the skeleton, weighted by the bones at a joint.
    """

    pose: Float32
    travel: Float32
    bands: Float32
    crest: Float32
    motions: Int64

    @property
    def count(self) -> int:
        """Return the number of windows, N."""
        return len(self.motions)

    def take(self, windows: Int64) -> "WindowFeatures":
        """Return the given windows."""
        return WindowFeatures(
            self.pose[windows], self.travel[windows], self.bands[windows], self.crest[windows], self.motions[windows]
        )


def describe_windows(motions: Sequence[Motion], root: int | None = None) -> WindowFeatures:
    """Return the features of all windows of motions on one skeleton; motions shorter than one second have none.

    root: the joint that travels; None: it is found from the motions.

    >>> describe_windows([swing]).pose.shape
    (4, 30)
    """
    plan = RootPlan(find_root(motions) if root is None else root, (), Facing.FREE, False)
    weights = joint_shares(motions[0].skeleton, plan.joint)
    described = [_of_motion(resample(motion, DEFAULT_RATE)[0], plan, weights) for motion in motions]
    pose, travel, bands, crest = (np.concatenate([columns[kind] for columns in described]) for kind in range(4))
    numbers = np.repeat(np.arange(len(described)), [len(columns[0]) for columns in described])
    return WindowFeatures(pose, travel, bands, crest, numbers)


def joint_shares(skeleton: Skeleton, root: int) -> Float64:
    """Return the square root of each joint's share `(J,)` of the body: half of the bones at it, by length.

    Forty finger joints together then count only by the length of fingers. Bones above the root are not part of the
    body.

    >>> joint_shares(skeleton, 0).round(2).tolist()
    [0.71, 0.71]
    """
    above, lengths = set(skeleton.chain(root)), np.zeros(len(skeleton.names))
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0 and joint not in above:
            bone = float(np.linalg.norm(skeleton.stance[joint] - skeleton.stance[parent]))
            lengths[[joint, parent]] += bone / 2
    total = lengths.sum()
    return np.asarray(np.sqrt(lengths / total if total > 0 else np.full(len(lengths), 1 / len(lengths))))


def _of_motion(motion: Motion, plan: RootPlan, weights: Float64) -> tuple[Float32, Float32, Float32, Float32]:
    """Return pose, travel, bands and crest of the windows of one motion at DEFAULT_RATE."""
    joints, starts = len(weights), np.arange(0, motion.frames - WINDOW + 1, HOP)
    if not len(starts):
        empty = np.zeros((0, len(BANDS), joints), np.float32)
        flat = np.zeros((0, 3 * COEFFICIENTS * (joints + 1)), np.float32)
        return flat[:, 3 * COEFFICIENTS :], flat[:, : 3 * COEFFICIENTS], empty, empty[:, 0]
    windows = _seen_from_the_middle(motion, plan, starts)
    coefficients = np.einsum("cw,nwja->ncja", _cosines(), windows)
    travel = coefficients[:, :, plan.joint]
    pose = (coefficients - travel[:, :, None]) * weights[:, None]
    moving = np.linalg.norm(np.diff(windows, 2, axis=1), axis=3)
    crest = moving.max(axis=1) / (moving.mean(axis=1) + ROUNDING)
    groups = (pose.reshape(len(starts), -1), travel.reshape(len(starts), -1), _band_speeds(windows), crest)
    pose, travel, bands, crest = (columns.astype(np.float32) for columns in groups)
    return pose, travel, bands, crest


def _seen_from_the_middle(motion: Motion, plan: RootPlan, starts: Int64) -> Float64:
    """Return positions `(N, WINDOW, J, 3)` relative to the root's ground place and heading in each window's middle."""
    up, size = np.array(motion.skeleton.up), motion.skeleton.size
    place, heading = place_and_heading(motion, plan)
    middle = starts + WINDOW // 2
    ground = place[middle] - (place[middle] @ up)[:, None] * up
    positions = motion.pose()[1].astype(np.float64)[starts[:, None] + np.arange(WINDOW)]
    back = rotations.to_matrix(rotations.from_axis_angle(up, -heading[middle]))
    seen = np.einsum("nab,nwjb->nwja", back, positions - ground[:, None, None])
    # The axes are those of the ground and up, so that coordinates do not depend on a file's up axis.
    return np.asarray(seen @ np.vstack((rotations.ground_axes(motion.skeleton.up), up)).T / size)


def _band_speeds(windows: Float64) -> Float64:
    """Return the root mean square speed `(N, bands, J)` of the joints in each band, less the line from end to end."""
    share = (np.arange(WINDOW) / (WINDOW - 1))[:, None, None]
    line = windows[:, :1] + (windows[:, -1:] - windows[:, :1]) * share
    speeds = np.einsum("cw,nwja->ncja", _sines(), (windows - line)[:, 1:-1])
    return np.stack([np.sqrt(np.sum(speeds[:, first:end] ** 2, axis=(1, 3))) for first, end in BANDS], axis=1)


def _cosines() -> Float64:
    """Return the first rows `(COEFFICIENTS, WINDOW)` of the orthonormal cosine transform."""
    order, frames = np.arange(COEFFICIENTS)[:, None], np.arange(WINDOW)
    rows = np.cos(np.pi * (frames + 0.5) * order / WINDOW) * np.sqrt(2 / WINDOW)
    rows[0] /= np.sqrt(2)
    return np.asarray(rows)


def _sines() -> Float64:
    """Return the sine transform `(WINDOW - 2, WINDOW - 2)` of the frames between the ends, times the frequency."""
    steps = np.arange(1, WINDOW - 1)
    rows = np.sin(np.pi * steps * steps[:, None] / (WINDOW - 1)) * np.sqrt(2 / (WINDOW - 1))
    return np.asarray(rows * steps[:, None])
