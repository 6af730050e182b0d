# SPDX-License-Identifier: GPL-3.0-or-later
"""The window after an edit: the scene plays all of the motion, and the redo panel shows the frames that were used."""

import math
from collections.abc import Callable
from typing import Any

import bpy
import pytest
from bpy.types import Action, Object
from characters import walking_sample
from interface import select
from recorded_layout import drawn

from genmm_addon.animation import actions
from genmm_addon.animation.stretches.key_times import key_times
from genmm_addon.interface.timeline.panels import GENMM_PT_edit

pytestmark = [pytest.mark.usefixtures("extension"), pytest.mark.slow]

TIRED = "GenMM Walk Tired"
FILL = {"range_choice": "FRAMES", "first_frame": 41, "last_frame": 71, "timing": "DURATION", "duration": 50}


@pytest.fixture
def rig() -> Object:
    """Return the sample, which plays a copy of its walk in a scene that ends with it."""
    rig = walking_sample()
    walk = played(rig)
    actions.assign(rig, walk.copy())
    select(rig)
    bpy.ops.genmm.add_example(action=walk.name)
    bpy.context.scene.frame_end = round(key_times(rig, walk)[-1])
    return rig


def played(rig: Object) -> Action:
    playing = actions.assigned(rig)
    assert playing is not None
    return playing[0]


def in_strips(rig: Object) -> None:
    actions.clear_assignment(rig)
    track = rig.animation_data.nla_tracks.new()
    track.strips.new("Walk", 1, bpy.data.actions["GenMM Walk"])
    track.strips.new("Proud", 310, bpy.data.actions["GenMM Walk Proud"])


def called(name: str, **values: Any) -> Callable[[], Any]:
    return lambda: getattr(bpy.ops.genmm, name)(**values)


EDITS = {
    "continue": called("continue_action", frames=45),
    "connect": called("connect_action", action=TIRED),
    "fill": called("fill_range", **FILL, moves_following=True),
    "trajectory": called("choose_trajectory", **{**dict(list(FILL.items())[:3]), "moves_following": True}),
    "restyle": called("restyle", other_action=TIRED, keep_timing=False),
    "blend strip": called("blend_strip", strip="Proud", blend_in=12),
    "connect strips": called("connect_strips", strip="Proud"),
}


def last_played(rig: Object) -> float:
    tracks = rig.animation_data.nla_tracks
    own = [] if actions.assigned(rig) is None else [float(key_times(rig, played(rig))[-1])]
    return max([*own, *(strip.frame_end for track in tracks for strip in track.strips)])


@pytest.mark.parametrize("name", EDITS)
def test_the_scene_plays_all_of_the_motion_or_offers_to(name: str, rig: Object) -> None:
    if "strip" in name:
        in_strips(rig)
    before = bpy.context.scene.frame_end
    assert EDITS[name]() == {"FINISHED"}
    assert bpy.context.scene.frame_end == before, "Extend Playback is off"
    last = last_played(rig)
    if last > before:
        labels = [text for text, _ in drawn(GENMM_PT_edit, bpy.context).labels]
        assert f"Ends at {math.ceil(last)}, the scene at {before}" in labels
        bpy.ops.genmm.extend_playback()
        assert bpy.context.scene.frame_end == math.ceil(last)
    assert last > before or name == "trajectory"


@pytest.mark.parametrize("name", EDITS)
def test_the_scene_is_extended_where_the_character_says_so(name: str, rig: Object) -> None:
    if "strip" in name:
        in_strips(rig)
    rig.genmm.extend_playback = True
    before = bpy.context.scene.frame_end
    assert EDITS[name]() == {"FINISHED"}
    assert bpy.context.scene.frame_end == max(before, math.ceil(last_played(rig)))


def test_a_scene_that_lasts_longer_keeps_its_end(rig: Object) -> None:
    rig.genmm.extend_playback, bpy.context.scene.frame_end = True, 5000
    bpy.ops.genmm.continue_action(frames=45)
    bpy.ops.genmm.continue_action(frames=45, start="FIRST_KEY")
    assert bpy.context.scene.frame_end == 5000


def test_a_preview_range_and_the_last_frame_of_all_are_named_where_they_cut_the_motion(
    rig: Object, capfd: pytest.CaptureFixture[str]
) -> None:
    scene = bpy.context.scene
    rig.genmm.extend_playback = True
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 1, scene.frame_end
    bpy.ops.genmm.continue_action(frames=45)
    assert f"The preview range ends at frame {scene.frame_preview_end}: clear it" in capfd.readouterr().out
    scene.use_preview_range = False
    for curve in actions.fcurves_of(played(rig)):
        for key in curve.keyframe_points:
            key.co.x += 1_048_574 - 400
    bpy.ops.genmm.continue_action(frames=400)
    assert "Blender plays no frame after 1048574." in capfd.readouterr().out


@pytest.mark.parametrize("name", ["make_natural", "fill_range"])
def test_the_redo_panel_shows_the_frames_that_were_used(name: str, rig: Object) -> None:
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 51, 83
    for curve in actions.fcurves_of(played(rig)):
        for point in curve.keyframe_points:
            point.select_control_point = False
    assert getattr(bpy.ops.genmm, name)("EXEC_DEFAULT", range_choice="AUTOMATIC") == {"FINISHED"}
    done = bpy.context.window_manager.operators
    if len(done):
        shown: Any = done[-1].properties
        assert (shown.range_choice, shown.first_frame, shown.last_frame) == ("FRAMES", 51, 83)
