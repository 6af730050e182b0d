# SPDX-License-Identifier: GPL-3.0-or-later
"""Waypoints: places and headings that the root passes at given frames, without a curve."""

from .reach import MOST_FASTER, highest_ground_speed
from .route import paths_between
from .waypoint import Waypoint
from .waypoints import Waypoints

__all__ = ["MOST_FASTER", "Waypoint", "Waypoints", "highest_ground_speed", "paths_between"]
