# SPDX-License-Identifier: GPL-3.0-or-later
"""The paper's own loop (Li et al. 2023, sections 3.2, 3.3 and 4), as a reference for the distances of our results.

It shares no code with the synthesis: noise is the initial motion, and patches are matched and averaged at every stage.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from genmm_addon.core import Facing, Motion, Prepared, metrics, rotations
from genmm_addon.core.motion import encode_root, without_heading

Rows = NDArray[np.float32]

PATCH, COARSEST, FACTOR, ALPHA, ITERATIONS = 11, 4, 0.75, 0.01, 5
"""p, K, r, alpha and E of the paper, section 4."""
DISTANCES: dict[str, Callable[[Motion, Motion], float]] = {
    "completeness": metrics.completeness,
    "global": metrics.global_distance,
    "local": metrics.local_distance,
}


def against_paper(prepared: Prepared, results: Sequence[Motion]) -> dict[str, float]:
    """Return the mean distances of results of one length to the example, as multiples of those of the paper's method.

    Headings are taken out of all motions. The paper's method gives as many results, of the same seeds. Added are the
    local distance of the example shown twice, since half a second from its end to its beginning is nowhere in it, and
    the paper's mean coverage and speed, since a pose held still has no local distance.
    """
    plan = replace(prepared.root, facing=Facing.FREE)
    example = without_heading(prepared.motions[0], plan)
    track = encode_root(prepared.motions[0], plan)
    matrices = rotations.to_6d(example.rotations).reshape(example.frames, -1)
    travel = np.column_stack((track.velocity, track.offset[:, 0])) / example.skeleton.size
    rows = np.column_stack((matrices, travel, track.yaw_rate)).astype(np.float32)
    ours = [without_heading(result, plan) for result in results]
    theirs = [
        _motion(example, synthesize_rows(rows, results[0].frames, seed)[:, : matrices.shape[1]])
        for seed in range(len(results))
    ]

    def mean(name: str, motions: Sequence[Motion]) -> float:
        return float(np.mean([DISTANCES[name](motion, example) for motion in motions]))

    def relative(name: str, motions: Sequence[Motion]) -> float:
        return mean(name, motions) / max(mean(name, theirs), 1e-9)

    twice = example.take(np.tile(np.arange(example.frames), 2))
    return {
        **{f"{name}_of_paper": relative(name, ours) for name in DISTANCES},
        "local_twice_of_paper": relative("local", [twice]),
        "paper_coverage": float(np.mean([metrics.coverage(motion, example) for motion in theirs])),
        "paper_speed": float(np.mean([metrics.speed_ratios(motion, example)[0] for motion in theirs])),
    }


def synthesize_rows(example: Rows, frames: int, seed: int) -> Rows:
    """Return `frames` rows like those of an example `(T, C)`, by the paper's loop."""
    lengths = [min(COARSEST * PATCH, len(example))]
    while lengths[-1] < len(example):
        lengths.append(min(round(lengths[-1] / FACTOR), len(example)))
    longer = frames / len(example)
    noise = np.random.default_rng(seed).standard_normal((round(lengths[0] * longer), example.shape[1]), np.float32)
    rows = example.mean(axis=0) + example.std(axis=0) * noise
    for length in lengths:
        rows, stage = _resampled(rows, round(length * longer)), _resampled(example, length)
        for _ in range(ITERATIONS):
            rows = _average(stage, _nearest(rows, stage))
    return np.asarray(rows, np.float32)


def _nearest(rows: Rows, example: Rows) -> NDArray[np.int64]:
    """Return the start of the nearest example patch of each patch by the normalized distance (equations 1 and 2)."""
    squares = (np.einsum("fc,fc->f", values, values) for values in (rows, example))
    of_frames = np.maximum(np.add.outer(*squares) - 2 * rows @ example.T, 0.0) / (PATCH * rows.shape[1])
    high, wide = (length - PATCH + 1 for length in of_frames.shape)
    distances = sum(of_frames[place : place + high, place : place + wide] for place in range(PATCH))
    return np.asarray((distances / (ALPHA + distances.min(axis=0))).argmin(axis=1))


def _average(example: Rows, starts: NDArray[np.int64]) -> Rows:
    """Return the rows `(F, C)` for which overlapping patches of the example vote; starts: `(F - p + 1,)`."""
    total, votes = (np.zeros((len(starts) + PATCH - 1, columns), np.float32) for columns in (example.shape[1], 1))
    for place in range(PATCH):
        total[place : place + len(starts)] += example[starts + place]
        votes[place : place + len(starts)] += 1.0
    return np.asarray(total / votes)


def _resampled(rows: Rows, length: int) -> Rows:
    """Return rows `(T, C)` resampled linearly to a length."""
    places = np.linspace(0.0, len(rows) - 1, length)
    before = np.minimum(places.astype(np.int64), max(len(rows) - 2, 0))
    weights = (places - before)[:, None].astype(np.float32)
    return np.asarray(rows[before] * (1 - weights) + rows[np.minimum(before + 1, len(rows) - 1)] * weights)


def _motion(example: Motion, vectors: Rows) -> Motion:
    """Return a motion with joint rotations given as 6D vectors `(F, 6 J)`."""
    turned = rotations.from_6d(vectors.reshape(len(vectors), -1, 6))
    return Motion(example.skeleton, example.frames_per_second, turned.astype(np.float32))
