# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of motions for tests: speeds, flips, and the shares of examples that are shown."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Motion, Prepared, Synthesis, prepare, rotations
from genmm_addon.core.examples.coverage import Coverage
from genmm_addon.core.motion.root_motion import RootPlan, encode_root

Array = NDArray[np.floating]


def root_path(motion: Motion, root: str = "hips") -> Array:
    """Return the root's positions on the ground `(T, 2)`."""
    return np.asarray(motion.pose()[1][:, motion.skeleton.names.index(root), :2])


def body(motion: Motion, plan: RootPlan) -> Array:
    """Return the positions `(T, J, 3)` of traveling joints, relative to the root's place and heading."""
    track = encode_root(motion, plan)
    back = rotations.inverse(track.heading)[:, None]
    traveling = np.any([motion.skeleton.descendants(int(joint)) for joint in plan.anchored], axis=0)
    return np.asarray(rotations.rotate(back, motion.pose()[1][:, traveling] - track.ground[:, None]))


def joint_speeds(positions: Array) -> Array:
    """Return the distance `(T - 1, J)` that each joint moves per frame."""
    return np.asarray(np.linalg.norm(np.diff(positions, axis=0), axis=-1))


def root_speeds(motion: Motion, root: str = "hips") -> Array:
    """Return the distance `(T - 1,)` that the root moves on the ground per frame."""
    return np.asarray(np.linalg.norm(np.diff(root_path(motion, root), axis=0), axis=-1))


def has_flips(motion: Motion) -> bool:
    """Return whether a quaternion changes its sign from one frame to the next."""
    return bool(np.any(np.sum(motion.rotations[1:] * motion.rotations[:-1], axis=-1) < 0))


def is_sound(motion: Motion) -> bool:
    """Return whether all values are finite, all rotations are unit quaternions, and none flips."""
    finite = all(np.isfinite(values).all() for values in motion.channels().values())
    unit = np.abs(np.linalg.norm(motion.rotations, axis=-1) - 1).max(initial=0.0) < 1e-5
    return finite and bool(unit) and not has_flips(motion)


def shown_frames(result: Synthesis, part: int = 0) -> NDArray[np.int64]:
    """Return the example and its frame `(T, 2)` for each frame of the result; the examples are not resampled."""
    frames = np.round(result.source_frames[:, part]).astype(np.int64)
    return np.stack((result.source_examples[:, part], frames), axis=1)


def cuts_of(result: Synthesis, part: int = 0) -> NDArray[np.int64]:
    """Return the frames of the result at which another segment begins."""
    steps = np.diff(shown_frames(result, part), axis=0)
    return np.flatnonzero(np.any(steps != (0, 1), axis=1)) + 1


def far_from_cuts(result: Synthesis, frames: int) -> NDArray[np.int64]:
    """Return the frames of the result that are at least `frames` frames from every cut of every part."""
    every = np.arange(result.motion.frames)
    far = np.ones(len(every), bool)
    for part in range(result.source_frames.shape[1]):
        for cut in cuts_of(result, part):
            far &= np.abs(every + 0.5 - cut) >= frames
    return np.flatnonzero(far)


def distances_to_shown(examples: Sequence[Motion], result: Motion) -> Array:
    """Return, for each frame of the examples `(N,)`, the distance to the nearest pose of the result.

    The unit is the root mean square distance that the example's joints move in a tenth of a second.
    """
    plan = prepare(examples).root
    shown = body(result, plan).reshape(result.frames, -1)
    distances = []
    for example in examples:
        own = body(example, plan).reshape(example.frames, -1)
        unit = np.sqrt(np.mean(np.sum((own[3:] - own[:-3]) ** 2, axis=1)))
        squares = np.sum(own**2, axis=1)[:, None] + np.sum(shown**2, axis=1) - 2 * own @ shown.T
        distances.append(np.sqrt(np.maximum(squares.min(axis=1), 0)) / unit)
    return np.concatenate(distances)


def travel(motion: Motion, root: str = "hips") -> float:
    """Return the root's displacement from the first frame to the last, in sizes of the skeleton."""
    path = root_path(motion, root)
    return float(np.linalg.norm(path[-1] - path[0])) / motion.skeleton.size


def same_sources(first: Synthesis, second: Synthesis) -> float:
    """Return the share of frames that show the same frame of the same example."""
    return float(np.mean(np.all(shown_frames(first) == shown_frames(second), axis=1)))


def highest_speeds(prepared: Prepared) -> tuple[float, float]:
    """Return the examples' highest speeds, of a joint relative to the root and of the root."""
    root = prepared.motions[0].skeleton.names[prepared.root.joint]
    joints = max(float(joint_speeds(body(motion, prepared.root)).max()) for motion in prepared.motions)
    return joints, max(float(root_speeds(motion, root).max()) for motion in prepared.motions)


def seen_of_path(coverage: Coverage, path: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the share `(G,)` of each cluster that a path of example frames `(F,)` shows."""
    visits = np.bincount(coverage.cluster_of[path], minlength=len(coverage.sizes)) / coverage.sizes
    return np.asarray(coverage.similarity @ visits.astype(np.float32))
