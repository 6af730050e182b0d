# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared set-up for tests of operators and panels: the registered extension, and a character that moves."""

import math
from collections.abc import Iterator
from contextlib import contextmanager

import bpy
import numpy as np
from bpy.types import Action, Object
from numpy.typing import NDArray
from rigs import key, make_rig

import genmm_addon
from genmm_addon.animation import actions
from genmm_addon.character.sample.sample_character import SampleCharacter, add_sample_character

BONES = ("root", "spine", "arm", "hand", "head")


@contextmanager
def registered() -> Iterator[None]:
    """Enable the extension for the block."""
    genmm_addon.register()
    try:
        yield
    finally:
        genmm_addon.unregister()


def new_character(name: str = "Hero", bones: tuple[str, ...] = BONES, frames: int = 60) -> Object:
    """Return an active rig that plays an action of its own."""
    rig = make_rig(bones)
    rig.name = name
    play(rig, new_action(rig, f"{name} Sway", frames))
    return rig


def new_action(rig: Object, name: str, frames: int = 60, speed: float = 1.0) -> Action:
    """Return a smooth action that never quite repeats, with keys on every frame of every bone."""
    action, slot = actions.new_action(name, rig)
    for number, bone in enumerate(rig.data.bones.keys()):
        path = f'pose.bones["{bone}"].rotation_quaternion'
        angles = [0.3 * math.sin(speed * frame / 5 + number) + 0.1 * math.sin(frame / 3.3) for frame in range(frames)]
        key(action, slot, path, 0, [(frame + 1, math.cos(angle)) for frame, angle in enumerate(angles)])
        key(action, slot, path, 1, [(frame + 1, math.sin(angle)) for frame, angle in enumerate(angles)])
    return action


def play(rig: Object, action: Action) -> None:
    """Assign the action to the rig."""
    actions.assign(rig, action)


def select(thing: Object | None) -> None:
    """Select only this object and make it active."""
    for other in bpy.context.view_layer.objects:
        other.select_set(other == thing)
    bpy.context.view_layer.objects.active = thing


def sample_on_own_walk() -> tuple[SampleCharacter, Action, Action]:
    """Return the sample, selected at 30 frames per second, its walk, and the copy of it that it plays."""
    bpy.context.scene.render.fps = 30
    sample = add_sample_character(bpy.context)
    select(sample.armature)
    walk = next(action for action in sample.actions if action.name.endswith("Walk"))
    own = walk.copy()
    play(sample.armature, own)
    return sample, walk, own


def results_of(rig: Object) -> list[Object]:
    """Return the generated characters, by name."""
    rigs = [thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE" and thing != rig]
    return sorted(rigs, key=lambda thing: thing.name)


def keys_of(thing: Object) -> NDArray[np.float32]:
    """Return all keys of the played action, one after another."""
    action, slot = actions.assigned(thing) or (None, "")
    assert action is not None, f"{thing.name} plays nothing"
    return np.array([point.co for curve in actions.fcurves_of(action, slot) for point in curve.keyframe_points])
