# SPDX-License-Identifier: GPL-3.0-or-later
"""A small character for tests: three bones, a skinned mesh, and an action that moves it."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import bpy
import numpy as np
from bpy.types import ID, Action, Collection, FCurve, Object, bpy_struct
from rigs import key, make_rig

from genmm_addon.animation import actions
from genmm_addon.animation.reading.examples import ExampleSpec
from genmm_addon.character.belongings import objects_of_character
from genmm_addon.character.character import Copy, duplicate
from genmm_addon.character.placement import FreeGround
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.generation.request import Request

BONES = ("hips", "spine", "hand")
FRAMES = 40


@dataclass
class Character:
    armature: Object
    body: Object
    walk: Action


def make_character() -> Character:
    """Return the rig "Rig" with the mesh "Body", playing "Walk": frames 1 to 40, with traveling hips."""
    armature = make_rig(BONES)
    return Character(armature, make_body(armature, "Body"), make_walk(armature))


def make_body(armature: Object, name: str, *, child: bool = True) -> Object:
    """Return a mesh of one quad 2 wide, bound to the armature by a modifier; child: whether it is also parented."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata([(-1, 0, 0), (1, 0, 0), (1, 0, 2), (-1, 0, 2)], [], [(0, 1, 2, 3)])
    body = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(body)
    if child:
        body.parent = armature
    body.modifiers.new("Armature", "ARMATURE").object = armature
    body.vertex_groups.new(name="hips").add([0, 1, 2, 3], 1.0, "REPLACE")
    bpy.context.view_layer.update()
    return body


def make_walk(armature: Object, name: str = "Walk") -> Action:
    """Return an action assigned to the armature, in which every bone swings and the hips travel along X."""
    action, slot = actions.new_action(name, armature)
    frames = range(1, FRAMES + 1)
    for number, bone in enumerate(BONES):
        angles = [0.3 * math.sin(0.4 * frame + number) for frame in frames]
        turns = [(math.cos(angle), math.sin(angle), 0.0, 0.0) for angle in angles]
        for index in range(4):
            values = [(frame, turn[index]) for frame, turn in zip(frames, turns, strict=True)]
            key(action, slot, f'pose.bones["{bone}"].rotation_quaternion', index, values)
    for index in range(3):
        values = [(frame, 0.05 * frame if index == 0 else 0.0) for frame in frames]
        key(action, slot, 'pose.bones["hips"].location', index, values)
    actions.assign(armature, action, slot)
    bpy.context.view_layer.update()
    return action


def make_request(character: Character, **values: Any) -> Request:
    """Return a request for 30 frames from the character's walk."""
    return Request(character.armature, (ExampleSpec(character.walk),), **{"frames": 30, **values})


def copy_of(armature: Object, number: int = 1, **values: Any) -> Copy:
    """Return a copy of a character in the next free place, evaluated."""
    ground = FreeGround(bpy.context.scene, armature, objects_of_character(armature, bpy.context.scene), ())
    copy = duplicate(bpy.context, armature, number=number, place=ground.place(), **values)
    bpy.context.view_layer.update()
    return copy


def copy_named(copy: Copy, name: str) -> Object:
    """Return the copied object whose source has this name."""
    return next(thing for thing in copy.made if isinstance(thing, Object) and thing.name.startswith(f"{name} Gen"))


def world_bones(armature: Object, frame: int | None = None) -> np.ndarray:
    """Return every bone's evaluated world matrix, `(J, 4, 4)` by name, at a frame (None: the present one)."""
    if frame is not None:
        bpy.context.scene.frame_set(frame)
    bpy.context.view_layer.update()
    posed = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    bones = sorted(posed.pose.bones, key=lambda bone: bone.name)
    return np.array([posed.matrix_world @ bone.matrix for bone in bones], np.float64)


def data_names() -> dict[str, set[str]]:
    """Return the names of all data in the file of the types that the extension creates."""
    kinds = ("objects", "meshes", "actions", "collections", "scenes", "shape_keys", "armatures", "materials")
    return {kind: {block.name for block in getattr(bpy.data, kind)} for kind in kinds}


def make_prop(name: str, parent: Object | None = None) -> Object:
    prop = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(prop)
    prop.parent = parent
    return prop


def add_driver(block: bpy_struct, path: str, target: ID, data_path: str = "location.x") -> FCurve:
    curve = block.driver_add(path)
    curve = curve[0] if isinstance(curve, list) else curve
    variable = curve.driver.variables.new()
    variable.targets[0].id = target
    variable.targets[0].data_path = data_path
    curve.driver.expression = variable.name
    return curve


def world_position(thing: Object) -> np.ndarray:
    return np.array(thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation)


def walking_sample() -> Object:
    """Return the sample character, active and playing its walk, at 30 frames per second."""
    bpy.context.scene.render.fps = 30
    rig = add_sample_character(bpy.context).armature
    actions.assign(rig, bpy.data.actions["GenMM Walk"])
    bpy.context.view_layer.objects.active = rig
    return rig


def action_of(character: Object) -> Action:
    """Return the action that a character plays."""
    playing = actions.assigned(character)
    assert playing is not None
    return playing[0]


def save_hero(path: Path) -> None:
    """Save a file with a character in the collection Hero, and leave an empty file open."""
    source = make_character()
    things = bpy.data.collections.new("Hero")
    bpy.context.scene.collection.children.link(things)
    for thing in (source.armature, source.body):
        bpy.context.scene.collection.objects.unlink(thing)
        things.objects.link(thing)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def link_hero(path: Path) -> Collection:
    """Link the collection Hero of a file into the scene, and return it."""
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.collections = ["Hero"]
    hero: Collection = wanted.collections[0]
    bpy.context.scene.collection.children.link(hero)
    bpy.context.view_layer.update()
    return hero
