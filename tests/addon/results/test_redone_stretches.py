# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches of a result made again: everything else and locked stretches stay, and the recipe records the change."""

from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action
from commands import run, saved_character
from numpy.typing import NDArray

from genmm_addon.animation.actions import armature_slots, fcurves_of
from genmm_addon.animation.curves import key_values
from genmm_addon.animation.reading.examples import ExampleSpec
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.core import InputError, load_motion
from genmm_addon.generation.direction import PathSpec
from genmm_addon.generation.generate import Request, generate
from genmm_addon.generation.recipe import recipe_of, request_from_recipe
from genmm_addon.generation.results import Result
from genmm_addon.generation.sources import sources_of
from genmm_addon.generation.stretches import in_place
from genmm_addon.generation.stretches.in_place import regenerate_stretch, regenerate_unlocked, swap_stretch
from genmm_addon.generation.stretches.locks import between_locks, lock, locked_ranges, unlock
from genmm_addon.generation.stretches.redone import parse_redone

pytestmark = pytest.mark.usefixtures("extension")

FIRST, LAST = 60, 105
Keys = dict[tuple[str, int], NDArray[np.float64]]


def forget_alternatives() -> None:
    """Forget what stretches have shown, as in a new session."""
    in_place._series.clear()
    in_place._material.clear()


@pytest.fixture
def result() -> Result:
    forget_alternatives()
    character = add_sample_character(bpy.context)
    dances = tuple(ExampleSpec(action) for action in character.actions if "Dance" in action.name)
    return generate(bpy.context, Request(character.armature, dances, 160, seeds=(3,)))[0]


def keys(action: Action) -> Keys:
    return {
        (curve.data_path, curve.array_index): key_values(curve)
        for curve in fcurves_of(action, armature_slots(action)[0])
    }


def changed_frames(one: Keys, other: Keys) -> set[float]:
    assert one.keys() == other.keys()
    frames = set()
    for name, there in one.items():
        assert there.shape == other[name].shape
        frames |= set(there[(there != other[name]).any(axis=1), 0].tolist())
    return frames


def refused(result: Result, first: int, last: int) -> str:
    before = keys(result.action)
    with pytest.raises(InputError) as error:
        regenerate_stretch(result.object, bpy.context.scene, first, last)
    assert keys(result.action).keys() == before.keys() and not changed_frames(before, keys(result.action))
    return str(error.value)


def test_the_keys_outside_of_the_stretch_stay_exactly_as_they_were(result: Result) -> None:
    before = keys(result.action)
    made = regenerate_stretch(result.object, bpy.context.scene, FIRST, LAST)
    assert (made.number, made.count) == (1, 1)
    changed = changed_frames(before, keys(result.action))
    assert changed and min(changed) >= FIRST and max(changed) <= LAST
    assert len(changed) > 0.9 * (LAST - FIRST)


@pytest.mark.parametrize(("first", "last"), [(1, 30), (120, 160), (70, 70), (-40, 20)])
def test_a_stretch_may_lie_at_an_end_or_be_one_frame(result: Result, first: int, last: int) -> None:
    before = keys(result.action)
    regenerate_stretch(result.object, bpy.context.scene, first, last)
    changed = changed_frames(before, keys(result.action))
    assert not changed or (min(changed) >= first and max(changed) <= last)
    assert all(np.isfinite(values).all() for values in keys(result.action).values())


def test_alternatives_are_swapped_in_a_circle_and_regenerating_adds_one(result: Result) -> None:
    scene, character = bpy.context.scene, result.object
    states = [keys(result.action)]
    for number in (1, 2, 3):
        made = regenerate_stretch(character, scene, FIRST, LAST)
        assert (made.number, made.count) == (number, number)
        states.append(keys(result.action))
    for one, state in enumerate(states):
        assert all(changed_frames(state, other) for other in states[one + 1 :])
    for number, step in ((0, 1), (3, -1), (2, -1), (3, 1)):
        assert swap_stretch(character, scene, FIRST, LAST, step).number == number
        now = keys(result.action)
        for name, values in states[number].items():
            np.testing.assert_allclose(now[name], values, atol=2e-5)


@pytest.mark.slow
def test_recipe_reproduces_the_result_including_regenerated_stretches(result: Result) -> None:
    scene = bpy.context.scene
    for first, last in ((FIRST, LAST), (FIRST, LAST), (90, 130)):
        regenerate_stretch(result.object, scene, first, last)
    recipe = recipe_of(result.action)
    assert recipe is not None and recipe.redone == f"{FIRST}-{LAST}:2, 90-130"
    again = generate(bpy.context, request_from_recipe(recipe))[0]
    now, then = keys(again.action), keys(result.action)
    for name, values in then.items():
        # Values read from keys differ in the last bits, which may decide between equally good transitions.
        apart = np.abs(now[name][:, 1] - values[:, 1])
        outside = (values[:, 0] < FIRST) | (values[:, 0] > 130)
        assert apart[outside].max() < 1e-4 and np.median(apart[~outside]) < 0.01 and apart.max() < 0.2
    ours, theirs = sources_of(result.action), sources_of(again.action)
    assert ours is not None and theirs is not None
    for frame in range(1, 161, 7):
        assert ours.of_frame(frame) == pytest.approx(theirs.of_frame(frame), abs=0.02)


