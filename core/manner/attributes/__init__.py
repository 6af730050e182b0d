# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes of a motion, such as speed or the swing of its arms, measured, and edited within the examples' range."""
