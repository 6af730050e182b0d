# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel's directions (parts, a given part, a path, a loop, pins), measured on the generated characters."""

import math
from collections.abc import Iterator

import bpy
import numpy as np
import pytest
from bpy.types import Object
from characters import world_bones
from interface import registered, results_of, select

from genmm_addon.animation import actions
from genmm_addon.animation.curve_path import read_path
from genmm_addon.character.sample.sample_character import SampleCharacter, add_sample_character
from genmm_addon.core import InputError
from genmm_addon.generation.recipe import from_json, recipe_of, to_json

HEIGHT = 1.75


@pytest.fixture
def sample() -> Iterator[SampleCharacter]:
    bpy.context.scene.render.fps = 30
    with registered():
        made = add_sample_character(bpy.context)
        select(made.armature)
        made.armature.genmm.new_seed = False
        made.armature.genmm.frames = 120
        yield made


def play(sample: SampleCharacter, name: str) -> None:
    actions.assign(sample.armature, next(action for action in sample.actions if name in action.name))


def generate(sample: SampleCharacter) -> Object:
    """Return the character made by one press."""
    before = set(results_of(sample.armature))
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    (made,) = set(results_of(sample.armature)) - before
    return made


def hips(character: Object, frames: range) -> np.ndarray:
    """Return the world positions of the hips `(F, 3)`."""
    number = sorted(bone.name for bone in character.pose.bones).index(root_of(character))
    return np.array([world_bones(character, frame)[number][:3, 3] for frame in frames])


def root_of(character: Object) -> str:
    return next(bone.name for bone in character.data.bones if bone.parent is None)


def add_curve(points: list[tuple[float, float, float]], closed: bool = False) -> Object:
    data = bpy.data.curves.new("Way", "CURVE")
    data.dimensions = "3D"
    spline = data.splines.new("POLY")
    spline.points.add(len(points) - 1)
    for point, place in zip(spline.points, points, strict=True):
        point.co = (*place, 1.0)
    spline.use_cyclic_u = closed
    curve = bpy.data.objects.new("Way", data)
    bpy.context.scene.collection.objects.link(curve)
    bpy.context.view_layer.update()
    return curve


def circle(radius: float) -> list[tuple[float, float, float]]:
    return [(radius * math.cos(angle), radius * math.sin(angle), 0.0) for angle in np.linspace(0, 2 * math.pi, 64)[:-1]]


def smoothed(places: np.ndarray, width: int = 31) -> np.ndarray:
    bell = np.hanning(width + 2)[1:-1] / np.hanning(width + 2).sum()
    return np.stack([np.convolve(column, bell, "valid") for column in places.T], axis=1)


def test_a_walk_follows_its_curve_where_it_is_drawn(sample: SampleCharacter) -> None:
    play(sample, "Walk")
    curve = add_curve([(1.0, -1.0, 0.0), (8.0, -1.0, 0.0)])
    sample.armature.genmm.path_curve = curve
    way = smoothed(hips(generate(sample), range(1, 121)))
    assert np.abs(way[:, 1] + 1.0).max() < 0.01 * HEIGHT
    assert way[-1, 0] > way[0, 0] + 1.0


def test_it_turns_with_a_curve_that_is_moved_and_closed(sample: SampleCharacter) -> None:
    play(sample, "Walk")
    curve = add_curve(circle(1.5), closed=True)
    curve.scale, curve.location = (2.0, 2.0, 2.0), (5.0, 5.0, 0.0)
    bpy.context.view_layer.update()
    sample.armature.genmm.path_curve = curve
    way = smoothed(hips(generate(sample), range(1, 121)))
    away = np.linalg.norm(way[:, :2] - (5.0, 5.0), axis=1)
    assert np.abs(away - 3.0).max() < 0.03 * HEIGHT


