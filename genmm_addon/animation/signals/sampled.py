# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals sampled from the scene, frame by frame as Blender evaluates it: properties, strokes, other characters."""

from collections.abc import Iterator

import bpy
import numpy as np
from bpy.types import ID, Depsgraph, Object, Scene

from ...core import Float64, InputError
from ..curve_path import check_curve, curve_points
from ..points import placed
from ..reading.evaluation import evaluated_at, shown_alone
from ..rig import ancestors_of

LEVEL_SHARE = 1e-3
"""Largest height of a level stroke, as a share of its length; a stroke on the floor is not exactly level."""

OF_DATA = ("data.shape_keys.", "data.")
"""Beginnings of paths that lead from an object to a data-block that Blender animates by itself."""


def existing(name: str, what: str) -> Object:
    """Return an object by name. Raises InputError where there is none; what: that it is, for the message."""
    found: Object | None = bpy.data.objects.get(name)
    if found is None:
        raise InputError(f'There is no object "{name}" for the {what}; choose an object of this file.')
    return found


def read_property(name: str, path: str, character: Object, scene: Scene, frames: Float64) -> Float64:
    """Return the values `(T, C)` of an object's property at scene frames `(T,)`.

    path: from the object, such as `location`, `location[2]`, `["mood"]` or `data.shape_keys.key_blocks["Smile"].value`.
    Raises InputError where the object has no such property, where it is not a number or vector, and where the object
    depends on the character.
    """
    thing = existing(name, "signal")
    if character in (thing, *ancestors_of(thing)):
        raise InputError(f'"{name}" depends on "{character.name}" itself; choose an independent object.')
    values = np.array([_value(thing, path, graph) for graph in _evaluated(thing, scene, frames)])
    return np.asarray(values.reshape(len(frames), -1))


def _value(thing: Object, path: str, graph: Depsgraph) -> Float64:
    """Return an evaluated property as numbers. Raises InputError if it is not one."""
    owner: ID | None = thing
    rest = path
    try:
        for start in OF_DATA:
            if path.startswith(start):
                owner, rest = thing.path_resolve(start.removesuffix(".")), path.removeprefix(start)
                break
        assert owner is not None
        return np.atleast_1d(np.array(owner.evaluated_get(graph).path_resolve(rest), np.float64)).ravel()
    except (ValueError, TypeError, AssertionError):
        raise InputError(
            f'"{thing.name}" has no number or vector at "{path}"; copy the data path of a property.'
        ) from None


def _evaluated(thing: Object, scene: Scene, frames: Float64) -> Iterator[Depsgraph]:
    """Yield the evaluated state at each frame."""
    with shown_alone([thing], scene) as temporary:
        for frame in frames.tolist():
            evaluated_at(thing, temporary, frame)
            yield temporary.view_layers[0].depsgraph


def read_stroke(name: str, count: int) -> Float64:
    """Return `count` places `(T, 3)`, evenly spread along a curve or the first stroke of a Grease Pencil object.

    Raises InputError where the object has no stroke or a stroke without length.
    """
    points = _stroke(name)
    return _spread(points, _lengths(points), count)


def read_waveform(name: str, count: int) -> Float64:
    """Return `count` heights `(T, 1)` of a curve or stroke that is drawn as a waveform, from its beginning to its end.

    The height is along Z, or along Y if the stroke is level. Time runs along its longer horizontal axis, or along the
    stroke where it turns back. Raises InputError as `read_stroke`.
    """
    points = _stroke(name)
    extent = np.ptp(points, axis=0)
    upward = 2 if extent[2] > LEVEL_SHARE * extent.max() else 1
    across = points[:, int(extent[:upward].argmax())]
    steps = np.diff(across) * np.sign(across[-1] - across[0])
    goes_across = across[-1] != across[0] and (steps >= 0).all()
    passed = np.abs(across - across[0]) if goes_across else _lengths(points)
    return _spread(points[:, [upward]], passed, count)


def _stroke(name: str) -> Float64:
    """Return the points `(K, 3)` of an object's stroke. Raises InputError for one without length."""
    points = _points(existing(name, "stroke"))
    if len(points) < 2 or _lengths(points)[-1] <= 0:
        raise InputError(f'"{name}" has no stroke; draw one stroke or choose a curve.')
    return points


def _lengths(points: Float64) -> Float64:
    """Return the length `(K,)` of a stroke up to each of its points."""
    return np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))))


def _spread(columns: Float64, passed: Float64, count: int) -> Float64:
    """Return `count` rows of columns `(K, C)` at even distances of what has passed `(K,)` at each."""
    along = np.linspace(0.0, passed[-1], count)
    return np.stack([np.interp(along, passed, column) for column in columns.T], axis=1)


def _points(thing: Object) -> Float64:
    """Return the points `(K, 3)` of an object's first stroke or spline, in the world."""
    if thing.type == "CURVE":
        check_curve(thing)
        places = curve_points(thing)[0]
    elif thing.type in ("GREASEPENCIL", "GPENCIL"):
        places = np.array(_pencil_points(thing), np.float64).reshape(-1, 3)
    else:
        raise InputError(f'"{thing.name}" is not a curve or a Grease Pencil drawing; choose one.')
    return placed(thing.matrix_world, places)


def _pencil_points(thing: Object) -> list[tuple[float, ...]]:
    """Return the points of the first stroke of a Grease Pencil object, of Blender 4.3 and later or before."""
    for layer in thing.data.layers:
        for frame in layer.frames:
            drawing = getattr(frame, "drawing", frame)
            for stroke in drawing.strokes:
                return [tuple(getattr(point, "position", None) or point.co) for point in stroke.points]
    return []


def read_character(name: str, bone: str, character: Object, scene: Scene, frames: Float64) -> tuple[Float64, Float64]:
    """Return another armature's pose `(T, C)` at scene frames, and its mean speed `(T,)` in units per second.

    The pose is the places of its bones from its first bone on, whatever its skeleton; with a bone, that bone's place.
    Raises InputError where there is no such armature or bone, or it is the character itself.
    """
    other = existing(name, "character")
    if other.type != "ARMATURE" or other == character:
        raise InputError(f'"{name}" is not another character; choose an armature.')
    if bone and bone not in other.pose.bones:
        raise InputError(f'"{name}" has no bone "{bone}"; choose one of its bones.')
    places = np.array([_heads(other, graph) for graph in _evaluated(other, scene, frames)])
    if not places.shape[1]:
        raise InputError(f'"{name}" has no bones; choose another character.')
    chosen = slice(None) if not bone else [list(other.pose.bones.keys()).index(bone)]
    moving = places[:, chosen]
    pose = (moving if bone else moving - places[:, :1]).reshape(len(frames), -1)
    rate = scene.render.fps / scene.render.fps_base
    steps = np.linalg.norm(np.gradient(moving, axis=0), axis=2).mean(axis=1) if len(frames) > 1 else np.zeros(1)
    return pose, np.asarray(steps * rate)


def _heads(other: Object, graph: Depsgraph) -> Float64:
    """Return the places `(B, 3)` of bones in the world."""
    evaluated = other.evaluated_get(graph)
    heads = np.array([bone.head[:] for bone in evaluated.pose.bones], np.float64).reshape(-1, 3)
    return placed(evaluated.matrix_world, heads)
