# SPDX-License-Identifier: GPL-3.0-or-later
"""A separate process with an add-on that has one more setting, which reports where the setting appears."""

import argparse
import contextlib
import io
import json
import os
import sys
from pathlib import Path

import bpy
from interface import new_character, registered, results_of, select
from recorded_layout import drawn

from genmm_addon.command_line.arguments.parser import parser
from genmm_addon.command_line.arguments.setting_options import said
from genmm_addon.core import Settings
from genmm_addon.generation.recipe import PROPERTY
from genmm_addon.generation.request import Request
from genmm_addon.interface.generate.panels import GENMM_PT_method
from genmm_addon.requests.presets import apply_preset, write_preset


def found(folder: Path) -> dict[str, object]:
    """Return, for each place, what it has of the new settings, sharpness and mirrored."""
    hero = new_character()
    hero.genmm.sharpness, hero.genmm.mirrored = 0.75, True
    places: dict[str, object] = {"panel": drawn(GENMM_PT_method, bpy.context).values}
    item = hero.genmm.bl_rna.properties["sharpness"]
    places["property"] = [item.name, item.description, item.default, item.hard_min, item.hard_max]

    bpy.ops.genmm.generate_motion(frames=40, sharpness=0.5)
    recipe = json.loads(results_of(hero)[0][PROPERTY])
    places["recipe"] = [recipe["settings"]["sharpness"], recipe["mirrored"]]

    select(hero)
    write_preset(hero.genmm, folder / "preset.py")
    bpy.ops.genmm.export_settings(filepath=str(folder / "settings.json"))
    file = json.loads((folder / "settings.json").read_text(encoding="utf-8"))
    places["settings file"] = [file["settings"]["sharpness"], file["mirrored"]]

    other = new_character("Other")
    apply_preset(other.genmm, folder / "preset.py")
    places["preset"] = [other.genmm.sharpness, other.genmm.mirrored]
    other.genmm.sharpness = 0.0
    bpy.ops.genmm.import_settings(filepath=str(folder / "settings.json"))
    places["imported"] = [other.genmm.sharpness, other.genmm.mirrored]

    options = parser().parse_args(["generate", "--sharpness", "0.5", "--mirrored"])
    places["said"] = [said(Settings, options), said(Request, options)]
    places["help"] = help_text(parser())
    try:
        Settings(**{"sharpness": 2.0})  # type: ignore[arg-type]  # a field that the copy of the package alone has
    except ValueError as error:
        places["range"] = str(error)
    return places


def help_text(root: argparse.ArgumentParser) -> str:
    """Return the help on all options of `genmm generate`."""
    text = io.StringIO()
    with contextlib.redirect_stdout(text), contextlib.suppress(SystemExit):
        root.parse_args(["generate", "--help", "all"])
    return text.getvalue()


if __name__ == "__main__":
    bpy.ops.wm.read_factory_settings(use_empty=True)
    target = Path(sys.argv[1])
    with registered():
        (target / "found.json").write_text(json.dumps(found(target)), encoding="utf-8")
    sys.stdout.flush()
    os._exit(0)  # Blender 4.2 as a module may crash during its normal exit
