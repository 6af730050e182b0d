# SPDX-License-Identifier: GPL-3.0-or-later
"""Crowds of characters of many shapes: what is seen of them stays apart, goes on, and faces as the source does."""

from collections.abc import Callable
from typing import Any, Literal

import bpy
import numpy as np
import pytest
from bpy.types import Object
from interface import select
from numpy.typing import NDArray

from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.crowd.crowd import compute_crowd, read_crowd, write_crowd
from genmm_addon.crowd.request import CrowdRequest
from genmm_addon.generation.generate import read
from genmm_addon.requests.request_values import panel_request

FRAMES = 48

pytestmark = [pytest.mark.usefixtures("extension"), pytest.mark.slow]


def walking(rig: Object, name: str = "GenMM Walk") -> None:
    settings = rig.genmm
    settings.frames, settings.new_seed, settings.seed = FRAMES, False, 4
    select(rig)
    bpy.ops.genmm.add_example(action=name)
    for item in settings.examples:
        item.enabled = item.action.name == name


@pytest.fixture
def walker() -> Object:
    """Return the sample character, walking."""
    rig = add_sample_character(bpy.context).armature
    walking(rig)
    bpy.context.scene.frame_end = FRAMES
    return rig


def make(**values: object) -> None:
    for name, value in values.items():
        setattr(bpy.context.scene.genmm.crowd, name, value)
    assert bpy.ops.genmm.make_crowd() == {"FINISHED"}


def agents() -> list[Object]:
    rigs = [thing for thing in bpy.data.objects if thing.type == "ARMATURE" and " Agent " in thing.name]
    return sorted(rigs, key=lambda rig: rig.name)


def skins() -> dict[str, NDArray[np.float64]]:
    """Return the evaluated vertices `(V, 3)` of each agent in the world, by the number of its copies."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    found: dict[str, list[NDArray[np.float64]]] = {}
    shown = [
        (one.instance_object or one.object, one.parent or one.object, np.array(one.matrix_world))
        for one in depsgraph.object_instances
    ]
    for thing, owner, world in shown:
        if thing.type not in {"MESH", "CURVE"} or " Agent " not in owner.name:
            continue
        mesh = thing.to_mesh()
        points = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", points)
        found.setdefault(owner.name.split(" Agent ")[1][:4], []).append(
            points.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]
        )
        thing.to_mesh_clear()
    return {number: np.concatenate(parts) for number, parts in found.items()}


def touching(step: int = 6) -> int:
    """Return the number of pairs of agents whose outlines on the ground overlap, at some frame."""
    angles = np.linspace(0, np.pi, 24, endpoint=False)
    directions = np.stack((np.cos(angles), np.sin(angles)))
    met: set[tuple[int, int]] = set()
    for frame in range(bpy.context.scene.frame_start, bpy.context.scene.frame_end + 1, step):
        bpy.context.scene.frame_set(frame)
        along = [points[:, :2] @ directions for points in skins().values()]
        low, high = np.array([one.min(axis=0) for one in along]), np.array([one.max(axis=0) for one in along])
        overlaps = ((low[:, None] < high) & (high[:, None] > low)).all(axis=-1) & ~np.eye(len(along), dtype=bool)
        met |= set(zip(*np.nonzero(overlaps), strict=True))
    return len(met) // 2


def worn(rig: Object, bone: str, size: tuple[float, float, float], offset: float = 0.0) -> Object:
    """Add a box of that size to a bone."""
    mesh = bpy.data.meshes.new("Prop")
    corners = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    mesh.from_pydata([tuple(np.array(one) * size) for one in corners], [], [(0, 1, 3, 2), (4, 5, 7, 6)])
    prop = bpy.data.objects.new("Prop", mesh)
    bpy.context.scene.collection.objects.link(prop)
    prop.parent, prop.parent_type, prop.parent_bone = rig, "BONE", bone
    prop.location.x = offset
    return prop


def helmet(rig: Object) -> None:
    worn(rig, "Head", (1.25, 1.25, 0.8))


def lance(rig: Object) -> None:
    worn(rig, "Hand.R", (0.05, 0.05, 3.0))


def wings(rig: Object) -> None:
    worn(rig, "Spine", (0.3, 0.1, 1.0), offset=-0.6).modifiers.new("Array", "ARRAY").count = 5


def solid_skin(rig: Object) -> None:
    for thing in rig.children:
        thing.modifiers.new("Solidify", "SOLIDIFY").thickness = -1.0


def cape(rig: Object) -> None:
    """Add a cape behind the character that a cage without weights could carry: only its armature's object is known."""
    mesh = bpy.data.meshes.new("Cape")
    mesh.from_pydata([(-0.8, 0.9, 0.1), (0.8, 0.9, 0.1), (0.4, 0.1, 1.4), (-0.4, 0.1, 1.4)], [], [(0, 1, 2, 3)])
    thing = bpy.data.objects.new("Cape", mesh)
    bpy.context.scene.collection.objects.link(thing)
    thing.parent = rig
    group = thing.vertex_groups.new(name="Spine")
    group.add(range(4), 1.0, "REPLACE")
    thing.modifiers.new("Armature", "ARMATURE").object = rig


def child_of_hand(rig: Object) -> None:
    prop = worn(rig, "Hand.L", (0.4, 0.4, 0.4))
    carried = worn(rig, "Hand.L", (1.6, 0.1, 0.1))
    carried.parent, carried.parent_type = prop, "OBJECT"


def held_by_constraint(rig: Object, kind: Literal["CHILD_OF", "ARMATURE"] = "CHILD_OF") -> None:
    prop = worn(rig, "Hand.R", (0.05, 0.05, 3.0))
    prop.parent = None
    constraint: Any = prop.constraints.new(kind)
    target = constraint.targets.new() if kind == "ARMATURE" else constraint
    target.target, target.subtarget = rig, "Hand.R"


