# SPDX-License-Identifier: GPL-3.0-or-later
"""A curve object as the path of a character, in the space of the character's roots."""

from typing import Any

import bpy
import numpy as np
from bpy.types import Curve, Object

from ..core import Float64, InputError, RootPath
from .actions import values_of_property
from .points import placed, vertices_of
from .rig import roots_to_world

RESOLUTION = 64
"""Number of points between two control points; more would not be visible."""
MOST_POINTS = 200_000


def read_path(
    curve: Object,
    armature: Object,
    with_object: bool,
    *,
    frames: Float64 | None = None,
    arrives: bool = False,
    along: bool = True,
    climbs: bool = False,
) -> RootPath:
    """Return the curve's first spline, without modifiers, at its present place in the world.

    with_object: the armature's object is itself a joint, so the roots are in the space of its parent.
    frames: scene frames `(F,)` at which the curve's evaluation time gives the character's progress along it; None: the
    curve gives no progress. Raises InputError for an object that is not a curve, or a curve that has no length or, with
    frames, no animated evaluation time.
    """
    check_curve(curve)
    points, closed = curve_points(curve)
    in_roots = placed(roots_to_world(armature, with_object).inverted_safe() @ curve.matrix_world, points)
    progress = None if frames is None else _progress(curve, frames)
    return RootPath(in_roots, closed=closed, progress=progress, arrives=arrives, along=along, climbs=climbs)


def check_curve(curve: Object | None) -> None:
    """Raise InputError unless this is a curve with a spline."""
    if curve is None or curve.type != "CURVE" or not isinstance(curve.data, Curve):
        raise InputError(f'"{curve.name if curve else ""}" is not a curve; choose a curve object as the path.')
    if not curve.data.splines:
        raise InputError(f'The curve "{curve.name}" has no spline; draw one or choose another curve.')


def curve_points(curve: Object) -> tuple[Float64, bool]:
    """Return the first spline `(M, 3)` in the curve's space, and whether it is closed."""
    # A copy of the data, since bevel, fill and taper would turn the curve into a surface.
    data: Any = curve.data.copy()
    probe = bpy.data.objects.new(curve.name, data)
    try:
        closed = bool(data.splines[0].use_cyclic_u)
        for spline in list(data.splines)[1:]:
            data.splines.remove(spline)
        data.bevel_depth = data.extrude = data.offset = 0.0
        data.bevel_object = data.taper_object = None
        data.dimensions = "3D"
        control = data.splines[0]
        count = len(control.bezier_points) or len(control.points)
        data.resolution_u = max(1, min(RESOLUTION, MOST_POINTS // max(count, 1)))
        control.resolution_u = data.resolution_u
        rows = vertices_of(probe.to_mesh())
        probe.to_mesh_clear()
    finally:
        bpy.data.objects.remove(probe)
        bpy.data.curves.remove(data)
    if len(rows) < 2:
        raise InputError(f'The curve "{curve.name}" has no length; draw it longer or choose another curve.')
    return rows, closed


def _progress(curve: Object, frames: Float64) -> Float64:
    values = values_of_property(curve.data, "eval_time", frames)
    if values is None:
        raise InputError(
            f'The evaluation time of the curve "{curve.name}" is not animated; '
            "animate it in the curve's Path Animation, or choose another speed."
        )
    share = values / max(float(curve.data.path_duration), 1.0)
    return np.asarray(share if curve.data.splines[0].use_cyclic_u else np.clip(share, 0.0, 1.0))
