# SPDX-License-Identifier: GPL-3.0-or-later
"""Beats of music by dynamic programming: strong onsets at even distances (Ellis 2007), at a tempo that may change."""

import numpy as np
from numpy.typing import NDArray

from ...motion.filters import gaussian
from .envelopes import ENVELOPE_RATE, onset_strength

Float64 = NDArray[np.float64]

TEMPOS = (50.0, 200.0)
"""Slowest and fastest tempo that is found, in beats per minute: what people tap (Moelants 2002)."""
USUAL_TEMPO, OCTAVES = 120.0, 0.8
"""Tempo at which people tap most easily, in beats per minute, and the deviation around it in octaves (Ellis 2007)."""
TEMPO_SECONDS = 8.0
"""Time, in seconds, over which a tempo is measured: four bars at a brisk tempo."""
TEMPO_CHANGE = 40.0
"""Cost of a tempo that doubles within a second, in the unit of the correlations, squared in octaves."""
TIGHTNESS = 100.0
"""Cost of a distance that is not that of the tempo, squared in units of its natural logarithm (Ellis 2007: 100)."""


def find_beats(samples: NDArray[np.floating], rate: float) -> Float64:
    """Return the times `(B,)`, in seconds, of the beats of a sound; none if nothing in it begins.

    samples: `(S,)` mono. rate: samples per second.
    """
    strength = onset_strength(samples, rate)
    if not strength.any():
        return np.zeros(0)
    periods = local_periods(strength)
    return track(np.convolve(strength, gaussian(6, 2.0), "same"), periods) / ENVELOPE_RATE


def local_periods(strength: Float64) -> Float64:
    """Return the time from beat to beat `(T,)`, in values of the onset strength `(T,)`, around each value."""
    longest, shortest = (60.0 / tempo * ENVELOPE_RATE for tempo in TEMPOS)
    lags = np.arange(int(shortest), int(longest) + 1)
    step, half = round(ENVELOPE_RATE), round(TEMPO_SECONDS * ENVELOPE_RATE / 2)
    centers = np.arange(0, len(strength), step)
    smoothed = np.convolve(strength - strength.mean(), gaussian(6, 2.0), "same")
    scores = np.array([_correlations(smoothed[max(c - half, 0) : c + half], lags) for c in centers])
    octaves = np.log2(lags)
    scores *= np.exp(-0.5 * np.square((octaves - np.log2(60.0 / USUAL_TEMPO * ENVELOPE_RATE)) / OCTAVES))
    changes = TEMPO_CHANGE * np.square(octaves[:, None] - octaves)
    totals, origins = scores[0], []
    for score in scores[1:]:
        candidates = totals - changes
        origins.append(candidates.argmax(axis=1))
        totals = candidates.max(axis=1) + score
    path = [int(totals.argmax())]
    for origin in reversed(origins):
        path.append(int(origin[path[-1]]))
    return np.asarray(np.interp(np.arange(len(strength)), centers, lags[path[::-1]].astype(np.float64)))


def _correlations(window: Float64, lags: NDArray[np.int64]) -> Float64:
    """Return the correlation of a window with itself at each lag, and at twice the lag, as a share of its energy."""
    size = 2 * len(window) + 2
    power = np.square(np.abs(np.fft.rfft(window, size)))
    own = np.fft.irfft(power, size)[: len(window)]
    own = np.concatenate((own / max(float(own[0]), np.finfo(float).tiny), np.zeros(2 * lags[-1] + 1)))
    return np.asarray(own[lags] + 0.5 * own[2 * lags])


def track(strength: Float64, periods: Float64) -> NDArray[np.int64]:
    """Return the places `(B,)` of beats, ascending: of strong onsets, about a period apart."""
    scores, origins = strength.copy(), np.full(len(strength), -1)
    for place in range(len(strength)):
        period = periods[place]
        first, last = max(place - round(2 * period), 0), place - round(period / 2)
        if last <= first:
            continue
        before = np.arange(first, last)
        candidates = scores[first:last] - TIGHTNESS * np.square(np.log((place - before) / period))
        best = int(candidates.argmax())
        if candidates[best] > 0:
            scores[place] += candidates[best]
            origins[place] = first + best
    end = max(len(strength) - round(float(periods[-1])), 0)
    place, beats = end + int(scores[end:].argmax()), []
    while place >= 0:
        beats.append(place)
        place = int(origins[place])
    return np.array(beats[::-1])
