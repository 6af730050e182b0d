# SPDX-License-Identifier: GPL-3.0-or-later
"""Results in a real window: their places after each press and Adjust, compared, framed, and one used.

The sidebar shows the Results panel below a panel with the Generate button alone.
"""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from shown_ghosts import drawn
from sidebar import point_at, press_button
from window import DONE, Step, click, context, facts, key, only_sample, picture, until

import genmm_addon
from genmm_addon.interface.common.framing import are_seen, points_of, viewport_of

GENERATE = "generate_motion()"
# The right end of the seed in Adjust Last Operation: pixels from its top, and the share of its width.
SEED_UP = (94, 0.95)
MIDDLE = (600, 500)
KEPT = ("GENMM_PT_press", "GENMM_PT_results")


class GENMM_PT_press(bpy.types.Panel):
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "GenMM"
    bl_label = "Press"

    def draw(self, _context: bpy.types.Context) -> None:
        self.layout.operator("genmm.generate_motion")


def empty_scene() -> None:
    bpy.utils.register_class(GENMM_PT_press)  # registered first, so that it is shown first
    genmm_addon.register()
    names = [name for name in dir(bpy.types) if name.startswith("GENMM_PT_") and name not in KEPT]
    for name in names:
        panel = getattr(bpy.types, name)
        if getattr(panel, "bl_category", "") == "GenMM":
            bpy.utils.unregister_class(panel)
    only_sample()
    sample = bpy.data.objects["GenMM Sample"]
    sample.genmm.variations, sample.genmm.frames = 2, 120
    sample.genmm.new_seed, sample.genmm.seed = False, 7
    bpy.context.scene.frame_end = 100
    with context():
        bpy.ops.ed.undo_push(message="Sample")


def rigs() -> list[bpy.types.Object]:
    found = [thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE"]
    return sorted(found, key=lambda thing: thing.name)


def note(name: str) -> Callable[[], None]:
    """Return a step that notes the characters' places, the selection and the original's action."""

    def look() -> None:
        sample = bpy.data.objects["GenMM Sample"]
        with context():
            viewport = viewport_of(bpy.context)
            made = [rig for rig in rigs() if rig != sample][-2:]
            seen = bool(made) and bool(are_seen(points_of(made), viewport[2], 1e9).all())
        facts[name] = {
            "places": {rig.name: [round(value, 3) for value in rig.matrix_world.translation] for rig in rigs()},
            "active": bpy.context.view_layer.objects.active.name,
            "plays": sample.animation_data.action.name,
            "seeds": [rig["genmm_result"]["seed"] for rig in rigs() if rig.get("genmm_result")],
            "selected": sorted(thing.name for thing in bpy.context.view_layer.objects.selected),
            "all_seen": seen,
            "frame_end": bpy.context.scene.frame_end,
        }

    return look


def last_is_at_original(there: bool) -> bool:
    """Return whether the last result is at the original's place, or `there` is false and it is not."""
    return (rigs()[-1].matrix_world.translation.length < 1e-3) == there


def open_adjust() -> None:
    click(*window.adjust_point())


def next_seed() -> None:
    click(*window.adjust_point(*SEED_UP))


def to_middle() -> None:
    """Move the mouse to a place from which keys reach the viewport."""
    window.move_mouse(*MIDDLE)


def plays(row: int) -> Step:
    """Return a step that waits until the ghost of a variation of the last batch was drawn over the original."""

    def has_begun() -> bool:
        name = rigs()[row - 3].animation_data.action.name
        shown = [(ghost.laid.name, ghost.armature.name) for ghost in drawn if ghost is not None]
        return (name, "GenMM Sample") in shown

    return until(has_begun), 0.0


def frame_results() -> None:
    with context():
        bpy.ops.genmm.frame_results()


def far_away() -> None:
    """Add the sample in centimeters, far from what the viewport shows."""
    sample = bpy.data.objects["GenMM Sample"]
    sample.location = (300.0, 0.0, 0.0)
    sample.scale = (100.0, 100.0, 100.0)
    with context():
        bpy.ops.object.select_all(action="DESELECT")
        bpy.context.view_layer.objects.active = sample
        sample.select_set(True)
        bpy.ops.ed.undo_push(message="Far")


window.run(
    [
        (empty_scene, 0.0),
        (window.open_sidebar, 0.0),
        (window.choose_tab, 0.0),
        (press_button(GENERATE), DONE),
        (note("first"), 0.0),
        (picture("results_1_first"), 0.0),
        (press_button(GENERATE), DONE),
        (note("second"), 0.0),
        (picture("results_2_second"), 0.0),
        (open_adjust, 2.0),
        (picture("results_3_adjust_open"), 0.0),
        (next_seed, DONE),
        (note("adjusted"), 0.0),
        (next_seed, DONE),
        (note("adjusted_again"), 0.0),
        (picture("results_4_adjusted"), 0.0),
        (drawn.clear, 0.0),
        (point_at("show_variation(number=2)"), 0.0),
        plays(2),
        (picture("results_4a_pointed_at"), 0.0),
        (note("pointed_at"), 0.0),
        (point_at("show_variation(number=1)"), 0.0),
        plays(1),
        (press_button("show_variation(number=1)"), DONE),
        (picture("results_4b_selected"), 0.0),
        (to_middle, 0.3),
        (lambda: key("alt+Right"), DONE),
        (note("next_key"), 0.0),
        (lambda: key("alt+Left"), DONE),
        (note("previous_key"), 0.0),
        (press_button("IN_PLACE", right=0.3), 0.5),
        (until(lambda: last_is_at_original(True)), 0.5),
        (note("compared"), 0.0),
        (picture("results_5_compared"), 0.0),
        (press_button("IN_PLACE", right=0.3), 0.5),
        (until(lambda: last_is_at_original(False)), 0.5),
        (note("apart"), 0.0),
        (frame_results, 0.0),
        (note("framed"), 0.0),
        (picture("results_6_framed"), 0.0),
        (press_button("apply_variation(number=1)", right=0.84), DONE),
        (note("applied"), 0.0),
        (picture("results_7_applied"), 0.0),
        (to_middle, 0.3),
        (lambda: key("ctrl+z"), DONE),
        (note("undone"), 0.0),
        (far_away, 1.0),
        (press_button(GENERATE), DONE),
        (note("far"), 0.0),
        (picture("results_8_far"), 0.0),
    ]
)
