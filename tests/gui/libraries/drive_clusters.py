# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters of a library with a real mouse: listed, one clicked and played, expanded, and named; with pictures."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import sidebar
import window
from shown_ghosts import drawn
from sidebar import press_button
from window import DONE, OUTPUT, Crop, context, facts, key, picture, until, view

from genmm_addon.character.sample.sample_motions import sample_motions
from genmm_addon.core import Motion
from genmm_addon.core.library import Clip, library_of, load_library, save_library
from genmm_addon.interface.common.screen_units import WIDGET
from genmm_addon.interface.generate.panels import GENMM_PT_generate
from genmm_addon.state.exploring_properties import listed_clusters

TAGS = {
    "GenMM Walk": ("walk", "neutral"),
    "GenMM Walk Tired": ("walk", "tired"),
    "GenMM Walk Proud": ("walk", "proud"),
    "GenMM Wave": ("wave", "neutral"),
    "GenMM Dance": ("dance", "neutral"),
}
PIECES, LENGTH = 24, 60
"""Number of clips from each motion, and their frames."""
LIST = "genmm_clusters.active"
"""The property of the list's rows."""


def set_up() -> None:
    GENMM_PT_generate.bl_options = {"DEFAULT_CLOSED"}
    window.register_open("GENMM_PT_library")
    bpy.context.scene.render.fps = 30
    window.only_sample()
    motions, clips = list[Motion](), list[Clip]()
    for name, motion in sample_motions(30.0).items():
        action, style = TAGS.get(name, ("", ""))
        for number in range(PIECES if action else 0):
            first = number * (motion.frames - LENGTH) // PIECES
            motions.append(motion.slice(first, first + LENGTH))
            clips.append(Clip(f"{action}_{style}_{number:03}", "", 0, 0, {"action": action, "style": style}))
    save_library(OUTPUT / "takes.npz", library_of(motions, clips))
    bpy.data.objects["GenMM Sample"].genmm.library_files.add().path = str(OUTPUT / "takes.npz")
    with context():
        bpy.ops.ed.undo_push(message="Start")


def to_third_row() -> None:
    # The place is up to sidebar.ROW pixels below the list's edge, which is a quarter of a row above the first row.
    first = min(place for (_, place), path in sidebar._seen.items() if LIST in path)
    window.move_mouse(*sidebar.sidebar_point(0.5, first + WIDGET / 4 + 2 * WIDGET + (WIDGET - sidebar.ROW) / 2))


def click() -> None:
    """Click in a turn of its own: a row takes no click before Blender has highlighted it."""
    drawn.clear()
    window.ask("xdotool", "click", "1")


def plays() -> bool:
    """Return whether the typical clip of the selected cluster has begun to play."""
    kept = listed_clusters(bpy.context)
    name = kept.rows[kept.active].typical_name
    return any(shown is not None and shown.plays and shown.laid.name == name for shown in drawn)


def has_played() -> bool:
    return plays() and drawn[-1] is None


def note_row(name: str) -> Callable[[], None]:
    """Return a step that notes the place of the selected row among the visible ones."""

    def note_it() -> None:
        kept = listed_clusters(bpy.context)
        facts[name] = [number for number, row in enumerate(kept.rows) if row.depth == 0].index(kept.active)

    return note_it


def up() -> None:
    drawn.clear()
    key("Up")


def note_tree() -> None:
    kept = listed_clusters(bpy.context)
    facts["clips"] = sum(row.clips for row in kept.rows if row.depth == 0)
    facts["levels"] = max(row.depth for row in kept.rows) + 1
    number = next(number for number, row in enumerate(kept.rows) if row.has_inside)
    kept.rows[number].expanded, kept.active = True, number
    facts["chosen"] = kept.rows[number].number
    view()[0].tag_redraw()


def rename() -> None:
    window.ask("xdotool", "type", "--delay", "40", "My Walks")


def enter() -> None:
    key("Return")


def note_renamed() -> None:
    kept = listed_clusters(bpy.context)
    facts["renamed"] = [kept.rows[kept.active].number, kept.rows[kept.active].name]
    tagged = [clip for clip in load_library(OUTPUT / "takes.npz").clips if "cluster" in clip.tags]
    facts["tags"] = sorted({clip.tags["cluster"] for clip in tagged})
    facts["tagged"] = len(tagged) == kept.rows[kept.active].clips


def note_learned_from() -> None:
    settings = bpy.data.objects["GenMM Sample"].genmm
    facts["learned_from"] = [settings.learn_from, settings.library_tags]


def to_view() -> None:
    window.move_mouse(500, 500)


def tree() -> Crop:
    whole = Crop.of(view()[1])
    return Crop(whole.left, whole.top + 90, whole.width - 20, min(whole.height - 90, 520))


window.run(
    [
        (set_up, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (press_button("show_clusters(", right=0.78), DONE),
        (until(has_played), 0.0),
        (press_button(LIST), 0.0),
        (to_third_row, 0.0),
        (click, 0.0),
        (until(plays), 0.0),
        (picture("clusters_played"), 0.0),
        (until(has_played), 0.0),
        (note_row("clicked"), 0.0),
        (up, 0.0),
        (until(plays), 0.0),
        (note_row("above"), 0.0),
        (note_tree, 0.0),
        (press_button("rename_cluster("), 1.5),
        (picture("clusters_rename"), 0.0),
        (rename, 1.5),
        (enter, 1.0),
        (enter, 1.5),
        (note_renamed, 0.0),
        (press_button("choose_cluster("), DONE),
        (note_learned_from, 0.0),
        (to_view, 1.0),
        (picture("clusters_whole"), 0.0),
        (picture("clusters", tree), 0.0),
    ]
)
