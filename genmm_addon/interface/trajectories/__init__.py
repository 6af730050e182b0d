# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories: ways through a range, shown as lines in the viewport, of which a click takes one."""
