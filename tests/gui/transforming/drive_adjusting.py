# SPDX-License-Identifier: GPL-3.0-or-later
"""Adjust Last Operation by mouse after Restyle, Blend, Edit Attributes and Repair that ran beside the window."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from sidebar import press_button
from window import DONE, Step, choose_tab, click, facts, key, open_sidebar, picture, push_start, undo, until

from genmm_addon.animation import actions
from genmm_addon.editing.transforming.record import recipe_of
from genmm_addon.interface.common import preparing_first

FRAME = 60
SPIKE, BY = 40, 0.4
CURVE = ('pose.bones["Shin.L"].rotation_quaternion', 1)
# Rows of Adjust Last Operation, in pixels from its top: From and Action are above these.
THIRD = 91.0


def character() -> bpy.types.Object:
    return bpy.data.objects["GenMM Sample"]


def playing() -> bpy.types.Action:
    found = actions.assigned(character())
    assert found is not None
    return found[0]


def curve_of_shin() -> bpy.types.FCurve:
    curves = actions.fcurves_of(playing(), actions.armature_slots(playing())[0])
    return next(curve for curve in curves if (curve.data_path, curve.array_index) == CURVE)


def set_up() -> None:
    window.register_open("GENMM_PT_transform", "GENMM_PT_attributes", "GENMM_PT_repair")
    window.only_sample()
    # A double click on a value's field begins to edit it.
    bpy.context.preferences.inputs.mouse_double_click_time = 350
    # Even short work runs beside the window.
    preparing_first.INSTANT_SECONDS = 0.0
    bpy.context.scene.render.fps = 30
    actions.assign(character(), bpy.data.actions["GenMM Walk"])
    bpy.context.scene.genmm.transform.other_action = "GenMM Walk Tired"
    bpy.context.scene.frame_set(FRAME)


def note(name: str) -> Callable[[], None]:
    def note_it() -> None:
        bpy.context.scene.frame_set(FRAME)
        recipe = recipe_of(playing())
        facts[name] = {
            "action": playing().name,
            "actions": sorted(action.name for action in bpy.data.actions),
            "strength": None if recipe is None else recipe.strength,
            "share": None if recipe is None else recipe.share,
            "attributes": None if recipe is None else recipe.attributes,
            "head": round(character().pose.bones["Head"].head.z, 4),
            "arm": round(character().pose.bones["Hand.L"].head.z, 4),
            "spike": round(curve_of_shin().evaluate(SPIKE), 4),
        }

    return note_it


def with_attribute() -> None:
    """Request arms that hang as high as in any example."""
    row = next(row for row in bpy.context.scene.genmm.transform.attributes.values if row.name == "arm_height")
    row.change = 1.0 if row.highest - row.value > row.value - row.lowest else -1.0
    facts["asked"] = {"value": row.value, "lowest": row.lowest, "highest": row.highest}


def with_spike() -> None:
    curve = curve_of_shin()
    curve.keyframe_points.insert(SPIKE, curve.evaluate(SPIKE) + BY).interpolation = "LINEAR"
    curve.update()


def type_at(down: Callable[[], float], text: str) -> Callable[[], None]:
    """Return a step that types a value into a row of Adjust Last Operation."""

    def type_it() -> None:
        double = ("click", "--repeat", "2", "--delay", "60", "1")
        typed = ("key", "ctrl+a", "sleep", "0.2", "type", "--delay", "40", text)
        window.move_mouse(*window.adjust_point(down(), 0.7), "sleep", "0.3", *double, "sleep", "0.6", *typed)

    return type_it


def last_row() -> float:
    """Return the position of the last row of Adjust Last Operation, in pixels from its top."""
    region = next(region for region in window.view()[0].regions if region.type == "HUD")
    return float(region.height - 18)


def adjusted(name: str, down: Callable[[], float], text: str) -> list[Step]:
    """Return the steps that change a value, and note the outcome."""
    return [
        (picture(f"adjust_{name}", window.viewport), 0.0),
        (type_at(down, text), 0.5),
        (lambda: key("Return"), DONE),
        (note(f"{name}_adjusted"), 0.0),
        (picture(f"adjust_{name}_after", window.viewport), 0.0),
    ]


def pressed(button: str, name: str, done: Callable[[], bool]) -> list[Step]:
    return [(press_button(button), 0.5), (until(done), DONE), (note(name), 0.1)]


window.run(
    [
        (set_up, 0.0),
        (open_sidebar, 0.0),
        (choose_tab, 0.0),
        (push_start, 0.0),
        (note("start"), 0.0),
        *pressed("restyle", "restyled", lambda: playing().name == "GenMM Walk Restyled"),
        (lambda: click(*window.adjust_point()), 1.5),
        *adjusted("restyled", lambda: THIRD, "0.5"),
        (undo, 0.0),
        (note("restyled_undone"), 0.0),
        *pressed("blend_action", "blended", lambda: playing().name == "GenMM Walk Blended"),
        *adjusted("blended", lambda: THIRD, "0.1"),
        (undo, 0.0),
        (press_button("read_attributes"), 0.5),
        (until(lambda: len(bpy.context.scene.genmm.transform.attributes.values) > 0), 1.0),
        (with_attribute, 0.3),
        (push_start, 0.0),
        *pressed("edit_attributes", "edited", lambda: playing().name == "GenMM Walk Edited"),
        *adjusted("edited", lambda: THIRD, "crouch=1.3x"),
        (undo, 0.0),
        (with_spike, 0.3),
        (push_start, 0.0),
        (note("spiked"), 0.0),
        *pressed("ops.genmm.repair", "repaired", lambda: curve_of_shin().evaluate(SPIKE) < 0.6),
        *adjusted("repaired", last_row, "0"),
        (undo, 0.0),
        (note("repaired_undone"), 0.0),
    ]
)
