# SPDX-License-Identifier: GPL-3.0-or-later
"""Random characters that nobody would build: any tree of bones, names, transforms and kinds of animation."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import bpy
import numpy as np
from bpy.types import ID, Action, EditBone, FCurve, Object, PoseBone
from mathutils import Euler, Matrix, Vector

from genmm_addon.animation import actions

Random = np.random.Generator

MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
INTERPOLATIONS = ("CONSTANT", "LINEAR", "BEZIER", "SINE", "BACK", "BOUNCE", "ELASTIC")
PROPERTIES = {"QUATERNION": ("rotation_quaternion", 4), "AXIS_ANGLE": ("rotation_axis_angle", 4)}
PIECES = (
    "hips", "Spine.001", "mixamorig:Leg", 'a "quoted" bone', "back\\slash", "[0]", "左手", "الذراع", "🦴", "a.b",
    "  space ", "tab\tname", "'", "%s {0}", "../up", "DEF-spine.L", "\uff46\uff55\uff4c", "line\nbreak", "null",
)  # fmt: skip
MOST_BONES = 500
NEAR = 0.1


@dataclass(frozen=True)
class Built:
    """A character, and the names of its traits, for the message of a failure."""

    armature: Object
    traits: tuple[str, ...]


def random_character(seed: int, most_bones: int = MOST_BONES) -> Built:
    """Return the character of this seed, active and evaluated in the open scene."""
    random = np.random.default_rng(seed)
    traits: list[str] = []
    count = int(np.exp(random.uniform(0.0, np.log(most_bones))))
    armature = _armature(random, count, traits)
    _place(random, armature, traits)
    for bone in armature.pose.bones:
        bone.rotation_mode = _one_of(random, MODES) if random.random() < 0.6 else "QUATERNION"
        if random.random() < 0.1:
            bone.location = random.normal(0, 0.3, 3).tolist()
    for chance, add in (
        (0.9, _keys),
        (0.2, _object_keys),
        (0.25, _property_keys),
        (0.15, _constraints),
        (0.1, _drivers),
        (0.1, _mesh),
        (0.1, _other_slot),
        (0.12, _to_nla),
        (0.05, _rest_position),
        (0.1, _control_rig),
    ):
        if random.random() < chance:
            add(random, armature)
            traits.append(add.__name__.strip("_"))
    bpy.context.view_layer.objects.active = armature
    bpy.context.view_layer.update()
    return Built(armature, tuple(traits))


def _one_of(random: Random, options: Sequence[str]) -> Any:
    """Return one of the options; untyped, since Blender's enums are."""
    return options[int(random.integers(len(options)))]


