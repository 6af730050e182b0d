# SPDX-License-Identifier: GPL-3.0-or-later
"""Restyle, Edit Attributes and Repair in states that refuse them, in Pose Mode.

An action with a face is restyled as well, undone, redone, saved and opened again.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from sidebar import press_button
from window import (
    DONE,
    OUTPUT,
    choose_tab,
    context,
    facts,
    open_sidebar,
    picture,
    push_start,
    redo,
    save_and_open,
    undo,
)

from genmm_addon.animation import actions
from genmm_addon.animation.mesh_channels.playing import play, played
from genmm_addon.editing.transforming.record import recipe_of, recipe_text

FILE = OUTPUT / "restyled_and_saved.blend"
WALK, TIRED = "GenMM Walk", "GenMM Walk Tired"


def body() -> Any:
    return bpy.data.objects["GenMM Sample"]


def face() -> Any:
    return bpy.data.objects["Face"].data.shape_keys


def set_up() -> None:
    window.register_open("GENMM_PT_transform")
    window.only_sample()
    bpy.context.scene.render.fps = 30
    actions.assign(body(), bpy.data.actions[WALK])
    bpy.context.scene.genmm.transform.other_action = TIRED
    bpy.context.scene.genmm.transform.keep_timing = False
    mesh = bpy.data.meshes.new("Face")
    mesh.from_pydata([(0, 0, 2), (0.1, 0, 2), (0, 0, 2.1)], [], [(0, 1, 2)])
    thing = bpy.data.objects.new("Face", mesh)
    bpy.context.scene.collection.objects.link(thing)
    thing.parent = body()
    for name in ("Basis", "Smile"):
        thing.shape_key_add(name=name)
    action, slot = actions.new_action_for("Smiling", "KEY", face().name)
    curve = actions.curve_factory(action, slot).new('key_blocks["Smile"].value', 0, "")
    for frame, value in ((1, 0.0), (241, 1.0)):
        curve.keyframe_points.insert(frame, value).interpolation = "LINEAR"
    play(face(), action, slot)
    with context():
        bpy.ops.object.mode_set(mode="POSE")


def note(name: str) -> Callable[[], None]:
    def note_it() -> None:
        playing, smiling = actions.assigned(body()), played(face())
        assert playing is not None and smiling is not None
        recipe = recipe_of(playing[0])
        last = max(curve.keyframe_points[-1].co.x for curve in actions.fcurves_of(*smiling))
        facts[name] = {
            "action": playing[0].name,
            "last": round(playing[0].frame_range[1]),
            "face": round(last),
            "recipe": "" if recipe is None else recipe_text(recipe),
            "actions": sorted(action.name for action in bpy.data.actions),
        }

    return note_it


def refused(name: str, call: Callable[[], Any]) -> Callable[[], None]:
    """Return a step that calls an operator, and notes the sentence of its refusal."""

    def press() -> None:
        try:
            with context():
                said = str(sorted(call()))
        except RuntimeError as error:
            said = str(error).strip()
        facts[name] = said

    return press


def stray_key(frame: float) -> Callable[[], None]:
    """Return a step that adds a distant key, or removes it again."""

    def insert() -> None:
        curve = actions.fcurves_of(*actions.assigned(body()))[0]
        if frame:
            curve.keyframe_points.insert(frame, 0.0)
        else:
            curve.keyframe_points.remove(curve.keyframe_points[-1])

    return insert


window.run(
    [
        (set_up, 0.0),
        (open_sidebar, 0.0),
        (choose_tab, 0.0),
        (push_start, 0.0),
        (note("start"), 0.0),
        (stray_key(100_000), 0.3),
        (refused("stray_restyle", lambda: bpy.ops.genmm.restyle("INVOKE_DEFAULT")), 0.5),
        (refused("stray_repair", lambda: bpy.ops.genmm.repair("INVOKE_DEFAULT", source="NONE")), 0.5),
        (refused("stray_edit", lambda: bpy.ops.genmm.edit_attributes("INVOKE_DEFAULT", attributes="speed=0.9x")), 0.5),
        (stray_key(0), 0.3),
        (refused("wave", lambda: bpy.ops.genmm.blend_action(other_action="GenMM Wave")), 0.5),
        (refused("library", lambda: bpy.ops.genmm.restyle(source="LIBRARY", library="/none/none.npz")), 0.5),
        (note("refused"), 0.0),
        (press_button("restyle"), DONE),
        (note("restyled"), 0.0),
        (picture("transform_face"), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
        (redo, 0.0),
        (note("redone"), 0.0),
        (lambda: save_and_open(FILE), DONE),
        (note("opened"), 0.0),
        (refused("again", lambda: bpy.ops.genmm.restyle(other_action=TIRED, keep_timing=True)), 2.0),
        (note("after"), 0.0),
    ]
)
