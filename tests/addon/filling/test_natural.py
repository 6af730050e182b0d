# SPDX-License-Identifier: GPL-3.0-or-later
"""Coarse keys, their full motion, and Make Natural: edited poses are met, and nothing else changes."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from commands import run, save
from numpy.typing import NDArray

from genmm_addon.animation.actions import armature_slots, assign, assigned, fcurves_of
from genmm_addon.animation.curves import key_values
from genmm_addon.animation.stretches.generated import generated_ranges
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.editing.coarse_record import coarse_record

pytestmark = pytest.mark.usefixtures("extension")

Places = NDArray[np.float64]


@pytest.fixture
def character() -> Object:
    """Return the sample with its walk."""
    bpy.context.scene.render.fps = 30
    sample = add_sample_character(bpy.context)
    assign(sample.armature, next(action for action in sample.actions if action.name.endswith("Walk")))
    bpy.context.view_layer.objects.active = sample.armature
    return sample.armature


def action_of(character: Object) -> Action:
    playing = assigned(character)
    assert playing is not None
    return playing[0]


def joints(character: Object, first: int, last: int) -> Places:
    """Return the positions of the bones' heads, as Blender plays them, in sizes of the character."""
    found = []
    for frame in range(first, last + 1):
        bpy.context.scene.frame_set(frame)
        found.append([np.array(bone.head) for bone in character.pose.bones])
    heights = [bone.head_local.z for bone in character.data.bones]
    return np.asarray(np.array(found) / (max(heights) - min(heights)))


def keyed_frames(action: Action) -> set[float]:
    return {
        float(frame) for curve in fcurves_of(action, armature_slots(action)[0]) for frame in key_values(curve)[:, 0]
    }


def turn_key(action: Action, bone: str, frame: float, by: float) -> None:
    """Rotate a bone at one of its keys, by a change of its quaternion's x."""
    for curve in fcurves_of(action, armature_slots(action)[0]):
        path = curve.data_path
        if path.startswith(f'pose.bones["{bone}"]') and "rotation" in path and curve.array_index == 1:
            point = next(point for point in curve.keyframe_points if point.co.x == frame)
            point.co.y += by
            curve.update()


@pytest.mark.parametrize("spacing", ["EVEN", "POSES"])
def test_unedited_coarse_keys_restore_the_original(character: Object, spacing: str) -> None:
    original, before = action_of(character), joints(character, 1, 150)
    bpy.ops.genmm.coarse_keys(spacing=spacing)
    coarse = action_of(character)
    assert coarse != original and len(keyed_frames(coarse)) < 15 and original.use_fake_user
    assert np.abs(joints(character, 1, 150) - before).max() > 0.02
    bpy.ops.genmm.switch_keys(action="FULL")
    assert action_of(character) not in (coarse, original)
    assert np.abs(joints(character, 1, 150) - before).max() < 0.01


def test_an_edited_key_is_met_and_frames_far_from_it_are_the_originals(character: Object) -> None:
    original = joints(character, 1, 200)
    bpy.ops.genmm.coarse_keys()
    frame = sorted(keyed_frames(action_of(character)))[3]
    turn_key(action_of(character), "UpperArm.R", frame, 0.3)
    posed = joints(character, int(frame), int(frame))
    bpy.ops.genmm.switch_keys(action="FULL")
    full = joints(character, 1, 200)
    assert np.abs(full[int(frame) - 1] - posed[0]).max() < 1e-3
    assert np.abs(full[int(frame) - 1] - original[int(frame) - 1]).max() > 0.02
    assert np.abs(full[: int(frame) - 32] - original[: int(frame) - 32]).max() < 1e-3
    assert np.abs(full[int(frame) + 31 :] - original[int(frame) + 31 :]).max() < 1e-3


def test_they_survive_a_file_and_a_full_motion_changed_by_hand_is_kept(tmp_path: Path, character: Object) -> None:
    bpy.ops.genmm.coarse_keys(seconds=2.0)
    coarse = action_of(character).name
    bpy.ops.genmm.switch_keys(action="FULL")
    path = save(tmp_path, "coarse")
    bpy.ops.wm.open_mainfile(filepath=str(path))
    rig = bpy.context.view_layer.objects.active
    full = action_of(rig)
    bpy.ops.genmm.switch_keys(action="COARSE")
    assert action_of(rig).name == coarse
    record = coarse_record(action_of(rig))
    assert record is not None and record.original is not None and record.full == full
    next(iter(fcurves_of(full, armature_slots(full)[0]))).keyframe_points[5].co.y += 0.1
    bpy.ops.genmm.switch_keys(action="FULL")
    assert action_of(rig) != full and full.name in bpy.data.actions


def test_impossible_requests_are_rejected_and_change_nothing(character: Object) -> None:
    walk = action_of(character)
    with pytest.raises(RuntimeError, match="Press Coarse Keys first"):
        bpy.ops.genmm.switch_keys(action="FULL")
    bpy.ops.genmm.coarse_keys()
    coarse = action_of(character)
    bpy.data.actions.remove(walk)
    with pytest.raises(RuntimeError, match="is gone"):
        bpy.ops.genmm.switch_keys(action="FULL")
    assert action_of(character) == coarse
    with pytest.raises(RuntimeError, match="no motion at frames"):
        bpy.ops.genmm.make_natural(range_choice="FRAMES", first_frame=9000, last_frame=9100)


def test_make_natural_changes_the_range_alone_and_not_its_ends(character: Object) -> None:
    for name in ("GenMM Walk Proud", "GenMM Walk Tired"):
        if name in bpy.data.actions:
            bpy.ops.genmm.add_example(action=name)
    before = joints(character, 1, 150)
    where = {"range_choice": "FRAMES", "first_frame": 41, "last_frame": 91}
    bpy.ops.genmm.make_natural(strength=0.0, **where)
    assert np.abs(joints(character, 1, 150) - before).max() < 1e-6
    bpy.ops.genmm.make_natural(strength=1.0, **where)
    after = joints(character, 1, 150)
    assert np.abs(after[:41] - before[:41]).max() < 1e-6 and np.abs(after[90:] - before[90:]).max() < 1e-6
    assert np.abs(after[41:90] - before[41:90]).max() > 1e-3
    assert generated_ranges(action_of(character)) == ((41.0, 91.0),)


def test_the_command_makes_coarse_keys_and_a_full_motion_of_them(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], character: Object
) -> None:
    shot, coarse, full = save(tmp_path, "shot"), tmp_path / "coarse.blend", tmp_path / "full.bvh"
    said = run(capfd, "natural", shot, "--coarse", "1", "--output", coarse)
    assert said.status == 0, said.errors
    said = run(capfd, "natural", coarse, "--full", "--output", full)
    assert said.status == 0 and "passes through" in said.lines[-1], said.errors
    assert run(capfd, "natural", shot, "--range", "41-91", "--output", tmp_path / "n.blend").status == 0
    refused = run(capfd, "natural", shot, "--full", "--output", tmp_path / "other.blend")
    assert refused.status == 2 and "no coarse keys" in refused.errors[-1]
