# SPDX-License-Identifier: GPL-3.0-or-later
"""Visual reading, which gives the evaluated pose and leaves the file unchanged."""

import re
from pathlib import Path
from typing import Literal

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from rigs import MOTIONS, RotationMode, evaluated, key, largest_difference, load, make_rig

from genmm_addon.animation import actions
from genmm_addon.animation.reading.examples import ExampleSpec, Reading, read_examples
from genmm_addon.animation.rig import OBJECT_JOINT, bone_path
from genmm_addon.animation.writing import write_action
from genmm_addon.core import InputError

FRAMES = list(range(1, 12))


def read(armature: Object, *examples: Action | None, visual: bool | None = None) -> Reading:
    specs = [ExampleSpec(action, frame_start=1, frame_end=11) for action in examples]
    return read_examples(armature, specs, scene=bpy.context.scene, visual=visual)


def moving_target(armature: Object) -> Object:
    """Return a moving empty, which is in the user's scene only."""
    target = bpy.data.objects.new("Target", None)
    bpy.context.scene.collection.objects.link(target)
    action, slot = actions.new_action("Target", target)
    for index, end in enumerate((3.0, -2.0, 4.0)):
        key(action, slot, "location", index, [(1, 1.0), (11, end)])
        key(action, slot, "rotation_euler", index, [(1, 0.0), (11, end / 3)])
    actions.assign(target, action, slot)
    return target


def hips_action(armature: Object, name: str = "Walk") -> tuple[Action, str]:
    action, slot = actions.new_action(name, armature)
    for index in range(3):
        key(action, slot, 'pose.bones["hips"].location', index, [(1, 0.0), (11, 1.0 + index)])
    key(action, slot, 'pose.bones["hips"].rotation_quaternion', 3, [(1, 0.0), (11, 0.8)])
    return action, slot


ConstraintKind = Literal["COPY_LOCATION", "COPY_ROTATION", "COPY_TRANSFORMS", "IK", "SPLINE_IK"]


def constrain(armature: Object, bone: str, kind: ConstraintKind, **options: object) -> None:
    constraint = armature.pose.bones[bone].constraints.new(kind)
    for name, value in options.items():
        setattr(constraint, name, value)


def result_poses_as_seen(armature: Object, reading: Reading, seen: np.ndarray, tolerance: float = 1e-4) -> None:
    """Check that the written action, alone and with the bones' constraints muted, gives the poses that were seen."""
    written = write_action(reading.motions[0], reading.keyed, armature, name="Seen")
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            constraint.mute = True
    if armature.animation_data:
        for curve in list(armature.animation_data.drivers):
            armature.animation_data.drivers.remove(curve)
    actions.assign(armature, written.action, written.slot)
    after = evaluated(armature, FRAMES)
    assert largest_difference(seen, after, reading.motions[0].skeleton.size) < tolerance


def test_bones_moved_by_constraints_alone_are_read_as_seen_without_asking() -> None:
    armature = make_rig()
    target = moving_target(armature)
    constrain(armature, "with.dot", "COPY_ROTATION", target=target)
    constrain(armature, "hips", "COPY_LOCATION", target=target)
    seen = evaluated(armature, FRAMES)
    reading = read(armature, None)
    assert reading.visual
    result_poses_as_seen(armature, reading, seen)


def test_inverse_kinematics_is_read_as_seen() -> None:
    armature = make_rig()
    target = moving_target(armature)
    constrain(armature, "[bracket]", "IK", target=target, chain_count=4)
    action, slot = hips_action(armature)
    actions.assign(armature, action, slot)
    seen = evaluated(armature, FRAMES)
    assert not read(armature, action).visual
    reading = read(armature, action, visual=True)
    assert reading.visual and reading.notes == ()
    result_poses_as_seen(armature, reading, seen)


@pytest.mark.parametrize("mode", ["XYZ", "ZYX", "AXIS_ANGLE"])
def test_rotation_modes_are_kept(mode: RotationMode) -> None:
    armature = make_rig()
    for bone in armature.pose.bones:
        bone.rotation_mode = mode
    constrain(armature, "hips", "COPY_TRANSFORMS", target=moving_target(armature))
    seen = evaluated(armature, FRAMES)
    reading = read(armature, None)
    assert set(reading.keyed.rotations.values()) == {mode}
    result_poses_as_seen(armature, reading, seen)


