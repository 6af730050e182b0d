# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories: the ways through a range as lines in the viewport, of which a click takes one."""
