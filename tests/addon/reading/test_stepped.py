# SPDX-License-Identifier: GPL-3.0-or-later
"""Stepped animation: where examples, or the action around an edit, hold their poses, the new motion does."""

from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object

from genmm_addon.animation import actions
from genmm_addon.animation.reading.examples import ExampleSpec
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.core import Synthesis
from genmm_addon.generation.generate import compute, read
from genmm_addon.generation.request import Request


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
@pytest.mark.parametrize("frames", [(2,), (3,), (1, 1, 2, 2), ()], ids=str)
@pytest.mark.parametrize("operator", EDITS)
def test_an_edit_of_a_stepped_action_holds_its_poses_as_it_does(operator: str, frames: tuple[int, ...]) -> None:
    bpy.context.scene.render.fps = 24
    sample = add_sample_character(bpy.context)
    rig = sample.armature
    bpy.context.view_layer.objects.active = rig
    for action in sample.actions if frames else ():
        step(action, frames)
    own = next(action for action in sample.actions if action.name.endswith("Walk")).copy()
    actions.assign(rig, own)
    for action in sample.actions:
        bpy.ops.genmm.add_example(action=action.name)
    share = held_by(rig, 1, 40)
    first = 41 if EDITS[operator] is TIMES else int(own.frame_range[1])
    assert getattr(bpy.ops.genmm, operator)(**EDITS[operator]) == {"FINISHED"}
    assert held_by(rig, first, first + 30) == pytest.approx(share, abs=0.12)
    assert held_by(rig, 1, 40) == share


def held_by(rig: Object, first: int, last: int) -> float:
    played = actions.assigned(rig)
    assert played is not None
    curves = actions.fcurves_of(*played)
    values = np.array([[curve.evaluate(frame) for curve in curves] for frame in range(first, last + 1)])
    return float(np.mean((values[1:] == values[:-1]).all(axis=1)))