@pytest.mark.parametrize(
    "flags",
    [
        {"use_inherit_rotation": False},
        {"inherit_scale": "NONE"},
        {"inherit_scale": "AVERAGE"},
        {"inherit_scale": "ALIGNED"},
        {"use_local_location": False},
    ],
    ids=str,
)
def test_bones_that_inherit_only_some_of_their_parents_pose_are_read_as_seen(flags: dict[str, object]) -> None:
    armature = make_rig()
    for name, value in flags.items():
        setattr(armature.data.bones["with.dot"], name, value)
    action, slot = hips_action(armature)
    for index in range(3):
        key(action, slot, 'pose.bones["hips"].scale', index, [(1, 1.0), (11, 2.0)])
    key(action, slot, f"{bone_path('with.dot')}.location", 1, [(1, 0.0), (11, 1.0)])
    actions.assign(armature, action, slot)
    seen = evaluated(armature, FRAMES)
    result_poses_as_seen(armature, read(armature, action, visual=True), seen)


def test_a_sheared_pose_says_so_and_by_how_much_and_every_joint_stays_in_its_place() -> None:
    armature = make_rig()
    action, slot = hips_action(armature)
    key(action, slot, 'pose.bones["hips"].scale', 0, [(1, 1.0), (11, 3.0)])
    constrain(armature, "with.dot", "COPY_ROTATION", target=moving_target(armature))
    actions.assign(armature, action, slot)
    seen = evaluated(armature, FRAMES)
    reading = read(armature, action, visual=True)
    assert len(reading.notes) == 1 and re.match(r'Bone "with.dot" (is|and \d more are) sheared', reading.notes[0])
    said = float(reading.notes[0].split("up to ")[1].split("%")[0]) / 100
    written = write_action(reading.motions[0], reading.keyed, armature, name="Seen")
    armature.pose.bones["with.dot"].constraints[0].mute = True
    actions.assign(armature, written.action, written.slot)
    after = evaluated(armature, FRAMES)
    assert np.abs(seen - after)[..., :3, 3].max() < 1e-4
    assert 0.2 * said < largest_difference(seen, after, reading.motions[0].skeleton.size) < 5 * said


def test_connected_bone_pulled_off_its_parent_is_reported() -> None:
    """Blender keeps connected bones in place for all constraints but Spline IK."""
    armature = make_rig(["a", "b", "c", "d"], connected=True)
    curve = bpy.data.curves.new("Curve", "CURVE")
    spline = curve.splines.new("POLY")
    spline.points.add(2)
    for point, place in zip(spline.points, [(2, 2, 2, 1), (3, 2, 4, 1), (5, 2, 4, 1)], strict=True):
        point.co = place
    target = bpy.data.objects.new("Curve", curve)
    bpy.context.scene.collection.objects.link(target)
    constrain(armature, "d", "SPLINE_IK", target=target, chain_count=2)
    notes = read(armature, None).notes
    assert any(re.match(r'Bone "c" (is|and 1 more are) connected', note) for note in notes)


def test_drivers_and_the_nla_count_as_movers() -> None:
    armature = make_rig()
    armature.pose.bones["hips"].rotation_mode = "XYZ"
    driver = armature.driver_add('pose.bones["hips"].rotation_euler', 0).driver
    driver.type = "SCRIPTED"
    driver.expression = "frame / 10"
    seen = evaluated(armature, FRAMES)
    assert np.ptp(seen[:, 1], axis=0).max() > 0.5
    reading = read(armature, None)
    assert reading.visual
    result_poses_as_seen(armature, reading, seen)


def test_nla_is_read_when_the_character_has_no_action() -> None:
    armature = make_rig()
    action, _ = hips_action(armature)
    armature.animation_data_create().nla_tracks.new().strips.new("Walk", 1, action)
    seen = evaluated(armature, FRAMES)
    assert np.ptp(seen[:, 1, :3, 3], axis=0).max() > 0.9
    reading = read(armature, None)
    armature.animation_data.nla_tracks[0].mute = True
    result_poses_as_seen(armature, reading, seen)


