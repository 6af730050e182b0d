# SPDX-License-Identifier: GPL-3.0-or-later
"""Fill Range and From Blocking to Spline, called by their operators, on the sample's walk."""

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action, FCurve, Keyframe, Object
from interface import new_character, sample_on_own_walk, select
from numpy.typing import NDArray
from recorded_layout import drawn

from genmm_addon.animation import actions
from genmm_addon.animation.stretches.generated import generated_ranges
from genmm_addon.animation.stretches.key_times import key_times, pose_times
from genmm_addon.core import Motion
from genmm_addon.core.library import IndexedMotions, index_motions
from genmm_addon.editing.filling.record import record_of
from genmm_addon.interface.timeline.panels import GENMM_PT_edit
from genmm_addon.libraries import indexed_examples
from genmm_addon.libraries.kept_preparation import forget_preparation
from genmm_addon.requests.edit_examples import stretch_examples

pytestmark = pytest.mark.usefixtures("extension")

FIRST, LAST = 41, 71
STEP = 0.25
SLOWER = 15 / 16
"""Factor that puts poses between frames, at times that a float represents exactly."""


@pytest.fixture
def walk() -> Action:
    """Return the sample's walk, which it plays; a copy of the walk and the dance are the examples."""
    sample, action, own = sample_on_own_walk()
    for example in (action, next(one for one in sample.actions if one.name.endswith("Dance"))):
        bpy.ops.genmm.add_example(action=example.name)
    examples = sample.armature.genmm.examples
    while len(examples) > 2:
        examples.remove(0)
    return own


def rig_of() -> Object:
    rig = bpy.context.view_layer.objects.active
    assert rig is not None
    return rig


def values(action: Action, frames: NDArray[np.float64]) -> dict[tuple[str, int], NDArray[np.float64]]:
    return {
        (curve.data_path, curve.array_index): np.array([curve.evaluate(frame) for frame in frames])
        for curve in actions.fcurves_of(action)
    }


def outside(action: Action) -> NDArray[np.float64]:
    frames = np.arange(action.frame_range[0], action.frame_range[1] + 5, STEP)
    return np.asarray(frames[(frames <= FIRST) | (frames >= LAST)])


def largest(
    one: dict[tuple[str, int], NDArray[np.float64]], other: dict[tuple[str, int], NDArray[np.float64]]
) -> float:
    return max(float(np.abs(one[name] - other[name]).max()) for name in one)


def fill(**values: object) -> set[str]:
    return set(bpy.ops.genmm.fill_range(range_choice="FRAMES", first_frame=FIRST, last_frame=LAST, **values))


