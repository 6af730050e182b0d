# SPDX-License-Identifier: GPL-3.0-or-later
"""Waypoints: the list in the sidebar, adding and removing, and the way in the viewport."""