@pytest.mark.slow
def test_locked_stretches_survive_regenerating_everything_else(result: Result) -> None:
    lock(result.action, 40, 80)
    lock(result.action, 120, 140)
    before = keys(result.action)
    made = regenerate_unlocked(result.object, bpy.context.scene)
    changed = changed_frames(before, keys(result.action))
    assert [(one.first, one.last) for one in made] == [(1, 39), (81, 119), (141, 160)]
    assert not changed & {*range(40, 81), *range(120, 141)}
    assert {20.0, 100.0, 150.0} <= changed
    assert "locked" in refused(result, 70, 90)


def test_locks_are_added_and_taken_away_by_frames() -> None:
    action: Any = dict[str, str]()
    lock(action, 10, 20)
    lock(action, 21, 30)
    assert locked_ranges(action) == ((10, 30),)
    unlock(action, 15, 18)
    assert locked_ranges(action) == ((10, 14), (19, 30))
    assert between_locks(action, 1, 40) == ((1, 9), (15, 18), (31, 40))
    unlock(action, 1, 100)
    assert not locked_ranges(action) and not action
    broken: Any = {"genmm_locked": "[[1, NaN]]"}
    assert locked_ranges(broken) == ()


def test_impossible_regenerations_are_rejected_with_one_sentence(result: Result) -> None:
    assert refused(result, 1, 160).startswith("The stretch is the whole motion")
    assert refused(result, 200, 210).startswith("The motion lasts from frame 1 to 160")
    recipe = result.action["genmm_recipe"]
    del result.action["genmm_recipe"]
    assert "no longer says what it was made from" in refused(result, FIRST, LAST)
    result.action["genmm_recipe"] = recipe
    next(iter(fcurves_of(result.action, result.slot))).keyframe_points[40].co.y = float("nan")
    with pytest.raises(InputError, match="not a finite number"):
        regenerate_stretch(result.object, bpy.context.scene, FIRST, LAST)
    sources = bpy.data.objects["GenMM Sample"]
    with pytest.raises(InputError, match="plays nothing that was generated"):
        regenerate_stretch(sources, bpy.context.scene, 1, 2)


def test_a_stretch_of_a_result_on_a_path_says_that_it_leaves_it() -> None:
    character = add_sample_character(bpy.context)
    walks = tuple(ExampleSpec(action) for action in character.actions if action.name.endswith("Walk"))
    bpy.ops.curve.primitive_bezier_circle_add(radius=3)
    path = PathSpec(bpy.context.object)
    made = generate(bpy.context, Request(character.armature, walks, 160, seeds=(3,), path=path))[0]
    notes = regenerate_stretch(made.object, bpy.context.scene, FIRST, LAST).notes
    assert any("leaves the path" in note for note in notes)


def test_a_result_that_was_edited_by_hand_keeps_the_edits(result: Result) -> None:
    curve = next(iter(fcurves_of(result.action, result.slot)))
    curve.keyframe_points[9].co.y += 0.1
    before = keys(result.action)
    regenerate_stretch(result.object, bpy.context.scene, FIRST, LAST)
    assert min(changed_frames(before, keys(result.action))) >= FIRST


def test_the_operators_take_frames_or_those_chosen_on_the_ribbon(result: Result, tmp_path: Path) -> None:
    bpy.context.view_layer.objects.active = result.object
    before = keys(result.action)
    assert bpy.ops.genmm.edit_stretch(action="REGENERATE", first=FIRST, last=LAST) == {"FINISHED"}
    scene: Any = bpy.context.scene
    scene.genmm.stretch_first, scene.genmm.stretch_last = 20, 30
    assert bpy.ops.genmm.edit_stretch(action="LOCK") == {"FINISHED"}
    assert locked_ranges(result.action) == ((20, 30),)
    name = result.action.name
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    forget_alternatives()
    action = bpy.data.actions[name]
    assert locked_ranges(action) == ((20, 30),)
    after = keys(action)
    assert bpy.ops.genmm.edit_stretch(action="SWAP", first=FIRST, last=LAST) == {"FINISHED"}
    recipe = recipe_of(action)
    assert recipe is not None and recipe.redone == f"{FIRST}-{LAST}, {FIRST}-{LAST}"
    assert min(changed_frames(after, keys(action))) >= FIRST
    assert bpy.ops.genmm.edit_stretch(action="REGENERATE_UNLOCKED") == {"FINISHED"}
    for name_of_curve, values in keys(action).items():
        np.testing.assert_array_equal(values[19:30], before[name_of_curve][19:30])


def test_the_text_of_stretches_is_read_or_refused() -> None:
    read = parse_redone("41-70, 90 - 100:2,")
    assert [(one.first, one.last, one.number) for one in read] == [(41, 70, 1), (90, 100, 2)]
    for text in ("41", "70-41", "0-5", "1-2:0", "a-b"):
        with pytest.raises(InputError):
            parse_redone(text)


def test_command_line_regenerates_stretches(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    character, _ = saved_character(tmp_path)
    motions = []
    for number, redo in enumerate(((), ("--redo", "20-40"))):
        place = tmp_path / f"{number}.npz"
        said = run(capsys, "generate", character, "--frames", "80", *redo, "--output", place)
        assert said.status == 0, said
        motions.append(load_motion(place).rotations)
    changed = np.flatnonzero((motions[0] != motions[1]).any(axis=(1, 2)))
    assert len(changed) and changed.min() >= 19 and changed.max() <= 39
    said = run(capsys, "generate", character, "--frames", "80", "--redo", "60-90", "--output", tmp_path / "x.npz")
    assert said.status == 2 and not (tmp_path / "x.npz").exists()
