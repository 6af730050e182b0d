# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters imported from files: their actions and rates, and the sentences on files that cannot be used."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from bvh_files import FRAMES, poses, said_of, walker
from numpy.typing import NDArray
from rigs import MOST_ACTIONS, cases_of, make_rig, motion_files, some_of

from genmm_addon.animation.fitting import displaced_bones
from genmm_addon.animation.reading.examples import example_range
from genmm_addon.core import InputError
from genmm_addon.core.motion import bvh_frames_per_second
from genmm_addon.files.import_file import ENDINGS, Y_UP, Z_UP, import_file
from genmm_addon.generation.generate import Request, generate

FILES = motion_files(ENDINGS)
WITHOUT_ARMATURE = {
    "00_looping_animation.blend",
    "07_nla-anim.blend",
    "12_anim_range_sampled.blend",
    "07_nla-anim.gltf",
}
WITHOUT_ACTION = {"29_armature_use_rest_pose.blend", "m2m_fox-cat.glb", "m2m_human-bunny.glb"}
UNUSABLE = WITHOUT_ARMATURE | WITHOUT_ACTION


@pytest.fixture
def bvh(tmp_path: Path) -> Path:
    path = tmp_path / "walker.bvh"
    path.write_text(walker())
    return path


@pytest.mark.parametrize("path", cases_of(path for path in FILES if path.name not in UNUSABLE))
def test_actions_of_a_file_become_motion_that_survives_saving(path: Path, tmp_path: Path) -> None:
    results = {}
    for character in import_file(path, bpy.context):
        for example in some_of(character.examples, MOST_ACTIONS):
            request = Request(character.armature, (example,), frames=FRAMES)
            try:
                result = generate(bpy.context, request)[0].object
            except InputError as refusal:
                # Files of many actions often hold a pose as one of them.
                assert "too short to vary" in str(refusal)
                continue
            results[result.name] = poses(result)
            assert np.isfinite(results[result.name]).all()
    assert results
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    for name, before in results.items():
        np.testing.assert_array_equal(poses(bpy.data.objects[name]), before)


@pytest.mark.parametrize("path", [path for path in FILES if path.name in UNUSABLE], ids=lambda path: path.name)
def test_a_file_without_an_animated_armature_gets_its_sentence(path: Path) -> None:
    expected = "contains no armature" if path.name in WITHOUT_ARMATURE else "no action that moves its armature"
    assert expected in said_of(path)


def test_an_action_too_short_to_vary_is_used_or_refused_in_one_sentence(bvh: Path) -> None:
    lines = walker().replace(f"Frames: {FRAMES}", "Frames: 1").splitlines()
    bvh.write_text("\n".join(lines[: -FRAMES + 1]))
    character = import_file(bvh, bpy.context)[0]
    try:
        result = generate(bpy.context, Request(character.armature, character.examples, frames=FRAMES))[0]
    except InputError as refusal:
        assert str(refusal).endswith(".")
    else:
        assert np.isfinite(poses(result.object)).all()


def test_the_scenes_rate_and_range_stay_and_the_example_has_the_files_rate(bvh: Path) -> None:
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base, scene.frame_end = 30, 1.001, 77
    bvh.write_text(walker(frame_time="0.008333"))
    example = import_file(bvh, bpy.context)[0].examples[0]
    assert example.frames_per_second == 120
    assert (scene.render.fps, scene.frame_end) == (30, 77)
    assert scene.render.fps_base == pytest.approx(1.001)


@pytest.mark.parametrize(
    ("frame_time", "rate"),
    [("0.0333333", 30), (".03333", 30), ("0.016667", 60), ("0.01", 100), ("0.008342", 120 / 1.001), ("0.0137", 73)],
)
def test_a_rounded_frame_time_gives_the_rate_that_was_meant(bvh: Path, frame_time: str, rate: float) -> None:
    bvh.write_text(walker(frame_time=frame_time))
    assert bvh_frames_per_second(bvh) == pytest.approx(rate, rel=1e-12)


@pytest.mark.parametrize(("up", "axes"), [("Y", Y_UP), ("Z", Z_UP)])
def test_a_body_stands_upright_whichever_axis_is_up_in_its_file(bvh: Path, up: str, axes: NDArray[np.float64]) -> None:
    bvh.write_text(walker(up))
    character = import_file(bvh, bpy.context)[0]
    head = character.armature.matrix_world @ character.armature.pose.bones["Head"].head
    assert head.z == pytest.approx(2.0, abs=0.2)
    np.testing.assert_array_equal(character.file_axes, axes)


def test_a_reference_at_the_origin_does_not_lay_a_body_down(bvh: Path) -> None:
    head, _, motion = walker().partition("MOTION\n")
    moved = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
    head = head.replace("ROOT Hips", f"ROOT Reference\n{{\nOFFSET 0 0 0\n{moved}\nJOINT Hips")
    lines = motion.splitlines()
    for number, line in enumerate(lines[2:], start=2):
        across, height, ahead, *rest = line.split()
        lines[number] = " ".join(["0 0 0 0 0 0", across, height, str(float(ahead) + 5), *rest])
    bvh.write_text(head + "}\nMOTION\n" + "\n".join(lines) + "\n")
    character = import_file(bvh, bpy.context)[0]
    np.testing.assert_array_equal(character.file_axes, Y_UP)


