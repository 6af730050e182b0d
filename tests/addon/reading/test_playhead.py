# SPDX-License-Identifier: GPL-3.0-or-later
"""Reading at any playhead: channels that an example does not key have the values at its first frame."""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from rigs import key, make_rig

from genmm_addon.animation import actions
from genmm_addon.animation.reading.examples import ExampleSpec, read_examples
from genmm_addon.animation.reading.stretch import read_stretch
from genmm_addon.animation.rig import bone_path
from genmm_addon.animation.rotation_modes import NUMBERS
from genmm_addon.core import Motion
from genmm_addon.core.motion import same_motion

PLAYHEADS = (-30.0, 7.0, 22.5, 40.0, 900.0)
SPINE = bone_path("spine")


def ramp(action: Action, slot: str, path: str, index: int, low: float, high: float) -> None:
    key(action, slot, path, index, [(-40, low), (1000, high)])


def location(rig: Object, action: Action, slot: str) -> None:
    ramp(action, slot, f"{SPINE}.location", 0, 0.2, 5.0)


def scale(rig: Object, action: Action, slot: str) -> None:
    ramp(action, slot, f"{SPINE}.scale", 1, 0.5, 3.0)


def rotation(rig: Object, action: Action, slot: str) -> None:
    ramp(action, slot, f"{SPINE}.rotation_quaternion", 1, 0.0, 2.0)


def mode(rig: Object, action: Action, slot: str) -> None:
    rig.pose.bones["spine"].rotation_euler = (0.4, 0.5, 0.6)
    rig.pose.bones["spine"].rotation_axis_angle = (1.0, 0.0, 0.0, 1.0)
    steps = [(-40, NUMBERS["XYZ"]), (10, NUMBERS["QUATERNION"]), (30, NUMBERS["AXIS_ANGLE"])]
    key(action, slot, f"{SPINE}.rotation_mode", 0, steps, "CONSTANT")


def driving_property(rig: Object, action: Action, slot: str) -> None:
    rig["bend"] = 0.0
    rig["steps"] = 1
    ramp(action, slot, '["bend"]', 0, 0.0, 3.0)
    ramp(action, slot, '["steps"]', 0, 0.0, 30.0)
    for index, name in enumerate(("bend", "steps")):
        driver: Any = rig.driver_add(f"{SPINE}.location", index).driver
        driver.expression = "v"
        variable = driver.variables.new()
        variable.name, variable.targets[0].id = "v", rig
        variable.targets[0].data_path = f'["{name}"]'


def influence(rig: Object, action: Action, slot: str) -> None:
    leader = bpy.data.objects.new("Leader", None)
    bpy.context.scene.collection.objects.link(leader)
    leader.location = (1.0, 2.0, 3.0)
    rig.pose.bones["spine"].constraints.new("COPY_LOCATION").target = leader
    ramp(action, slot, f'{SPINE}.constraints["Copy Location"].influence', 0, 0.0, 1.0)


def object_place(rig: Object, action: Action, slot: str) -> None:
    ramp(action, slot, "location", 2, 0.0, 9.0)
    ramp(action, slot, "rotation_euler", 0, 0.0, 2.0)


def leading_object(rig: Object, action: Action, slot: str) -> None:
    influence(rig, action, slot)
    leader = bpy.data.objects["Leader"]
    moving, own = actions.new_action("Leading", leader)
    ramp(moving, own, "location", 0, 0.0, 20.0)
    actions.assign(leader, moving, own)


def tilting_parent(rig: Object, action: Action, slot: str) -> None:
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    moving, own = actions.new_action("Tilting", parent)
    ramp(moving, own, "rotation_euler", 0, 0.0, 3.0)
    actions.assign(parent, moving, own)
    rig.parent = parent


def bending_parent(rig: Object, action: Action, slot: str) -> None:
    mesh = bpy.data.meshes.new("Sheet")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    parent = bpy.data.objects.new("Sheet", mesh)
    bpy.context.scene.collection.objects.link(parent)
    parent.shape_key_add(name="Basis")
    parent.shape_key_add(name="Bent").data[2].co = (0, 0, 5)
    mesh.shape_keys.key_blocks["Bent"].value = 0.0
    mesh.shape_keys.key_blocks["Bent"].keyframe_insert("value", frame=-40)
    mesh.shape_keys.key_blocks["Bent"].value = 1.0
    mesh.shape_keys.key_blocks["Bent"].keyframe_insert("value", frame=1000)
    rig.parent, rig.parent_type, rig.parent_vertices = parent, "VERTEX_3", (0, 1, 2)


