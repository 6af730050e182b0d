# SPDX-License-Identifier: GPL-3.0-or-later
"""Root motion: the travel of an action moved to a root bone, with every other bone unchanged in the world."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from characters import FRAMES, Character, make_character, make_request, walking_sample, world_bones
from commands import run
from interface import registered
from rigify_human import generated_human, swaying
from rigs import empty_file, key

from genmm_addon.animation import actions
from genmm_addon.control_rigs.root_motion.putting import RootMotion, put_on_root
from genmm_addon.core import InputError
from genmm_addon.generation.generate import generate
from genmm_addon.generation.request import Output

ALL = range(1, FRAMES + 1, 3)


@pytest.fixture
def character() -> Iterator[Character]:
    empty_file()
    with registered():
        yield make_character()


def put(armature: Object, **values: object) -> RootMotion:
    playing = actions.assigned(armature)
    assert playing is not None
    return put_on_root(armature, bpy.context.scene, *playing, **values)  # type: ignore[arg-type]


def worlds(armature: Object, frames: range = ALL) -> dict[str, np.ndarray]:
    """Return each bone's world matrices `(T, 4, 4)`."""
    names = sorted(bone.name for bone in armature.data.bones)
    posed = np.array([world_bones(armature, frame) for frame in frames])
    return {name: posed[:, number] for number, name in enumerate(names)}


def assert_stays(before: dict[str, np.ndarray], after: dict[str, np.ndarray], bound: float = 2e-5) -> None:
    assert max(float(np.abs(after[name] - before[name]).max()) for name in before) < bound


def test_a_root_bone_is_made_and_every_other_bone_stays(character: Character) -> None:
    armature = character.armature
    before = worlds(armature)
    done = put(armature)
    after = worlds(armature)
    assert (done.bone, done.is_made, done.first, done.last) == ("root", True, 1.0, float(FRAMES))
    assert armature.data.bones["hips"].parent.name == "root"
    assert_stays(before, after)
    root = after["root"]
    assert np.abs(root[:, 2, 3]).max() < 1e-6, "flat on the ground"
    assert root[:, :3, 2] == pytest.approx(np.tile([0.0, 0.0, 1.0], (len(root), 1)), abs=1e-6)
    traveled, by_hips = root[-1, :3, 3] - root[0, :3, 3], before["hips"][-1, :3, 3] - before["hips"][0, :3, 3]
    assert traveled[:2] == pytest.approx(by_hips[:2], abs=0.1)


@pytest.mark.parametrize("rotation", [(1.5708, 0.0, 0.0), (0.3, 0.2, 1.0)])
def test_on_an_armature_that_is_small_and_turned_the_root_is_flat_in_the_world(
    character: Character, rotation: tuple[float, float, float]
) -> None:
    armature = character.armature
    armature.scale, armature.rotation_euler = (0.01, 0.01, 0.01), rotation
    bpy.context.view_layer.update()
    before = worlds(armature)
    put(armature)
    after = worlds(armature)
    assert_stays(before, after, 1e-6)
    upward = after["root"][:, :3, 2] / np.linalg.norm(after["root"][:, :3, 2], axis=1, keepdims=True)
    assert upward == pytest.approx(np.tile([0.0, 0.0, 1.0], (len(upward), 1)), abs=1e-5)


def test_a_bone_above_the_hips_is_used_and_a_second_time_changes_nothing(character: Character) -> None:
    armature = character.armature
    put(armature, name="mover")
    first = worlds(armature)
    again = put(armature)
    assert (again.bone, again.is_made) == ("mover", False)
    assert_stays(first, worlds(armature), 2e-3)
    assert len(armature.data.bones) == 4


def test_who_shares_the_armature_data_keeps_it(character: Character) -> None:
    other = character.armature.copy()
    bpy.context.scene.collection.objects.link(other)
    bpy.context.view_layer.update()
    data = other.data
    put(character.armature)
    assert other.data == data
    assert "root" not in other.data.bones
    assert "root" in character.armature.data.bones


def test_in_place_root_bone_stays_and_the_hips_stay_near_it(character: Character) -> None:
    done = put(character.armature, in_place=True)
    after = worlds(character.armature)
    assert np.ptp(after[done.bone], axis=0).max() < 1e-6
    assert np.ptp(after["hips"][:, :2, 3], axis=0).max() < 0.2


def test_an_action_without_keys_of_the_root_plays_from_where_it_is_at_rest(character: Character) -> None:
    armature = character.armature
    before = character.walk.copy()
    put(armature)
    bpy.context.scene.frame_set(FRAMES)
    slot = actions.armature_slots(before)[0]
    actions.assign(armature, before, slot)
    put_on_root(armature, bpy.context.scene, before, slot)
    assert worlds(armature)["root"][0, 0, 3] == pytest.approx(0.05, abs=0.1), "not from where the first one ended"


