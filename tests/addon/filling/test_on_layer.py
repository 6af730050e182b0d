# SPDX-License-Identifier: GPL-3.0-or-later
"""Edits on a layer in the NLA: they play as the same edits in the action, and the action below stays as it was."""

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from interface import sample_on_own_walk, select
from numpy.typing import NDArray

from genmm_addon.animation import actions
from genmm_addon.animation.layers.edit_layer import EditLayer, layer_of
from genmm_addon.animation.layers.editing_on_layer import edited_on_layer, write_difference
from genmm_addon.animation.reading.example_spec import ExampleSpec
from genmm_addon.animation.stretches.fingerprints import fingerprint
from genmm_addon.core import InputError
from genmm_addon.generation.generate import generate
from genmm_addon.generation.request import Request

pytestmark = pytest.mark.usefixtures("extension")

FIRST, LAST = 41, 71
END = 100
"""The last frame of the action."""
SAME = 1e-5
"""Error of an Add strip in single precision, in meters and in parts of a rotation."""

Edit = Callable[[], set[str]]


@pytest.fixture
def rig() -> Object:
    """Return the sample, which plays a copy of its walk; the walk is its example."""
    sample, walk, own = sample_on_own_walk()
    for curve in actions.fcurves_of(own):
        for point in [point for point in curve.keyframe_points if point.co[0] > END][::-1]:
            curve.keyframe_points.remove(point)
    bpy.ops.genmm.add_example(action=walk.name)
    examples = sample.armature.genmm.examples
    while len(examples) > 1:
        examples.remove(0)
    return sample.armature


def played(rig: Object, frames: Iterable[int] = range(1, 121)) -> NDArray[np.float64]:
    """Return the matrices of all bones on each frame, as Blender evaluates them."""
    shown = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        shown.append([rig.matrix_world @ bone.matrix for bone in rig.pose.bones])
    return np.array(shown, np.float64)


def base_of(rig: Object) -> tuple[Action, str]:
    playing = actions.assigned(rig)
    assert playing is not None
    return playing


def layered(rig: Object) -> EditLayer:
    layer = layer_of(rig)
    assert layer is not None
    return layer


def with_spike(rig: Object) -> None:
    for curve in actions.fcurves_of(*base_of(rig)):
        if '"Shin.L"' in curve.data_path and curve.array_index == 1:
            for frame in (84, 85):
                curve.keyframe_points.insert(frame, curve.evaluate(frame) + 0.4)
            curve.update()


def go(where: str) -> None:
    bpy.context.scene.genmm.filling.edits = where


def fill(first: int = FIRST, last: int = LAST, **values: object) -> set[str]:
    return set(bpy.ops.genmm.fill_range(range_choice="FRAMES", first_frame=first, last_frame=last, **values))


def in_action(rig: Object, *edits: Edit) -> NDArray[np.float64]:
    """Return the motion after the edits in a copy of the action, with the action played again afterwards."""
    base, slot = base_of(rig)
    actions.assign(rig, base.copy(), slot)
    go("ACTION")
    for edit in edits:
        assert edit() == {"FINISHED"}
    shown = played(rig)
    actions.assign(rig, base, slot)
    go("LAYER")
    return shown


def natural() -> set[str]:
    return set(bpy.ops.genmm.make_natural(range_choice="FRAMES", first_frame=15, last_frame=35, strength=1.0))


def longer() -> set[str]:
    return set(bpy.ops.genmm.continue_action(start="LAST_KEY", frames=20))


def without_spikes() -> set[str]:
    return set(bpy.ops.genmm.repair(kinds={"SPIKE"}))


def connected() -> set[str]:
    return set(bpy.ops.genmm.connect_action(action="GenMM Walk Proud"))


def restyled() -> set[str]:
    return set(bpy.ops.genmm.restyle(source="ACTION", other_action="GenMM Walk Proud"))


EDITS: dict[str, tuple[Edit, ...]] = {
    "fill": (fill,),
    "natural": (natural,),
    "continue": (longer,),
    "fill, next": (fill, lambda: set(bpy.ops.genmm.next_filling(step=1))),
    "fill, natural": (fill, natural),
    "continue, natural": (longer, natural),
    "connect": (connected,),
    "repair": (without_spikes,),
}


@pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS)
def test_edits_on_a_layer_play_as_in_the_action(rig: Object, edits: tuple[Edit, ...]) -> None:
    base, slot = base_of(rig)
    with_spike(rig)
    keys, before = fingerprint(base, slot), played(rig)
    expected = in_action(rig, *edits)
    for edit in edits:
        assert edit() == {"FINISHED"}
    assert np.abs(expected - before).max() > 1e-3
    assert np.abs(played(rig) - expected).max() < SAME
    assert fingerprint(base, slot) == keys
    assert [track.strips[0].action for track in rig.animation_data.nla_tracks] == [base, layered(rig).action]


