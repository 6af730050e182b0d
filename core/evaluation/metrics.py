# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of a result's quality from the literature, each with its source and formula.

Distances are squared Frobenius norms of the difference of local rotation matrices, summed over the joints
and averaged over the frames of a window (GANimator: Li et al. 2022, equation 10).

>>> metrics.coverage(swing, swing), metrics.local_distance(swing, swing) < 1e-6
(1.0, True)
"""

from collections.abc import Sequence

import numpy as np

from ..arrays import Array, Float64, Int64, Mask, Rows
from ..computation import computing
from ..features.nearest_patches import diagonal_sums, frame_distances
from ..feet.contact_detection import LOWEST_PERCENT, ground_under
from ..motion import rotations
from ..motion.motion import Motion, joint_path
from ..motion.piecewise import pieces
from .window_features import WINDOW

SECOND = WINDOW
"""Window of coverage, and shortest segment of the global distance, in frames: L_c and T_min of GANimator, one second at
30 fps."""
LOCAL_WINDOW = SECOND // 2
"""Window of the local distance, in frames: L_d of GANimator, half a second."""


def rotation_rows(motion: Motion) -> Rows:
    """Return the local rotation matrices of all joints, `(T, 9 J)`."""
    matrices = rotations.to_matrix(motion.rotations)
    return np.asarray(matrices.reshape(motion.frames, -1), np.float32)


@computing()
def coverage(result: Motion, *examples: Motion, window: int = SECOND) -> float:
    """Return the share, 0 to 1, of the examples' windows that the result shows (GANimator, equations 9 to 11).

    A window is shown if its nearest in the result is no farther than the largest distance of a window of the result
    from its nearest in the examples.
    """
    window = min(window, result.frames, *(example.frames for example in examples))
    pairs = [_nearest(result, example, window) for example in examples]
    worst = float(np.min([of_result for of_result, _ in pairs], axis=0).max())
    # The largest distance of a verbatim copy is zero except for rounding, which must not decide.
    return float(np.mean(np.concatenate([of_example for _, of_example in pairs]) <= worst + 1e-3))


@computing()
def completeness(result: Motion, example: Motion, window: int = SECOND) -> float:
    """Return the mean distance from each window of the example to the nearest of the result; 0 is complete."""
    return float(_nearest(result, example, window)[1].mean())


@computing()
def local_distance(result: Motion, example: Motion, window: int = LOCAL_WINDOW) -> float:
    """Return the mean distance from each window of the result to the nearest of the example (GANimator, equation
    14).
    """
    return float(_nearest(result, example, window)[0].mean())


@computing()
def global_distance(result: Motion, example: Motion, shortest: int = SECOND) -> float:
    """Return the mean distance between the result's frames and the best segments of the example (GANimator, equation
    13).

    This is the patched nearest neighbor: no segment is below `shortest` frames, and dynamic programming finds the best
    segments.
    """
    rows, examples = rotation_rows(result), rotation_rows(example)
    shortest = min(shortest, len(rows), len(examples))
    distances = frame_distances(rows, examples).astype(np.float64)
    frames, count = distances.shape
    # sums[f, n] is the sum along the diagonal that ends before (f, n).
    sums = np.zeros((frames + 1, count + 1))
    for frame in range(frames):
        sums[frame + 1, 1:] = sums[frame, :-1] + distances[frame]
    best = np.full(frames + 1, np.inf)
    best[0] = 0.0
    running = np.full(count, np.inf)
    for frame in range(1, frames + 1):
        running[1:] = running[:-1] + distances[frame - 1, 1:]
        running[0] = np.inf
        if frame >= shortest:
            segments = sums[frame, shortest:] - sums[frame - shortest, : count + 1 - shortest]
            running[shortest - 1 :] = np.minimum(running[shortest - 1 :], best[frame - shortest] + segments)
        best[frame] = running.min()
    return float(best[frames] / frames)


def set_diversity(results: Sequence[Motion], example: Motion) -> float:
    """Return the differences among results, as a share of the example's own variation (GenMM, section 4.1).

    It is the deviation over the results of every entry of every rotation matrix, averaged, divided by the mean of the
    example's deviations over time.
    """
    rows = np.stack([rotation_rows(result) for result in results])
    varies = float(rotation_rows(example).std(axis=0).mean())
    return float(rows.std(axis=0).mean()) / varies if varies > 0 else 0.0


def foot_skate(motion: Motion, feet: Sequence[int], base: Array, height_of_body: float) -> float:
    """Return the speed of feet near the ground, relative to it, in cm/s at a body height of 170 cm.

    It is the horizontal speed times max(0, 2 - 2 ** (h / 2.5 cm)), averaged over frames and feet (MANN: Zhang et al.
    2018, with the weight at most 1). h: the height above `base` `(len(feet),)`.
    """
    if not len(feet):
        return 0.0
    places = np.stack([joint_path(motion, joint) for joint in feet], axis=1)
    speeds = skate_speeds(places, motion, base, height_of_body)
    return float(np.mean(speeds)) if speeds.size else 0.0


def skate_speeds(positions: Float64, motion: Motion, base: Array, height_of_body: float) -> Float64:
    """Return the speed `(T - 1, feet)` of feet near the ground from each frame to the next, see foot_skate.

    positions: `(T, feet, 3)` of the feet in the motion.
    """
    up = np.array(motion.skeleton.up)
    to_centimeters = 170.0 / height_of_body
    heights = (positions @ up - base) * to_centimeters
    ground = ground_under(positions, base, motion)[1:, None] / motion.frames_per_second
    steps = np.diff(positions, axis=0)
    level = steps - (steps @ up)[..., None] * up - ground
    speeds = np.linalg.norm(level, axis=2) * to_centimeters * motion.frames_per_second
    weights = 2.0 - 2.0 ** (np.clip(heights[1:], 0.0, 2.5) / 2.5)
    return np.asarray(speeds * weights)


def sliding_share(motion: Motion, feet: Sequence[int], contacts: Mask, limit: float) -> float:
    """Return the share, 0 to 1, of contact frames in which the foot moves more than `limit` units along the ground.

    contacts: `(T, len(feet))`. This is the other common definition, the foot skating ratio (Zhang et al. 2018; Guo et
    al. 2022).
    """
    positions = motion.pose()[1][:, list(feet)].astype(np.float64)
    up = np.array(motion.skeleton.up)
    steps = np.diff(positions, axis=0)
    level = np.linalg.norm(steps - (steps @ up)[..., None] * up, axis=2)
    touching = contacts[1:] & contacts[:-1]
    return float(np.mean(level[touching] > limit)) if touching.any() else 0.0


def ground_base(example: Motion, feet: Sequence[int]) -> Float64:
    """Return the height `(len(feet),)` of each foot on the ground: its 2nd percentile in the example."""
    heights = example.pose()[1][:, list(feet)] @ np.array(example.skeleton.up)
    return np.asarray(np.percentile(heights, LOWEST_PERCENT, axis=0), np.float64)


def drift(result: Motion, example: Motion, root: int) -> float:
    """Return how much farther apart the root's places on the ground are than in the example, in sizes of the body."""
    ground = rotations.ground_axes(example.skeleton.up).T
    ours, own = (
        float(np.linalg.norm(np.ptp(joint_path(motion, root) @ ground, axis=0))) for motion in (result, example)
    )
    return max(ours - own, 0.0) / example.skeleton.size


