# SPDX-License-Identifier: GPL-3.0-or-later
"""The viewport that an operator works in, and the mouse and points of the world in its pixels."""

from typing import Any

import numpy as np
from bpy.types import Context, Event
from bpy_extras.view3d_utils import location_3d_to_region_2d

from ...core import Array, Float64


def viewport_in_use(context: Context) -> tuple[Any, Any] | None:
    """Return the region and view of the viewport in use, or else of the window's largest."""
    areas = [area for area in (context.screen.areas if context.screen else ()) if area.type == "VIEW_3D"]
    if context.area is not None and context.area.type == "VIEW_3D":
        areas = [context.area]
    for area in sorted(areas, key=lambda shown: -shown.width * shown.height):
        space: Any = area.spaces.active
        region = next((region for region in area.regions if region.type == "WINDOW"), None)
        if region is not None and space.region_3d is not None:
            return region, space.region_3d
    return None


def points_on_screen(points: Array, region: Any, data: Any) -> Float64:
    """Return points `(T, 3)` of the world in a region, in pixels `(T, 2)`; nan where they are not visible."""
    positions = (location_3d_to_region_2d(region, data, point) for point in points)
    return np.array([(np.nan, np.nan) if point is None else (point.x, point.y) for point in positions], np.float64)


def mouse_in(region: Any, event: Event) -> tuple[float, float]:
    """Return the place of the mouse in a region, in pixels, wherever the event happened."""
    return float(event.mouse_x - region.x), float(event.mouse_y - region.y)