def test_location_and_rotation_of_the_character_do_not_affect_the_path(sample: SampleCharacter) -> None:
    play(sample, "Walk")
    sample.armature.rotation_euler = (0.0, 0.0, 1.0)
    sample.armature.location = (3.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    sample.armature.genmm.path_curve = add_curve([(0.0, 2.0, 0.0), (0.0, 9.0, 0.0)])
    way = smoothed(hips(generate(sample), range(1, 121)))
    assert np.abs(way[:, 0]).max() < 0.01 * HEIGHT


def test_in_the_given_time_it_arrives_at_the_end(sample: SampleCharacter) -> None:
    play(sample, "Walk")
    sample.armature.genmm.path_curve = add_curve([(0.0, 0.0, 0.0), (0.0, -4.0, 0.0)])
    sample.armature.genmm.path_speed = "ARRIVE"
    way = hips(generate(sample), range(1, 121))
    assert abs(way[-1, 1] + 4.0) < 0.08 * HEIGHT


def test_animation_of_the_curve_can_stop_the_character(sample: SampleCharacter) -> None:
    play(sample, "Walk")
    curve = add_curve([(0.0, 0.0, 0.0), (4.0, 0.0, 0.0)])
    sample.armature.genmm.path_curve = curve
    sample.armature.genmm.path_speed = "CURVE"
    with pytest.raises(RuntimeError, match="not animated"):
        bpy.ops.genmm.generate_motion()
    curve.data.path_duration = 100
    for frame, value in ((1, 0.0), (50, 50.0), (80, 50.0), (120, 100.0)):
        curve.data.eval_time = value
        curve.data.keyframe_insert("eval_time", frame=frame)
    way = smoothed(hips(generate(sample), range(1, 121)), 15)
    middle = way[55:62, 0]
    assert np.ptp(middle) < 0.1
    assert abs(middle.mean() - 2.0) < 0.1


def test_height_follows_the_curve_where_that_is_wanted(sample: SampleCharacter) -> None:
    play(sample, "Walk")
    sample.armature.genmm.path_curve = add_curve([(0.0, 0.0, 0.0), (6.0, 0.0, 3.0)])
    flat = hips(generate(sample), range(1, 121))
    sample.armature.genmm.path_climbs = True
    climbing = hips(generate(sample), range(1, 121))
    assert np.ptp(smoothed(flat)[:, 2]) < 0.1
    slope = (climbing[-1, 2] - climbing[0, 2]) / (climbing[-1, 0] - climbing[0, 0])
    assert slope == pytest.approx(0.5, abs=0.1)


def test_unsuitable_path_objects_are_rejected(sample: SampleCharacter) -> None:
    with pytest.raises(InputError, match="not a curve"):
        read_path(sample.armature, sample.armature, False)
    with pytest.raises(InputError, match="no length"):
        points = [(1.0, 1.0, 0.0), (1.0, 1.0, 0.0)]
        play(sample, "Walk")
        sample.armature.genmm.path_curve = add_curve(points)
        try:
            bpy.ops.genmm.generate_motion()
        except RuntimeError as error:
            raise InputError(str(error)) from error


def test_loop_continues_beyond_its_end(sample: SampleCharacter) -> None:
    play(sample, "Walk")
    sample.armature.genmm.loop = "TRAVEL"
    made = generate(sample)
    action = actions.assigned(made)[0]
    assert action.use_cyclic
    assert action.frame_range[1] - action.frame_range[0] == 120
    rounds = [world_bones(made, frame)[:, :3, 3] for frame in (10, 130, 250)]
    first, second = rounds[1] - rounds[0], rounds[2] - rounds[1]
    assert np.abs(first - first[0]).max() < 2e-3
    assert np.allclose(first, second, atol=2e-3)
    assert np.linalg.norm(first[0]) > 1.0
    step = np.linalg.norm(world_bones(made, 121)[:, :3, 3] - world_bones(made, 120)[:, :3, 3], axis=1).max()
    steps = [
        np.linalg.norm(world_bones(made, frame + 1)[:, :3, 3] - world_bones(made, frame)[:, :3, 3], axis=1).max()
        for frame in range(20, 60)
    ]
    assert step <= 1.2 * max(steps)


def test_in_place_a_loop_comes_back(sample: SampleCharacter) -> None:
    play(sample, "Walk")
    sample.armature.genmm.loop = "IN_PLACE"
    made = generate(sample)
    assert np.allclose(world_bones(made, 30), world_bones(made, 150), atol=2e-3)
    assert np.allclose(world_bones(made, 30), world_bones(made, 30 - 120), atol=2e-3)


def make_upper_and_lower(sample: SampleCharacter) -> None:
    assert bpy.ops.genmm.make_parts(kind="UPPER_LOWER") == {"FINISHED"}


def test_a_given_part_plays_its_action_and_decides_the_length(sample: SampleCharacter) -> None:
    make_upper_and_lower(sample)
    settings = sample.armature.genmm
    settings.parts = "WHOLE_BODY"
    walk = next(action for action in sample.actions if "Walk" in action.name)
    dance = next(action for action in sample.actions if "Dance" in action.name)
    play(sample, "Dance")
    settings.completion_action, settings.completion_part = walk, "Lower Body"
    made = generate(sample)
    action, slot = actions.assigned(made)
    lower = {row.name for row in settings.part_list["Lower Body"].bones}
    theirs = {(curve.data_path, curve.array_index): curve for curve in actions.fcurves_of(walk)}
    start = int(walk.frame_range[0])
    compared = 0
    for curve in actions.fcurves_of(action, slot):
        bone = curve.data_path.split('"')[1]
        other = theirs.get((curve.data_path, curve.array_index))
        if bone in lower and other is not None:
            for frame in (1, 17, 60):
                assert abs(abs(curve.evaluate(frame)) - abs(other.evaluate(start + frame - 1))) < 1e-3, curve.data_path
                compared += 1
    assert compared > 20
    assert action.frame_range[1] - action.frame_range[0] == walk.frame_range[1] - walk.frame_range[0]
    assert dance.name != walk.name


def test_painted_parts_are_generated_separately(sample: SampleCharacter) -> None:
    play(sample, "Dance")
    make_upper_and_lower(sample)
    assert sample.armature.genmm.parts == "PAINTED"
    recipe = recipe_of(generate(sample))
    assert [part.name for part in recipe.parts] == ["Lower Body", "Upper Body"]
    assert from_json(to_json(recipe)) == recipe


def test_parts_draw_from_the_examples_that_they_choose(sample: SampleCharacter) -> None:
    """The legs come from a walk, and the arms from a dance."""
    play(sample, "Walk")
    assert bpy.ops.genmm.add_example() == {"FINISHED"}
    dance = next(action for action in sample.actions if "Dance" in action.name)
    assert bpy.ops.genmm.add_example(action=dance.name) == {"FINISHED"}
    make_upper_and_lower(sample)
    lower, upper = sample.armature.genmm.part_list
    lower.use_examples = upper.use_examples = True
    lower.excluded.add().number = 1
    upper.excluded.add().number = 0
    made = generate(sample)
    way = hips(made, range(1, 121))
    assert np.linalg.norm(way[-1] - way[0]) > 1.5
    assert [part.examples for part in recipe_of(made).parts] == [(0,), (1,)]


def test_together_they_work_or_say_why_not(sample: SampleCharacter) -> None:
    play(sample, "Walk")
    settings = sample.armature.genmm
    settings.loop = "TRAVEL"
    settings.path_curve = add_curve([(0.0, 0.0, 0.0), (9.0, 0.0, 0.0)])
    with pytest.raises(RuntimeError, match="closed path"):
        bpy.ops.genmm.generate_motion()
    settings.path_curve = add_curve(circle(3.0), closed=True)
    made = generate(sample)
    assert np.allclose(world_bones(made, 5), world_bones(made, 125), atol=5e-3)


def test_switched_off_nothing_directs(sample: SampleCharacter) -> None:
    play(sample, "Walk")
    settings = sample.armature.genmm
    plain = recipe_of(generate(sample))
    settings.path_curve, settings.use_path = add_curve(circle(3.0)), False
    assert recipe_of(generate(sample)).path is None
    assert recipe_of(generate(sample)) == plain


def test_given_action_of_another_rate_plays_at_its_intended_speed(sample: SampleCharacter) -> None:
    make_upper_and_lower(sample)
    settings = sample.armature.genmm
    settings.parts = "WHOLE_BODY"
    play(sample, "Walk")
    walk = actions.assigned(sample.armature)[0]
    assert bpy.ops.genmm.add_example(played=True) == {"FINISHED"}
    settings.examples[0].use_rate, settings.examples[0].frames_per_second = True, 60.0
    settings.completion_action, settings.completion_part = walk, "Lower Body"
    action = actions.assigned(generate(sample))[0]
    frames = walk.frame_range[1] - walk.frame_range[0]
    assert action.frame_range[1] - action.frame_range[0] == pytest.approx(frames / 2, abs=1)


def test_completion_without_an_action_uses_the_action_the_character_plays(sample: SampleCharacter) -> None:
    make_upper_and_lower(sample)
    settings = sample.armature.genmm
    play(sample, "Walk")
    dance = next(action for action in sample.actions if "Dance" in action.name)
    assert bpy.ops.genmm.add_example(action=dance.name) == {"FINISHED"}
    settings.parts, settings.completion_part = "WHOLE_BODY", "Lower Body"
    recipe = recipe_of(generate(sample))
    assert "Walk" in recipe.completion.action.name
    settings.completion_part = "Tail"
    with pytest.raises(RuntimeError, match="no part Tail"):
        bpy.ops.genmm.generate_motion()
    settings.use_completion = False
    assert recipe_of(generate(sample)).completion is None


def test_loop_on_an_nla_strip_repeats_to_the_end_of_the_scene(sample: SampleCharacter) -> None:
    play(sample, "Walk")
    bpy.context.scene.frame_end = 400
    sample.armature.genmm.loop, sample.armature.genmm.output = "TRAVEL", "NLA_STRIP"
    assert bpy.ops.genmm.generate_motion() == {"FINISHED"}
    rounds = [world_bones(sample.armature, frame)[:, :3, 3] for frame in (30, 150, 390)]
    first, others = rounds[1] - rounds[0], rounds[2] - rounds[1]
    assert np.abs(first - first[0]).max() < 2e-3
    assert np.allclose(2 * first, others, atol=4e-3)
