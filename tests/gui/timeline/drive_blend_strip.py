# SPDX-License-Identifier: GPL-3.0-or-later
"""Blend Strip and Connect Strips from the GenMM menu of the NLA editor in a real window."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from window import DONE, Crop, ask, choose_entry, facts, picture, take_entry


def set_up() -> None:
    window.register_open()
    window.only_sample()
    rig = bpy.context.object
    rig.animation_data.action = None
    track = rig.animation_data.nla_tracks.new()
    track.strips.new("Walk", 1, bpy.data.actions["GenMM Walk"])
    proud = track.strips.new("Proud", 260, bpy.data.actions["GenMM Walk Proud"])
    proud.select = True
    bpy.context.scene.frame_end = 500
    areas = bpy.context.window_manager.windows[0].screen.areas
    next(area for area in areas if area.type == "VIEW_3D").ui_type = "NLA_EDITOR"
    bpy.ops.ed.undo_push(message="Set up")


def editor() -> tuple[bpy.types.Area, bpy.types.Region]:
    areas = bpy.context.window_manager.windows[0].screen.areas
    area = next(one for one in areas if one.type == "NLA_EDITOR")
    return area, window.content(area)


def view_all() -> None:
    with window.within(*editor()):
        bpy.ops.nla.view_all()


def click_second_strip() -> None:
    """Click the second strip in the first row of strips, which is below those of the object and of its own action."""
    area, region = editor()
    x = region.view2d.view_to_region(380, 0, clip=False)[0]
    window.click(region.x + x, Crop.of(area).top + 120)


def menu() -> None:
    with window.within(*editor()):
        bpy.ops.wm.call_menu(name="GENMM_MT_edit")


def press(*names: str) -> Callable[[], None]:
    return lambda: ask("xdotool", "key", *names)


def note(when: str) -> Callable[[], None]:
    def noted() -> None:
        tracks = bpy.data.objects["GenMM Sample"].animation_data.nla_tracks
        facts[when] = {
            strip.name: [strip.frame_start, strip.blend_in, strip.active] for one in tracks for strip in one.strips
        }

    return noted


window.run(
    [
        (set_up, 0.0),
        (view_all, 0.0),
        (click_second_strip, 1.5),
        (note("before"), 0.0),
        (menu, 1.5),
        (picture("blend_menu", lambda: Crop.of(editor()[0])), 0.0),
        (choose_entry("Blend NLA Strip"), 2.0),
        (take_entry, DONE),
        (view_all, 0.0),
        (note("after"), 0.0),
        (picture("blend_after", lambda: Crop.of(editor()[0])), 0.0),
        (press("ctrl+z"), DONE),
        (note("undone"), 0.0),
        (menu, 1.5),
        (picture("connect_strips_menu", lambda: Crop.of(editor()[0])), 0.0),
        (choose_entry("Connect NLA Strips"), 2.0),
        (take_entry, DONE),
        (view_all, 0.0),
        (note("connected"), 0.0),
        (picture("connect_strips", lambda: Crop.of(editor()[0])), 0.0),
    ]
)
