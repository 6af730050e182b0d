# SPDX-License-Identifier: GPL-3.0-or-later
"""Diversity of single clips: the difference of each clip from the others of a set."""

import numpy as np

from ..core import Float32
from .figures import Figure

MOMENTS = 48
"""Number of poses compared of each clip, evenly spaced."""


class Unlikeness:
    """The poses of clips, collected until all clips have been added.

    The unlikeness of a clip is the root mean square distance of its poses from the mean of all clips at the same share
    of their length, divided by the deviation of all poses. This is a clip's share of the set diversity (GenMM, section
    4.1), computed from joint positions, so that it is available for any kind of file. Positions are heights, and
    distances along the ground from the body's first joint, which do not depend on location and heading.
    """

    def __init__(self) -> None:
        self._poses: list[Float32] = []

    def add(self, figure: Figure) -> None:
        """Add a clip."""
        at = np.round(np.linspace(0, figure.frames - 1, MOMENTS)).astype(np.int64)
        positions = figure.positions[at]
        away = np.linalg.norm(positions[:, :, :2] - positions[:, :1, :2], axis=2)
        self._poses.append(np.concatenate((positions[:, :, 2], away), axis=1).astype(np.float32))

    def of_each(self) -> list[float | None]:
        """Return the unlikeness of each clip; None if no other clip has the same number of joints."""
        unlikeness: list[float | None] = [None] * len(self._poses)
        for width in {poses.shape[1] for poses in self._poses}:
            numbers = [number for number, poses in enumerate(self._poses) if poses.shape[1] == width]
            if len(numbers) < 2 or not width:
                continue
            poses = np.stack([self._poses[number] for number in numbers])
            deviation = float(np.sqrt(poses.reshape(-1, width).var(axis=0, dtype=np.float64).mean()))
            distances = np.sqrt(np.square(poses - poses.mean(axis=0)).mean(axis=(1, 2), dtype=np.float64))
            for number, distance in zip(numbers, distances.tolist(), strict=True):
                unlikeness[number] = distance / deviation if deviation > 0 else 0.0
        return unlikeness
