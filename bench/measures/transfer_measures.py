# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of restyled motion: its distance to real motion, its touchdowns, and its path."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Motion, metrics, rotations
from genmm_addon.core.feet import Foot, ground_heights, label_contacts
from genmm_addon.core.motion import RootPlan, place_and_heading

Float64 = NDArray[np.float64]
Touchdowns = list[Float64]

BODY = 170.0
"""Body height to which distances are scaled, in centimeters."""
SECOND = 1.0
TOGETHER = 0.1
"""Largest difference of two matching touchdowns, in seconds."""
TOUCH, GAP = 2, 2
"""Fewest frames of a contact, and most frames of a gap in one that is closed."""


def nearest_second(motions: Sequence[Motion], real: Sequence[Motion], plan: RootPlan) -> float:
    """Return the mean distance of joints, in cm, from each second of motions to the nearest second of real motions.

    Joints above the root are left out, since they are fixed in the room and say nothing about the pose.
    """
    ours, theirs = (
        np.concatenate([_seconds(motion, plan, hop) for motion in some]) for some, hop in ((motions, 5), (real, 2))
    )
    squares = np.sum(ours**2, axis=1)[:, None] + np.sum(theirs**2, axis=1) - 2 * ours @ theirs.T
    nearest = theirs[np.argmin(squares, axis=1)]
    return float(np.linalg.norm((ours - nearest).reshape(len(ours), -1, 3), axis=2).mean())


def _seconds(motion: Motion, plan: RootPlan, hop: int) -> NDArray[np.float32]:
    """Return the joints' positions in each second, relative to the root's place on the ground and its heading."""
    up, frames = np.array(motion.skeleton.up), round(SECOND * motion.frames_per_second)
    places, turns = place_and_heading(motion, plan)
    ground = places - (places @ up)[:, None] * up
    back = rotations.from_axis_angle(np.broadcast_to(up, (motion.frames, 3)), -turns)
    seen = rotations.rotate(back[:, None], motion.pose()[1] - ground[:, None]) * (BODY / motion.skeleton.size)
    starts = np.arange(0, motion.frames - frames + 1, hop)
    moving = np.setdiff1d(np.arange(seen.shape[1]), motion.skeleton.chain(plan.joint)[:-1])
    windows = seen[starts[:, None] + np.arange(frames)][:, :, moving]
    return np.asarray(windows.reshape(len(starts), frames * len(moving) * 3), np.float32)


def content_touchdowns(motion: Motion, feet: Sequence[Foot], positions: Float64) -> Touchdowns:
    """Return the touchdowns of each foot, at the positions `(T,)` of the content that the frames show."""
    found = []
    for column in label_contacts(motion, feet, ground_heights([motion], feet)).T:
        edges = np.flatnonzero(np.diff(np.concatenate(([False], column, [False])).astype(np.int8))).reshape(-1, 2)
        joined = list[list[int]]()
        for first, end in edges.tolist():
            if joined and first - joined[-1][1] <= GAP:
                joined[-1][1] = end
            else:
                joined.append([first, end])
        found.append(positions[[first for first, end in joined if first > 0 and end - first >= TOUCH]])
    return found


def match_touchdowns(ours: Touchdowns, theirs: Touchdowns, rate: float) -> NDArray[np.int64]:
    """Return the numbers of touchdowns that both have, that the first has, and that the second has."""
    counts = np.zeros(3, np.int64)
    for one, other in zip(ours, theirs, strict=True):
        near = np.abs(one[:, None] - other) <= TOGETHER * rate + 1e-6
        both = min(int(near.any(axis=1).sum()), int(near.any(axis=0).sum())) if near.size else 0
        counts += (both, len(one), len(other))
    return counts


def skate(motions: Sequence[Motion], feet: Sequence[Foot]) -> float:
    """Return the sliding of standing feet, averaged over the motions; see `metrics.foot_skate`."""
    joints = [foot.joint for foot in feet]
    return float(
        np.mean(
            [
                metrics.foot_skate(motion, joints, ground_heights([motion], feet), motion.skeleton.size)
                for motion in motions
            ]
        )
    )


def off_the_path(motion: Motion, content: Motion, plan: RootPlan) -> float:
    """Return the root's mean distance from the content's path, in sizes; the path is extended beyond its end."""
    axes = rotations.ground_axes(content.skeleton.up)
    place, path = (place_and_heading(version, plan)[0].astype(np.float64) @ axes.T for version in (motion, content))
    last = path[-1] - path[max(len(path) - 10, 0)]
    path = np.concatenate((path, path[-1:] + 100 * last))
    steps = np.diff(path, axis=0)
    lengths = np.maximum(np.sum(steps**2, axis=1), 1e-12)
    share = np.clip(np.sum((place[:, None] - path[:-1]) * steps, axis=2) / lengths, 0.0, 1.0)
    away = np.linalg.norm(path[:-1] + share[..., None] * steps - place[:, None], axis=2).min(axis=1)
    return float(away.mean()) / content.skeleton.size
