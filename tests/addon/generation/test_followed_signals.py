# SPDX-License-Identifier: GPL-3.0-or-later
"""Followed signals as they are shown: read once for rows and frames, and laid out on the screen."""

from pathlib import Path

import bpy
import numpy as np
import pytest
from interface import select
from sounds import needs_sound, new_strip

from bench.motions.sounds import SOUND_RATE, write_wav
from genmm_addon.animation import actions
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


def test_a_signal_is_read_again_after_its_keys_were_edited(character: bpy.types.Object) -> None:
    scene, settings = bpy.context.scene, character.genmm
    (before,) = read_signals(character, settings, scene)
    bpy.context.view_layer.update()
    assert read_signals(character, settings, scene) == (before,), "reading a signal is no change"
    own = curves_of(character)[0]
    own.keyframe_points[0].co.y += 0.1
    own.update()
    bpy.context.view_layer.update()
    assert read_signals(character, settings, scene) == (before,), "nor is a change of the character itself"
    height = curves_of(bpy.data.objects["Lamp"])[2]
    height.keyframe_points[1].co.x = 21
    height.update()
    bpy.context.view_layer.update()
    assert known_signals(character, settings, scene) == (before,), "it is shown until it is read again"
    (after,) = read_signals(character, settings, scene)
    assert isinstance(after, PlottedSignal) and after.values[10] < 0.9 < after.values[20]
    assert known_signals(character, settings, scene) == (after,)


@needs_sound
def test_a_sound_is_read_again_after_its_strip_was_edited(character: bpy.types.Object, tmp_path: Path) -> None:
    scene, settings = bpy.context.scene, character.genmm
    path = write_wav(tmp_path / "song.wav", np.linspace(0.1, 0.9, 3 * SOUND_RATE) * np.sin(np.arange(3 * SOUND_RATE)))
    strip = new_strip(path, "Song", 1)
    settings.follows = "sound Song drives energy"
    for change, value in (("mute", True), ("mute", False), ("channel", 3), ("volume", 0.5), ("frame_start", 9)):
        (signal,) = read_signals(character, settings, scene)
        assert isinstance(signal, str) == strip.mute
        setattr(strip, change, value)
        assert (known_signals(character, settings, scene) is None) == (change != "channel")


def curves_of(thing: bpy.types.Object) -> list[bpy.types.FCurve]:
    assert thing.animation_data is not None and thing.animation_data.action is not None
    return list(actions.fcurves_of(thing.animation_data.action))
