# SPDX-License-Identifier: GPL-3.0-or-later
"""Stepped animation: where examples, or the action around an edit, hold their poses, the new motion does."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from numpy.typing import NDArray

from genmm_addon.animation import actions
from genmm_addon.animation.reading.examples import ExampleSpec
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.core import Synthesis
from genmm_addon.generation.generate import compute, generate, read
from genmm_addon.generation.request import Request
from genmm_addon.generation.results import Result
from genmm_addon.generation.stretches.in_place import regenerate_stretch, regenerate_unlocked
from genmm_addon.generation.stretches.locks import lock
from genmm_addon.libraries.build_process import BuildOrder, read_on, start_build
from genmm_addon.libraries.choosing import LibraryChoice
from genmm_addon.state.properties import own_settings

pytestmark = pytest.mark.slow

HELD = ((2,), (4,), (1, 1, 2, 2), ())
"""Numbers of frames for which stepped motion holds its poses, in turn; none: it moves at every frame."""
BLOCKED = ((5,), (8,), (3, 9, 5, 7))
"""Numbers of frames between the poses of a blocking, in turn."""


def step(action: Action, frames: tuple[int, ...]) -> None:
    """Leave keys with constant interpolation, at distances that are repeated."""
    for curve in actions.fcurves_of(action):
        first, last = (int(frame) for frame in curve.range()[:])
        at, number, keys = first, 0, []
        while at <= last:
            keys.append((at, curve.evaluate(at)))
            at, number = at + frames[number % len(frames)], number + 1
        curve.keyframe_points.clear()
        curve.keyframe_points.add(len(keys))
        for point, place in zip(curve.keyframe_points, keys, strict=True):
            point.co, point.interpolation = place, "CONSTANT"
        curve.update()


def made_of(frames: tuple[int, ...]) -> tuple[Synthesis, float]:
    """Return a result of a walk that is stepped, and the share of held frames in the walk."""
    bpy.context.scene.render.fps = 24
    sample = add_sample_character(bpy.context)
    walk = next(action for action in sample.actions if "Walk" in action.name)
    if frames:
        step(walk, frames)
    request = Request(sample.armature, (ExampleSpec(walk),), frames=120, seeds=(3,))
    reading = read(request, bpy.context.scene)
    return compute(reading, request)[0], held_share(reading.reading.motions[0].rotations)


def held_share(turns: np.ndarray) -> float:
    return float(np.mean((turns[1:] == turns[:-1]).all(axis=(1, 2))))


@pytest.mark.parametrize("frames", [(2,), (3,), (4,), (1, 1, 2, 2)], ids=str)
def test_a_result_of_stepped_examples_holds_its_poses_as_they_do(frames: tuple[int, ...]) -> None:
    made, share = made_of(frames)
    assert held_share(made.motion.rotations) == pytest.approx(share, abs=0.12)
    places = made.motion.pose()[1]
    assert np.mean((places[1:] == places[:-1]).all(axis=(1, 2))) == pytest.approx(share, abs=0.12)
    assert any("hold" in note for note in made.notes)


def test_a_result_of_smooth_examples_moves_at_every_frame() -> None:
    made, _ = made_of(())
    assert held_share(made.motion.rotations) < 0.01
    assert not any("hold" in note for note in made.notes)


TIMES = {"range_choice": "FRAMES", "first_frame": 41, "last_frame": 71}
EDITS: dict[str, dict[str, Any]] = {
    "fill_range": TIMES,
    "make_natural": TIMES,
    "continue_action": {"frames": 40, "start": "LAST_KEY"},
    "connect_action": {"action": "GenMM Dance", "slide": 0},
}


@pytest.mark.usefixtures("extension")
@pytest.mark.parametrize("frames", HELD, ids=str)
@pytest.mark.parametrize("operator", EDITS)
def test_an_edit_of_a_stepped_action_holds_its_poses_as_it_does(operator: str, frames: tuple[int, ...]) -> None:
    rig, first = with_walk(operator, frames, of_examples=frames)
    share = held_by(rig, 1, 40)
    assert getattr(bpy.ops.genmm, operator)(**EDITS[operator]) == {"FINISHED"}
    assert held_by(rig, first, first + 30) == pytest.approx(share, abs=0.12)
    assert held_by(rig, 1, 40) == share


@pytest.mark.usefixtures("extension")
@pytest.mark.parametrize("frames", BLOCKED, ids=str)
@pytest.mark.parametrize("operator", EDITS)
def test_an_edit_of_a_blocking_moves_at_every_frame(operator: str, frames: tuple[int, ...]) -> None:
    rig, first = with_walk(operator, frames, of_examples=())
    share = held_by(rig, 1, 40)
    assert getattr(bpy.ops.genmm, operator)(**EDITS[operator]) == {"FINISHED"}
    assert held_by(rig, first, first + 28) < 0.1
    assert held_by(rig, 1, 40) == share


@pytest.mark.usefixtures("extension")
@pytest.mark.parametrize("frames", [(3,), (4,), (8,), (12,)], ids=str)
def test_a_single_hold_is_filled_with_motion(frames: tuple[int, ...]) -> None:
    rig, _ = with_walk("fill_range", frames, of_examples=())
    times = {"first_frame": 1 + 5 * frames[0], "last_frame": 1 + 6 * frames[0]}
    assert bpy.ops.genmm.fill_range(range_choice="FRAMES", **times) == {"FINISHED"}
    assert held_by(rig, *times.values()) == 0.0


REGENERATIONS: dict[str, Callable[[Result], object]] = {
    "stretch": lambda result: regenerate_stretch(result.object, bpy.context.scene, 41, 71),
    "unlocked": lambda result: with_a_lock(result),
}


@pytest.mark.usefixtures("extension")
@pytest.mark.parametrize("frames", HELD, ids=str)
@pytest.mark.parametrize("regenerate", REGENERATIONS)
def test_what_is_regenerated_holds_its_poses_as_the_examples_do(regenerate: str, frames: tuple[int, ...]) -> None:
    rig, _ = with_walk("fill_range", frames, of_examples=frames)
    share = held_by(rig, 1, 80)
    walk = ExampleSpec(next(action for action in bpy.data.actions if action.name == "GenMM Walk"))
    result = generate(bpy.context, Request(rig, (walk,), frames=120, seeds=(3,)))[0]
    before = values_of(result.object, 41, 71)
    REGENERATIONS[regenerate](result)
    assert not np.array_equal(values_of(result.object, 41, 71), before)
    assert held_by(result.object, 41, 71) == pytest.approx(share, abs=0.15)
    assert held_by(result.object, 1, 120) == pytest.approx(share, abs=0.12)


@pytest.mark.usefixtures("extension")
@pytest.mark.parametrize(
    ("frames", "rate"),
    [((2,), 24), ((2,), 60), ((3,), 30), ((3,), 60), ((4,), 30), ((1, 1, 2, 2), 30), ((1, 1, 2, 2), 60), ((), 30)],
    ids=str,
)
def test_motion_from_a_library_of_stepped_clips_holds_its_poses(
    tmp_path: Path, frames: tuple[int, ...], rate: int
) -> None:
    rig, _ = with_walk("fill_range", frames, of_examples=frames)
    path = tmp_path / "stepped.npz"
    build = start_build(BuildOrder("", str(path), source="FILE"))
    while read_on(0.01):
        pass
    assert build.thread is None or build.thread.join() is None
    assert build.clips, build.problems
    bpy.context.scene.render.fps = rate
    poses = 24 * len(frames) / sum(frames) if frames else rate
    request = Request(rig, (), frames=5 * rate, seeds=(3,), library=LibraryChoice((str(path),), search="Walk"))
    made = generate(bpy.context, request)[0]
    assert poses_in(made.object, 1, 4 * rate) == pytest.approx(4 * poses, rel=0.12)
    settings = own_settings(rig)
    settings.learn_from = "LIBRARY"
    bpy.ops.genmm.add_library(filepath=str(path))
    played = actions.assigned(rig)
    assert played is not None
    step(played[0], (2 * rate,))
    assert bpy.ops.genmm.fill_range(range_choice="FRAMES", first_frame=1, last_frame=1 + 2 * rate) == {"FINISHED"}
    assert poses_in(rig, 1, 2 * rate) == pytest.approx(2 * poses, rel=0.12)


def poses_in(rig: Object, first: int, last: int) -> int:
    return int(np.count_nonzero((np.diff(values_of(rig, first, last), axis=0) != 0).any(axis=1)))


def with_a_lock(result: Result) -> None:
    lock(result.action, 90, 110)
    regenerate_unlocked(result.object, bpy.context.scene)


def with_walk(operator: str, frames: tuple[int, ...], of_examples: tuple[int, ...]) -> tuple[Object, int]:
    """Return a character with a stepped walk, and the first frame of an edit; its examples may be stepped as well."""
    bpy.context.scene.render.fps = 24
    sample = add_sample_character(bpy.context)
    rig = sample.armature
    bpy.context.view_layer.objects.active = rig
    for action in sample.actions if of_examples else ():
        step(action, of_examples)
    own = next(action for action in sample.actions if action.name.endswith("Walk")).copy()
    if frames and not of_examples:
        step(own, frames)
    actions.assign(rig, own)
    for action in sample.actions:
        bpy.ops.genmm.add_example(action=action.name)
    return rig, 41 if EDITS[operator] is TIMES else int(own.frame_range[1])


def held_by(rig: Object, first: int, last: int) -> float:
    values = values_of(rig, first, last)
    return float(np.mean((values[1:] == values[:-1]).all(axis=1)))


def values_of(rig: Object, first: int, last: int) -> NDArray[np.float64]:
    played = actions.assigned(rig)
    assert played is not None
    curves = actions.fcurves_of(*played)
    return np.array([[curve.evaluate(frame) for curve in curves] for frame in range(first, last + 1)])