def test_unsuitable_character_is_rejected_and_left_unchanged(character: Character) -> None:
    armature, walk = character.armature, character.walk
    slot = actions.armature_slots(walk)[0]
    data = armature.data
    with pytest.raises(InputError, match='"spine" is not at the top of the skeleton'):
        put(armature, name="spine")
    with pytest.raises(InputError, match="has no name"):
        put(armature, name=" ")
    curves = list(actions.fcurves_of(walk, slot))
    curves[-1].lock = True
    with pytest.raises(InputError, match="is locked"):
        put(armature)
    curves[-1].lock = False
    held = armature.pose.bones["hand"].constraints.new("COPY_LOCATION")
    held.target, held.subtarget, held.owner_space = armature, "hips", "LOCAL"
    held.target_space = "LOCAL"
    with pytest.raises(InputError, match='The rig moves bone "hand"'):
        put(armature)
    armature.pose.bones["hand"].constraints.remove(held)
    middle = curves[0].keyframe_points[len(curves[0].keyframe_points) // 2]
    value, middle.co.y = middle.co.y, float("nan")
    with pytest.raises(InputError, match="has a pose that is not finite at frame"):
        put(armature)
    middle.co.y = value
    key(walk, slot, "location", 0, [(1, 0.0), (FRAMES, 2.0)])
    with pytest.raises(InputError, match='moves "Rig" itself'):
        put(armature)
    assert armature.data == data
    assert [bone.name for bone in armature.data.bones] == ["hips", "spine", "hand"]
    assert not [block for block in bpy.data.armatures if block != data]


def test_invalid_root_bone_is_rejected_before_anything_is_changed(character: Character) -> None:
    armature, walk = character.armature, character.walk
    with pytest.raises(InputError, match="too long for a bone; choose one of at most 63 bytes"):
        put(armature, name="root" * 16)
    with edited(armature) as bones:
        bones["spine"].use_connect = True
    with pytest.raises(InputError, match='"hips" carries the body itself; choose another name'):
        put(armature, name="hips")
    with edited(armature) as bones:
        bones.new("root").tail = (0.0, 1.0, 0.0)
    with pytest.raises(InputError, match='"root" is not at the top of the skeleton, above "hips"'):
        put(armature)
    actions.fcurves_of(walk, actions.armature_slots(walk)[0])[0].keyframe_points.insert(100_000, 1.0)
    with pytest.raises(InputError, match="one at 100,000; delete the keys"):
        put(armature, name="mover")
    assert sorted(bone.name for bone in armature.data.bones) == ["hand", "hips", "root", "spine"]


@contextmanager
def edited(armature: Object) -> Iterator[bpy.types.ArmatureEditBones]:
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    yield armature.data.edit_bones
    bpy.ops.object.mode_set(mode="OBJECT")


def test_on_a_control_rig_its_root_bone_carries_the_controls() -> None:
    empty_file()
    with generated_human() as rig:
        action, slot = swaying(rig, ["torso", "foot_ik.L", "hand_ik.R"])
        for curve in actions.fcurves_of(action, slot):
            if curve.data_path.endswith("location") and curve.array_index == 1:
                for point in curve.keyframe_points:
                    point.co[1] -= 0.05 * point.co[0]
                curve.update()
        actions.assign(rig, action, slot)
        frames = range(1, 41, 13)
        before = worlds(rig, frames)
        done = put(rig)
        after = worlds(rig, frames)
    assert (done.bone, done.is_made) == ("root", False)
    assert np.linalg.norm(after["root"][-1, :3, 3] - after["root"][0, :3, 3]) > 1.5
    deform = {name: poses for name, poses in before.items() if name.startswith("DEF-")}
    assert_stays(deform, after, 1e-3)
    assert_stays({name: before[name] for name in ("torso", "foot_ik.L", "hand_ik.R")}, after, 1e-4)


@pytest.mark.parametrize("output", list(Output))
def test_generated_motion_has_root_motion_where_it_is_asked_for(character: Character, output: Output) -> None:
    plain = generate(bpy.context, make_request(character, seeds=(1,)))[0]
    request = make_request(character, output=output, seeds=(1, 2), root_motion=True, root_motion_bone="mover")
    results = generate(bpy.context, request)
    for result in results:
        curves = {curve.data_path for curve in actions.fcurves_of(result.action, result.slot)}
        assert 'pose.bones["mover"].location' in curves
        assert "mover" in result.object.data.bones
    assert ("mover" in character.armature.data.bones) == (output is not Output.NEW_CHARACTER)
    frames = range(1, 30, 4)
    rooted, there = worlds(results[0].object, frames), worlds(plain.object, frames)
    for name in ("hips", "hand"):
        away = rooted[name] - there[name]
        assert np.ptp(away, axis=0).max() < 1e-4, "but for where it stands"
    again = generate(bpy.context, request)
    assert worlds(again[0].object, frames)["hand"][:, :3, :3] == pytest.approx(rooted["hand"][:, :3, :3], abs=1e-4)


def test_a_failure_takes_the_bone_back(character: Character, monkeypatch: pytest.MonkeyPatch) -> None:
    from genmm_addon.generation import generate as module

    def fail(*_: object) -> None:
        raise InputError("No.")

    monkeypatch.setattr(module, "extend_playback", fail)
    data, names = character.armature.data, {block.name for block in bpy.data.armatures}
    with pytest.raises(InputError):
        generate(bpy.context, make_request(character, output=Output.NEW_ACTION, root_motion=True, extend_playback=True))
    assert character.armature.data == data
    assert {block.name for block in bpy.data.armatures} == names


def test_the_operator_is_undone_and_saved(character: Character, tmp_path: Path) -> None:
    armature = character.armature
    bpy.context.view_layer.objects.active = armature
    armature.select_set(True)
    before = worlds(armature)
    assert bpy.ops.genmm.root_motion_to_bone("INVOKE_DEFAULT") == {"FINISHED"}
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rooted.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "rooted.blend"))
    again = bpy.data.objects["Rig"]
    assert again.data.name == "Rig"
    assert_stays(before, worlds(again))


