# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames to learn from that lie outside an action's own: refused with its range, or left out and noted."""

import math
from collections.abc import Callable
from typing import Any

import bpy
import numpy as np
import pytest
from bpy.types import Action, Object
from rigs import key, make_rig

from genmm_addon.animation import actions
from genmm_addon.animation.reading.examples import ExampleSpec, Reading, example_range, read_examples
from genmm_addon.core import InputError

HIPS = 'pose.bones["hips"]'


def swaying(first: int = 1, last: int = 40) -> tuple[Object, Action]:
    """Return a rig and its action, with keys on every frame from the first to the last."""
    rig = make_rig()
    action, slot = actions.new_action("Walk", rig)
    for index in range(3):
        values = [(frame, math.sin(0.3 * frame + index)) for frame in range(first, last + 1)]
        key(action, slot, f"{HIPS}.location", index, values)
    actions.assign(rig, action, slot)
    return rig, action


def read(rig: Object, action: Action | None, start: float | None, end: float | None, **words: Any) -> Reading:
    spec = ExampleSpec(action, frame_start=start, frame_end=end)
    return read_examples(rig, [spec], scene=bpy.context.scene, **words)


@pytest.mark.parametrize("visual", [None, True])
@pytest.mark.parametrize("asked", [(500, 600), (-50, 0), (40, 60), (-20, 1), (500, 500), (41, None)])
def test_range_outside_the_keys_is_rejected_with_the_range_of_the_action(
    asked: tuple[float, float | None], visual: bool | None
) -> None:
    rig, action = swaying()
    if visual and asked == (500, 500):
        return  # A single frame is a pose, which does not tell whether anything moves.
    with pytest.raises(InputError, match=r"frames 1 to 40|before it starts"):
        read(rig, action, *asked, visual=visual)


@pytest.mark.parametrize(("asked", "frames"), [((30, 60), 11), ((-10, 10), 10), ((-5, 99), 40)])
def test_of_a_range_partly_outside_the_keys_the_frames_inside_are_read_and_it_is_noted(
    asked: tuple[float, float], frames: int
) -> None:
    rig, action = swaying()
    reading = read(rig, action, *asked)
    assert reading.motions[0].frames == frames
    assert any("left out" in note and f"{asked[0]} to {asked[1]}" in note for note in reading.notes)


def test_a_range_inside_the_keys_is_read_without_a_note() -> None:
    rig, action = swaying()
    reading = read(rig, action, 5, 20)
    assert (reading.motions[0].frames, reading.notes) == (16, ())


def test_a_range_that_ends_before_it_starts_is_refused() -> None:
    rig, action = swaying()
    with pytest.raises(InputError, match="before it starts"):
        read(rig, action, 30, 10)


def test_a_manual_range_may_hold_the_last_pose() -> None:
    rig, action = swaying()
    action.use_frame_range, action.frame_start, action.frame_end = True, 1, 60
    assert read(rig, action, None, None).motions[0].frames == 60
    assert read(rig, action, 1, 50).motions[0].frames == 50


def test_a_manual_range_outside_the_keys_is_refused() -> None:
    rig, action = swaying()
    action.use_frame_range, action.frame_start, action.frame_end = True, 500, 600
    with pytest.raises(InputError, match="frames 1 to 40"):
        read(rig, action, None, None)


def cycle(action: Action) -> None:
    for curve in actions.fcurves_of(action):
        curve.modifiers.new("CYCLES")


def go_on(action: Action) -> None:
    for curve in actions.fcurves_of(action):
        curve.extrapolation = "LINEAR"


@pytest.mark.parametrize("extend", [cycle, go_on])
def test_motion_beyond_the_keys_is_read(extend: Callable[[Action], None]) -> None:
    rig, action = swaying()
    extend(action)
    motion = read(rig, action, 100, 140).motions[0]
    assert motion.frames == 41 and np.ptp(motion.translations) > 0.1


def test_muted_modifiers_move_nothing_beyond_the_keys() -> None:
    rig, action = swaying()
    cycle(action)
    for curve in actions.fcurves_of(action):
        curve.modifiers[0].mute = True
    with pytest.raises(InputError, match="frames 1 to 40"):
        read(rig, action, 100, 140)


def test_a_driver_that_moves_the_character_beyond_the_keys_is_read_there() -> None:
    rig, action = swaying()
    driver = rig.pose.bones["with.dot"].driver_add("location", 0).driver
    driver.expression = "frame / 10"
    assert read(rig, action, 100, 140, visual=True).motions[0].frames == 41


def test_frames_without_a_strip_are_rejected_with_the_range_of_the_strips() -> None:
    rig, action = swaying()
    rig.animation_data.action = None
    strip = rig.animation_data.nla_tracks.new().strips.new("Walk", 300, action)
    strip.extrapolation = "NOTHING"
    with pytest.raises(InputError, match="frames 300 to 339"):
        read(rig, None, 1, 100)
    assert read(rig, None, 300, 339).motions[0].frames == 40


@pytest.mark.parametrize("keys", [[(1, 0.0), (math.nan, 1.0), (20, 0.0)], [(math.inf, 0.0), (5, 1.0)]])
def test_keys_at_frames_that_are_not_numbers_are_named(keys: list[tuple[float, float]]) -> None:
    rig, action = swaying()
    key(action, "", f"{HIPS}.scale", 0, keys)
    with pytest.raises(InputError, match=r"not finite|learn from 1-40"):
        example_range(rig, ExampleSpec(action), bpy.context.scene)


def test_a_character_that_nothing_moves_is_named() -> None:
    rig = make_rig()
    rig.pose.bones["hips"].constraints.new("LIMIT_ROTATION")
    assert 'Nothing moves "Rig" at frames 1 to 30; give it an action.' in read(rig, None, 1, 30).notes