def test_the_layer_has_keys_on_the_edited_frames_only(rig: Object) -> None:
    go("LAYER")
    fill()
    first, last = layered(rig).action.frame_range[:]
    assert first >= FIRST - 1 and last <= LAST + 1


def test_mute_and_influence_lead_back_to_the_action(rig: Object) -> None:
    go("LAYER")
    before, edited = played(rig), in_action(rig, fill)
    fill()
    layer = layered(rig)
    layer.strip.influence = 0.0
    assert np.abs(played(rig) - before).max() == 0.0
    layer.strip.influence = 0.5
    half = played(rig, range(FIRST, LAST))
    for whole in (before, edited):
        assert 0.0 < np.abs(half - whole[FIRST - 1 : LAST - 1]).max() < np.abs(edited - before).max()
    layer.strip.influence = 1.0
    layer.track.mute = True
    assert np.abs(played(rig) - before).max() == 0.0


def test_removing_the_layer_gives_the_action_back_exactly(rig: Object) -> None:
    base, slot = base_of(rig)
    keys, before, actions_before = fingerprint(base, slot), played(rig), set(bpy.data.actions)
    go("LAYER")
    fill()
    longer()
    assert bpy.ops.genmm.remove_layer() == {"FINISHED"}
    assert base_of(rig) == (base, slot) and fingerprint(base, slot) == keys
    assert np.abs(played(rig) - before).max() == 0.0
    assert not rig.animation_data.nla_tracks and set(bpy.data.actions) == actions_before
    assert not bpy.ops.genmm.remove_layer.poll()


def test_a_refused_edit_leaves_no_layer(rig: Object) -> None:
    playing, before = base_of(rig), set(bpy.data.actions)
    go("LAYER")
    with pytest.raises(RuntimeError, match="no motion"):
        bpy.ops.genmm.make_natural(range_choice="FRAMES", first_frame=5000, last_frame=5050)
    assert base_of(rig) == playing and layer_of(rig) is None
    assert set(bpy.data.actions) == before and not rig.animation_data.nla_tracks


def test_a_refused_edit_leaves_the_layer_as_it_was(rig: Object) -> None:
    go("LAYER")
    fill()
    before = played(rig)
    with pytest.raises(RuntimeError, match="no motion"):
        bpy.ops.genmm.make_natural(range_choice="FRAMES", first_frame=5000, last_frame=5050)
    assert np.abs(played(rig) - before).max() == 0.0
    assert rig.animation_data.use_nla and actions.assigned(rig) is None


def test_the_next_edit_reads_what_was_changed_by_hand_since(rig: Object) -> None:
    go("LAYER")
    fill()
    layer = layered(rig)
    curve = next(c for c in actions.fcurves_of(layer.base, layer.slot) if c.data_path.endswith("location"))
    for point in curve.keyframe_points:
        point.co[1] += 0.25
    curve.update()
    moved = played(rig)
    natural()
    now = played(rig)
    assert np.abs(now[39:] - moved[39:]).max() < SAME
    assert np.abs(now[15:35] - moved[15:35]).max() > 1e-3


def test_a_layer_is_saved_and_edited_further(rig: Object, tmp_path: Path) -> None:
    name = rig.name
    go("LAYER")
    fill()
    before = played(rig)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "layer.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "layer.blend"))
    again = bpy.data.objects[name]
    select(again)
    assert np.abs(played(again) - before).max() == 0.0
    assert bpy.ops.genmm.next_filling(step=1) == {"FINISHED"}
    assert np.abs(played(again) - before).max() > 1e-3
    assert len(again.animation_data.nla_tracks) == 2


def test_one_undo_removes_the_layer_and_one_the_next_edit(rig: Object) -> None:
    name, before = rig.name, played(rig)
    go("LAYER")
    bpy.ops.ed.undo_push(message="Start")
    fill()
    filled = played(rig)
    bpy.ops.ed.undo_push(message="Fill")
    natural()
    bpy.ops.ed.undo_push(message="Natural")
    bpy.ops.ed.undo()
    assert np.abs(played(bpy.data.objects[name]) - filled).max() < SAME
    bpy.ops.ed.undo()
    again = bpy.data.objects[name]
    assert layer_of(again) is None and np.abs(played(again) - before).max() == 0.0


def test_a_result_is_regenerated_on_a_layer(rig: Object) -> None:
    request = Request(rig, (ExampleSpec(bpy.data.actions["GenMM Walk"]),), 120, seeds=(3,))
    made = generate(bpy.context, request)[0].object
    select(made)
    keys, before = fingerprint(*base_of(made)), played(made)
    regenerate = partial(bpy.ops.genmm.edit_stretch, action="REGENERATE", first=40, last=70)
    swap = partial(bpy.ops.genmm.edit_stretch, action="SWAP", direction="PREVIOUS", first=40, last=70)
    expected = in_action(made, regenerate)
    assert regenerate() == {"FINISHED"}
    assert np.abs(expected - before).max() > 1e-3
    assert np.abs(played(made) - expected).max() < SAME
    assert swap() == {"FINISHED"}
    assert np.abs(played(made) - before).max() < SAME
    layer = layered(made)
    assert fingerprint(layer.base, layer.slot) == keys


