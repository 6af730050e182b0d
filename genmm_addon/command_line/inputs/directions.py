# SPDX-License-Identifier: GPL-3.0-or-later
"""Grounds, paths and waypoints given on the command line."""

import csv
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
from bpy.types import Object

from ...animation.curve_path import MOST_POINTS, check_curve
from ...animation.ground_mesh import check_ground
from ...core import InputError
from ...generation.direction import WaypointSpec
from ..errors import WrongOption
from .opening import object_named

IMPORTERS: dict[str, Callable[..., Any]] = {
    ".obj": lambda path: bpy.ops.wm.obj_import(filepath=path),
    ".ply": lambda path: bpy.ops.wm.ply_import(filepath=path),
    ".stl": lambda path: bpy.ops.wm.stl_import(filepath=path),
    ".fbx": lambda path: bpy.ops.import_scene.fbx(filepath=path),
    ".glb": lambda path: bpy.ops.import_scene.gltf(filepath=path),
    ".gltf": lambda path: bpy.ops.import_scene.gltf(filepath=path),
}
"""Blender's operator for reading each kind of file, by suffix."""
POINTS, BLEND = ".csv", ".blend"
WORDS = {"place": (True, False), "facing": (False, True), "both": (True, True)}
"""Properties of a waypoint that are used (place, facing), by word."""
_NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)"
_PLACE = re.compile(rf"({_NUMBER})\s+({_NUMBER})(?:\s+({_NUMBER}))?")


def ground_of(text: str, armature: Object) -> Object:
    """Return the object of a name, or the imported objects of a file, under one parent. Raises InputError."""
    ground: Object | None = bpy.data.objects.get(text)
    if ground is None:
        path = Path(text)
        if path.suffix.lower() not in IMPORTERS:
            endings = ", ".join(IMPORTERS)
            raise InputError(
                f'There is no object "{text}"; set an object of the file, or a file with meshes ({endings}).'
            )
        if not path.is_file():
            raise WrongOption(f'There is no file "{text}"; check its name.')
        ground = _imported(path)
    check_ground(ground, armature)
    return ground


def _imported(path: Path) -> Object:
    before = set(bpy.data.objects)
    try:
        IMPORTERS[path.suffix.lower()](str(path.absolute()))
    except RuntimeError as error:
        raise WrongOption(f'"{path}" cannot be read: {str(error).strip()}') from error
    new = [thing for thing in bpy.data.objects if thing not in before]
    if not any(thing.type == "MESH" for thing in new):
        raise WrongOption(f'"{path}" contains no mesh; choose another file as the ground.')
    tops = [thing for thing in new if thing.parent is None]
    if len(tops) == 1:
        return tops[0]
    parent = bpy.data.objects.new(path.stem, None)
    bpy.context.scene.collection.objects.link(parent)
    for thing in tops:
        thing.parent = parent
    bpy.context.view_layer.update()
    return parent


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


def waypoints_of(text: str) -> tuple[WaypointSpec, ...]:
    """Return the waypoints in a text like "Start@1, Door@60:facing, 2 -1.5 90@120". Raises InputError."""
    return tuple(_waypoint(entry.strip()) for entry in text.split(","))


def _waypoint(entry: str) -> WaypointSpec:
    name, _, timing = entry.rpartition("@")
    number, _, word = timing.partition(":")
    name, number, word = name.strip(), number.strip(), word.strip()
    if not name or not re.fullmatch(r"-?\d{1,7}", number) or (word and word not in WORDS):
        raise InputError(
            f'The waypoint "{entry}" is not valid; write it as NAME@FRAME, optionally with :place, :facing or :both.'
        )
    place = _PLACE.fullmatch(name)
    if place is None:
        return WaypointSpec(object_named(name), int(number), *WORDS[word or "place"])
    turn = place[3]
    empty = _new_empty(float(place[1]), float(place[2]), float(turn or 0.0), int(number))
    return WaypointSpec(empty, int(number), *WORDS[word or ("place" if turn is None else "both")])


def _new_empty(x: float, y: float, degrees: float, frame: int) -> Object:
    """Return a new empty; degrees: its facing, from +X towards +Y."""
    empty = bpy.data.objects.new(f"Waypoint {frame}", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location = (x, y, 0.0)
    empty.rotation_euler = (0.0, 0.0, math.radians(degrees + 90.0))
    bpy.context.view_layer.update()
    return empty
