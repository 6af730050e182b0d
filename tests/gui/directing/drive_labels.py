# SPDX-License-Identifier: GPL-3.0-or-later
"""Two styles of walk in sequence, from the panel with a real mouse; with pictures of the panel of labels."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from sidebar import press_button
from window import DONE, Crop, context, facts, picture, view

from genmm_addon.generation.sources import sources_of

FRAMES = 160


def set_up() -> None:
    window.register_open("GENMM_PT_example", "GENMM_PT_direct", "GENMM_PT_labels")
    window.only_sample()
    bpy.context.scene.render.fps = 30
    settings = bpy.data.objects["GenMM Sample"].genmm
    settings.frames, settings.seed, settings.new_seed, settings.output = FRAMES, 1, False, "NEW_ACTION"
    with context():
        for name in ("GenMM Walk", "GenMM Walk Tired", "GenMM Walk Proud"):
            bpy.ops.genmm.add_example(action=name)


def add_labels() -> None:
    with context():
        bpy.ops.genmm.add_row(rows="labels", tag="style=tired", first=1, last=80)
        bpy.ops.genmm.add_row(rows="labels", tag="style=proud", first=81, last=160)
    view()[0].tag_redraw()


def panel() -> Crop:
    """Return the rectangle of the panel of labels, below those that `set_up` opened."""
    return Crop(1028, 720, 252, 190)


def note_sources() -> None:
    """Note the names of the examples that each stretch shows."""
    action = bpy.data.objects["GenMM Sample"].animation_data.action
    facts["action"] = action.name
    facts["labels"] = bpy.data.objects["GenMM Sample"].genmm.labels
    sources = sources_of(action)
    assert sources is not None
    shown = [sources.of_frame(frame) for frame in range(1, FRAMES + 1)]
    facts["shown"] = [sources.examples[found[0]].name for found in shown if found is not None]


def use_a_misspelled_marker() -> None:
    bpy.data.objects["GenMM Sample"].genmm.labels = ""
    bpy.context.scene.timeline_markers.new("style=tired", frame=1)
    bpy.context.scene.timeline_markers.new("style=pruod", frame=81)
    view()[0].tag_redraw()


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (picture("labels_empty"), 0.0),
        (add_labels, 1.0),
        (picture("labels_listed"), 0.0),
        (picture("labels", panel), 0.0),
        (press_button("generate_motion()"), DONE),
        (note_sources, 0.0),
        (use_a_misspelled_marker, 1.0),
        (picture("labels_marker"), 0.0),
    ]
)
