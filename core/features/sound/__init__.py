# SPDX-License-Identifier: GPL-3.0-or-later
"""Sound as signals: its loudness, its onsets, and its beats."""

from .beat_tracking import find_beats
from .envelopes import HEARD_CHANGE, loudness

__all__ = ["HEARD_CHANGE", "find_beats", "loudness"]
