# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals that a motion follows, and the beats of music."""
