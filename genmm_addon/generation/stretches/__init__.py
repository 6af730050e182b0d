# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches of a motion made anew in place: of a result, with its recipe, or going on from a character's action."""
