# SPDX-License-Identifier: GPL-3.0-or-later
"""Tasks of the tour on a Mixamo-like character, and on Rigify's human, which walks by inverse kinematics."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))
sys.path.insert(2, str(Path(__file__).resolve().parents[2] / "addon"))
sys.path.insert(3, str(Path(__file__).resolve().parent))

import bpy
import window
from other_rigs import make_mixamo_like
from tour_tasks import TASKS, new_file, only_sample, steps_of
from window import OUTPUT, Step, context

import genmm_addon
from genmm_addon.animation import actions

ALL = list(TASKS)
RIGS = {"Mixamo": (ALL[4], ALL[9]), "Rigify": (ALL[4], ALL[7])}
"""Tasks that are tried at each run, since all ten take minutes: those that write keys of the rig's own controls."""


def mixamo() -> None:
    """Save a file with the Mixamo-like character."""
    only_sample()
    character = bpy.context.object
    make_mixamo_like(character)
    save(character, "Mixamo")


def rigify() -> None:
    """Save a file with Rigify's human, to which the actions of the sample were brought."""
    only_sample()
    sample = bpy.context.object
    walks = [action for action in bpy.data.actions if action.name.startswith("GenMM")]
    with context():
        human = window.rigify_human(0.0)
        sample.select_set(False)
        for action in walks:
            bpy.ops.genmm.bring_action(
                "EXEC_DEFAULT", True, origin="ARMATURE", armature=sample.name, action=action.name
            )
            brought, name = actions.assigned(human)[0], action.name
            bpy.data.actions.remove(action)
            brought.name = name
        for thing in (*sample.children, sample):
            bpy.data.objects.remove(thing)
    actions.assign(human, bpy.data.actions["GenMM Walk"])
    save(human, "Rigify")


def save(character: bpy.types.Object, name: str) -> None:
    character.name = name
    bpy.ops.wm.save_as_mainfile(filepath=str(file_of(name)), copy=True)


def file_of(name: str) -> Path:
    return OUTPUT / f"{name}.blend"


def opened(name: str) -> Callable[[], None]:
    # Otherwise Blender asks whether the script of Rigify's panel may run.
    return lambda: bpy.ops.wm.open_mainfile(filepath=str(file_of(name)), use_scripts=True)


genmm_addon.register()
steps: list[Step] = [(new_file, 0.0), (mixamo, 0.5), (new_file, 0.0), (rigify, 0.0)]
for name, tasks in RIGS.items():
    steps += [step for task in tasks for step in steps_of(task, [(opened(name), 1.0)])]
window.run(steps)