def test_other_angles_of_the_same_rotation_are_added_the_short_way(rig: Object) -> None:
    slot = base_of(rig)[1]
    go("LAYER")
    with edited_on_layer(rig, asked=True):
        total, _ = base_of(rig)
        for curve in actions.fcurves_of(total, slot):
            if curve.data_path.endswith("rotation_quaternion"):
                for point in curve.keyframe_points:
                    point.co[1] *= -1.0
                curve.update()
        fill()
    for curve in actions.fcurves_of(layered(rig).action):
        assert max(abs(point.co[1]) for point in curve.keyframe_points) < 1.0


def test_bones_that_the_action_does_not_key_return_to_their_pose(rig: Object) -> None:
    base, slot = base_of(rig)
    factory = actions.curve_factory(base, slot)
    for curve in [curve for curve in actions.fcurves_of(base, slot) if '"Hand.R"' in curve.data_path]:
        factory.fcurves.remove(curve)
    rig.pose.bones["Hand.R"].rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    before, expected = played(rig), in_action(rig, fill)
    rig.pose.bones["Hand.R"].rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    assert fill() == {"FINISHED"}
    assert np.abs(played(rig) - expected).max() < SAME
    bpy.ops.genmm.remove_layer()
    assert np.abs(played(rig) - before).max() < SAME


def test_a_new_action_is_made_of_base_and_layer_and_plays_above(rig: Object) -> None:
    expected = in_action(rig, fill, restyled)
    assert fill() == {"FINISHED"}
    base = layered(rig).base
    assert restyled() == {"FINISHED"}
    assert base_of(rig)[0] != base and layer_of(rig) is None
    assert np.abs(played(rig) - expected).max() < 1e-3
    actions.clear_assignment(rig)
    assert layered(rig).base == base


def test_a_quaternion_that_changes_in_one_number_is_added_as_it_is(rig: Object) -> None:
    base, slot = base_of(rig)
    with edited_on_layer(rig, asked=True):
        for curve in actions.fcurves_of(*base_of(rig)):
            if '"Shin.L"' in curve.data_path and curve.array_index == 1:
                for point in curve.keyframe_points:
                    point.co[1] += 0.1
                curve.update()
        expected = played(rig)
    assert np.abs(played(rig) - expected).max() < SAME
    bpy.ops.genmm.remove_layer()
    assert base_of(rig) == (base, slot)


def test_keys_selected_before_the_layer_do_not_choose_its_next_range(rig: Object) -> None:
    for curve in actions.fcurves_of(*base_of(rig)):
        for point in curve.keyframe_points:
            point.select_control_point = point.co[0] in (FIRST, LAST)
    go("LAYER")
    assert bpy.ops.genmm.fill_range(range_choice="SELECTED") == {"FINISHED"}
    with pytest.raises(RuntimeError, match="select"):
        bpy.ops.genmm.fill_range(range_choice="SELECTED")


def test_turns_of_a_whole_circle_are_no_difference(rig: Object) -> None:
    base, slot = actions.new_action("Base", rig)
    total, _ = actions.new_action("Total", rig)
    layer, layer_slot = actions.new_action("Layer", rig)
    path = 'pose.bones["Hand.R"].rotation_euler'
    for action, turns in ((base, 0.0), (total, 2.0 * np.pi)):
        curve = actions.curve_factory(action, slot).new(path, 0)
        for frame in (1, 20):
            curve.keyframe_points.insert(frame, turns + 0.01 * frame)
    write_difference(base, slot, total, layer, layer_slot)
    assert all(abs(point.co[1]) < SAME for curve in actions.fcurves_of(layer) for point in curve.keyframe_points)


def test_an_edit_that_removes_channels_is_refused(rig: Object) -> None:
    base, slot = base_of(rig)
    keys = fingerprint(base, slot)
    with pytest.raises(InputError, match="removes keys"), edited_on_layer(rig, asked=True):
        factory = actions.curve_factory(*base_of(rig))
        factory.fcurves.remove(factory.fcurves[0])
    assert base_of(rig) == (base, slot) and fingerprint(base, slot) == keys and layer_of(rig) is None


def test_keys_are_simplified_in_actions_only(rig: Object) -> None:
    go("LAYER")
    fill()
    for operator in (bpy.ops.genmm.simplify_keys, bpy.ops.genmm.coarse_keys):
        assert not operator.poll()
    bpy.ops.genmm.remove_layer()
    assert bpy.ops.genmm.simplify_keys.poll() and bpy.ops.genmm.coarse_keys.poll()
