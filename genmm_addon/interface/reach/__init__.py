# SPDX-License-Identifier: GPL-3.0-or-later
"""Hands and feet at places: a character's list of places, and the operators that bring bones there."""