def test_object_motion_is_kept_separate_from_the_bones() -> None:
    armature = make_rig()
    action, slot = hips_action(armature)
    key(action, slot, "location", 1, [(1, 0.0), (11, 5.0)])
    constrain(armature, "with.dot", "COPY_ROTATION", target=moving_target(armature))
    actions.assign(armature, action, slot)
    seen = evaluated(armature, FRAMES)
    reading = read(armature, action, visual=True)
    assert reading.motions[0].skeleton.names[0] == OBJECT_JOINT
    assert reading.keyed.locations[0] == OBJECT_JOINT
    result_poses_as_seen(armature, reading, seen)


def test_bones_that_are_only_turned_get_no_location_and_scale_keys() -> None:
    armature = make_rig()
    action, slot = actions.new_action("Turn", armature)
    key(action, slot, 'pose.bones["hips"].rotation_quaternion', 3, [(1, 0.0), (11, 0.8)])
    reading = read(armature, action, visual=True)
    assert reading.keyed.locations == () and reading.keyed.scales == ()


def test_nothing_of_the_users_is_changed() -> None:
    armature = make_rig()
    own, slot = hips_action(armature, "Own")
    other, _ = actions.new_action("Other", armature)
    key(other, actions.default_slot(other), 'pose.bones["with.dot"].location', 0, [(1, 3.0), (11, 5.0)])
    actions.assign(armature, own, slot)
    armature.hide_viewport = True
    armature.data.pose_position = "REST"
    scene = bpy.context.scene
    scene.frame_set(4)
    before = [(bone.location[:], bone.rotation_quaternion[:], bone.scale[:]) for bone in armature.pose.bones]
    reading = read(armature, other, visual=True)
    assert np.ptp(reading.motions[0].translations) > 1.9
    assert actions.assigned(armature) == (own, slot)
    assert (armature.hide_viewport, armature.data.pose_position) == (True, "REST")
    assert scene.frame_current == 4 and len(bpy.data.scenes) == 1 and bpy.context.scene == scene
    bpy.context.view_layer.update()
    after = [(bone.location[:], bone.rotation_quaternion[:], bone.scale[:]) for bone in armature.pose.bones]
    assert after == before


def test_a_character_without_animation_has_none_afterwards() -> None:
    armature = make_rig()
    action, _ = hips_action(armature)
    read(armature, action, visual=True)
    assert armature.animation_data is None


def test_frames_between_whole_ones_are_seen_there() -> None:
    armature = make_rig()
    action, _ = hips_action(armature)
    spec = ExampleSpec(action, frame_start=2.5, frame_end=5.0)
    reading = read_examples(armature, [spec], scene=bpy.context.scene, visual=True)
    hips = reading.motions[0].translated.tolist().index(reading.motions[0].skeleton.names.index("hips"))
    assert np.allclose(reading.motions[0].translations[:, hips, 0], [0.15, 0.25, 0.35], atol=1e-5)


@pytest.mark.parametrize("overridden", [False, True], ids=["linked", "overridden"])
@pytest.mark.parametrize("visual", [False, True], ids=["channels", "visual"])
def test_characters_of_other_files_are_read(tmp_path: Path, overridden: bool, visual: bool) -> None:
    armature = make_rig()
    own, slot = hips_action(armature, "Own")
    actions.assign(armature, own, slot)
    hips_action(armature, "Other")[0].use_fake_user = True
    armature.hide_viewport = True
    library = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(library, link=True) as (_, linked):
        linked.objects, linked.actions = ["Rig"], ["Own", "Other"]
    character = bpy.data.objects["Rig"]
    bpy.context.scene.collection.objects.link(character)
    bpy.context.view_layer.update()
    if overridden:
        character = character.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer)
    before = actions.assigned(character)
    for name in ("Own", "Other"):
        motion = read(character, bpy.data.actions[name], visual=visual).motions[0]
        assert np.ptp(motion.translations) > 2.9
    assert actions.assigned(character) == before
    assert character.hide_viewport


def test_reading_keyed_channels_without_an_action_is_rejected() -> None:
    with pytest.raises(InputError, match="Visual"):
        read(make_rig(), None, visual=False)


REST_POSE = MOTIONS / "blend" / "29_armature_use_rest_pose.blend"
BAKING = MOTIONS / "blend" / "30_baking_animation.blend"