ANIMATED = [
    location,
    scale,
    rotation,
    mode,
    driving_property,
    influence,
    object_place,
    leading_object,
    tilting_parent,
    bending_parent,
]
Animate = Callable[[Object, Action, str], None]


def example_of(rig: Object) -> Action:
    """Return an action that turns two bones and moves the first, from frame 5 to 45."""
    action, slot = actions.new_action("Example", rig)
    for bone, name, index in (("hips", "location", 0), ("hips", "rotation_quaternion", 2), ("head", "scale", 1)):
        keys = [(frame, 1.0 + 0.5 * math.sin(0.3 * frame + index)) for frame in range(5, 46)]
        key(action, slot, f"{bone_path(bone)}.{name}", index, keys)
    return action


def character(animate: Animate, place: str) -> tuple[Object, Action]:
    """Return a rig and an example; other channels are animated by the action in the slot, by a strip or by drivers."""
    rig = make_rig(("hips", "spine", "head"))
    example = example_of(rig)
    other, slot = actions.new_action("Other", rig)
    animate(rig, other, slot)
    key(other, slot, f"{bone_path('head')}.location", 1, [(-40, 0.0), (1000, 4.0)])
    if place == "slot":
        actions.assign(rig, other, slot)
    else:
        data = rig.animation_data or rig.animation_data_create()
        data.nla_tracks.new().strips.new("Other", -40, other)
        if place == "both":
            actions.assign(rig, example)
    bpy.context.view_layer.update()
    return rig, example


@contextmanager
def unchanged(rig: Object) -> Iterator[None]:
    """Check that the block leaves the playhead and the character as they are, values that are not keyed included."""
    before = state(rig)
    yield
    assert state(rig) == before


def state(rig: Object) -> object:
    scene, bones = bpy.context.scene, rig.pose.bones
    names = ("rotation_mode", *actions.MOVING)
    values = [getattr(one, name) for one in (rig, *bones) for name in names]
    return (
        (scene.frame_current, scene.frame_subframe, len(bpy.data.scenes)),
        [one if isinstance(one, str) else tuple(one) for one in values],
        [list(row) for row in rig.matrix_world],
        {name: value for name, value in rig.items() if isinstance(value, int | float)},
        [constraint.influence for bone in bones for constraint in bone.constraints],
        actions.assigned(rig),
    )


def at_each_playhead(rig: Object, read: Callable[[], Motion]) -> list[Motion]:
    found = []
    for playhead in PLAYHEADS:
        bpy.context.scene.frame_set(math.floor(playhead), subframe=playhead % 1.0)
        rig.pose.bones["hips"].location.y = 0.125
        with unchanged(rig):
            found.append(read())
    return found


@pytest.mark.parametrize("animate", ANIMATED, ids=lambda one: one.__name__)
@pytest.mark.parametrize("place", ["slot", "strip", "both"])
@pytest.mark.parametrize("visual", [False, True], ids=["keyed", "visual"])
def test_an_example_is_read_the_same_at_any_playhead(animate: Animate, place: str, visual: bool) -> None:
    rig, example = character(animate, place)
    spec = ExampleSpec(example)
    first, *others = at_each_playhead(
        rig, lambda: read_examples(rig, [spec], scene=bpy.context.scene, visual=visual).motions[0]
    )
    assert all(same_motion(first, other) for other in others)
    assert all(np.array_equal(first.skeleton.up, other.skeleton.up) for other in others)


@pytest.mark.parametrize("animate", ANIMATED, ids=lambda one: one.__name__)
@pytest.mark.parametrize("place", ["slot", "strip", "both"])
def test_a_stretch_is_read_the_same_at_any_playhead(animate: Animate, place: str) -> None:
    rig, example = character(animate, place)
    reading = read_examples(
        rig, [ExampleSpec(actions.assigned(rig)[0] if place == "slot" else example)], scene=bpy.context.scene
    )

    def read() -> Motion:
        return read_stretch(rig, reading, example, "", np.arange(10.0, 30.0), 24.0)

    first, *others = at_each_playhead(rig, read)
    assert all(same_motion(first, other) for other in others)


def test_channels_without_keys_have_the_values_at_the_first_frame_of_the_example() -> None:
    rig, example = character(location, "strip")
    bpy.context.scene.frame_set(700)
    motion = read_examples(rig, [ExampleSpec(example)], scene=bpy.context.scene).motions[0]
    bpy.context.scene.frame_set(5)
    column = motion.translated.tolist().index(1)
    assert motion.translations[:, column, 0] == pytest.approx(rig.pose.bones["spine"].location[0], abs=1e-5)
