# SPDX-License-Identifier: GPL-3.0-or-later
"""Walks in place, as most clips of games are: they travel where a direction, a key or a set asks for it."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from commands import run

from genmm_addon.animation.actions import assign, fcurves_of
from genmm_addon.animation.curves import key_values
from genmm_addon.animation.reading.examples import ExampleSpec
from genmm_addon.character.sample.sample_character import SampleCharacter, add_sample_character
from genmm_addon.core import Wish
from genmm_addon.editing.locomotion import SetRequest, make_set
from genmm_addon.generation.direction import PathSpec, WaypointSpec
from genmm_addon.generation.generate import Request, generate
from genmm_addon.requests.edit_examples import steering_examples
from genmm_addon.steering.session import Session, ready_to_steer

pytestmark = pytest.mark.usefixtures("extension")

NOTE = 'Action "GenMM Walk" is in place: its travel is taken from its feet.'


@pytest.fixture
def sample() -> SampleCharacter:
    """Return the sample character with its walk in place, which it plays."""
    bpy.context.scene.render.fps = 30
    made = add_sample_character(bpy.context)
    walk = walk_of(made)
    for curve in fcurves_of(walk):
        if curve.data_path.endswith("location"):
            keys = key_values(curve)
            (first, begins), (last, ends) = keys[0], keys[-1]
            for point in curve.keyframe_points:
                point.co.y -= (ends - begins) * (point.co.x - first) / (last - first)
                point.handle_left.y = point.handle_right.y = point.co.y
    assign(made.armature, walk)
    return made


def walk_of(sample: SampleCharacter) -> Action:
    return next(action for action in sample.actions if action.name == "GenMM Walk")


def line() -> Object:
    """Return a straight curve along the ground."""
    curve = bpy.data.curves.new("Line", "CURVE")
    curve.dimensions = "3D"
    spline = curve.splines.new("POLY")
    spline.points.add(1)
    spline.points[1].co = (0.0, -30.0, 0.0, 1.0)
    line = bpy.data.objects.new("Line", curve)
    bpy.context.scene.collection.objects.link(line)
    return line


def places(character: Object, *frames: int) -> np.ndarray:
    """Return the mean place of the bones at frames."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(np.mean([np.array(character.matrix_world @ bone.head) for bone in character.pose.bones], axis=0))
    return np.array(found)


def test_along_a_path_it_walks_and_a_sentence_says_so(sample: SampleCharacter) -> None:
    example = ExampleSpec(walk_of(sample))
    result = generate(bpy.context, Request(sample.armature, (example,), 100, path=PathSpec(line())))[0]
    assert NOTE in result.notes
    went = np.diff(places(result.object, 1, 100), axis=0)[0]
    assert went[1] < -2.0 and abs(went[0]) < 0.3


def test_without_a_direction_it_stays_in_place(sample: SampleCharacter) -> None:
    result = generate(bpy.context, Request(sample.armature, (ExampleSpec(walk_of(sample)),), 100))[0]
    assert NOTE not in result.notes
    assert abs(np.diff(places(result.object, 1, 100), axis=0)[0, 1]) < 0.3


def test_through_waypoints_it_walks(sample: SampleCharacter) -> None:
    there = bpy.data.objects.new("There", None)
    here = bpy.data.objects.new("Here", None)
    there.location = (0.0, -3.0, 0.0)
    for empty in (here, there):
        bpy.context.scene.collection.objects.link(empty)
    bpy.context.view_layer.update()
    points = (WaypointSpec(here, 1), WaypointSpec(there, 90))
    result = generate(bpy.context, Request(sample.armature, (ExampleSpec(walk_of(sample)),), 90, waypoints=points))[0]
    assert NOTE in result.notes


def test_steered_it_walks_as_it_is_led(sample: SampleCharacter) -> None:
    character, scene = sample.armature, bpy.context.scene
    steering = ready_to_steer(character, scene, steering_examples(character, scene), 0.5)
    session = Session.at(steering, None)
    for _ in range(90):
        session.step(Wish(velocity=session.speed * steering.direction(np.array([0.0, -1.0, 0.0]))))
    assert 0.5 < np.linalg.norm(session.place()) / (3.0 * session.speed) < 1.5


def test_a_set_has_its_loops(sample: SampleCharacter) -> None:
    request = SetRequest((ExampleSpec(walk_of(sample)),), (1,), "", "root")
    made = make_set(sample.armature, bpy.context.scene, request)
    assert any(one.move.direction == "forward" and 0.8 < one.speed < 1.8 for one in made.actions)


def test_the_command_says_so(sample: SampleCharacter, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    line()
    for action in sample.actions:
        if action is not walk_of(sample):
            bpy.data.actions.remove(action)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "hero.blend"))
    words = ("--path", "Line", "--frames", 60, "--output", tmp_path / "walk.bvh")
    said = run(capfd, "generate", tmp_path / "hero.blend", *words)
    assert said.status == 0, said.errors
    assert any("its travel is taken from its feet" in text for text in (*said.told, *said.errors))
