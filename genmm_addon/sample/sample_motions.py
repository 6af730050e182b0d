# SPDX-License-Identifier: GPL-3.0-or-later
"""The sample character's motions, authored in seconds and sampled at any rate."""

from collections.abc import Mapping

import numpy as np

from ..core import Motion
from . import sample_dance, sample_wave
from .sample_posing import posed
from .walk import gait, walking

AUTHORED = {
    "GenMM Walk": (gait.SECONDS, walking.walk),
    "GenMM Wave": (sample_wave.SECONDS, sample_wave.wave),
    "GenMM Dance": (sample_dance.SECONDS, sample_dance.dance),
}


def sample_motions(frames_per_second: float, units_per_meter: float = 1.0) -> Mapping[str, Motion]:
    """The motions by name, at the scene's rate and in its units; rotations of all bones, translations of the hips."""
    motions = {}
    for name, (seconds, author) in AUTHORED.items():
        times = np.arange(int(seconds * frames_per_second + 1e-6) + 1) / frames_per_second
        motions[name] = posed(author(times), frames_per_second, units_per_meter)
    return motions
