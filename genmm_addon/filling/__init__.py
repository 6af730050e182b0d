# SPDX-License-Identifier: GPL-3.0-or-later
"""Gaps in the action that a character plays, filled in place: new motion between two poses, or through many."""
