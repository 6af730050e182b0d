# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals that a result follows: sounds, animated properties, strokes, other characters, and beats."""
