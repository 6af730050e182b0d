# SPDX-License-Identifier: GPL-3.0-or-later
"""`genmm info`: lists the content of a file, for use with `genmm generate`."""

import argparse
from pathlib import Path
from typing import Any

import bpy
from bpy.types import Object

from ...animation.fitting import fitting_actions
from ...animation.reading.examples import ExampleSpec, example_range, has_rest_start, read_examples
from ...animation.scene_time import scene_rate
from ...core import InputError, counted, prepare
from ...core.transfer import find_symmetry
from ...files.import_file import import_alone
from ...files.missing_libraries import notes_on_open_file
from ...generation.measures import (
    FLAW_NAMES,
    as_entries,
    flawed_frames,
    frames_through_body,
    said_through,
    said_to_show,
    said_visible,
    visible_frames,
)
from ...generation.recipe import PROPERTY as RECIPE
from ...state.properties import readable_settings
from ..console import Console
from ..inputs.opening import expanded, open_blend, without_armature
from ..stopping import check_stop


def info(options: argparse.Namespace, console: Console) -> int:
    """Print the contents of each input, and return the exit status."""
    status, answers, texts = 0, [], []
    for path in expanded(options.inputs) or (None,):
        try:
            name, characters, notes = _characters(path, options.armature)
            rates = [action["frames_per_second"] for character in characters for action in character["actions"]]
            rate = rates[0] if rates else scene_rate(bpy.context.scene)
            entry = {"file": name, "frames_per_second": rate, "characters": characters}
            if notes:
                entry["notes"] = list(notes)
            answers.append(entry)
            texts.append(_text(entry))
        except InputError as error:
            check_stop()
            status = 2
            console.error(str(error))
    console.answer("\n".join(texts), "file", answers)
    return status


def _characters(path: Path | None, only: str) -> tuple[str, list[dict[str, Any]], tuple[str, ...]]:
    """Return the name of the input, its characters, and notes on the file."""
    name = bpy.data.filepath or "the open file"
    notes: tuple[str, ...] = ()
    rigs_and_examples: list[tuple[Object, tuple[ExampleSpec, ...]]] = []
    if path is not None and path.suffix.lower() != ".blend":
        imported = import_alone(path)
        rigs_and_examples = [(character.armature, character.examples) for character in imported]
        name, notes = str(path), imported[0].notes
    else:
        if path is not None:
            open_blend(path)
            name = str(path)
        notes = notes_on_open_file()
        rigs = [thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE"]
        if not rigs:
            notes += (without_armature(f'"{Path(name).name}"'),)
        rigs_and_examples = [(rig, tuple(ExampleSpec(action) for action in fitting_actions(rig))) for rig in rigs]
    return name, [_character(rig, specs) for rig, specs in rigs_and_examples if only in ("", rig.name)], notes


def _character(rig: Object, specs: tuple[ExampleSpec, ...]) -> dict[str, Any]:
    settings = readable_settings(rig, bpy.context.scene)
    return {
        "name": rig.name,
        "bones": len(rig.data.bones),
        "parts": [part.name for part in settings.part_list],
        "pins": settings.pins_action.name if settings.pins_action else None,
        "path": settings.path_curve.name if settings.path_curve else None,
        "waypoints": [[row.empty.name, row.frame] for row in settings.waypoints if row.empty],
        "ground": settings.ground_object.name if settings.ground_object else None,
        "actions": [_action(rig, spec) for spec in specs],
    }


def _action(rig: Object, spec: ExampleSpec) -> dict[str, Any]:
    scene = bpy.context.scene
    rate = spec.frames_per_second or scene_rate(scene)
    entry: dict[str, Any] = {
        "name": spec.action.name,
        "frames_per_second": rate,
        "generated": spec.action.get(RECIPE) is not None,
    }
    visible = visible_frames(spec.action)
    if visible is not None:
        entry["visible_transitions"] = list(visible)
    flawed = flawed_frames(spec.action)
    if flawed is not None:
        entry["leg_flaws"] = as_entries(flawed)
    through = frames_through_body(spec.action)
    if through is not None:
        entry["frames_through_body"] = through
    try:
        first, last = example_range(rig, spec, scene)
        motion = read_examples(rig, [spec], scene=scene).motions[0]
        motion.check_values(spec.name)
        begins_at_rest = motion.frames > 1 and has_rest_start(motion)
        prepared = prepare([motion.slice(1, motion.frames) if begins_at_rest else motion])
    except InputError as error:
        return entry | {"problem": str(error)}
    names = motion.skeleton.names
    return entry | {
        "first_frame": first,
        "last_frame": last,
        "seconds": round((last - first) / rate, 3),
        "begins_with_rest_pose": begins_at_rest,
        "root": names[prepared.root.joint],
        "travels": prepared.root.facing.value == "FREE",
        "feet": [names[foot.joint] for foot in prepared.feet],
        "can_be_mirrored": find_symmetry([motion]) is not None,
    }


def _text(entry: dict[str, Any]) -> str:
    lines = [f"{entry['file']} ({entry['frames_per_second']:g} frames per second)"]
    for character in entry["characters"]:
        lines.append(f'  "{character["name"]}": {counted(character["bones"], "bone")}')
        for name in ("parts", "pins", "path"):
            if character[name]:
                value = character[name]
                lines.append(f"    {name}: {', '.join(value) if isinstance(value, list) else value}")
        lines += [f"    {_action_text(action)}" for action in character["actions"]] or ["    no action that moves it"]
    if not entry["characters"]:
        lines.append("  no character")
    lines += [f"  Note: {note}" for note in entry.get("notes", ())]
    return "\n".join(lines)


def _action_text(action: dict[str, Any]) -> str:
    if "problem" in action:
        return f'"{action["name"]}": {action["problem"]}'
    said = [
        f"frames {action['first_frame']:g} to {action['last_frame']:g}, {action['seconds']:g} s",
        "travels" if action["travels"] else "stays in place",
        f"feet {', '.join(action['feet'])}" if action["feet"] else "no feet found",
    ]
    if not action["can_be_mirrored"]:
        said.append("no left and right to mirror")
    if action["begins_with_rest_pose"]:
        said.append("begins with a rest pose")
    if action["generated"]:
        said.append("made by GenMM")
    if action.get("visible_transitions"):
        said.append(said_visible(action["visible_transitions"]))
    flaws = action.get("leg_flaws", {})
    said += [said_to_show(flaws[kind.value], noun) for kind, noun in FLAW_NAMES.items() if kind.value in flaws]
    if action.get("frames_through_body"):
        said.append(said_through(action["frames_through_body"]))
    return f'"{action["name"]}": {"; ".join(said)}'