def world(rig: Object, frames: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the positions of all bones `(F, B, 3)`."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(int(frame), subframe=float(frame) % 1)
        found.append([rig.matrix_world @ bone.head for bone in rig.pose.bones])
    return np.array(found, np.float64)


def test_range_is_filled_and_frames_outside_play_as_before(walk: Action) -> None:
    before, inside = values(walk, outside(walk)), values(walk, np.arange(FIRST + 1.0, LAST))
    assert fill(number=2) == {"FINISHED"}
    assert largest(before, values(walk, outside(walk))) < 1e-5
    assert largest(inside, values(walk, np.arange(FIRST + 1.0, LAST))) > 1e-3
    assert generated_ranges(walk) == ((FIRST, LAST),)


def test_poses_and_speeds_match_at_the_seams_and_the_root_keeps_moving(walk: Action) -> None:
    rig = rig_of()
    frames = np.arange(1.0, walk.frame_range[1])
    whole = world(rig, frames)
    fill()
    filled = world(rig, frames)
    for order in (1, 2):
        most = np.linalg.norm(np.diff(whole, order, axis=0), axis=2).max()
        moved = np.linalg.norm(np.diff(filled, order, axis=0), axis=2)
        seams = [at + shift for at in (FIRST - 1, LAST - 1) for shift in range(-2, 1)]
        assert moved[seams].max() <= 1.1 * most


@pytest.mark.slow
def test_alternatives_are_stepped_through_and_differ(walk: Action) -> None:
    fill(alternatives=3)
    seen = [values(walk, np.arange(FIRST, LAST, 1.0))]
    numbers = [record_of(walk).number]
    for step in (1, 1, -1):
        assert bpy.ops.genmm.next_filling(step=step) == {"FINISHED"}
        seen.append(values(walk, np.arange(FIRST, LAST, 1.0)))
        numbers.append(record_of(walk).number)
    assert numbers == [1, 2, 3, 2]
    assert largest(seen[0], seen[1]) > 0.01 and largest(seen[1], seen[2]) > 0.01
    assert largest(seen[1], seen[3]) < 1e-5
    bpy.ops.genmm.next_filling(step=1)
    bpy.ops.genmm.next_filling(step=1)
    assert largest(seen[0], values(walk, np.arange(FIRST, LAST, 1.0))) < 1e-5


def test_one_undo_brings_all_back(walk: Action) -> None:
    name, frames = walk.name, np.arange(1, 100, STEP)
    before, keys = values(walk, frames), key_times(rig_of(), walk).tolist()
    bpy.ops.ed.undo_push(message="Start")
    fill()
    bpy.ops.ed.undo_push(message="Fill")
    bpy.ops.ed.undo()
    again = bpy.data.actions[name]
    assert largest(before, values(again, frames)) == 0
    assert key_times(rig_of(), again).tolist() == keys
    assert generated_ranges(again) == () and record_of(again) is None


def test_keys_after_the_range_move_only_on_request(walk: Action) -> None:
    end, after = walk.frame_range[1], values(walk, np.arange(LAST, 90, STEP))
    fill(timing="DURATION", duration=40)
    assert walk.frame_range[1] == end and record_of(walk).last == LAST
    fill(timing="DURATION", duration=40, moves_following=True)
    assert walk.frame_range[1] == end + 10 and record_of(walk).last == LAST + 10
    assert largest(after, values(walk, np.arange(LAST, 90, STEP) + 10)) < 1e-5
    assert generated_ranges(walk) == ((FIRST, LAST + 10),)


def test_the_duration_of_the_walk_itself_is_found(walk: Action) -> None:
    """A stretch of the examples' walk, shortened by a third of a second, gets its own duration back."""
    rig = rig_of()
    rig.genmm.examples.remove(1)
    fill(timing="AUTOMATIC", moves_following=True)
    record = record_of(walk)
    assert record is not None and abs(record.last - LAST) <= 0.2 * (LAST - FIRST)
    assert len(record.durations) == len(record.costs) > 10


@pytest.mark.slow
def test_the_next_filling_uses_the_index_of_the_last_unless_its_examples_changed(
    walk: Action, monkeypatch: pytest.MonkeyPatch
) -> None:
    indexed = list[int]()

    def counting(motions: Sequence[Motion], *how: Any) -> IndexedMotions:
        indexed.append(len(motions))
        return index_motions(motions, *how)

    monkeypatch.setattr(indexed_examples, "index_motions", counting)
    rig_of().genmm.examples.clear()
    fill()
    bpy.ops.genmm.next_filling(step=1)
    assert len(indexed) == 1
    curve = next(curve for curve in actions.fcurves_of(walk) if curve.data_path.endswith("location"))
    curve.keyframe_points[5].co.y += 0.3
    bpy.ops.genmm.next_filling(step=1)
    assert len(indexed) == 2
    kept = values(walk, np.arange(FIRST, LAST, 1.0))
    forget_preparation()
    fill(number=record_of(walk).number)
    assert len(indexed) == 3
    assert largest(kept, values(walk, np.arange(FIRST, LAST, 1.0))) == 0.0


def test_replaced_and_generated_frames_are_not_learned_from(walk: Action) -> None:
    rig, scene = rig_of(), bpy.context.scene
    rig.genmm.examples.clear()
    fill()
    pieces = stretch_examples(rig, scene, walk, [(80.0, 90.0)]).specs
    assert [(spec.frame_start, spec.frame_end) for spec in pieces][:2] == [(1.0, 41.0), (71.0, 80.0)]
    assert pieces[2].frame_start == 90.0 and {spec.action for spec in pieces} == {walk}
    first, last = (int(frame) for frame in walk.frame_range)
    with pytest.raises(RuntimeError, match="No usable frames remain"):
        bpy.ops.genmm.fill_range(range_choice="FRAMES", first_frame=first, last_frame=last)


def test_impossible_ranges_are_rejected_with_one_sentence_and_change_nothing(walk: Action) -> None:
    before = values(walk, np.arange(1, 120, STEP))
    for first, last, sentence in (
        (41, 42, "no frame to fill"),
        (50, 41, "no frame to fill"),
        (1, 9000, "is as long as"),
    ):
        with pytest.raises(RuntimeError, match=sentence):
            bpy.ops.genmm.fill_range(range_choice="FRAMES", first_frame=first, last_frame=last)
    for choice, sentence in (("PREVIEW", "no preview range"), ("PLAYHEAD", "not between two keys")):
        bpy.context.scene.frame_set(-50)
        with pytest.raises(RuntimeError, match=sentence):
            bpy.ops.genmm.fill_range(range_choice=choice)
    curve = next(iter(actions.fcurves_of(walk)))
    curve.modifiers.new("NOISE").mute = False
    with pytest.raises(RuntimeError, match="F-modifiers"):
        fill()
    curve.modifiers.remove(curve.modifiers[0])
    assert largest(before, values(walk, np.arange(1, 120, STEP))) == 0


def test_action_without_keys_or_with_a_non_finite_key_is_reported() -> None:
    rig = new_character()
    select(rig)
    playing = actions.assigned(rig)
    assert playing is not None
    curve = actions.fcurves_of(playing[0])[0]
    curve.keyframe_points[30].co.y = math.nan
    with pytest.raises(RuntimeError, match="not a number"):
        bpy.ops.genmm.fill_range(range_choice="FRAMES", first_frame=20, last_frame=40)
    empty, slot = actions.new_action("Empty", rig)
    actions.assign(rig, empty, slot)
    with pytest.raises(RuntimeError, match="no keys"):
        bpy.ops.genmm.fill_range()


def test_channel_that_no_example_animates_stays_unchanged_and_is_reported(
    walk: Action, capfd: pytest.CaptureFixture[str]
) -> None:
    playing = actions.assigned(rig_of())
    assert playing is not None
    curve = actions.curve_factory(walk, playing[1]).new("location", 0)
    for frame in (1, 50, 60, 90):
        curve.keyframe_points.insert(frame, math.sin(frame))
    frames = np.arange(1, 95, STEP)
    before = [curve.evaluate(frame) for frame in frames]
    assert fill() == {"FINISHED"}
    assert "itself has keys" in capfd.readouterr().out
    moved = next(one for one in actions.fcurves_of(walk) if one.data_path == "location")
    assert [moved.evaluate(frame) for frame in frames] == before


def test_an_action_of_another_file_is_named(walk: Action, tmp_path: Path) -> None:
    rig, path = rig_of(), str(tmp_path / "actions.blend")
    bpy.data.libraries.write(path, {walk})
    name = walk.name
    with bpy.data.libraries.load(path, link=True) as (there, here):
        here.actions = [one for one in there.actions if one == name]
    actions.assign(rig, here.actions[0])
    with pytest.raises(RuntimeError, match="is linked; make it local"):
        fill()


def blocked(walk: Action, spacing: int) -> tuple[Action, list[int]]:
    """Return the walk with stepped keys on every bone, only on every `spacing`-th frame, and their frames."""
    rig = rig_of()
    action, slot = actions.new_action("Blocking", rig)
    frames = list(range(1, int(walk.frame_range[1]) + 1, spacing))
    factory = actions.curve_factory(action, slot)
    for curve in actions.fcurves_of(walk):
        new = factory.new(curve.data_path, curve.array_index)
        for frame in frames:
            new.keyframe_points.insert(frame, curve.evaluate(frame)).interpolation = "CONSTANT"
        new.update()
    actions.assign(rig, action, slot)
    return action, frames


@pytest.mark.slow
def test_poses_between_frames_stay_there(walk: Action) -> None:
    action, frames = blocked(walk, 24)
    for curve in actions.fcurves_of(action):
        for point in curve.keyframe_points:
            point.co_ui.x *= SLOWER
        curve.update()
    poses = SLOWER * np.array(frames, np.float64)
    before = values(action, poses)
    assert bpy.ops.genmm.blocking_to_spline() == {"FINISHED"}
    assert largest(before, values(action, poses)) < 1e-4
    assert np.abs(pose_times(rig_of(), action) - poses).max() < 1e-3


@pytest.mark.slow
def test_blocking_becomes_a_motion_through_all_poses_and_each_gap_can_be_redone(walk: Action) -> None:
    rig = rig_of()
    action, frames = blocked(walk, 24)
    poses, start = values(action, np.array(frames, np.float64)), values(action, np.array([-3.0, frames[-1] + 5.0]))
    assert bpy.ops.genmm.blocking_to_spline(few_keys=False) == {"FINISHED"}
    assert largest(poses, values(action, np.array(frames, np.float64))) < 1e-4
    assert largest(start, values(action, np.array([-3.0, frames[-1] + 5.0]))) < 1e-5
    assert len(key_times(rig, action)) == frames[-1] - frames[0] + 1
    assert pose_times(rig, action).tolist() == frames
    most = np.linalg.norm(np.diff(world(rig, np.arange(1.0, frames[-1])), axis=0), axis=2).max()
    actions.assign(rig, walk)
    assert most <= 1.3 * np.linalg.norm(np.diff(world(rig, np.arange(1.0, frames[-1])), axis=0), axis=2).max()
    actions.assign(rig, action)
    kept = np.array([*range(1, 26), *range(49, frames[-1])], np.float64)
    before = values(action, kept)
    bpy.context.scene.frame_set(30)
    assert bpy.ops.genmm.fill_range(range_choice="PLAYHEAD", number=2) == {"FINISHED"}
    record = record_of(action)
    assert record is not None and (record.first, record.last) == (25, 49)
    assert largest(before, values(action, kept)) < 1e-5


def test_the_panel_says_that_a_blocking_has_nothing_but_itself_to_learn_from(walk: Action) -> None:
    blocked(walk, 24)
    assert drawn(GENMM_PT_edit, bpy.context).disabled == []
    rig_of().genmm.examples.clear()
    panel = drawn(GENMM_PT_edit, bpy.context)
    assert panel.disabled == ["genmm.blocking_to_spline"]
    assert any('"Blocking" has only its own poses' in text for text, _ in panel.labels)
    with pytest.raises(RuntimeError, match="No usable frames remain"):
        bpy.ops.genmm.blocking_to_spline()
    actions.assign(rig_of(), walk)
    assert drawn(GENMM_PT_edit, bpy.context).disabled == []


@pytest.mark.parametrize("operator", ["blocking_to_spline", "find_flaws", "repair"])
def test_an_action_of_another_character_is_named(walk: Action, operator: str) -> None:
    rig = rig_of()
    action, slot = actions.new_action("Of Another", rig)
    curve = actions.curve_factory(action, slot).new('pose.bones["Snout"].location', 0, "Snout")
    for frame in (1, 40):
        curve.keyframe_points.insert(frame, frame)
    actions.assign(rig, action, slot)
    with pytest.raises(RuntimeError, match=r'"Of Another" has no (keys|motion) for this character'):
        getattr(bpy.ops.genmm, operator)()


def key_of(curve: FCurve, frame: float) -> Keyframe:
    return next(point for point in curve.keyframe_points if abs(point.co.x - frame) < 1e-3)


@pytest.mark.slow
def test_blocking_becomes_spline_keys_at_the_poses_and_few_between(walk: Action) -> None:
    action, frames = blocked(walk, 24)
    poses = values(action, np.array(frames, np.float64))
    assert bpy.ops.genmm.blocking_to_spline(few_keys=False) == {"FINISHED"}
    every = np.arange(frames[0], frames[-1] + 1.0)
    dense, keys = values(action, every), sum(len(curve.keyframe_points) for curve in actions.fcurves_of(action))
    action, _ = blocked(walk, 24)
    assert bpy.ops.genmm.blocking_to_spline() == {"FINISHED"}
    assert largest(poses, values(action, np.array(frames, np.float64))) < 1e-4
    assert largest(dense, values(action, every)) < 0.01
    curves = actions.fcurves_of(action)
    assert sum(len(curve.keyframe_points) for curve in curves) < 0.4 * keys
    for curve in curves:
        assert {point.interpolation for point in curve.keyframe_points} == {"BEZIER"}
        # At a pose, the curve leaves in the direction in which it arrives, but for the allowed error.
        assert {key_of(curve, frame).type for frame in frames} == {"KEYFRAME"}
    assert pose_times(rig_of(), action).tolist() == frames


@pytest.mark.slow
@pytest.mark.parametrize("spacing", ["SHARED", "PER_BONE"])
@pytest.mark.parametrize("where", ["ACTION", "GENERATED"])
def test_keys_are_simplified_after_blocking_became_spline(walk: Action, where: str, spacing: str) -> None:
    action, _ = blocked(walk, 24)
    assert bpy.ops.genmm.blocking_to_spline(few_keys=False) == {"FINISHED"}
    before = sum(len(curve.keyframe_points) for curve in actions.fcurves_of(action))
    assert bpy.ops.genmm.simplify_keys(where=where, spacing=spacing) == {"FINISHED"}
    assert sum(len(curve.keyframe_points) for curve in actions.fcurves_of(action)) < 0.4 * before


EDITS: dict[str, Callable[[], set[str]]] = {
    "fill": lambda: bpy.ops.genmm.fill_range(range_choice="FRAMES", first_frame=25, last_frame=49),
    "continue": lambda: bpy.ops.genmm.continue_action(frames=40),
    "lead up": lambda: bpy.ops.genmm.continue_action(start="FIRST_KEY", frames=40),
    "connect": lambda: bpy.ops.genmm.connect_action(action="GenMM Dance"),
    "trajectory": lambda: bpy.ops.genmm.choose_trajectory(range_choice="FRAMES", first_frame=25, last_frame=49),
    "natural": lambda: bpy.ops.genmm.make_natural(range_choice="FRAMES", first_frame=25, last_frame=73),
    "spline": lambda: bpy.ops.genmm.blocking_to_spline(few_keys=False),
}


@pytest.mark.parametrize("edit", EDITS)
def test_keys_are_simplified_after_any_edit_of_a_blocking(walk: Action, edit: str) -> None:
    action, _ = blocked(walk, 24)
    assert EDITS[edit]() == {"FINISHED"}
    before = sum(len(curve.keyframe_points) for curve in actions.fcurves_of(action))
    at = np.arange(action.frame_range[0] - 2, action.frame_range[1] + 2)
    played = values(action, at)
    assert bpy.ops.genmm.simplify_keys() == {"FINISHED"}
    assert sum(len(curve.keyframe_points) for curve in actions.fcurves_of(action)) < before
    assert largest(played, values(action, at)) < 0.02


def test_an_action_that_only_jumps_is_left_as_it_is_with_a_sentence(walk: Action) -> None:
    action, frames = blocked(walk, 24)
    at = np.arange(frames[0], frames[-1], STEP)
    before = values(action, at)
    with pytest.raises(RuntimeError, match="jumps from key to key"):
        bpy.ops.genmm.simplify_keys()
    assert largest(before, values(action, at)) == 0.0