def test_an_fbx_file_keeps_its_action_and_its_rate(bvh: Path, tmp_path: Path) -> None:
    import_file(bvh, bpy.context)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_end = 60, FRAMES
    bpy.ops.export_scene.fbx(filepath=str(tmp_path / "walker.fbx"), object_types={"ARMATURE"})
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    character = import_file(tmp_path / "walker.fbx", bpy.context)[0]
    assert character.examples[0].frames_per_second == 60
    start, end = example_range(character.armature, character.examples[0], bpy.context.scene)
    assert end - start == FRAMES - 1


def test_hips_at_the_tip_of_a_root_bone_keep_their_travel_in_fbx(bvh: Path, tmp_path: Path) -> None:
    head, _, motion = walker().partition("MOTION\n")
    moved = "CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation"
    head = head.replace("ROOT Hips", f"ROOT Reference\n{{\nOFFSET 0 0 0\n{moved}\nJOINT Hips")
    lines = motion.splitlines()
    lines[2:] = ["0 0 0 0 0 0 " + line for line in lines[2:]]
    bvh.write_text(head + "}\nMOTION\n" + "\n".join(lines) + "\n")
    import_file(bvh, bpy.context)
    bpy.context.scene.frame_end = FRAMES
    bpy.ops.export_scene.fbx(filepath=str(tmp_path / "walker.fbx"), object_types={"ARMATURE"})
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    character = import_file(tmp_path / "walker.fbx", bpy.context)[0]
    places = []
    for frame in example_range(character.armature, character.examples[0], bpy.context.scene):
        bpy.context.scene.frame_set(round(frame))
        places.append(character.armature.matrix_world @ character.armature.pose.bones["Hips"].head)
    assert (places[1] - places[0]).length == pytest.approx(0.02 * (FRAMES - 1), rel=1e-3)
    assert character.armature.data.name == "walker"


def test_bones_whose_location_keys_stay_at_rest_are_not_displaced() -> None:
    rig = make_rig(("still", "moved"))
    for name, place in (("still", 0.0), ("moved", 0.5)):
        rig.pose.bones[name].location = (0.0, place, 0.0)
        rig.pose.bones[name].keyframe_insert("location", frame=40)
    assert displaced_bones(rig.animation_data.action, least=0.001) == {"moved"}


def test_a_glTF_file_keeps_its_speed_in_a_scene_of_a_television_rate(bvh: Path, tmp_path: Path) -> None:  # noqa: N802
    import_file(bvh, bpy.context)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_end = 30, FRAMES
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "walker.glb"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 30, 1.001
    character = import_file(tmp_path / "walker.glb", bpy.context)[0]
    example = character.examples[0]
    start, end = example_range(character.armature, example, bpy.context.scene)
    assert (end - start) / (example.frames_per_second or 0) == pytest.approx((FRAMES - 1) / 30, abs=1e-3)


def test_a_blend_file_brings_its_character_with_its_body_and_its_rate(bvh: Path, tmp_path: Path) -> None:
    armature = import_file(bvh, bpy.context)[0].armature
    body = bpy.data.objects.new("Body", bpy.data.meshes.new("Body"))
    body.parent = armature
    lamp = bpy.data.objects.new("Lamp", bpy.data.lights.new("Lamp", "POINT"))
    for thing in (body, lamp):
        bpy.context.scene.collection.objects.link(thing)
    bpy.context.scene.render.fps = 48
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "walker.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    character = import_file(tmp_path / "walker.blend", bpy.context)[0]
    assert {thing.name for thing in bpy.context.scene.objects} == {character.armature.name, "Body"}
    assert character.examples[0].frames_per_second == 48
    assert "Lamp" not in bpy.data.objects
    assert not bpy.data.libraries


def test_a_file_that_is_cut_short_is_refused_with_where_it_ends(bvh: Path) -> None:
    text = walker()
    bvh.write_text(text[: text.index("MOTION")])
    assert "no MOTION" in said_of(bvh)
    bvh.write_text(text[: text.rindex("\n", 0, -200)])
    assert f"of {FRAMES} frames" in said_of(bvh)
    bvh.write_text(text.rstrip()[:-6])
    assert f"frame {FRAMES} has" in said_of(bvh)


@pytest.mark.parametrize("ending", ENDINGS)
def test_file_with_only_the_right_extension_is_rejected(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"letter{ending}"
    path.write_text("Dear Sir or Madam")
    assert path.name in said_of(path)


def test_missing_file_and_unknown_extension_are_rejected(tmp_path: Path) -> None:
    assert "There is no file" in said_of(tmp_path / "walker.bvh")
    (tmp_path / "walker.txt").write_text(walker())
    assert ".bvh" in said_of(tmp_path / "walker.txt")
