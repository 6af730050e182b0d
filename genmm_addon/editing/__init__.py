# SPDX-License-Identifier: GPL-3.0-or-later
"""Editing of an action in place: gaps filled, coarse keys, styles and attributes, repair."""
