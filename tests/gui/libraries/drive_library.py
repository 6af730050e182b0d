# SPDX-License-Identifier: GPL-3.0-or-later
"""A library built in the background and learned from, from the panel with a real mouse; pictures of the panels."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import numpy as np
import sidebar
import window
from sidebar import press_button
from window import DONE, OUTPUT, Crop, context, facts, picture, view

from genmm_addon.core.motion import Y_UP
from genmm_addon.files.bvh_writing import write_bvh
from genmm_addon.generation.sources import sources_of
from genmm_addon.libraries.build_process import current_build

STYLES = {"GenMM Walk": "walk_neutral", "GenMM Walk Tired": "walk_tired", "GenMM Walk Proud": "walk_proud"}


def set_up() -> None:
    window.register_open("GENMM_PT_library", "GENMM_PT_build_library")
    window.only_sample()
    scene = bpy.context.scene
    scene.render.fps = 30
    body = bpy.data.objects["GenMM Sample"]
    takes = OUTPUT / "takes"
    takes.mkdir()
    for action, name in STYLES.items():
        body.animation_data.action = bpy.data.actions[action]
        write_bvh(takes / f"{name}.bvh", body, scene, np.arange(1.0, 200.0), Y_UP)
    (takes / "broken.bvh").write_text("HIERARCHY\n")
    body.animation_data.action = bpy.data.actions["GenMM Walk"]
    settings = body.genmm
    settings.frames, settings.seed, settings.new_seed, settings.output = 150, 1, False, "NEW_ACTION"
    asked = scene.genmm.library_build
    asked.folder, asked.file, asked.pattern, asked.mirrored = (
        str(takes),
        str(OUTPUT / "walks.npz"),
        "{action}_{style}",
        True,
    )


def note_build() -> None:
    build = current_build()
    assert build is not None
    facts["clips"], facts["problems"] = build.clips, build.problems


def search() -> None:
    bpy.data.objects["GenMM Sample"].genmm.library_search = "walk"
    view()[0].tag_redraw()


def type_tag() -> None:
    window.ask("xdotool", "type", "--delay", "60", "TIRE")


def note_tags() -> None:
    facts["tags"] = bpy.data.objects["GenMM Sample"].genmm.library_tags


def choice() -> Crop:
    """Return the rectangle of the choice of clips in the sidebar, with the offered tags above it."""
    whole = Crop.of(view()[1])
    return Crop(whole.left, whole.top + 131, 380, 155)


def note_result() -> None:
    action = bpy.data.objects["GenMM Sample"].animation_data.action
    facts["learned_from"] = bpy.data.objects["GenMM Sample"].genmm.learn_from
    sources = sources_of(action)
    assert sources is not None
    facts["examples"] = [clip.name for clip in sources.examples]


def note_opened() -> None:
    facts["opened"] = bpy.data.objects["GenMM Sample"].animation_data.action.name


def start_long_build() -> None:
    takes = OUTPUT / "takes"
    text = (takes / "walk_tired.bvh").read_text()
    for number in range(900):
        (takes / f"more_{number:03}.bvh").write_text(text + "\n" * (number + 1))
    with context():
        bpy.ops.genmm.build_library()
    facts["before"] = (OUTPUT / "walks.npz").stat().st_mtime_ns


def is_reading() -> bool:
    build = current_build()
    return build is not None and (build.done or build.share > 0)


def stop_build() -> None:
    # Moving the mouse down to the button takes longer than a build.
    with context():
        bpy.ops.genmm.stop_library_build()


def has_ended() -> bool:
    build = current_build()
    return build is not None and build.done


def note_stopped() -> None:
    build = current_build()
    assert build is not None
    facts["stopped"] = build.stopped and build.clips is None
    facts["kept"] = (OUTPUT / "walks.npz").stat().st_mtime_ns == facts["before"]


def build_this_file() -> None:
    asked = bpy.context.scene.genmm.library_build
    asked.source, asked.file, asked.pattern, asked.mirrored = "FILE", str(OUTPUT / "own.npz"), "", False
    with context():
        bpy.ops.genmm.close_list(rows="library_build")
        bpy.ops.genmm.build_library()
    facts["reads_on_the_main_thread"] = not has_ended()


def note_own() -> None:
    build = current_build()
    assert build is not None
    facts["own_clips"], facts["own_problems"] = build.clips, build.problems


def direct() -> None:
    """Pin a pose and find the feet of a character that plays nothing, and make it pass through this pose."""
    body = bpy.data.objects["GenMM Sample"]
    body.animation_data.action = None
    with context():
        bpy.context.scene.frame_set(40)
        facts["pinned"] = bpy.ops.genmm.pin_pose() == {"FINISHED"}
        facts["feet"] = bpy.ops.genmm.find_feet() == {"FINISHED"}
        facts["generated"] = bpy.ops.genmm.generate_motion() == {"FINISHED"}


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (picture("library_before"), 0.0),
        (press_button("build_library()"), 0.5),
        (window.until(has_ended), 1.0),
        (note_build, 0.0),
        (picture("library_built"), 0.0),
        (press_button("add_library(filepath"), DONE),
        (sidebar.scroll_up, 0.0),
        (press_button("library_tags"), 1.5),
        (picture("library_tags", choice), 0.0),
        (type_tag, 1.5),
        (window.in_turns(lambda: [("key", "Down"), ("key", "Return")]), 1.5),
        (note_tags, 0.0),
        (search, 0.5),
        (picture("library_chosen"), 0.0),
        (press_button("generate_motion()"), DONE),
        (note_result, 0.0),
        (sidebar.scroll_up, 0.0),
        (picture("library_result"), 0.0),
        (press_button("open_clip("), DONE),
        (note_opened, 0.0),
        (start_long_build, 0.5),
        (window.until(is_reading), 0.1),
        (picture("library_building"), 0.0),
        (stop_build, 0.5),
        (window.until(has_ended), 0.7),
        (note_stopped, 0.0),
        (picture("library_stopped"), 0.0),
        (build_this_file, 0.5),
        (window.until(has_ended), 0.7),
        (note_own, 0.0),
        (picture("library_own"), 0.0),
        (direct, 1.0),
        (picture("library_directed"), 0.0),
    ]
)