def _armature(random: Random, count: int, traits: list[str]) -> Object:
    data = bpy.data.armatures.new("Random")
    armature = bpy.data.objects.new(_name(random, set()), data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    span = int(random.choice((1, 3, 500)))
    names: set[str] = set()
    made: list[EditBone] = []
    for number in range(count):
        bone = data.edit_bones.new(_name(random, names))
        names.add(bone.name)
        parent = (
            made[int(random.integers(max(number - span, 0), number))] if number and random.random() > 0.04 else None
        )
        _shape(random, bone, parent)
        made.append(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.view_layer.update()
    traits.append(f"{len(data.bones)} bones")
    return armature


def _shape(random: Random, bone: EditBone, parent: EditBone | None) -> None:
    length = 10.0 ** random.uniform(-2.0, 0.5) if random.random() < 0.9 else 10.0 ** random.uniform(-5.5, -3.0)
    direction = Vector(random.normal(size=3).tolist()).normalized()
    if parent is not None:
        bone.head = parent.tail
        if random.random() < 0.3:
            bone.head = parent.head + Vector(random.normal(0, 0.2, 3).tolist())
    bone.tail = bone.head + length * direction
    bone.roll = random.uniform(-np.pi, np.pi)
    bone.parent = parent
    bone.use_connect = parent is not None and (bone.head - parent.tail).length < 1e-6 and random.random() < 0.5
    if random.random() < 0.15:
        bone.use_inherit_rotation = False
    if random.random() < 0.15:
        bone.use_local_location = False
    if random.random() < 0.3:
        bone.inherit_scale = _one_of(random, ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE"))


def _name(random: Random, taken: set[str]) -> str:
    while True:
        name = "".join(_one_of(random, PIECES) for _ in range(int(random.integers(1, 4))))
        if random.random() < 0.7:
            name += str(random.integers(1000))
        name = name.encode()[:60].decode(errors="ignore")
        if name not in taken:
            return name


def _place(random: Random, armature: Object, traits: list[str]) -> None:
    armature.rotation_mode = _one_of(random, MODES)
    scales: Sequence[tuple[str, Sequence[float]]] = (
        ("unit", (1.0, 1.0, 1.0)),
        ("centimeters", (0.01, 0.01, 0.01)),
        ("tiny", (1e-4, 1e-4, 1e-4)),
        ("huge", (250.0, 250.0, 250.0)),
        ("uneven", random.uniform(0.3, 3.0, 3).tolist()),
        ("mirrored", (-1.0, 1.0, 1.0)),
    )
    kind, value = scales[int(random.choice(len(scales), p=(0.5, 0.1, 0.1, 0.1, 0.1, 0.1)))]
    armature.scale = value
    if kind != "unit":
        traits.append(kind)
    if random.random() < 0.5:
        armature.location = random.normal(0, 5, 3).tolist()
        armature.rotation_euler = random.uniform(-np.pi, np.pi, 3).tolist()
    if random.random() < 0.2:
        traits.append("parented")
        parent = bpy.data.objects.new("Parent", None)
        bpy.context.scene.collection.objects.link(parent)
        parent.matrix_basis = Matrix.LocRotScale(
            Vector(random.normal(size=3).tolist()),
            Euler(random.uniform(-3, 3, 3).tolist()),
            Vector(random.uniform(0.5, 2.0, 3).tolist()),
        )
        armature.parent = parent
        if random.random() < 0.5:
            armature.matrix_parent_inverse = parent.matrix_basis.inverted_safe()


def _action(armature: Object) -> tuple[Action, str]:
    assigned = actions.assigned(armature)
    if assigned is None:
        action, slot = actions.new_action("Random", armature)
        actions.assign(armature, action, slot)
        return action, slot
    return assigned


def _keys(random: Random, armature: Object) -> None:
    """Key some channels of some bones: densely or sparsely, on whole frames or between them."""
    action, slot = _action(armature)
    factory = actions.curve_factory(action, slot)
    times = _times(random)
    share = random.uniform(0.1, 1.0)
    for bone in armature.pose.bones:
        if random.random() > share and bone != armature.pose.bones[0]:
            continue
        path = f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].'
        own = times if random.random() < 0.8 else _times(random)
        for name, width, spread, chance in _channels(bone):
            if random.random() > chance:
                continue
            for index in range(width):
                if random.random() < 0.9:
                    base = 1.0 if name == "scale" or (name == "rotation_quaternion" and index == 0) else 0.0
                    _fill(random, factory.new(path + name, index, bone.name), own, base, spread)


def _channels(bone: PoseBone) -> tuple[tuple[str, int, float, float], ...]:
    """Return the name, width, spread and probability of each channel of a bone."""
    rotation_property, width = PROPERTIES.get(bone.rotation_mode, ("rotation_euler", 3))
    return (rotation_property, width, 0.5, 0.9), ("location", 3, 0.3, 0.3), ("scale", 3, 0.1, 0.15)


def _times(random: Random) -> np.ndarray:
    start = float(random.integers(-20, 30))
    kind = random.random()
    if kind < 0.4:
        return start + np.arange(int(random.integers(1, 60)), dtype=np.float64)
    # Keys are not so close that a curve exceeds the range of single precision.
    times = start + np.cumsum(random.uniform(0.7, 12.0, int(random.integers(1, 9))))
    return np.unique(np.round(times)) if kind < 0.75 else times


def _fill(random: Random, curve: FCurve, times: np.ndarray, base: float, spread: float) -> None:
    values = base + random.normal(0, spread) + np.cumsum(random.normal(0, spread / 4, len(times)))
    curve.keyframe_points.add(len(times))
    for point, time, value in zip(curve.keyframe_points, times.tolist(), values.tolist(), strict=True):
        point.co = time, value
        point.interpolation = _one_of(random, INTERPOLATIONS) if random.random() < 0.3 else "BEZIER"
        if random.random() < 0.2:
            point.handle_left_type = point.handle_right_type = _one_of(random, ("VECTOR", "AUTO_CLAMPED"))
    # A scale that is extrapolated forever exceeds the range of single precision.
    curve.extrapolation = _one_of(random, ("CONSTANT", "LINEAR")) if base == 0.0 else "CONSTANT"
    curve.update()
    if random.random() < 0.06:
        curve.modifiers.new("CYCLES")
    curve.mute = random.random() < 0.05
    curve.lock = random.random() < 0.1


def _object_keys(random: Random, armature: Object) -> None:
    action, slot = _action(armature)
    factory = actions.curve_factory(action, slot)
    rotation_property, width = PROPERTIES.get(armature.rotation_mode, ("rotation_euler", 3))
    times = _times(random)
    for name, count in (("location", 3), (rotation_property, width)):
        if random.random() < 0.7:
            for index in range(count):
                _fill(
                    random,
                    factory.new(name, index),
                    times,
                    1.0 if name == "rotation_quaternion" and not index else 0.0,
                    0.4,
                )


def _property_keys(random: Random, armature: Object) -> None:
    action, slot = _action(armature)
    bone = armature.pose.bones[int(random.integers(len(armature.pose.bones)))]
    holders: tuple[tuple[ID | PoseBone, str], ...] = (
        (bone, f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"]'),
        (armature, ""),
    )
    for holder, path in holders:
        name = _name(random, set())
        holder[name] = (0.5, 3, True)[int(random.integers(3))]
        curve = actions.curve_factory(action, slot).new(f'{path}["{bpy.utils.escape_identifier(name)}"]', 0)
        _fill(random, curve, _times(random), 1.0, 1.0)


def _constraints(random: Random, armature: Object) -> None:
    """Constrain some bones to an object beside the character; constraints among its own bones could form cycles."""
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    bpy.context.view_layer.update()
    # The object is as far away as the character is large, within the resolution of single precision.
    target.location = armature.matrix_world @ Vector(random.normal(0, 2, 3).tolist())
    bones = armature.pose.bones
    for _ in range(int(random.integers(1, 4))):
        kind: Any = _one_of(
            random, ("COPY_ROTATION", "COPY_LOCATION", "LIMIT_LOCATION", "DAMPED_TRACK", "IK", "CHILD_OF")
        )
        constraint: Any = bones[int(random.integers(len(bones)))].constraints.new(kind)
        if hasattr(constraint, "target"):
            constraint.target = target
        constraint.influence = random.uniform(0.0, 1.0)
        constraint.mute = random.random() < 0.3


def _control_rig(random: Random, armature: Object) -> None:
    """Make bones follow others of the character and a property, as in a Rigify rig, never in a cycle."""
    bones = list(armature.pose.bones)
    armature["ik"] = random.random()
    for _ in range(int(random.integers(1, 5))):
        number = int(random.integers(len(bones)))
        follower = bones[number]
        chain = [follower, *follower.parent_recursive][:2]
        # Parents come before children, so a leading bone must come before all bones that it moves.
        first = min(bones.index(bone) for bone in chain)
        if first == 0:
            continue
        kind: Any = _one_of(random, ("COPY_TRANSFORMS", "COPY_ROTATION", "IK", "STRETCH_TO"))
        leader = bones[int(random.integers(first))]
        if (
            kind == "STRETCH_TO"
            and (leader.bone.head_local - follower.bone.head_local).length < NEAR * follower.bone.length
        ):
            # A bone stretched to its own head has an undefined pose.
            kind = "COPY_ROTATION"
        constraint: Any = follower.constraints.new(kind)
        constraint.target, constraint.subtarget = armature, leader.name
        if kind == "IK":
            constraint.chain_count = len(chain)
        if kind == "STRETCH_TO":
            # Without a length, Blender takes that of the first pose that it evaluates.
            constraint.rest_length = follower.bone.length
        driver = constraint.driver_add("influence").driver
        variable = driver.variables.new()
        variable.name = "ik"
        variable.targets[0].id, variable.targets[0].data_path = armature, '["ik"]'
        driver.expression = _one_of(random, ("ik", "1 - ik"))


def _drivers(random: Random, armature: Object) -> None:
    bone = armature.pose.bones[int(random.integers(len(armature.pose.bones)))]
    bone.driver_add("location", int(random.integers(3))).driver.expression = "frame * 0.01"


def _mesh(random: Random, armature: Object) -> None:
    """Add a skinned triangle with animated shape keys."""
    data = bpy.data.meshes.new("Skin")
    data.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    skin = bpy.data.objects.new("Skin", data)
    bpy.context.scene.collection.objects.link(skin)
    skin.parent = armature
    modifier: Any = skin.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    group = skin.vertex_groups.new(name=armature.data.bones[0].name)
    group.add([0, 1, 2], 1.0, "REPLACE")
    skin.shape_key_add(name="Basis")
    key = skin.shape_key_add(name="Wide")
    for frame in (1, 20):
        key.value = random.random()
        key.keyframe_insert("value", frame=frame)


def _other_slot(random: Random, armature: Object) -> None:
    """Make the same action move another object as well, if actions have slots."""
    action, _ = _action(armature)
    if actions.has_slots(action):
        other = bpy.data.objects.new("Prop", None)
        bpy.context.scene.collection.objects.link(other)
        slot = action.slots.new("OBJECT", "Prop")
        curve = actions.curve_factory(action, slot.identifier).new("location", 0)
        _fill(random, curve, _times(random), 0.0, 1.0)


def _to_nla(random: Random, armature: Object) -> None:
    """Move the character's actions to NLA tracks."""
    action, slot = _action(armature)
    actions.clear_assignment(armature)
    track = armature.animation_data.nla_tracks.new()
    strip = track.strips.new(action.name, int(random.integers(1, 10)), action)
    if slot and actions.has_slots(action):
        strip.action_slot = next(entry for entry in action.slots if entry.identifier == slot)


def _rest_position(_random: Random, armature: Object) -> None:
    armature.data.pose_position = "REST"


def from_library(built: Built, *, overridden: bool) -> Built:
    """Return the character linked from a file into an empty one; overridden: whether it gets a library override."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "library.blend"
        bpy.data.libraries.write(str(path), {built.armature}, fake_user=True)
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        library: Any = bpy.data.libraries.load(str(path), link=True)  # type: ignore[func-returns-value]
        with library as (source, target):
            target.objects = source.objects
    armature = next(thing for thing in target.objects if thing.type == "ARMATURE")
    scene = bpy.context.scene
    for thing in target.objects:
        if thing.type == "ARMATURE" or not overridden:
            scene.collection.objects.link(thing)
    if overridden:
        linked = armature
        armature = linked.override_hierarchy_create(scene, bpy.context.view_layer, do_fully_editable=True)
        scene.collection.objects.unlink(linked)
    bpy.context.view_layer.objects.active = armature
    bpy.context.view_layer.update()
    return Built(armature, (*built.traits, "overridden" if overridden else "linked"))
