# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes on poses that are far from all examples, and on poses that are too near to each other in time."""

import numpy as np

from ..errors import listed
from ..examples.example_data import Examples
from ..features.features import FeatureRows
from ..motion import rotations
from ..motion.root_motion import encode_root
from .pose_targets import Poses, PoseTargets

FAR = 0.8
"""Distance of a pose from the nearest frame, in deviations of the examples, from which it counts as far."""


def notes_on_poses(examples: Examples, features: FeatureRows, poses: Poses, targets: PoseTargets) -> tuple[str, ...]:
    """Return a sentence on poses of each kind, if there are any."""
    return (*_far_poses(features, targets), *_hasty_pairs(examples, poses, targets))


def _far_poses(features: FeatureRows, targets: PoseTargets) -> list[str]:
    far = []
    for frame in targets.moments:
        columns = targets.mask[frame] & ~targets.given & (features.kinds == 0)
        if not columns.any():
            continue
        distances = np.sum((features.rows[:, columns] - targets.rows[frame, columns]) ** 2, axis=1)
        spread = float(np.sum(np.var(features.rows[:, columns], axis=0)))
        if float(distances.min()) > FAR**2 * spread:
            far.append(int(frame))
    if not far:
        return []
    which = listed([frame + 1 for frame in far], "")
    return [f"Poses pinned far from all poses of the examples: at frame {which} of the motion; add similar examples."]


def _hasty_pairs(examples: Examples, poses: Poses, targets: PoseTargets) -> list[str]:
    """Return a sentence on pairs of poses with less time between them than the examples' highest speed needs."""
    frames = poses.frames if len(targets.moments) else targets.moments
    if len(frames) < 2 or len(frames) == poses.motion.frames:
        return []
    posed = poses.motion.take(frames)
    track = encode_root(posed, examples.root)
    _, positions = posed.pose()
    if not poses.place[frames].all():
        # Poses without a fixed place are compared relative to the root.
        back = rotations.inverse(track.heading)[:, None]
        positions = rotations.rotate(back, positions - track.ground[:, None])
    both = poses.joints[frames[1:]] & poses.joints[frames[:-1]]
    distance = np.where(both, np.linalg.norm(np.diff(positions, axis=0), axis=2), 0.0).max(axis=1)
    spans = np.diff(frames)
    hasty = np.flatnonzero((spans > 1) & (distance / spans > examples.speeds.highest))
    if not len(hasty):
        return []
    pairs = listed([f"{frames[pair] + 1} and {frames[pair + 1] + 1}" for pair in hasty], "")
    return [f"Pins too close in time for the examples' speed: at frames {pairs} of the motion; move them apart."]
