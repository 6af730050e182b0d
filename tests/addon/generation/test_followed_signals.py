# SPDX-License-Identifier: GPL-3.0-or-later
"""Followed signals as they are shown: read once for rows and frames, and laid out on the screen."""

import bpy
import numpy as np
import pytest
from interface import select

from genmm_addon.animation.signals.follows import PlottedSignal
from genmm_addon.character.sample.sample_character import add_sample_character
from genmm_addon.interface.follow.drawing import curve_on_screen, ticks_on_screen
from genmm_addon.interface.follow.shown import known_signals, problems_of, read_signals

pytestmark = pytest.mark.usefixtures("extension")


@pytest.fixture
def character() -> bpy.types.Object:
    """Return a character that follows a lamp, which rises over the first ten frames."""
    lamp = bpy.data.objects.new("Lamp", None)
    bpy.context.scene.collection.objects.link(lamp)
    for frame, height in ((1, 2.0), (11, 7.0)):
        lamp.location.z = height
        lamp.keyframe_insert("location", frame=frame)
    made = add_sample_character(bpy.context).armature
    select(made)
    made.genmm.frames, made.genmm.follows = 40, "property Lamp location[2] drives energy"
    return made


def test_a_curve_connects_successive_frames_between_bottom_and_height() -> None:
    lines = curve_on_screen(np.array([0.0, 1.0, 0.25]), 10.0, 3.0, 80.0)
    assert lines.tolist() == [[10, 0], [13, 80], [13, 80], [16, 20]]
    assert curve_on_screen(np.ones(1), 10.0, 3.0, 80.0).shape == (0, 2)


def test_a_beat_is_an_upright_line_at_its_frame() -> None:
    assert ticks_on_screen(np.array([2.0]), 10.0, 3.0, 80.0).tolist() == [[16, 0], [16, 80]]
    assert ticks_on_screen(np.zeros(0), 10.0, 3.0, 80.0).shape == (0, 2)


def test_a_signal_is_shown_until_its_rows_or_frames_change(character: bpy.types.Object) -> None:
    scene, settings = bpy.context.scene, character.genmm
    assert known_signals(character, settings, scene) is None
    (signal,) = read_signals(character, settings, scene)
    assert isinstance(signal, PlottedSignal) and len(signal.values) == 40
    assert signal.values[0] == 0.0 and signal.values[10:].tolist() == pytest.approx([1.0] * 30)
    assert known_signals(character, settings, scene) == (signal,)
    settings.frames = 50
    assert known_signals(character, settings, scene) is None
    settings.frames = 40
    settings.follows = "property Lamp location drives energy"
    assert known_signals(character, settings, scene) is None


def test_a_signal_that_cannot_be_followed_is_a_sentence(character: bpy.types.Object) -> None:
    scene, settings = bpy.context.scene, character.genmm
    settings.follows = "property Lamp location[0] drives energy, property Lamp location[2] drives energy"
    assert problems_of(character, settings, scene) == ()
    _, other = read_signals(character, settings, scene)
    (problem,) = problems_of(character, settings, scene)
    assert "does not change" in problem and isinstance(other, PlottedSignal)