def held_by_armature_constraint(rig: Object) -> None:
    held_by_constraint(rig, "ARMATURE")


def curve(rig: Object) -> None:
    prop = worn(rig, "Hand.R", (0.1, 0.1, 0.1))
    path = bpy.data.curves.new("Whip", "CURVE")
    path.dimensions, path.bevel_depth = "3D", 0.05
    path.splines.new("POLY").points.add(1)
    path.splines[0].points[1].co = (0.0, 0.0, 2.5, 1.0)
    whip = bpy.data.objects.new("Whip", path)
    bpy.context.scene.collection.objects.link(whip)
    whip.parent = prop


def instanced(rig: Object) -> None:
    """Add a lance that an empty in the hand shows as the instance of a collection."""
    prop = worn(rig, "Hand.R", (0.05, 0.05, 3.0))
    handle = bpy.data.objects.new("Handle", None)
    bpy.context.scene.collection.objects.link(handle)
    handle.parent, handle.parent_type, handle.parent_bone = rig, "BONE", "Hand.R"
    bpy.context.scene.collection.objects.unlink(prop)
    prop.parent = None
    handle.instance_type, handle.instance_collection = "COLLECTION", bpy.data.collections.new("Lance")
    handle.instance_collection.objects.link(prop)


def wide(rig: Object) -> None:
    rig.scale = (3.0, 1.0, 1.0)


def tall(rig: Object) -> None:
    rig.scale = (1.0, 1.0, 4.0)


def tiny(rig: Object) -> None:
    rig.scale = (0.01, 0.01, 0.01)
    helmet(rig)


def huge(rig: Object) -> None:
    rig.scale = (100.0, 100.0, 100.0)
    helmet(rig)


def other_units(rig: Object) -> None:
    bpy.context.scene.unit_settings.scale_length = 0.01
    huge(rig)


def turned(rig: Object) -> None:
    rig.rotation_mode = "XYZ"
    rig.rotation_euler.z = 2.0
    wide(rig)


HELD = (held_by_constraint, held_by_armature_constraint, curve, instanced)
SHAPES = (helmet, lance, wings, solid_skin, cape, child_of_hand, *HELD, wide, tall, tiny, huge, other_units, turned)


@pytest.mark.parametrize("shape", [None, *SHAPES], ids=lambda shape: shape.__name__ if shape else "plain")
def test_agents_at_the_default_spacing_do_not_touch(walker: Object, shape: Callable[[Object], None] | None) -> None:
    if shape is not None:
        shape(walker)
    bpy.context.view_layer.update()
    make(agents=20, clips=6)
    assert touching() == 0


@pytest.mark.parametrize("frame", [1, 30])
def test_the_playhead_does_not_matter(walker: Object, frame: int) -> None:
    helmet(walker)
    places = []
    for playhead in (1, frame):
        bpy.context.scene.frame_set(playhead)
        make(agents=9, clips=3)
        bpy.context.scene.frame_set(1)
        places.append(np.array([rig.matrix_world for rig in agents()]))
        bpy.data.batch_remove([thing for thing in bpy.data.objects if " Agent " in thing.name])
    assert np.array_equal(places[0], places[1])
    assert walker.data.pose_position == "POSE"


def test_the_crowd_moves_to_the_end_of_the_scene(walker: Object) -> None:
    bpy.context.scene.frame_end = 5 * FRAMES
    make(agents=6, clips=2)
    for rig in agents():
        strip = rig.animation_data.nla_tracks[0].strips[0]
        assert strip.frame_end >= 5 * FRAMES
        assert strip.action.frame_range[1] >= strip.action_frame_end


@pytest.mark.parametrize("angle", [0.0, np.pi / 2, 2.5])
@pytest.mark.parametrize("example", ["GenMM Walk", "GenMM Wave"])
def test_agents_face_where_the_source_faces(example: str, angle: float) -> None:
    rig = add_sample_character(bpy.context).armature
    walking(rig, example)
    rig.rotation_mode = "XYZ"
    rig.rotation_euler.z = angle
    bpy.context.scene.frame_set(1)
    make(agents=9, clips=3, scatter=0.0)
    faced = []
    for frame in range(1, 26, 4):  # a second, in which the hips sway to both sides
        bpy.context.scene.frame_set(frame)
        faced.append([facing(one) for one in (rig, *agents())])
    source, *others = np.angle(np.exp(1j * np.array(faced)).mean(axis=0))
    assert np.abs(np.angle(np.exp(1j * (np.array(others) - source)))).max() < 0.4


def facing(rig: Object) -> float:
    """Return the direction in the world in which the hips look, which look along -Y at rest."""
    hips = rig.pose.bones[0]
    turned = rig.matrix_world @ hips.matrix @ hips.bone.matrix_local.inverted()
    forward = -turned.to_3x3().col[1]
    return float(np.arctan2(forward.y, forward.x))


def test_props_left_out_of_a_crowd_are_reported_once(walker: Object) -> None:
    away = bpy.data.collections.new("Away")
    bpy.context.scene.collection.children.link(away)
    away.objects.link(worn(walker, "Head", (0.3, 0.3, 0.3)))
    bpy.context.scene.collection.objects.unlink(bpy.data.objects["Prop"])
    bpy.context.view_layer.layer_collection.children["Away"].exclude = True
    request, _ = panel_request(walker, bpy.context.scene)
    asked, reading = CrowdRequest(agents=3, clips=1), read(request, bpy.context.scene)
    task = read_crowd(bpy.context, request, asked, reading)
    crowd = write_crowd(bpy.context, task, compute_crowd(task))
    assert sum('"Prop" is left out' in note for note in crowd.notes) == 1
