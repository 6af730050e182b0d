# SPDX-License-Identifier: GPL-3.0-or-later
"""Locomotion Set, in the window and by command: actions with root motion, marked as assets, and one file for each."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Action
from commands import run
from interface import play, select

from genmm_addon.animation.actions import assigned, fcurves_of
from genmm_addon.character.sample.sample_character import SampleCharacter, add_sample_character

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def sample() -> SampleCharacter:
    bpy.context.scene.render.fps = 30
    made = add_sample_character(bpy.context)
    play(made.armature, next(action for action in made.actions if action.name == "GenMM Walk"))
    select(made.armature)
    return made


def new_actions(sample: SampleCharacter) -> list[Action]:
    return [action for action in bpy.data.actions if action not in sample.actions]


def saved(sample: SampleCharacter, folder: Path) -> Path:
    """Return the path of a file with the sample and its walk alone."""
    for action in sample.actions:
        if action.name != "GenMM Walk":
            bpy.data.actions.remove(action)
    bpy.ops.wm.save_as_mainfile(filepath=str(folder / "hero.blend"))
    return folder / "hero.blend"


def test_each_move_is_an_asset_with_root_motion_from_the_origin(sample: SampleCharacter) -> None:
    playing = assigned(sample.armature)
    assert bpy.ops.genmm.locomotion_set() == {"FINISHED"}
    made = new_actions(sample)
    assert made and assigned(sample.armature) == playing
    for action in made:
        assert action.asset_data is not None and " s, " in action.asset_data.description
        assert action.use_cyclic == (" forward_" in action.name)
        root = [curve for curve in fcurves_of(action) if curve.data_path == 'pose.bones["root"].location']
        moves = np.array([[curve.evaluate(frame) for curve in root] for frame in action.frame_range])
        hips = [
            curve
            for curve in fcurves_of(action)
            if curve.data_path.endswith('s"].location') and "ips" in curve.data_path
        ]
        swings = [np.ptp([point.co.y for point in curve.keyframe_points]) for curve in hips]
        if " forward_" in action.name:
            assert np.linalg.norm(moves[1] - moves[0]) > 0.5 > max(swings, default=0.0)


@pytest.mark.parametrize("scale", [1.0, -1.0])
def test_the_name_holds_the_speed_of_the_root(sample: SampleCharacter, scale: float) -> None:
    sample.armature.scale.x = scale
    bpy.context.view_layer.update()
    bpy.ops.genmm.locomotion_set()
    action = next(action for action in new_actions(sample) if " forward_" in action.name)
    root = [curve for curve in fcurves_of(action) if curve.data_path == 'pose.bones["root"].location']
    first, last = float(action.frame_range[0]), float(action.frame_range[1])
    moves = [np.array([curve.evaluate(frame) for curve in root]) for frame in (first, last)]
    speed = np.linalg.norm(moves[1] - moves[0]) / (last - first) * 30
    assert float(action.name.rpartition("_")[2]) == pytest.approx(speed, abs=0.02)


def test_one_cycle_of_a_game_is_a_loop_unless_it_is_said_to_be_a_take(sample: SampleCharacter) -> None:
    bpy.ops.genmm.locomotion_set()
    cycle = next(action for action in new_actions(sample) if " forward_" in action.name)
    cycle.use_cyclic = cycle.use_frame_range = False
    play(sample.armature, cycle)
    bpy.ops.genmm.locomotion_set()
    [loop] = [action for action in new_actions(sample) if " forward_" in action.name and action is not cycle]
    assert loop.name == f"{cycle.name} (2)" and loop.frame_range[:] == cycle.frame_range[:]
    examples = sample.armature.genmm.examples
    if not examples:
        examples.add().action = cycle
    examples[0].repetition = "TAKE"
    with pytest.raises(RuntimeError, match="walks or runs"):
        bpy.ops.genmm.locomotion_set()


def test_without_strides_it_says_so_and_nothing_is_made(sample: SampleCharacter) -> None:
    play(sample.armature, next(action for action in sample.actions if action.name.endswith("Wave")))
    before, bones = set(bpy.data.actions.keys()), set(sample.armature.data.bones.keys())
    with pytest.raises(RuntimeError, match="walks or runs"):
        bpy.ops.genmm.locomotion_set()
    assert set(bpy.data.actions.keys()) == before and set(sample.armature.data.bones.keys()) == bones


def test_an_example_that_moves_the_object_itself_is_named(sample: SampleCharacter) -> None:
    walk = assigned(sample.armature)
    assert walk is not None
    for axis in range(3):
        hips = next(
            curve
            for curve in fcurves_of(*walk)
            if curve.data_path.endswith('s"].location') and curve.array_index == axis
        )
        hips.data_path = "location"
    before = set(bpy.data.actions.keys())
    with pytest.raises(RuntimeError, match='Action "GenMM Walk" moves "GenMM Sample" itself, not a bone of it'):
        bpy.ops.genmm.locomotion_set()
    assert set(bpy.data.actions.keys()) == before


def test_in_tweak_mode_it_says_so(sample: SampleCharacter) -> None:
    data = sample.armature.animation_data
    strip = data.nla_tracks.new().strips.new("Walk", 1, data.action)
    data.action = None
    data.nla_tracks[0].select = strip.select = True
    data.use_tweak_mode = True
    with pytest.raises(RuntimeError, match="leave tweak mode"):
        bpy.ops.genmm.locomotion_set()
    data.use_tweak_mode = False


@pytest.mark.parametrize("ending", ["bvh", "fbx"])
def test_the_command_writes_a_file_for_each_and_lists_them(
    sample: SampleCharacter, tmp_path: Path, capfd: pytest.CaptureFixture[str], ending: str
) -> None:
    blend = saved(sample, tmp_path)
    said = run(capfd, "set", blend, "--output", tmp_path / "set" / ("{direction}_{speed}." + ending))
    assert said.status == 0, said.errors
    files = sorted(path.name for path in (tmp_path / "set").iterdir())
    assert files and all(name.endswith(ending) for name in files) and files[0].startswith("forward_")
    text = "\n".join(said.told + said.errors)
    assert all(name in text for name in files) and "No turn in place to the left." in text


def test_the_command_refuses_what_it_cannot_name(
    sample: SampleCharacter, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    blend = saved(sample, tmp_path)
    for words, message in (
        (("--output", tmp_path / "one.fbx"), "needs {direction} and {speed}"),
        (("--strides", 2, "--output", tmp_path / "{direction}_{speed}.fbx"), "needs {strides}"),
        (("--strides", 0), "--strides must lie"),
        (("--output", tmp_path / "{direction}_{seed}.fbx"), "unknown"),
        (("--output", tmp_path / "{direction}_{speed}.txt"), "cannot be written"),
    ):
        said = run(capfd, "set", blend, *words)
        assert said.status == 2 and message in "".join(said.errors)
    assert not list(tmp_path.glob("*.fbx"))


def test_the_command_writes_one_blend_with_all(
    sample: SampleCharacter, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    blend = saved(sample, tmp_path)
    assert run(capfd, "set", blend, "--strides", 2, "--output", tmp_path / "set.blend").status == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "set.blend"))
    assert len([action for action in bpy.data.actions if action.asset_data is not None]) >= 2
    assert run(capfd, "set", blend, "--output", tmp_path / "set.blend").status == 2
