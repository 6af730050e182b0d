# SPDX-License-Identifier: GPL-3.0-or-later
"""The path that a command names: a curve of the open file, or a file with a curve or with points."""

import csv
import math
from pathlib import Path
from typing import Any

import bpy
from bpy.types import Object

from ...animation.curve_path import MOST_POINTS, check_curve
from ...core import InputError
from .opening import object_named

POINTS, BLEND = ".csv", ".blend"


def curve_of(text: str) -> Object:
    """Return the curve object of a name, of a .blend, or through the points of a .csv. Raises InputError."""
    path = Path(text)
    if text in bpy.data.objects or path.suffix.lower() not in (POINTS, BLEND):
        curve = object_named(text)
    elif not path.is_file():
        raise InputError(f'There is no file "{text}"; check its name.')
    else:
        curve = _through(_points(path), path.stem) if path.suffix.lower() == POINTS else _appended(path)
    check_curve(curve)
    return curve


def _points(path: Path) -> list[tuple[float, ...]]:
    """Return the points in the lines of a file: x, y, and z if given, after a line of titles if there is one."""
    points = []
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            for number, row in enumerate(csv.reader(lines), 1):
                if not any(cell.strip() for cell in row) or (number == 1 and not _is_number(row[0])):
                    continue
                if len(row) not in (2, 3) or not all(map(_is_number, row)):
                    raise InputError(f'Line {number} of "{path}" is not a point; write x, y, and z if it is not 0.')
                points.append((*map(float, row), 0.0)[:3])
                if len(points) > MOST_POINTS:
                    raise InputError(f'"{path}" has more than {MOST_POINTS:,} points; use fewer.')
    except (OSError, UnicodeError, csv.Error) as error:
        raise InputError(f'"{path}" cannot be read as points: {error}.') from error
    if len(points) < 2:
        raise InputError(f'"{path}" has fewer than two points; a path needs at least two.')
    return points


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(float(text))
    except ValueError:
        return False


def _through(points: list[tuple[float, ...]], name: str) -> Object:
    """Return a new curve object whose line goes through the points, in the space of the world."""
    data: Any = bpy.data.curves.new(name, "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(len(points) - 1)
    spline.points.foreach_set("co", [value for point in points for value in (*point, 1.0)])
    return _placed(bpy.data.objects.new(name, data))


def _appended(path: Path) -> Object:
    """Return the only curve object of another file."""
    if bpy.data.filepath and path.samefile(bpy.data.filepath):  # Blender 4.2 would crash
        raise InputError(f'"{path}" is the input itself; set the name of its curve object.')
    load: Any = bpy.data.libraries.load
    try:
        with load(str(path), link=False) as (source, target):
            target.objects = list(source.objects)
    except OSError as error:
        raise InputError(f'"{path}" cannot be read; save it again with Blender.') from error
    objects: list[Any] = [thing for thing in target.objects if thing is not None]
    curves = [thing for thing in objects if thing.type == "CURVE"]
    for thing in objects:
        if thing not in curves:
            bpy.data.objects.remove(thing)
    if len(curves) != 1:
        names = ", ".join(f'"{curve.name}"' for curve in curves) or "none"
        raise InputError(f'"{path}" needs one curve object to be a path and has {names}; keep one in it.')
    return _placed(curves[0])


def _placed(curve: Object) -> Object:
    bpy.context.scene.collection.objects.link(curve)
    bpy.context.view_layer.update()
    return curve
