# SPDX-License-Identifier: GPL-3.0-or-later
"""Trajectories through a range, chosen by operator or command, undone, and picked on the screen."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Action
from commands import run, save
from interface import select

from genmm_addon.animation import actions
from genmm_addon.animation.stretches.generated import generated_ranges
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.editing.filling.filling import FillRequest
from genmm_addon.editing.filling.record import record_of
from genmm_addon.editing.filling.trajectories import FoundTrajectory, find_trajectories
from genmm_addon.interface.common.motion_ghosts import placed_by_keys
from genmm_addon.interface.trajectories.lines import ghost_lines, nearest_line, trajectory_lines
from genmm_addon.requests.edit_examples import stretch_task

pytestmark = pytest.mark.usefixtures("extension")

FIRST, LAST = 41, 91


@pytest.fixture
def walk() -> Action:
    """Return the sample's walk, which it plays; its other walks are the examples."""
    bpy.context.scene.render.fps = 30
    sample = add_sample_character(bpy.context)
    select(sample.armature)
    own = next(one for one in sample.actions if one.name.endswith("Walk"))
    actions.assign(sample.armature, own)
    for name in ("GenMM Walk Tired", "GenMM Walk Proud"):
        bpy.ops.genmm.add_example(action=name)
    while len(sample.armature.genmm.examples) > 2:
        sample.armature.genmm.examples.remove(0)
    return own


def outside(action: Action) -> np.ndarray:
    frames = [*np.arange(1.0, FIRST + 1, 4), *np.arange(LAST, 240.0, 4)]
    return np.array([[curve.evaluate(frame) for frame in frames] for curve in actions.fcurves_of(action)])


def test_chosen_trajectory_fills_the_range_and_frames_outside_play_as_before(walk: Action) -> None:
    before = outside(walk)
    values = {"range_choice": "FRAMES", "first_frame": FIRST, "last_frame": LAST}
    assert bpy.ops.genmm.choose_trajectory(**values, named="USUAL") == {"FINISHED"}
    assert np.abs(outside(walk) - before).max() < 1e-5
    assert generated_ranges(walk) == ((FIRST, LAST),)
    record = record_of(walk)
    assert record is not None and record.source in ("GenMM Walk Tired", "GenMM Walk Proud")
    with pytest.raises(RuntimeError, match="There is no trajectory 99"):
        bpy.ops.genmm.choose_trajectory(**values, number=99)


def trajectories_of(walk: Action) -> tuple[FoundTrajectory, ...]:
    """Return the trajectories through the range of the walk."""
    rig = bpy.context.object
    task = stretch_task(rig, bpy.context.scene, walk, actions.slot_for(rig, walk), [(FIRST, LAST)])
    return find_trajectories(task, FillRequest(FIRST, LAST))


def test_lines_lie_on_the_ground_and_the_nearest_is_found(walk: Action) -> None:
    rig, scene = bpy.context.object, bpy.context.scene
    rig.location = (2.0, 1.0, 0.5)
    bpy.context.view_layer.update()
    trajectories = trajectories_of(walk)
    scene.frame_set(FIRST)
    hips = rig.matrix_world @ rig.pose.bones["Hips"].head
    for found in trajectories:
        assert np.allclose(found.points[0], (hips.x, hips.y, 0.5), atol=1e-3)
    drawn = trajectory_lines(trajectories, 0)
    assert drawn.points.dtype == drawn.colors.dtype == np.float32 and len(drawn.points) == len(drawn.colors)
    lines = [np.array([(0.0, 0.0), (100.0, 0.0)]), np.array([(0.0, 50.0), (np.nan, np.nan)])]
    assert nearest_line(lines, (50.0, 10.0), 20.0) == 0
    assert nearest_line(lines, (50.0, 40.0), 20.0) is None


def test_the_ghost_of_a_trajectory_goes_from_the_pose_before_to_the_pose_after(walk: Action) -> None:
    rig, scene = bpy.context.object, bpy.context.scene
    rig.location = (2.0, 1.0, 0.5)
    bpy.context.view_layer.update()
    trajectories = trajectories_of(walk)
    for found in trajectories:
        assert found.motion.frames == LAST - FIRST + 1 and found.motion.frames_per_second == 30.0
        for frame in (FIRST, LAST):
            scene.frame_set(frame)
            heads = np.array([rig.matrix_world @ bone.head for bone in rig.pose.bones])
            assert np.linalg.norm(ghost(found, frame)[:, None] - heads, axis=2).min(axis=0).max() < 1e-3
        middle = (FIRST + LAST) / 2
        assert np.abs(ghost(found, middle) - ghost(found, middle + 10)).max() > 0.1, "the ghost moves"


def test_bones_that_constraints_move_are_left_out_of_the_ghost(walk: Action) -> None:
    rig, scene = bpy.context.object, bpy.context.scene
    scene.frame_set(FIRST + 7)
    found = trajectories_of(walk)[0]
    assert placed_by_keys(found.motion, found.moved, found.to_world, rig) == found.moved
    child = next(bone for bone in rig.pose.bones if bone.parent and bone.children and bone.name in found.moved)
    constrained = {child.name, *(bone.name for bone in child.children_recursive)}
    rotation = child.constraints.new("LIMIT_ROTATION")
    rotation.use_limit_x = rotation.use_limit_y = rotation.use_limit_z = True
    rotation.min_x = rotation.max_x = 1.0
    bpy.context.view_layer.update()
    kept = placed_by_keys(found.motion, found.moved, found.to_world, rig)
    assert found.moved - kept == constrained & found.moved


def ghost(found: FoundTrajectory, frame: float) -> np.ndarray:
    """Return the ends of the strong lines of a trajectory's ghost at a frame of the scene."""
    lines = ghost_lines(found, bpy.context.object, round(frame - FIRST))
    return np.asarray(lines.points[lines.colors[:, 3] == lines.colors[:, 3].max()])


def test_the_command_lists_ways_and_takes_one(tmp_path: Path, capfd: pytest.CaptureFixture[str], walk: Action) -> None:
    shot, output = save(tmp_path, "shot"), tmp_path / "filled.blend"
    said = run(capfd, "fill", shot, "--range", f"{FIRST}-{LAST}", "--list-ways", "--json")
    assert said.status == 0 and not output.exists()
    ways = said.answers
    assert "usual" in ways[0]["names"] and len(ways[0]["points"]) == LAST - FIRST + 1
    told = ("fill", shot, "--range", f"{FIRST}-{LAST}", "--output", output)
    assert run(capfd, *told, "--way", "widest").status == 0 and output.exists()
    for words, sentence in (
        (("--way", "99"), "There is no trajectory 99"),
        (("--way", "scenic"), "is not a trajectory"),
        (("--way", "usual", "--timing", "fast"), "determines the duration"),
    ):
        said = run(capfd, *told, "--force", *words)
        assert said.status == 2 and sentence in said.errors[-1]
