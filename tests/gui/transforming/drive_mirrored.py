# SPDX-License-Identifier: GPL-3.0-or-later
"""A walk learned from as recorded and mirrored, from the panel by mouse, and visible cuts reached by a click."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from sidebar import press_button
from window import DONE, context, facts, picture, view

from genmm_addon.generation.sources import sources_of

FRAMES = 240


def set_up() -> None:
    window.register_open("GENMM_PT_example", "GENMM_PT_results")
    window.only_sample()
    bpy.context.scene.render.fps = 30
    settings = bpy.data.objects["GenMM Sample"].genmm
    settings.frames, settings.seed, settings.new_seed, settings.output = FRAMES, 1, False, "NEW_ACTION"
    with context():
        bpy.ops.genmm.add_example(action="GenMM Walk")


def learn_both_ways() -> None:
    row = bpy.data.objects["GenMM Sample"].genmm.examples[0]
    facts["as_stored_at_first"] = row.mirrored
    row.mirrored = "BOTH"
    view()[0].tag_redraw()


def note_sources() -> None:
    """Note the sources of the result."""
    action = bpy.data.objects["GenMM Sample"].animation_data.action
    sources = sources_of(action)
    assert sources is not None
    facts["examples"] = [clip.title for clip in sources.examples]
    facts["shown"] = sorted({int(row[2]) for row in sources.parts[0].stretches})


def have_cuts_that_show() -> None:
    """Add visible cuts to the measures, since the sample's own results have none."""
    action = bpy.data.objects["GenMM Sample"].animation_data.action
    facts["measured"] = json.loads(action["genmm_measures"])["visible_transitions"]
    values = json.loads(action["genmm_measures"])
    values["visible_transitions"] = [111, 195]
    facts["measured_legs"] = values["leg_flaws"]
    values["leg_flaws"] = [{"kind": "SLIDE", "frame": 60}, {"kind": "KNEE", "frame": 139}]
    action["genmm_measures"] = json.dumps(values)
    view()[0].tag_redraw()


def note_frame() -> None:
    facts["frame"] = bpy.context.scene.frame_current


def note_flaw() -> None:
    facts["flaw"] = bpy.context.scene.frame_current


def without_sides() -> None:
    """Show the panel of a character whose bones have no left and right."""
    with context():
        bpy.ops.object.armature_add()
    rig = bpy.context.object
    rig.name = "Snake"
    rig.pose.bones[0].rotation_mode = "XYZ"
    rig.pose.bones[0].keyframe_insert("rotation_euler", frame=1)
    rig.pose.bones[0].rotation_euler[0] = 1.0
    rig.pose.bones[0].keyframe_insert("rotation_euler", frame=60)
    with context():
        bpy.ops.genmm.add_example(action=rig.animation_data.action.name)
    view()[0].tag_redraw()


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (picture("mirrored_off"), 0.0),
        (learn_both_ways, 1.0),
        (picture("mirrored_both"), 0.0),
        (press_button("generate_motion()"), DONE),
        (note_sources, 0.0),
        (picture("mirrored_result"), 0.0),
        (have_cuts_that_show, 1.0),
        (press_button("rows='cuts', frame=112", right=0.25), DONE),
        (note_frame, 0.0),
        (picture("cuts_that_may_show"), 0.0),
        (press_button("rows='leg_flaws', frame=140", right=0.25), DONE),
        (note_flaw, 0.0),
        (without_sides, 1.0),
        (picture("mirrored_no_sides"), 0.0),
    ]
)