@pytest.mark.skipif(not BAKING.exists(), reason="the motions folder is not at hand")
@pytest.mark.parametrize("path", [REST_POSE, BAKING], ids=lambda path: path.stem)
def test_characters_of_old_files_that_only_constraints_move_are_read_as_seen(path: Path) -> None:
    load(path)
    armatures = [item for item in bpy.data.objects if item.type == "ARMATURE"]
    moved = [item for item in armatures if any(len(bone.constraints) for bone in item.pose.bones)]
    assert moved
    for armature in moved:
        reading = read(armature, None)
        armature.data.pose_position = "POSE"
        result_poses_as_seen(armature, reading, evaluated(armature, FRAMES))


def test_object_moved_only_by_the_nla_is_read_with_its_motion() -> None:
    rig = make_rig()
    rig.rotation_mode = "XYZ"
    action, slot = actions.new_action("Ride", rig)
    key(action, slot, "location", 0, [(1, 0.0), (20, 5.0)])
    key(action, slot, "rotation_euler", 2, [(1, 0.0), (20, 1.0)])
    key(action, slot, 'pose.bones["hips"].location', 1, [(1, 0.0), (20, 1.0)])
    track = (rig.animation_data or rig.animation_data_create()).nla_tracks.new()
    strip = track.strips.new("Ride", 1, action)
    if slot:
        strip.action_slot = action.slots[0]
    actions.clear_assignment(rig)
    bpy.context.scene.frame_end = 20
    reading = read_examples(rig, [ExampleSpec(None)], scene=bpy.context.scene)
    motion = reading.motions[0]
    assert motion.skeleton.names[0] == OBJECT_JOINT and OBJECT_JOINT in reading.keyed.locations
    assert motion.translations[:, 0, 0] == pytest.approx(np.linspace(0, 5, 20), abs=1e-4)
    frames = np.arange(1.0, 21.0)
    before = evaluated(rig, frames)
    written = write_action(motion, reading.keyed, rig, name="Back", frame_start=1.0)
    track.mute = True
    actions.assign(rig, written.action, written.slot)
    assert largest_difference(before, evaluated(rig, frames), motion.skeleton.size) < 1e-4


def test_a_root_bone_without_local_location_is_read_where_it_is() -> None:
    rig = make_rig()
    rig.data.bones[0].use_local_location = False
    rig.pose.bones[0].location = (0.5, -0.3, 0.2)
    action, slot = actions.new_action("Turn", rig)
    key(action, slot, 'pose.bones["hips"].rotation_quaternion', 1, [(1, 0.0), (10, 0.5)])
    actions.assign(rig, action, slot)
    spec = ExampleSpec(action, slot)
    reading = read_examples(rig, [spec], scene=bpy.context.scene, visual=True)
    frames = np.arange(1.0, 11.0)
    before = evaluated(rig, frames)
    written = write_action(reading.motions[0], reading.keyed, rig, name="Back", frame_start=1.0)
    actions.assign(rig, written.action, written.slot)
    assert largest_difference(before, evaluated(rig, frames), reading.motions[0].skeleton.size) < 1e-4


@pytest.mark.parametrize("visual", [False, True])
def test_a_location_in_the_parent_s_axes_is_read_and_written_where_it_is(visual: bool) -> None:
    rig = make_rig()
    name = "with.dot"
    rig.data.bones[name].use_local_location = False
    action, slot = hips_action(rig)
    for index, value in enumerate((0.3, 1.0, -0.4)):
        key(action, slot, f"{bone_path(name)}.location", index, [(1, 0.2), (11, value)])
        key(action, slot, f"{bone_path(name)}.rotation_quaternion", index + 1, [(1, 0.0), (11, value)])
    actions.assign(rig, action, slot)
    seen = evaluated(rig, FRAMES)
    reading = read_examples(rig, [ExampleSpec(action, slot)], scene=bpy.context.scene, visual=visual)
    motion = reading.motions[0]
    joint = motion.skeleton.names.index(name)
    assert np.abs(motion.skeleton.rest_rotations[joint] - (1.0, 0.0, 0.0, 0.0)).max() > 0.1, "its axes are its own"
    assert np.allclose(motion.pose()[1][:, joint], seen[:, 1 + rig.pose.bones.find(name), :3, 3], atol=1e-4)
    result_poses_as_seen(rig, reading, seen)
