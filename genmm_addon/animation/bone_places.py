# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones at objects over frames: their text, and the places in the space of the roots."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Object, Scene
from mathutils import Vector

from ..core import Float64, InputError, Int64, Mask, Places, Reach, Skeleton, rotations
from .reading.evaluation import evaluated_at, stage
from .rig import OBJECT_JOINT, ancestors_of
from .row_lists import FRAMES, ResultFrames, RowList, quoted, unquoted

_NAME = r'"(?:[^"\\]|\\.)*"|[^",()]+?'
PATTERN = rf"({_NAME})\s+at\s+(\([^)]*\)|{_NAME})\s+{FRAMES}(?P<turned>\s+turned)?"
EXAMPLE = "hand.R at Handle 40-70"
_RESERVED = r"\sat\s|\d\s*-\s*\d*$"
Matrices = Float64


@dataclass(frozen=True)
class BonePlace:
    """A bone at an object or at a point of the world, from one scene frame to another, both included.

    turned: whether the bone also follows the object's rotation.
    """

    bone: str
    object: str
    first: int
    last: int
    turned: bool = False
    point: tuple[float, float, float] | None = None

    def __str__(self) -> str:
        where = quoted(self.object, _RESERVED)
        if self.point is not None:
            where = f"({' '.join(f'{value:g}' for value in self.point)})"
        return f"{quoted(self.bone, _RESERVED)} at {where} {self.first}-{self.last}{' turned' if self.turned else ''}"

    @property
    def said(self) -> str:
        """Return the name of the place for a sentence."""
        where = f'"{self.object}"' if self.point is None else "its place"
        return f'"{self.bone}" at {where}'

    @property
    def shown(self) -> str:
        """Return the text of the place in a panel, without its frames."""
        return f"{short_name(self.bone)} at {self.object or 'a point'}{' turned' if self.turned else ''}"

    @property
    def icon(self) -> str:
        """Return the icon of the place."""
        return "EMPTY_AXIS"


def read_place(match: re.Match[str]) -> BonePlace:
    """Return the place of a match of PATTERN. Raises InputError for a point that is none, or is turned."""
    bone, where, turned = unquoted(match[1]), match[2].strip(), bool(match["turned"])
    point = _point(where) if where.startswith("(") else None
    if point is not None and turned:
        raise InputError(
            f'"{match[0].strip(" ,")}" is "turned" at a point, which has no rotation; '
            'choose an object, or omit "turned".'
        )
    name = "" if point is not None else unquoted(where)
    return BonePlace(bone, name, int(match["first"]), int(match["last"]), turned, point)


def _point(text: str) -> tuple[float, float, float]:
    try:
        x, y, z = (float(word) for word in text.strip("()").replace(",", " ").split())
    except ValueError:
        x = y = z = math.nan
    if not all(map(math.isfinite, (x, y, z))):
        raise InputError(f'"{text}" is not a point; write it as (0.5 0 1.2).')
    return x, y, z


def short_name(bone: str) -> str:
    """Return a bone's name without its namespace, which all bones share and which would fill the sidebar.

    >>> short_name("mixamorig:RightHand")
    'RightHand'
    """
    return bone.rpartition(":")[2] or bone


def read_places(
    places: Sequence[BonePlace], armature: Object, skeleton: Skeleton, scene: Scene, frames: Float64
) -> tuple[Reach, ...]:
    """Return places for the core, at the scene frames `(T,)` of a motion.

    Objects are sampled with all their animation, parents and constraints. Raises InputError for a bone or object that
    does not exist, for an object that depends on the character itself, and for frames outside of the motion.
    """
    for place in places:
        check_place(place, armature, skeleton)
        if place.first < frames[0] - 1e-6 or place.last > frames[-1] + 1e-6:
            raise InputError(
                f"{place.said} covers frames {place.first} to {place.last}, but the motion has frames "
                f"{frames[0]:g} to {frames[-1]:g}; move it into the motion."
            )
    if not places:
        return ()
    inside = np.flatnonzero(np.any([_is_active(place, frames) for place in places], axis=0))
    names = sorted({place.object for place in places if place.point is None})
    objects = [bpy.data.objects[name] for name in names]
    with_object = skeleton.names[0] == OBJECT_JOINT
    spaces, sampled = _sample(armature, with_object, objects, scene, frames[inside])
    back = np.linalg.inv(spaces)
    reaches = []
    for place in places:
        active = _is_active(place, frames)
        world = np.tile(np.eye(4), (len(inside), 1, 1))
        if place.point is None:
            world = sampled[names.index(place.object)]
        else:
            world[:, :3, 3] = place.point
        local = back @ world
        positions = np.zeros((len(frames), 3))
        positions[inside] = local[:, :3, 3]
        turns = None
        if place.turned:
            turns = np.tile(np.array([1.0, 0.0, 0.0, 0.0]), (len(frames), 1))
            turns[inside] = rotations.from_matrix(rotations.without_scale(local[:, :3, :3]))
        reaches.append(Reach(skeleton.names.index(place.bone), active, positions, turns, place.said))
    return tuple(reaches)


