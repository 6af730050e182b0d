# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures of places in the world, see docs/places.md: ground, pins on stairs, hands, waypoints, trajectories."""
