# SPDX-License-Identifier: GPL-3.0-or-later
"""One action in a window: blocked, splined, filled, connected, simplified, edited by hand, restored, made natural."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))
sys.path.insert(2, str(Path(__file__).resolve().parents[2] / "addon"))
sys.path.insert(3, str(Path(__file__).resolve().parents[1] / "characters"))

import bpy
import window
from hand_edits import block, by_hand
from shown_rigs import begin, entry, hero, mode, part, set_up
from window import Step, context, facts, picture

from genmm_addon.animation import actions
from genmm_addon.animation.stretches.generated import generated_ranges
from genmm_addon.animation.stretches.key_times import key_times

FRAMES = (1, 20, 41, 56, 71, 100, 140)


def state(name: str) -> list[Any]:
    """Return what a character plays: its action, the generated ranges, and values of its curves."""
    action, slot = actions.assigned(hero(name))
    shown = [round(one.evaluate(frame), 4) for one in actions.fcurves_of(action, slot) for frame in FRAMES]
    return [action.name, generated_ranges(action, slot), shown]


def note(name: str, step: str) -> Callable[[], None]:
    return lambda: facts.setdefault(name, {}).setdefault("states", []).append([step, state(name)])


def start(name: str) -> Callable[[], None]:
    def start_it() -> None:
        rig = hero(name)
        walk, slot = actions.assigned(rig)
        own = walk.copy()
        own.name = f"{name} Shot"
        actions.assign(rig, own, slot)
        bpy.context.scene.frame_set(56)
        with context():
            bpy.ops.ed.undo_push(message="Shot")

    return start_it


def manual(name: str, edit: Callable[[Any], Any]) -> Callable[[], None]:
    def edit_it() -> None:
        edit(hero(name))
        with context():
            bpy.ops.ed.undo_push(message=edit.__name__)

    return edit_it


def connect(name: str) -> Callable[[], None]:
    def connect_it() -> None:
        playing = actions.assigned(hero(name))[0]
        others = (one for one in bpy.data.actions if one != playing)
        other = next(one for one in others if len(key_times(hero(name), one)) > 100)
        with context():
            bpy.ops.genmm.connect_action("EXEC_DEFAULT", True, action=other.name)

    return connect_it


def worked(name: str) -> list[Step]:
    """Return the chain of steps, then as many undo steps, and notes of the character's state after each."""
    chain: list[tuple[str, list[Step]]] = [
        ("block", [(manual(name, block), 0.7)]),
        ("spline", [*entry("From Blocking"), (window.until(lambda: len(state(name)[1]) > 3), 0.5)]),
        ("fill", entry("Fill Range")),
        ("connect", [(connect(name), 1.5)]),
        ("simplify", entry("Simplify Keys")),
        ("edit", [(manual(name, by_hand), 0.7)]),
        ("coarse", entry("Coarse Keys")),
        ("full", entry("Restore Full")),
        ("natural", entry("Make Natural")),
    ]
    steps: list[Step] = [
        (begin(name), 1.0),
        (lambda: mode("POSE"), 0.5),
        (start(name), 0.7),
        (note(name, "start"), 0.0),
    ]
    for step, taken in chain:
        steps += [*taken, (note(name, step), 0.3)]
    steps.append((picture(f"workflow_{name.lower()}", part), 0.7))
    for step, _ in reversed(chain):
        steps += [(window.undo, 0.8), (note(name, f"undone {step}"), 0.1)]
    return [*steps, (lambda: mode("OBJECT"), 0.5)]


window.run([(set_up, 0.0), *worked("Mixamo"), *worked("Rigify")])
