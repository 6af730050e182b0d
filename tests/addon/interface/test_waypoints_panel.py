# SPDX-License-Identifier: GPL-3.0-or-later
"""Waypoints in the panel: empties are passed at their frames, moved ones change the path, and mistakes are reported."""

import json
import math
from collections.abc import Iterator
from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Object
from characters import world_bones
from commands import save
from interface import registered, results_of, select

from genmm_addon.animation import actions
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.generation.recipe import from_json, recipe_of, to_json
from genmm_addon.interface.waypoints.drawing import plan_lines
from genmm_addon.interface.waypoints.shown import shown_waypoints, warnings_on
from genmm_addon.state.selection import character_of

HEIGHT = 1.75
TOLERANCE = 0.005 * HEIGHT


@pytest.fixture
def hero() -> Iterator[Object]:
    bpy.context.scene.render.fps = 30
    with registered():
        made = add_sample_character(bpy.context)
        select(made.armature)
        actions.assign(made.armature, next(action for action in made.actions if action.name == "GenMM Walk"))
        made.armature.genmm.new_seed, made.armature.genmm.frames = False, 100
        yield made.armature


def add_at(frame: int, place: tuple[float, float]) -> Object:
    """Add a waypoint at the cursor, and return its empty."""
    bpy.context.scene.frame_set(frame)
    bpy.context.scene.cursor.location = (*place, 0.0)
    assert bpy.ops.genmm.add_row(rows="waypoints") == {"FINISHED"}
    (empty,) = (row.empty for row in bpy.context.object.genmm.waypoints if row.frame == frame)
    assert isinstance(empty, Object)
    return empty


def made_by(press: object) -> Object:
    hero = bpy.context.object
    before = set(results_of(hero))
    assert press() == {"FINISHED"}  # type: ignore[operator]
    (made,) = set(results_of(hero)) - before
    select(hero)
    return made


def hips(character: Object, frame: int) -> np.ndarray:
    number = sorted(bone.name for bone in character.pose.bones).index("Hips")
    return np.asarray(world_bones(character, frame)[number][:3, 3])


