# SPDX-License-Identifier: GPL-3.0-or-later
"""The frame rate of a glTF file, which gives the times of its keys but no rate; uses NumPy alone."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...animation.stretches.stepping import FILM
from ...core import Float64, InputError
from .document import ERRORS, Document, read_document

Times = Float64

USUAL_RATES = (24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 144, 240)
"""Frames per second at which motion is recorded and played; each is tried with its television rate, 1/1.001 of it."""
LOWEST_SAMPLED = 20.0
"""Lowest rate, in frames per second, at which keys are taken for samples of motion and not for poses far apart."""
HIGHEST_SPARSE, HIGHEST_RATE = 60.0, 240.0
"""Highest frames per second, if keys are poses far apart, and if they are samples."""
SAME_TIME = 6e-4
"""Largest difference, in seconds, of a key's time from its frame: that of times rounded to milliseconds."""
ON_FRAMES = 0.9
"""Smallest share of an animation's keys that are whole frames apart; many files have an odd last key."""
MOST_PARTS = 8
"""Most frames between the two nearest keys of an optimized file, from which redundant keys were removed."""
LATEST = 1e6
"""Latest time of a key, in seconds: eleven days."""
MOST_CURVES, MOST_KEYS = 1000, 2**14
"""Most curves of an animation, and most keys of a curve, that are looked at."""
SHORT_STEPS = 10
"""Percentile of the steps between keys at irregular times that is sampled twice."""


@dataclass(frozen=True)
class KeyRate:
    """The rate at which a file is read, in frames per second. is_regular: whether nearly all keys are on frames."""

    frames_per_second: float = FILM
    is_regular: bool = True


def key_rate(path: Path) -> KeyRate:
    """Return the lowest usual rate at which the keys of all of a file's animations are on frames.

    Without such a rate, return one at which the file's densest curve is sampled twice per key.
    A file with single keys, or that cannot be read, has the rate of film, as in Blender's importer; it is also the
    least for sparse keys.
    """
    try:
        document = read_document(path)
        animations = [_curves(document, animation) for animation in document.rows("animations")]
    except (InputError, *ERRORS):
        return KeyRate()
    return rate_of_times(animations)


def rate_of_times(animations: Sequence[Sequence[Times]]) -> KeyRate:
    """Return the rate for the key times, in seconds, of each animation's curves."""
    keyed = [_distinct(np.concatenate(curves)) for curves in animations if curves]
    moving = [times - times[0] for times in keyed if len(times) > 1]
    if not moving:
        return KeyRate()
    for rate in _candidates(np.concatenate([np.diff(times) for times in moving])):
        if all(_is_on_frames(times, rate) for times in moving):
            return KeyRate(float(rate))
    steps = [np.diff(_distinct(curve)) for curves in animations for curve in curves]
    shortest = min(float(np.percentile(curve_steps, SHORT_STEPS)) for curve_steps in steps if len(curve_steps))
    return KeyRate(float(np.clip(np.ceil(2 / shortest), FILM, HIGHEST_RATE)), is_regular=False)


def _is_on_frames(times: Times, rate: float) -> bool:
    """Return whether nearly all keys are whole frames apart, without drifting from the frames."""
    steps = np.diff(times)
    off = steps - np.round(steps * rate) / rate
    near = np.abs(off) <= 2 * SAME_TIME
    return bool(near.mean() >= ON_FRAMES and abs(off[near].sum()) <= 2 * SAME_TIME)


def _candidates(steps: Times) -> Iterator[float]:
    """Yield rates for the seconds from key to key: that of evenly sampled motion, the usual ones, and any other."""
    shortest = float(steps.min())
    sampled = round(1 / float(np.median(steps)))
    rates = [float(sampled)] if sampled >= LOWEST_SAMPLED else []
    rates = [candidate for rate in (*rates, *USUAL_RATES) for candidate in (rate, rate / 1.001)]
    for parts in range(1, MOST_PARTS + 1):
        rate = float(np.round(steps * parts / shortest).sum() / steps.sum())
        rates.append(rate if rate >= LOWEST_SAMPLED else rate * float(np.ceil(FILM / rate)))
    highest = min(max(MOST_PARTS / shortest, HIGHEST_SPARSE), HIGHEST_RATE)
    yield from (rate for rate in rates if rate <= highest)


def _curves(document: Document, animation: Mapping[str, Any]) -> list[Times]:
    """Return the key times of an animation's curves; those that cannot be read are left out."""
    inputs = list(dict.fromkeys(sampler["input"] for sampler in animation["samplers"]))
    curves = [_times(document, number) for number in inputs[:MOST_CURVES]]
    return [times for times in curves if len(times)]


def _times(document: Document, number: int) -> Times:
    """Return the first of an accessor's times; where its data are compressed, even times between its bounds."""
    accessor = document.rows("accessors")[number]
    count = min(accessor["count"], MOST_KEYS)
    if count < 1:
        return np.empty(0)
    try:
        times = document.floats(number, count)
    except ERRORS:
        first, last = float(accessor["min"][0]), float(accessor["max"][0])
        times = first + (last - first) / max(accessor["count"] - 1, 1) * np.arange(count)
    return np.sort(times) if (np.abs(times) <= LATEST).all() else np.empty(0)


def _distinct(times: Times) -> Times:
    """Return times in order, of which none is so close to the one before that it stands for the same frame."""
    times = np.unique(times)
    return times[np.insert(np.diff(times) > SAME_TIME, 0, True)]
