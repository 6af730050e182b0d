# SPDX-License-Identifier: GPL-3.0-or-later
"""Sounds made by formulas, for the demo, the films and the tests: drums at given times, and WAV files."""

import wave
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SOUND_RATE = 22_050
"""Samples per second."""


def changing_tempo(tempos: Sequence[float], seconds: float) -> Array:
    """Return the times `(B,)` of beats whose tempo, in beats per minute, changes after equal spans of time."""
    times, time = [], 0.4
    while time < seconds - 0.3:
        times.append(time)
        time += 60.0 / tempos[int(time / seconds * len(tempos))]
    return np.array(times)


def rhythm(times: Array, seconds: float, noise: float = 0.02, swing: float | None = None, seed: int = 0) -> Array:
    """Return a drum at each time, with a soft hat between them if there is a swing from 0 to 1, and noise."""
    generator = np.random.default_rng(seed)
    samples = noise * generator.standard_normal(int(seconds * SOUND_RATE))
    for number, time in enumerate(times):
        _add(samples, time, 0.8 * np.sin(2 * np.pi * (70, 160)[number % 2] * _seconds(0.15)) * _fading(0.15, 0.05))
        if swing is not None and number + 1 < len(times):
            between = time + (times[number + 1] - time) * (0.5 + swing / 6)
            _add(samples, between, 0.1 * generator.standard_normal(int(0.05 * SOUND_RATE)) * _fading(0.05, 0.01))
    return samples


def _seconds(length: float) -> Array:
    return np.arange(int(length * SOUND_RATE)) / SOUND_RATE


def _fading(length: float, decay: float) -> Array:
    return np.asarray(np.exp(-_seconds(length) / decay))


def _add(samples: Array, time: float, sound: Array) -> None:
    start = int(time * SOUND_RATE)
    piece = sound[: max(len(samples) - start, 0)]
    samples[start : start + len(piece)] += piece


def write_wav(path: Path, samples: Array, width: int = 2, channels: int = 1, rate: int = SOUND_RATE) -> Path:
    """Write samples, -1 to 1, to a WAV file of whole numbers, and return its path. width: in bytes."""
    whole = np.round(np.clip(samples, -1, 1) * ((1 << (8 * width - 1)) - 1)).astype(np.int64)
    whole = np.repeat(whole[:, None], channels, axis=1) + (128 if width == 1 else 0)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(width)
        file.setframerate(rate)
        file.writeframes(whole.astype("<i8").view(np.uint8).reshape(len(whole), channels, -1)[..., :width].tobytes())
    return path
