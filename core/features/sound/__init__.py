# SPDX-License-Identifier: GPL-3.0-or-later
"""Sound as signals: its loudness, its onsets, and its beats."""

from .beat_tracking import find_beats
from .envelopes import loudness, onset_strength

__all__ = ["find_beats", "loudness", "onset_strength"]
