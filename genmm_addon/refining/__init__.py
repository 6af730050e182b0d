# SPDX-License-Identifier: GPL-3.0-or-later
"""Refinement of the action that a character plays: coarse keys and back, and rough stretches made natural."""
