# SPDX-License-Identifier: GPL-3.0-or-later
"""A library override of a linked character: restyled from its linked action, undone, redone, saved and opened again.

Before that comes the linked character without an override, and after that the file without its library.
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
from genmm_addon.editing.transforming.record import recipe_of, recipe_text
from genmm_addon.state.selection import character_or_reason

SOURCE, SHOT = OUTPUT / "hero.blend", OUTPUT / "shot.blend"
WALK, TIRED = "GenMM Walk", "GenMM Walk Tired"


def set_up() -> None:
    """Save the sample in the collection Hero to a file, and link the collection into an empty file."""
    window.register_open("GENMM_PT_transform")
    window.only_sample()
    bpy.context.scene.render.fps = 30
    rig = bpy.data.objects["GenMM Sample"]
    actions.assign(rig, bpy.data.actions[WALK])
    hero = bpy.data.collections.new("Hero")
    bpy.context.scene.collection.children.link(hero)
    for thing in (rig, *rig.children):
        for collection in thing.users_collection:
            collection.objects.unlink(thing)
        hero.objects.link(thing)
    bpy.data.libraries.write(str(SOURCE), {hero, *bpy.data.actions}, fake_user=True)
    for thing in list(hero.objects):
        bpy.data.objects.remove(thing)
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    bpy.data.collections.remove(hero)
    with bpy.data.libraries.load(str(SOURCE), link=True) as (there, here):
        here.collections, here.actions = ["Hero"], list(there.actions)
    bpy.context.scene.collection.children.link(here.collections[0])
    bpy.context.scene.genmm.transform.other_action = TIRED
    choose(bpy.data.objects["GenMM Sample"])


def choose(thing: Any) -> None:
    bpy.context.view_layer.update()
    for other in bpy.context.view_layer.objects:
        other.select_set(other == thing)
    bpy.context.view_layer.objects.active = thing


def own() -> Any:
    """Return the character that belongs to this file."""
    return next(thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE" and thing.library is None)


def override() -> None:
    hero = bpy.data.collections["Hero"]
    with context():
        hero.override_hierarchy_create(bpy.context.scene, bpy.context.view_layer, do_fully_editable=True)
        choose(own())
        bpy.ops.ed.undo_push(message="Override")


def note(name: str) -> Callable[[], None]:
    def note_it() -> None:
        playing = actions.assigned(own())
        assert playing is not None
        recipe = recipe_of(playing[0])
        facts[name] = {
            "action": playing[0].name,
            "linked": playing[0].library is not None,
            "recipe": "" if recipe is None else recipe_text(recipe),
            "keys": [round(curve.evaluate(77.0), 4) for curve in actions.fcurves_of(*playing)][:40],
        }

    return note_it


def say(name: str) -> Callable[[], None]:
    """Return a step that notes the panel's text on the selected character, and the reason against Restyle."""

    def said() -> None:
        with context():
            reason = character_or_reason(bpy.context)[1]
            try:
                pressed = str(sorted(bpy.ops.genmm.restyle("INVOKE_DEFAULT")))
            except RuntimeError as error:
                pressed = str(error).strip()
        facts[name] = {"reason": reason, "pressed": pressed}

    return said


def move_library() -> None:
    SOURCE.rename(OUTPUT / "moved.blend")
    bpy.ops.wm.open_mainfile(filepath=str(SHOT))


window.run(
    [
        (set_up, 0.0),
        (open_sidebar, 0.0),
        (choose_tab, 0.0),
        (push_start, 0.0),
        (say("linked"), 0.5),
        (override, 1.0),
        (note("start"), 0.0),
        (press_button("restyle"), DONE),
        (note("restyled"), 0.0),
        (picture("transform_override"), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
        (redo, 0.0),
        (note("redone"), 0.0),
        (lambda: save_and_open(SHOT), DONE),
        (note("opened"), 0.0),
        (move_library, DONE),
        (say("moved"), 0.5),
        (picture("transform_moved_library"), 0.0),
    ]
)
