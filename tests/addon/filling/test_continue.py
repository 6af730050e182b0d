# SPDX-License-Identifier: GPL-3.0-or-later
"""Continue: an action continued in place, in either direction of time, with nothing else changed."""

from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from numpy.typing import NDArray

from genmm_addon.animation.actions import armature_slots, assign, assigned, fcurves_of, slot_for
from genmm_addon.animation.curves import key_values
from genmm_addon.animation.stretches.generated import generated_ranges
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.editing.filling import continuing
from genmm_addon.requests.edit_examples import stretch_task

pytestmark = [pytest.mark.usefixtures("extension"), pytest.mark.slow]

KEPT = 120
Values = dict[tuple[str, int], NDArray[np.float64]]


@pytest.fixture
def character() -> Object:
    """Return the sample, which plays the first frames of its walk, moved in time, and learns from its walk."""
    sample = add_sample_character(bpy.context)
    rig, walk = sample.armature, next(action for action in sample.actions if action.name.endswith("Walk"))
    played = walk.copy()
    for curve in fcurves_of(played, armature_slots(played)[0]):
        points = curve.keyframe_points
        for number in reversed(range(KEPT, len(points))):
            points.remove(points[number], fast=True)
        curve.update()
    assign(rig, played)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.genmm.add_example(action=walk.name)
    return rig


def action_of(character: Object) -> Action:
    playing = assigned(character)
    assert playing is not None
    return playing[0]


def played(character: Object, first: float, last: float) -> Values:
    action = action_of(character)
    frames = np.arange(first, last + 0.01, 0.5)
    return {
        (curve.data_path, curve.array_index): np.array([curve.evaluate(frame) for frame in frames])
        for curve in fcurves_of(action, armature_slots(action)[0])
    }


def joints(character: Object, first: int, last: int) -> NDArray[np.float64]:
    scene = bpy.context.scene
    found = []
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        found.append([np.array(bone.head) for bone in character.pose.bones])
    return np.array(found)


def key_range(character: Object) -> tuple[float, float]:
    times = np.concatenate([key_values(curve)[:, 0] for curve in fcurves_of(action_of(character), "")])
    return float(times.min()), float(times.max())


def test_continuing_starts_after_the_last_key_and_keeps_the_existing_motion(character: Object) -> None:
    before = played(character, 1, KEPT)
    own = action_of(character)
    assign(character, bpy.data.actions["GenMM Walk"])
    example = joints(character, 1, 300)
    assign(character, own)
    assert bpy.ops.genmm.continue_action(frames=60) == {"FINISHED"}
    assert key_range(character) == (1.0, KEPT + 60.0)
    for name, values in played(character, 1, KEPT).items():
        np.testing.assert_allclose(values, before[name], atol=1e-6)
    assert generated_ranges(action_of(character)) == ((float(KEPT), KEPT + 60.0),)
    there = joints(character, 1, KEPT + 60)
    most = [np.linalg.norm(np.diff(example, order, axis=0), axis=2).max() for order in (1, 2)]
    seam = there[KEPT - 3 : KEPT + 6]
    for order in (1, 2):
        assert np.linalg.norm(np.diff(seam, order, axis=0), axis=2).max() <= 1.1 * most[order - 1]
    # It continues to walk from its last position.
    way = np.diff(there[:, 0, :2], axis=0)
    assert np.linalg.norm(way[KEPT:].sum(axis=0)) > 0.5 * np.linalg.norm(way[:60].sum(axis=0))


def test_it_leads_up_to_the_first_key_backwards_in_time(character: Object) -> None:
    before = played(character, 1, KEPT)
    assert bpy.ops.genmm.continue_action(start="FIRST_KEY", frames=40) == {"FINISHED"}
    assert key_range(character) == (-39.0, float(KEPT))
    for name, values in played(character, 1, KEPT).items():
        np.testing.assert_allclose(values, before[name], atol=1e-6)


def test_continuing_from_the_playhead_replaces_the_frames_after_it(character: Object) -> None:
    before = played(character, 1, 50)
    bpy.context.scene.frame_set(50)
    assert bpy.ops.genmm.continue_action(start="PLAYHEAD", frames=30) == {"FINISHED"}
    assert key_range(character) == (1.0, 80.0)
    for name, values in played(character, 1, 50).items():
        np.testing.assert_allclose(values, before[name], atol=1e-6)


def test_alternatives_are_different_motions(character: Object) -> None:
    assert bpy.ops.genmm.continue_action(frames=60) == {"FINISHED"}
    first = joints(character, KEPT + 1, KEPT + 60)
    bpy.context.scene.frame_set(KEPT)
    assert bpy.ops.genmm.continue_action(start="PLAYHEAD", frames=60, number=2) == {"FINISHED"}
    assert np.abs(joints(character, KEPT + 1, KEPT + 60) - first).max() > 0.05


def test_continuation_is_blended_into_the_existing_motion(character: Object) -> None:
    before = played(character, 1, KEPT)
    assert bpy.ops.genmm.continue_action(frames=60, blend=10) == {"FINISHED"}
    assert key_range(character) == (1.0, KEPT + 60.0)
    for name, values in played(character, 1, KEPT - 10).items():
        np.testing.assert_allclose(values, before[name][: len(values)], atol=1e-6)
    there = joints(character, 1, KEPT + 20)
    assert np.linalg.norm(np.diff(there, 2, axis=0), axis=2).max() < 0.1


def test_actions_with_broken_or_locked_keys_are_not_continued(character: Object) -> None:
    curve = next(iter(fcurves_of(action_of(character), "")))
    curve.keyframe_points[-1].co.y = float("nan")
    with pytest.raises(RuntimeError, match=r"not a number|not a finite number"):
        bpy.ops.genmm.continue_action(frames=60)
    assert key_range(character) == (1.0, float(KEPT))
    curve.keyframe_points[-1].co.y = 0.0
    curve.lock = True
    with pytest.raises(RuntimeError, match="locked"):
        bpy.ops.genmm.continue_action(frames=60)
    assert key_range(character) == (1.0, float(KEPT))


def test_the_next_alternative_plans_none_of_the_earlier_ones_again(
    character: Object, monkeypatch: pytest.MonkeyPatch
) -> None:
    own, planned = action_of(character), []
    plan = continuing.replan

    def noted(*values: Any, **options: Any) -> Any:
        planned.append(options["seed"])
        return plan(*values, **options)

    monkeypatch.setattr(continuing, "replan", noted)
    shown = []
    for number in (1, 2, 3, 2):
        assign(character, own.copy())
        assert bpy.ops.genmm.continue_action(frames=30, number=number) == {"FINISHED"}
        shown.append(played(character, KEPT, KEPT + 30))
    assert planned == [0, 1, 2]
    assert all(np.array_equal(values, shown[1][key]) for key, values in shown[3].items())
    assert any(not np.array_equal(values, shown[0][key]) for key, values in shown[1].items())


def test_examples_shorter_than_a_second_and_a_half_are_said_to_be_short(character: Object) -> None:
    def notes() -> tuple[str, ...]:
        action = action_of(character)
        task = stretch_task(character, bpy.context.scene, action, slot_for(character, action), ())
        return continuing.continue_action(task, continuing.ContinueRequest(continuing.ContinueFrom.LAST_KEY, 60)).notes

    assert notes() == ()
    character.genmm.examples.remove(1)
    row = character.genmm.examples[0]
    row.use_range, row.frame_start, row.frame_end, row.repetition = True, 1, 17, "TAKE"
    assert len(notes()) == 1 and "The examples last 0.7 s" in notes()[0]
