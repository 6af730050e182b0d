# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a synthesis will take, to choose between working at once and working beside the window."""

from dataclasses import dataclass

LONGEST_WAIT = 0.7
"""Seconds that a window may stand still before it feels broken."""

# Measured on two cores with OpenBLAS; only the proportions matter once `Estimate` has learned a machine's speed.
SECONDS_PER_MOTION = 0.02
SECONDS_PER_FRAME = 4e-5
SECONDS_PER_VALUE = 5e-8
"""Blending and decoding one channel of one output frame."""
SECONDS_PER_PAIR = 1e-9
"""Comparing one output frame with one example frame, once."""
LIMBS_FACTOR = 2.0
"""What matching limb by limb takes, compared with the whole body."""


@dataclass(frozen=True)
class Work:
    """What there is to do.

    frames: length of each result; variations: how many; example_frames: all examples together; values:
    channels of one frame; iterations: E; pyramid_factor: r; by_limbs: whether limbs are matched on their own.
    """

    frames: int
    variations: int
    example_frames: int
    values: int
    iterations: int
    pyramid_factor: float
    by_limbs: bool = False


class Estimate:
    """Predicts seconds, and learns this machine's speed from every run: BLAS alone makes a factor of five."""

    def __init__(self) -> None:
        self._slowness = 1.0

    def seconds(self, work: Work) -> float:
        """The expected time of the whole computation."""
        return self._slowness * _standard_seconds(work)

    def learn(self, work: Work, seconds: float) -> None:
        """Take a measured time into account; half of the way, since one run may have met a busy machine."""
        measured = seconds / _standard_seconds(work)
        self._slowness = min(max((self._slowness + measured) / 2, 0.1), 50.0)


def _standard_seconds(work: Work) -> float:
    # Every stage is r times the next finer one in both lengths: a geometric series in r squared.
    stages = 1.0 / (1.0 - work.pyramid_factor**2)
    compared = work.example_frames * work.iterations * stages * SECONDS_PER_PAIR
    per_frame = SECONDS_PER_FRAME + work.values * SECONDS_PER_VALUE + compared
    factor = LIMBS_FACTOR if work.by_limbs else 1.0
    return work.variations * (SECONDS_PER_MOTION + work.frames * per_frame * factor)