@pytest.mark.parametrize("ending", ["fbx", "glb", "bvh"])
def test_files_have_the_root_bone_and_play_the_same(
    tmp_path: Path, ending: str, capfd: pytest.CaptureFixture[str]
) -> None:
    empty_file()
    heads = {}
    with registered():
        make_character()
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hero.blend"))
        for name, more in (("plain", ()), ("rooted", ("--root-motion",))):
            out = tmp_path / f"{name}.{ending}"
            words = ("--frames", 20, "--seeds", 4, *more, "--output", out)
            assert run(capfd, "generate", tmp_path / "hero.blend", *words).status == 0
            heads[name] = imported(out)
    assert set(heads["rooted"]) - set(heads["plain"]) == {"root"}
    assert_stays(heads["plain"], heads["rooted"], 1e-3)


def imported(path: Path) -> dict[str, np.ndarray]:
    """Return the world positions of the heads of a file's bones at some frames."""
    empty_file()
    if path.suffix == ".fbx":
        bpy.ops.import_scene.fbx(filepath=str(path))
    elif path.suffix == ".glb":
        bpy.ops.import_scene.gltf(filepath=str(path))
    else:
        bpy.ops.import_anim.bvh(filepath=str(path))
    armature = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    first, last = (round(frame) for frame in armature.animation_data.action.frame_range)
    posed = worlds(armature, range(first, last + 1, 5))
    return {name: matrices[:, :3, 3] for name, matrices in posed.items()}


def engine_character() -> Object:
    """Return a walk whose travel is on a bone on the ground, without keys of the hips, as game engines use it."""
    armature = walking_sample()
    put(armature)
    armature.data.bones["root"].name = "RL_BoneRoot"
    playing = actions.assigned(armature)
    assert playing is not None
    for curve in actions.fcurves_of(*playing):
        if curve.data_path == 'pose.bones["Hips"].location':
            for point in curve.keyframe_points:
                point.co[1] = 0.0
            curve.update()
    return armature


@pytest.mark.usefixtures("character")
def test_a_root_bone_that_has_all_of_the_travel_is_used_by_any_name() -> None:
    armature = engine_character()
    before = worlds(armature)
    done = put(armature)
    assert (done.bone, done.is_made) == ("RL_BoneRoot", False)
    after = worlds(armature)
    root = after.pop("RL_BoneRoot")
    before.pop("RL_BoneRoot")
    assert_stays(before, after)
    assert np.abs(root[:, 2, 3]).max() < 1e-6


@pytest.mark.usefixtures("character")
def test_where_hips_are_connected_to_it_a_bone_is_made() -> None:
    armature = engine_character()
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    hips = armature.data.edit_bones["Hips"]
    hips.parent.tail = hips.head
    hips.use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    before = worlds(armature)
    done = put(armature)
    assert done.is_made
    after = worlds(armature)
    assert_stays(before, {name: after[name] for name in before})
