# SPDX-License-Identifier: GPL-3.0-or-later
"""Followed signals in a real window: a curve and beats in the timeline, read again after the length has changed."""

import sys
import wave
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import numpy as np
import window
from window import DONE, Crop, animation_workspace, dope_sheet, facts, picture, until

from genmm_addon.generation.measures import measures_of
from genmm_addon.interface.common import draw_handlers
from genmm_addon.interface.follow.shown import known_signals, problems_of

RATE = 8000


def set_up() -> None:
    window.register_open("GENMM_PT_direct", "GENMM_PT_follow")
    window.only_sample()
    sample = bpy.context.object
    lamp = bpy.data.objects.new("Lamp", None)
    bpy.context.scene.collection.objects.link(lamp)
    for frame in range(1, 251, 10):
        lamp.location.z = np.sin(frame / 20.0)
        lamp.keyframe_insert("location", frame=frame)
    song = Path(sys.argv[-1], "song.wav")
    time = np.arange(10 * RATE) / RATE
    clicks = np.sin(2 * np.pi * 220 * time) * np.where(time % 0.5 < 0.1, 0.9, 0.05)
    with wave.open(str(song), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes((clicks * 32767).astype("<i2").tobytes())
    bpy.context.scene.sequence_editor_create().strips.new_sound("Song", str(song), 1, 1)
    sample.genmm.frames = 200


def follow(text: str) -> None:
    bpy.data.objects["GenMM Sample"].genmm.follows = text
    draw_handlers.redraw(bpy.context, "DOPESHEET_EDITOR")


def note(name: str) -> None:
    sample, scene = bpy.data.objects["GenMM Sample"], bpy.context.scene
    signals = known_signals(sample, sample.genmm, scene)
    facts[name] = {
        "read": [isinstance(signal, str) or [len(signal.values), len(signal.beats)] for signal in signals or ()],
        "problems": problems_of(sample, sample.genmm, scene),
    }


def is_read() -> bool:
    """Tell whether the signals were read since the last change."""
    sample = bpy.data.objects["GenMM Sample"]
    return known_signals(sample, sample.genmm, bpy.context.scene) is not None


def shorten() -> None:
    bpy.data.objects["GenMM Sample"].genmm.frames = 120
    draw_handlers.redraw(bpy.context, "DOPESHEET_EDITOR")


def generate() -> None:
    """Generate with two rows of the strip, so that it is read twice in one press."""
    follow("sound Song drives energy, sound Song drives beats")
    with window.context():
        bpy.ops.genmm.generate_motion("EXEC_DEFAULT", True, output="NEW_ACTION", frames=120)


def note_followed() -> None:
    action = bpy.data.objects["GenMM Sample"].animation_data.action
    measures = measures_of(action)
    facts["followed"] = [] if measures is None else [match.driven for match in measures.followed]


def timeline() -> Crop:
    return Crop.of(dope_sheet()[1])


BOTH = "property Lamp location[2] drives energy, sound Song drives beats"

window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (animation_workspace, 0.0),
        (picture("follow_nothing", timeline), 0.0),
        (lambda: follow(BOTH), 0.0),
        (until(is_read), 0.0),
        (lambda: note("both"), 0.0),
        (picture("follow_both", timeline), 0.0),
        (picture("follow_window"), 0.0),
        (shorten, 0.0),
        (until(is_read), 0.0),
        (lambda: note("shorter"), 0.0),
        (picture("follow_shorter", timeline), 0.0),
        (lambda: follow("property Lamp location[0] drives energy"), 0.0),
        (until(is_read), 0.0),
        (lambda: note("constant"), 0.0),
        (picture("follow_constant", timeline), 0.0),
        (generate, DONE),
        (note_followed, 0.0),
    ]
)