def test_empties_are_passed_at_their_frames_in_the_world_wherever_the_character_stands(hero: Object) -> None:
    hero.location, hero.rotation_euler = (3.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    bpy.context.view_layer.update()
    places = {5: (0.0, 0.0), 50: (0.3, -1.4), 95: (1.0, -2.6)}
    empties = [add_at(frame, place) for frame, place in places.items()]
    made = made_by(bpy.ops.genmm.generate_motion)
    for frame, place in places.items():
        assert np.linalg.norm(hips(made, frame)[:2] - place) < TOLERANCE
    text = to_json(recipe_of(made))
    assert [one["empty"]["name"] for one in json.loads(text)["waypoints"]] == [empty.name for empty in empties]
    assert to_json(from_json(text)) == text
    empties[1].location.x += 0.4
    bpy.context.view_layer.update()
    moved = made_by(bpy.ops.genmm.generate_motion)
    assert np.linalg.norm(hips(moved, 50)[:2] - (0.7, -1.4)) < TOLERANCE
    hero.genmm.use_waypoints = False
    assert np.linalg.norm(hips(made_by(bpy.ops.genmm.generate_motion), 95)[:2] - places[95]) > 0.1


def test_facing_is_read_from_the_empty(hero: Object) -> None:
    add_at(1, (0.0, 0.0))
    empty = add_at(90, (0.5, -2.5))
    row = hero.genmm.waypoints[1]
    assert row.empty == empty and not row.use_facing
    row.use_facing, empty.rotation_euler.z = True, math.pi / 2
    bpy.context.view_layer.update()
    made = made_by(bpy.ops.genmm.generate_motion)
    # An empty rotated to the left by a right angle faces +X, and so does the walk there.
    way = hips(made, 95) - hips(made, 85)
    assert way[0] > 3 * abs(way[1])


def test_selected_empties_follow_each_other_at_a_walking_pace_and_rows_can_be_taken_out(hero: Object) -> None:
    for number, x in enumerate((0.0, 1.2, 3.6)):
        empty = bpy.data.objects.new(f"Stop {number}", None)
        bpy.context.scene.collection.objects.link(empty)
        empty.location.x = x
        empty.select_set(True)
    bpy.context.view_layer.update()
    assert bpy.ops.genmm.add_row(rows="waypoints", source="SELECTED") == {"FINISHED"}
    rows = hero.genmm.waypoints
    first, second, third = (row.frame for row in rows)
    assert first == bpy.context.scene.frame_current
    assert abs((third - second) - 2 * (second - first)) <= 2
    with pytest.raises(RuntimeError, match="No selected empty"):
        bpy.ops.genmm.add_row(rows="waypoints", source="SELECTED")
    assert bpy.ops.genmm.remove_row(rows="waypoints", number=1) == {"FINISHED"}
    assert [row.empty.name for row in rows] == ["Stop 0", "Stop 2"]
    assert bpy.ops.genmm.go_to_frame(rows="waypoints", number=1) == {"FINISHED"}
    assert bpy.context.scene.frame_current == third
    with pytest.raises(RuntimeError, match="2 waypoints, no number 3"):
        bpy.ops.genmm.remove_row(rows="waypoints", number=2)


def test_unreachable_waypoints_are_reported_before_generating(hero: Object) -> None:
    add_at(1, (0.0, 0.0))
    add_at(40, (9.0, 0.0))
    shown = shown_waypoints(hero, hero.genmm, bpy.context.scene)
    assert [one.out_of_reach for one in shown] == [False, True]
    assert "Out of reach in the time: Waypoint.001" in warnings_on(shown, hero.genmm, 1, 100)
    lines = plan_lines(shown, HEIGHT, 1.0)
    assert lines.points.dtype == lines.colors.dtype == np.float32  # the types that the shader needs
    assert (lines.colors[:, 1] < 0.2).any()
    with pytest.raises(RuntimeError, match=r'Out of reach: from waypoint "Waypoint" to waypoint "Waypoint\.001"'):
        bpy.ops.genmm.generate_motion()
    bpy.data.objects.remove(hero.genmm.waypoints[1].empty)
    with pytest.raises(RuntimeError, match="The empty of waypoint 2 is gone"):
        bpy.ops.genmm.generate_motion()
    assert results_of(hero) == []


def test_whoever_moves_a_waypoint_still_sees_the_character_and_can_press_generate(hero: Object) -> None:
    empty = add_at(1, (0.0, 0.0))
    select(empty)
    assert character_of(bpy.context) == hero
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    assert len(results_of(hero)) == 1
    select(empty)
    # The result has the same list, but is not offered as a choice.
    assert character_of(bpy.context) == hero
    stranger = bpy.data.objects.new("Stranger", None)
    bpy.context.scene.collection.objects.link(stranger)
    select(stranger)
    assert character_of(bpy.context) is None


def test_an_empty_that_moves_counts_where_it_is_at_its_frame_wherever_the_playhead_is(hero: Object) -> None:
    carrier = bpy.data.objects.new("Carrier", None)
    bpy.context.scene.collection.objects.link(carrier)
    for frame, x in ((1, 0.0), (101, 1.0)):
        carrier.location.x = x
        carrier.keyframe_insert("location", frame=frame)
    keyed, hung = add_at(50, (0.0, -1.4)), add_at(90, (0.0, -2.4))
    hung.parent = carrier
    for frame, x in ((40, 0.5), (60, 0.7)):
        keyed.location.x = x
        keyed.keyframe_insert("location", frame=frame)
    scenes = list(bpy.data.scenes)
    for playhead in (1, 90):
        bpy.context.scene.frame_set(playhead)
        made = made_by(bpy.ops.genmm.generate_motion)
        for frame, empty in ((50, keyed), (90, hung)):
            reached = hips(made, frame)[:2]
            assert np.linalg.norm(reached - np.array(empty.matrix_world.translation.xy)) < TOLERANCE
    assert list(bpy.data.scenes) == scenes


def test_empties_that_are_hidden_keep_their_places_through_a_file(tmp_path: Path, hero: Object) -> None:
    place = (0.3, -1.4)
    empty = add_at(50, place)
    hidden = bpy.data.collections.new("Hidden")
    bpy.context.scene.collection.children.link(hidden)
    for collection in empty.users_collection:
        collection.objects.unlink(empty)
    hidden.objects.link(empty)
    hidden.hide_viewport = empty.hide_viewport = True
    bpy.ops.wm.open_mainfile(filepath=str(save(tmp_path, "hidden")))
    select(bpy.data.objects["GenMM Sample"])
    empty = bpy.context.object.genmm.waypoints[0].empty
    assert empty.matrix_world.translation.length == 0.0, "Blender has not evaluated it"
    made = made_by(bpy.ops.genmm.generate_motion)
    assert np.linalg.norm(hips(made, 50)[:2] - place) < TOLERANCE
    assert empty.hide_viewport and [scene.name for scene in bpy.data.scenes] == ["Scene"]


def test_a_character_scaled_to_nothing_is_named(hero: Object) -> None:
    add_at(50, (0.3, -1.4))
    hero.scale = (0.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match='"GenMM Sample" has a scale of zero; set a larger scale'):
        bpy.ops.genmm.generate_motion()
