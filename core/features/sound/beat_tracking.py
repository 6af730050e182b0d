# SPDX-License-Identifier: GPL-3.0-or-later
"""Beats of music by dynamic programming: strong onsets at even distances (Ellis 2007), at a tempo that may change."""

import numpy as np

from ...arrays import Array, Float64, Int64
from ...motion.filters import gaussian
from .envelopes import ENVELOPE_RATE, WINDOW_SECONDS, loudness, onset_strength

TEMPOS = (50.0, 200.0)
"""Slowest and fastest tempo that is found, in beats per minute: what people tap (Moelants 2002)."""
USUAL_TEMPO, OCTAVES = 120.0, 0.8
"""Tempo at which people tap most easily, in beats per minute, and the deviation around it in octaves (Ellis 2007)."""
_LONGEST, _SHORTEST = (60.0 / tempo * ENVELOPE_RATE for tempo in TEMPOS)
AS_LOUD = 0.6
"""Smallest loudness, as a share of that of the beats, of places between them that are beats themselves: -4.4 dB."""
TEMPO_SECONDS = 8.0
"""Time, in seconds, over which a tempo is measured: four bars at a brisk tempo."""
TEMPO_CHANGE = 40.0
"""Cost of a tempo that doubles within a second, in the unit of the correlations, squared in octaves."""
TIGHTNESS = 100.0
"""Cost of a distance that is not that of the tempo, squared in units of its natural logarithm (Ellis 2007: 100)."""


def find_beats(samples: Array, rate: float) -> Float64:
    """Return the times `(B,)`, in seconds, of the beats of a sound; none if nothing in it begins.

    samples: `(S,)` mono. rate: samples per second.

    >>> find_beats(np.zeros(8000), 8000.0)
    array([], dtype=float64)
    """
    strength = onset_strength(samples, rate)
    if not strength.any():
        return np.zeros(0)
    smoothed = _smoothed(strength)
    attacks = _attacks(samples, len(strength))
    periods = local_periods(strength)
    beats = track(smoothed, periods)
    if periods.min() / 2 >= _SHORTEST and _are_beats(attacks, beats, beats[:-1] + np.diff(beats) // 2):
        beats = track(smoothed, periods / 2)
    for strong, weak in ((beats[::2], beats[1::2]), (beats[1::2], beats[::2])):
        if periods.max() * 2 <= _LONGEST and not _are_beats(attacks, strong, weak):
            beats = strong
            break
    # Before the first onset and after the last one there is nothing to hear.
    onsets = np.flatnonzero(smoothed)
    return np.asarray(beats[(beats >= onsets[0]) & (beats <= onsets[-1])] / ENVELOPE_RATE)


def _attacks(samples: Array, count: int) -> Float64:
    """Return the loudness `(count,)` in the time of a drum's stroke from each value of the onset strength on."""
    levels = loudness(samples, count)
    stroke = max(round(WINDOW_SECONDS * ENVELOPE_RATE), 1)
    padded = np.concatenate((levels, np.zeros(stroke)))
    return np.asarray(np.sqrt(np.lib.stride_tricks.sliding_window_view(padded**2, stroke)[:count].mean(axis=1)))


def _are_beats(attacks: Float64, beats: Int64, others: Int64) -> bool:
    """Return whether other places are so loud, compared with the beats around them, that they are beats as well."""
    if not len(beats) or not len(others):
        return True
    return bool(np.median(attacks[others] - AS_LOUD * np.interp(others, beats, attacks[beats])) >= 0.0)


def _smoothed(strength: Float64) -> Float64:
    """Return the onset strength `(T,)` over which beats are found, however short."""
    return np.convolve(strength, gaussian(6, 2.0))[6:-6]


def local_periods(strength: Float64) -> Float64:
    """Return the time from beat to beat `(T,)`, in values of the onset strength `(T,)`, around each value."""
    lags = np.arange(int(_SHORTEST), int(_LONGEST) + 1)
    step, half = round(ENVELOPE_RATE), round(TEMPO_SECONDS * ENVELOPE_RATE / 2)
    centers = np.arange(0, len(strength), step)
    smoothed = _smoothed(strength - strength.mean())
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


def _correlations(window: Float64, lags: Int64) -> Float64:
    """Return the correlation of a window with itself at each lag, and at twice the lag, as a share of its energy."""
    size = 2 * len(window) + 2
    power = np.square(np.abs(np.fft.rfft(window, size)))
    own = np.fft.irfft(power, size)[: len(window)]
    own = np.concatenate((own / max(float(own[0]), np.finfo(float).tiny), np.zeros(2 * lags[-1] + 1)))
    return np.asarray(own[lags] + 0.5 * own[2 * lags])


def track(strength: Float64, periods: Float64) -> Int64:
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
