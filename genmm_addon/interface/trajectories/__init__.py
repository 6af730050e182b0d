# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories through a range, shown as lines in the viewport; a click on a line takes one."""