def speed_ratios(result: Motion, example: Motion) -> tuple[float, float]:
    """Return the mean and the largest speed of the joints, divided by the example's."""
    return _ratios(_differences(result, 1), _differences(example, 1))


def acceleration_ratios(result: Motion, example: Motion) -> tuple[float, float]:
    """Return the mean and the largest acceleration of the joints, divided by the example's."""
    return _ratios(_differences(result, 2), _differences(example, 2))


def transitions(source_examples: Int64, source_frames: Array, step: float | Array = 1.0) -> int:
    """Return the number of frames at which the source `(T,)` does not advance by `step` frames of its example.

    step: one number, or `(T - 1,)` if the result has rates.
    """
    broken = np.abs(np.diff(source_frames) - step) > 0.01
    return int(np.sum(broken | (np.diff(source_examples) != 0)))


def l2_positions(result: Motion, truth: Motion) -> float:
    """Return L2P of in-betweening: the mean distance of global joint positions (Harvey et al. 2020)."""
    return float(np.linalg.norm(result.pose()[1] - truth.pose()[1], axis=2).mean())


def l2_quaternions(result: Motion, truth: Motion) -> float:
    """Return L2Q of in-betweening: the mean distance of global quaternions with equal signs (Harvey et al. 2020)."""
    ours, theirs = (rotations.from_matrix(_orthonormal(motion.pose()[0])) for motion in (result, truth))
    signs = np.where(np.sum(ours * theirs, axis=2, keepdims=True) < 0, -1.0, 1.0)
    return float(np.linalg.norm(ours * signs - theirs, axis=2).mean())


def npss(result: Motion, truth: Motion) -> float:
    """Return the normalized power spectrum similarity of the local quaternions (Gopalakrishnan et al. 2019).

    Smaller values are more similar.
    """
    ours, theirs = (
        rotations.make_continuous(motion.rotations).reshape(motion.frames, -1).astype(np.float64)
        for motion in (result, truth)
    )
    powers = [np.abs(np.fft.fft(values, axis=0)) ** 2 for values in (ours, theirs)]
    totals = [power.sum(axis=0) for power in powers]
    shares = [power / np.maximum(total, 1e-12) for power, total in zip(powers, totals, strict=True)]
    differences = np.abs(np.cumsum(shares[0], axis=0) - np.cumsum(shares[1], axis=0)).sum(axis=0)
    return float(np.average(differences, weights=totals[1])) if totals[1].sum() > 0 else 0.0


def _nearest(result: Motion, example: Motion, window: int) -> tuple[Float64, Float64]:
    """Return the distance of each window of the result, and of the example, to its nearest in the other motion."""
    rows, examples = rotation_rows(result), rotation_rows(example)
    window = min(window, len(rows), len(examples))
    of_result, of_example = [], np.full(len(examples) - window + 1, np.inf)
    for piece in pieces(len(rows) - window + 1, len(examples)):
        block = rows[piece.start : piece.stop + window - 1]
        distances = diagonal_sums(frame_distances(block, examples), window) / window
        of_result.append(distances.min(axis=1))
        np.minimum(of_example, distances.min(axis=0), out=of_example)
    return np.concatenate(of_result).astype(np.float64), of_example


def _differences(motion: Motion, order: int) -> Float64:
    steps = np.diff(motion.pose()[1].astype(np.float64), order, axis=0)
    return np.asarray(np.linalg.norm(steps, axis=2))


def _ratios(ours: Float64, theirs: Float64) -> tuple[float, float]:
    if not ours.size or not theirs.size or theirs.max() <= 0:
        return 1.0, 1.0
    return float(ours.mean() / theirs.mean()), float(ours.max() / theirs.max())


def _orthonormal(matrices: Array) -> Array:
    lengths = np.linalg.norm(matrices, axis=-2, keepdims=True)
    return np.asarray(matrices / np.maximum(lengths, 1e-12))
