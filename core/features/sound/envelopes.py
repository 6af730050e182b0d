# SPDX-License-Identifier: GPL-3.0-or-later
"""Envelopes of a sound: how loud it is, and how strongly notes begin, over time."""

import numpy as np

from ...arrays import Array, Float64, Int64
from ...motion.piecewise import pieces

ENVELOPE_RATE = 100.0
"""Values per second of the onset strength: a hundredth of a second is heard as at once."""
WINDOW_SECONDS = 0.046
"""Length of a spectrum's window, in seconds: 1,024 samples at 22,050 Hz, as in most onset detectors (Böck et al. 2012).
A drum's stroke is loud for as long."""
BANDS, LOWEST_HERTZ = 24, 30.0
"""Number of bands of equal ratio over all that is heard above the lowest frequency: about three to an octave."""
COMPRESSION = 100.0
"""Factor before the logarithm, so that soft notes count as well as loud ones."""
HEARD_CHANGE = 0.12
"""Smallest change of loudness that is heard, as a share: 1 dB. In a tone that is held, nothing begins."""


def loudness(samples: Array, frames: int) -> Float64:
    """Return the root mean square `(frames,)` of a sound in equal spans of its whole length.

    samples: `(S,)` mono, in -1 to 1.

    >>> loudness(np.array([0.0, 0.0, 1.0, -1.0]), 2).tolist()
    [0.0, 1.0]
    """
    edges = np.round(np.arange(frames + 1) * len(samples) / frames).astype(np.int64)
    squares = np.concatenate(([0.0], np.cumsum(np.square(samples, dtype=np.float64))))
    return np.asarray(np.sqrt(np.maximum(np.diff(squares[edges]), 0.0) / np.maximum(np.diff(edges), 1)))


def onset_strength(samples: Array, rate: float) -> Float64:
    """Return the strength `(T,)` with which notes begin, at ENVELOPE_RATE: the growth of all bands together.

    It is the spectral flux (Bello et al. 2005), in units of its standard deviation; 0 at rates too low for any band.
    """
    length, hop = max(round(WINDOW_SECONDS * rate), 2), rate / ENVELOPE_RATE
    count = max(int(len(samples) / hop), 1)
    padded = np.concatenate((np.zeros(length // 2), samples, np.zeros(length)))
    window, groups = np.hanning(length), _band_edges(length, rate)
    if len(groups) < 2:
        return np.zeros(count)
    levels = np.zeros((count, len(groups) - 1))
    for piece in pieces(count, length):
        starts = np.round(np.arange(piece.start, piece.stop) * hop).astype(np.int64)
        spectra = np.abs(np.fft.rfft(padded[starts[:, None] + np.arange(length)] * window, axis=1))
        sums = np.concatenate((np.zeros((len(starts), 1)), np.cumsum(spectra, axis=1)), axis=1)
        levels[piece] = np.diff(sums[:, groups], axis=1)
    levels = np.log1p(COMPRESSION * levels / max(float(levels.max()), np.finfo(float).tiny))
    rises = np.diff(levels, axis=0, prepend=levels[:1])
    growth = np.where(rises > HEARD_CHANGE, rises, 0.0).sum(axis=1)
    return np.asarray(growth / max(float(growth.std()), np.finfo(float).tiny))


def _band_edges(length: int, rate: float) -> Int64:
    """Return the ascending bins at which bands of equal ratio begin and end; fewer than two if none is that high."""
    hertz = np.geomspace(LOWEST_HERTZ, rate / 2, BANDS + 1)
    return np.unique(np.minimum(np.round(hertz * length / rate), length // 2 + 1).astype(np.int64))
