# SPDX-License-Identifier: GPL-3.0-or-later
"""Waypoints: their list in the sidebar, the operators that add and remove them, and their path in the viewport."""