def check_place(place: BonePlace, armature: Object, skeleton: Skeleton) -> None:
    """Raise InputError if a bone or object does not exist, or the object depends on the character."""
    if place.bone not in skeleton.names or place.bone == OBJECT_JOINT:
        raise InputError(f'"{armature.name}" has no bone "{place.bone}" to bring to a place; choose one of its bones.')
    if place.point is not None:
        return
    target: Object | None = bpy.data.objects.get(place.object)
    if target is None:
        raise InputError(
            f'Object "{place.object}", the place of "{place.bone}", does not exist; choose an object of this file.'
        )
    check_independent(target, armature)


def check_independent(target: Object, armature: Object) -> None:
    """Raise InputError for an object that is the character itself or depends on it."""
    if armature in (target, *ancestors_of(target)):
        raise InputError(f'"{target.name}" depends on "{armature.name}" itself; choose an independent object.')


def _is_active(place: BonePlace, frames: Float64) -> Mask:
    return np.asarray((frames >= place.first - 1e-6) & (frames <= place.last + 1e-6))


def _sample(
    armature: Object, with_object: bool, objects: Sequence[Object], scene: Scene, frames: Float64
) -> tuple[Matrices, list[Matrices]]:
    """Return the world matrices `(T, 4, 4)` of the roots' space and of the objects, at the given frames."""
    basis = np.eye(4) if with_object else np.array(armature.matrix_basis)
    spaces, sampled = np.empty((len(frames), 4, 4)), [np.empty((len(frames), 4, 4)) for _ in objects]
    with stage(armature, scene) as temporary:
        if not any(_may_follow_bones(target) for target in objects):
            # The pose is not needed here, and a control rig's would take most of the time; the stage restores the
            # setting.
            armature.data.pose_position = "REST"
        for target in objects:
            temporary.collection.objects.link(target)
        for number, frame in enumerate(frames.tolist()):
            evaluated = evaluated_at(armature, temporary, frame)
            graph = temporary.view_layers[0].depsgraph
            spaces[number] = np.array(evaluated.matrix_world @ evaluated.matrix_basis.inverted_safe()) @ basis
            for target, matrices in zip(objects, sampled, strict=True):
                matrices[number] = np.array(target.evaluated_get(graph).matrix_world)
    if not np.isfinite(spaces).all() or (np.abs(np.linalg.det(spaces)) < 1e-12).any():
        raise InputError(f'"{armature.name}" has a scale of zero; set a larger scale.')
    return spaces, sampled


def _may_follow_bones(target: Object) -> bool:
    """Return whether constraints, drivers or parents may make an object follow bones of some armature."""
    return any(
        thing.constraints
        or thing.type == "ARMATURE"
        or (thing.animation_data is not None and thing.animation_data.drivers)
        for thing in (target, *ancestors_of(target))
    )


def place_now(place: BonePlace, armature: Object, skeleton: Skeleton, frames: Int64) -> Reach:
    """Return a place at the present frame, for a quick check whether it is out of reach."""
    position = armature.matrix_world.inverted_safe() @ (
        bpy.data.objects[place.object].matrix_world.translation if place.point is None else Vector(place.point)
    )
    positions = np.tile(np.array(position, np.float64), (len(frames), 1))
    return Reach(
        skeleton.names.index(place.bone), _is_active(place, frames.astype(np.float64)), positions, None, place.said
    )


def _constraints(places: tuple[BonePlace, ...], result: ResultFrames) -> tuple[Places, ...]:
    at = result.start + np.arange(result.frames, dtype=np.float64)
    reaches = read_places(places, result.character, result.skeleton, result.scene, at)
    return (Places(reaches, result.met_later, result.ground),) if reaches else ()


# After the ground, so that bones reach their places exactly on any ground.
PLACES = RowList("place", EXAMPLE, BonePlace, PATTERN, read_place, _constraints, after_ground=True)
