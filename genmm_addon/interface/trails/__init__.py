# SPDX-License-Identifier: GPL-3.0-or-later
"""Trails of the selected bones in the viewport, whose points can be dragged."""
