# SPDX-License-Identifier: GPL-3.0-or-later
"""Find Flaws, Repair and `genmm repair`: flaws are listed first and then repaired, and nothing else changes."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from commands import run, save
from numpy.typing import NDArray

from genmm_addon.animation.actions import armature_slots, assign, assigned, fcurves_of
from genmm_addon.animation.stretches.key_tables import read_keys
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.core import rotations
from genmm_addon.editing.repairing.record import repair_text

pytestmark = pytest.mark.usefixtures("extension")

BONE, SPIKE = "Shin.L", (40, 41)


@pytest.fixture
def character() -> Object:
    """Return the sample, whose walk has a spike at one knee."""
    bpy.context.scene.render.fps = 30
    sample = add_sample_character(bpy.context)
    walk = next(action for action in sample.actions if action.name.endswith("Walk"))
    assign(sample.armature, walk)
    bpy.context.view_layer.objects.active = sample.armature
    turn(walk, BONE, {frame: 0.4 for frame in SPIKE})
    return sample.armature


def action_of(character: Object) -> Action:
    playing = assigned(character)
    assert playing is not None
    return playing[0]


def turn(action: Action, bone: str, by: dict[int, float]) -> None:
    """Add to the x of a bone's quaternion at the given frames, and key it there."""
    for curve in fcurves_of(action, armature_slots(action)[0]):
        if f'"{bone}"' in curve.data_path and "rotation" in curve.data_path and curve.array_index == 1:
            for frame, amount in by.items():
                curve.keyframe_points.insert(frame, curve.evaluate(frame) + amount).interpolation = "LINEAR"
            curve.update()


def played(action: Action, frames: range) -> dict[tuple[str, int], NDArray[np.float64]]:
    """Return the values of all curves at the frames."""
    return {
        (curve.data_path, curve.array_index): np.array([curve.evaluate(frame) for frame in frames])
        for curve in fcurves_of(action, armature_slots(action)[0])
    }


def keys_of(action: Action) -> dict[tuple[str, int], bytes]:
    """Return all keys of all curves as bytes."""
    return {
        (curve.data_path, curve.array_index): read_keys(curve).places.tobytes()
        for curve in fcurves_of(action, armature_slots(action)[0])
    }


def test_flaws_are_listed_before_anything_changes(character: Object) -> None:
    action = action_of(character)
    before = keys_of(action)
    bpy.ops.genmm.find_flaws(kinds={"SPIKE"})
    listed = bpy.context.scene.genmm.repair.flaws
    assert [(flaw.kind, flaw.first, flaw.last, flaw.bones) for flaw in listed] == [("SPIKE", *SPIKE, BONE)]
    assert listed[0].change > 0.05
    assert keys_of(action) == before
    bpy.ops.genmm.go_to_frame(rows="flaws", number=0)
    assert bpy.context.scene.frame_current == SPIKE[0]


def test_a_repair_changes_the_flaw_and_not_a_byte_elsewhere(character: Object) -> None:
    action = action_of(character)
    keys, before = keys_of(action), played(action, range(1, 100))
    bpy.ops.genmm.repair(kinds={"SPIKE"})
    after = played(action, range(1, 100))
    own = [key for key in keys if f'"{BONE}"' in key[0] and "rotation" in key[0]]
    assert {key for key, now in keys_of(action).items() if now != keys[key]} <= set(own)
    outside = [frame - 1 for frame in range(1, 100) if frame not in SPIKE]
    for key in keys:
        assert np.array_equal(after[key][outside], before[key][outside])
    x = next(key for key in own if key[1] == 1)
    assert np.abs(np.diff(after[x], 2)).max() < 0.3 * np.abs(np.diff(before[x], 2)).max()
    assert repair_text(action) == "1 flaw repaired by filters, strength 1"


def test_a_flaw_without_its_tick_and_other_bones_stay(character: Object) -> None:
    action = action_of(character)
    before = keys_of(action)
    bpy.ops.genmm.find_flaws(kinds={"SPIKE"})
    listed = bpy.context.scene.genmm.repair.flaws
    bpy.ops.genmm.repair(kinds={"SPIKE"}, left_out=listed[0].name)
    assert keys_of(action) == before
    bpy.ops.genmm.repair(kinds={"SPIKE"}, frames_choice="FRAMES", first_frame=60, last_frame=90)
    assert keys_of(action) == before


def test_noise_everywhere_is_repaired_by_another_action(character: Object) -> None:
    action = action_of(character)
    clean = action.copy()
    random = np.random.default_rng(1)
    for bone in ("UpperArm.L", "Thigh.R", "Spine"):
        turn(action, bone, {frame: float(random.normal(0.0, 0.05)) for frame in range(1, 242)})
    given = off(action, clean)
    action.name, clean.name = "Noisy", "Clean"
    bpy.ops.genmm.repair(what="EVERYTHING", kinds={"JITTER"}, source="ACTION", other_action="Clean")
    assert off(action, clean) < 0.4 * given


@pytest.mark.parametrize(("first", "last"), [(0.37, 0.37), (0.37, 0.0), (0.0, -0.4), (-0.2, 0.3)])
def test_keys_between_frames_at_the_ends_stay(character: Object, first: float, last: float) -> None:
    action = action_of(character)
    curves = fcurves_of(action, armature_slots(action)[0])
    for curve in curves:
        points = curve.keyframe_points
        for number, key in enumerate(points):
            key.co.x += first + (last - first) * number / max(len(points) - 1, 1)
        curve.update()
    before = action.frame_range[:]
    clean = action.copy()
    random = np.random.default_rng(1)
    for curve in curves:
        if '"UpperArm.L"' in curve.data_path and "rotation" in curve.data_path and curve.array_index == 1:
            for key in curve.keyframe_points:
                key.co.y += float(random.normal(0.0, 0.05))
            curve.update()
    given = off(action, clean)
    bpy.ops.genmm.repair(what="EVERYTHING", kinds={"JITTER"}, source="NONE")
    assert action.frame_range[:] == pytest.approx(before, abs=1e-4)
    assert off(action, clean) < 0.8 * given


def off(action: Action, other: Action) -> float:
    """Return the mean angle between the rotations of two actions."""
    there, here = (played(one, range(5, 236)) for one in (action, other))
    paths = {path for path, _ in here if "rotation_quaternion" in path}
    turned = [
        [rotations.normalize(np.stack([one[path, index] for index in range(4)], axis=1)) for path in sorted(paths)]
        for one in (there, here)
    ]
    return float(np.mean(rotations.angle_between(*map(np.array, turned))))


def test_the_command_lists_repairs_and_refuses_in_a_sentence(
    character: Object, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    action_of(character)
    file, out = save(tmp_path, "walk"), tmp_path / "out.blend"
    said = run(capfd, "repair", file, "--list", "--kinds", "spikes", "--json")
    flaws = [row for row in said.objects if row["event"] == "flaw"]
    assert [(row["first"], row["bones"]) for row in flaws] == [(SPIKE[0], [BONE])]
    assert run(capfd, "repair", file, "--kinds", "spikes", "--output", out).status == 0 and out.exists()
    refused = run(capfd, "repair", file, "--bones", "Tail", "--output", tmp_path / "other.blend")
    assert refused.status == 2 and '"Tail" is not a bone' in refused.errors[0]
