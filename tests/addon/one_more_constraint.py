# SPDX-License-Identifier: GPL-3.0-or-later
"""A separate process with an add-on that has one more constraint, which reports where the constraint appears."""

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path

import bpy
import numpy as np
from interface import new_character, registered, results_of, select
from numpy.typing import NDArray
from one_more_setting import help_text
from recorded_layout import drawn

from genmm_addon.command_line.arguments.parser import parser
from genmm_addon.command_line.arguments.setting_options import said
from genmm_addon.generation.estimates import constraint_bytes
from genmm_addon.generation.recipe import recipe_of, request_from_recipe
from genmm_addon.generation.request import Request
from genmm_addon.generation.stretches.in_place import played_stretch
from genmm_addon.interface.feet.panels import GENMM_PT_feet
from genmm_addon.interface.generate.operators import directions_of


def found(folder: Path) -> dict[str, object]:
    """Return, for each place, what it has of the new constraint, which holds bones still."""
    hero, places = new_character(), dict[str, object]()
    hero.genmm.held = "hand 10-20,arm  5 - 9"
    item = hero.genmm.bl_rna.properties["held"]
    places["property"] = [item.type, item.name, item.default]
    bpy.ops.genmm.generate_motion(frames=40)
    result = results_of(hero)[0]
    recipe = recipe_of(result)
    assert recipe is not None
    places["recipe"] = recipe.held
    places["moved"] = [moved(result, 10, 20), moved(result, 20, 30)]
    places["memory"] = [one.composing for one in constraint_bytes(request_from_recipe(recipe))]
    places["adjusted"] = directions_of(recipe)
    places["stretch"] = refusal(lambda: played_stretch(result, bpy.context.scene, 12, 14))
    select(hero)
    places["crowd"] = refusal(lambda: bpy.ops.genmm.make_crowd(agents=4, clips=1))
    places["loop"] = refusal(lambda: bpy.ops.genmm.generate_motion(frames=40, loop="TRAVEL"))
    for name, text in (("no text", "hand"), ("no bone", "tail 1-9"), ("outside", "hand 30-90"), ("turned", "hand 9-3")):
        places[name] = refusal(lambda text=text: bpy.ops.genmm.generate_motion(frames=40, held=text))  # type: ignore[misc]
    bpy.ops.genmm.add_row(rows="held", bone="spine", first=3, last=4)
    places["added"] = hero.genmm.held
    bpy.ops.genmm.remove_row(rows="held", number=0)
    shown = drawn(GENMM_PT_feet, bpy.context)
    places["rows"] = [text for text, icon in shown.labels if icon == "BONE_DATA" or "\N{EN DASH}" in text]
    places["buttons"] = [shown.values.count("held"), shown.buttons.count("genmm.add_row")]
    bpy.ops.genmm.export_settings(filepath=str(folder / "settings.json"))
    hero.genmm.held = ""
    bpy.ops.genmm.import_settings(filepath=str(folder / "settings.json"))
    places["imported"] = hero.genmm.held
    places["said"] = said(Request, parser().parse_args(["generate", "--held", "hand 1-9"]))
    places["help"] = help_text(parser())
    return places


def moved(rig: bpy.types.Object, first: int, last: int) -> float:
    """Return the largest change of the hand's own rotation over frames of the scene."""
    turns = list[NDArray[np.float64]]()
    for frame in range(first, last + 1):
        bpy.context.scene.frame_set(frame)
        turns.append(np.array(rig.pose.bones["hand"].rotation_quaternion))
    return float(np.ptp(turns, axis=0).max())


def refusal(act: Callable[[], object]) -> str:
    """Return the sentence with which something is refused."""
    try:
        act()
    except (ValueError, RuntimeError) as error:
        return str(error).removeprefix("Error: ").strip()
    return ""


if __name__ == "__main__":
    bpy.ops.wm.read_factory_settings(use_empty=True)
    target = Path(sys.argv[1])
    with registered():
        (target / "found.json").write_text(json.dumps(found(target)), encoding="utf-8")
    sys.stdout.flush()
    os._exit(0)  # Blender 4.2 as a module may crash during its normal exit
