# SPDX-License-Identifier: GPL-3.0-or-later
"""Sound as signals: its loudness, its onsets, and its beats."""

from .beat_tracking import find_beats
from .envelopes import loudness

__all__ = ["find_beats", "loudness"]
