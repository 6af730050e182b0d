# SPDX-License-Identifier: GPL-3.0-or-later
"""Viewports: the one in use, points in it, and framing."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from bpy.types import Context, Event, Object
from bpy_extras.view3d_utils import location_3d_to_region_2d

from ...animation.points import placed
from ...character.placement import remembered_ground
from ...core import Array, Float64, Mask

MARGIN = 1.1
"""Ratio of view distances that are tried in turn, and room around what must fit."""


def viewport_of(context: Context, *, or_largest: bool = False) -> tuple[Any, Any, Any] | None:
    """Return the area, window region and region data of the 3D viewport in use, or else of the window's largest."""
    areas = [context.area] if context.area is not None else []
    if or_largest and context.screen and not any(area.type == "VIEW_3D" for area in areas):
        areas = list(context.screen.areas)
    for area in sorted(areas, key=lambda shown: -shown.width * shown.height):
        space: Any = area.spaces.active
        region = next((region for region in area.regions if region.type == "WINDOW"), None)
        if area.type == "VIEW_3D" and region is not None and space.region_3d is not None:
            return area, region, space.region_3d
    return None


def points_on_screen(points: Array, region: Any, data: Any) -> Float64:
    """Return points `(T, 3)` of the world in a region, in pixels `(T, 2)`; nan where they are not visible."""
    positions = (location_3d_to_region_2d(region, data, point) for point in points)
    return np.array([(np.nan, np.nan) if point is None else (point.x, point.y) for point in positions], np.float64)


def mouse_in(region: Any, event: Event) -> tuple[float, float]:
    """Return the place of the mouse in a region, in pixels, wherever the event happened."""
    return float(event.mouse_x - region.x), float(event.mouse_y - region.y)


def points_of(rigs: Iterable[Object]) -> Float64:
    """Return world points `(N, 3)` that enclose each rig: over the ground of its motion if known, else its pose."""
    clouds = [np.empty((0, 3))]
    for rig in rigs:
        ends = [np.array(end) for bone in rig.pose.bones for end in (bone.head, bone.tail)] if rig.pose else []
        pose = placed(rig.matrix_world, np.array(ends, np.float64).reshape(-1, 3))
        ground = remembered_ground(rig)
        if ground is None or not len(pose):
            clouds.append(pose)
            continue
        corners = ground.reshape(-1, 2)
        heights = (pose[:, 2].min(), pose[:, 2].max())
        clouds += [np.column_stack((corners, np.full(len(corners), height))) for height in heights]
    points = np.concatenate(clouds)
    return np.asarray(points[np.isfinite(points).all(axis=1)])


def are_seen(points: Float64, data: Any, clip_end: float) -> Mask:
    """Return which points `(N, 3)` are visible in the region."""
    matrix = np.array(data.perspective_matrix, np.float64)
    clip = points @ matrix[:, :3].T + matrix[:, 3]
    depth = clip[:, 3]
    inside = (np.abs(clip[:, :2]) <= np.abs(depth)[:, None]).all(axis=1)
    if data.is_perspective:
        inside &= (depth > 0) & (depth < clip_end)
    return np.asarray(inside)


def frame(points: Float64, viewport: tuple[Any, Any, Any]) -> None:
    """Center the view on the points `(N, 3)`, as near as shows them all, without turning it."""
    area, _, data = viewport
    if not len(points):
        return
    if data.view_perspective == "CAMERA":
        data.view_perspective = "PERSP"
    low, high = points.min(axis=0), points.max(axis=0)
    data.view_location = (low + high) / 2
    size = max(float(np.linalg.norm(high - low)), 1e-3)
    data.view_distance = distance = 10.0 * size
    data.update()
    while distance > size and are_seen(points, data, np.inf).all():
        distance /= MARGIN
        data.view_distance = distance
        data.update()
    # One step back, where all is visible, and another one for room around it.
    distance *= MARGIN**2
    data.view_distance = distance
    space = area.spaces.active
    space.clip_end = max(space.clip_end, 2.0 * (distance + size))
    data.update()
    area.tag_redraw()


def frame_unseen(context: Context, results: Iterable[Object], source: Object) -> bool:
    """Frame results and their source where no result is visible; return whether the view was moved."""
    viewport = viewport_of(context)
    if viewport is None:
        return False
    context.view_layer.update()
    rigs = list(dict.fromkeys(results))
    points = points_of(rigs)
    area, _, data = viewport
    if not len(points) or are_seen(points, data, area.spaces.active.clip_end).any():
        return False
    frame(np.concatenate((points, points_of([source]))), viewport)
    return True
