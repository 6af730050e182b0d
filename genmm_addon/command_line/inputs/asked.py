# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests from a command's arguments: the panel or a settings file, overridden by the given options."""

import argparse
import math
from collections.abc import Iterable
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import bpy

from ...animation.reading.example_spec import ExampleSpec
from ...animation.scene_time import scene_rate
from ...animation.signals.follows import FOLLOWS, FollowedSignal
from ...core import InputError, Settings
from ...core.fields import fields_given
from ...files.import_file import Y_UP, Z_UP, Axes
from ...files.missing_libraries import naming_missing_links
from ...generation.direction import CompletionSpec, GroundSpec, PathSpec, PinsSpec
from ...generation.generate import SceneReading
from ...generation.recipe import FileSettings, read_settings, without_examples
from ...generation.request import PartMode, Request
from ...libraries.choosing import LibraryChoice
from ...requests.choices import ChosenExample, read_noticing
from ...requests.direction_values import given_action
from ...requests.library_values import learns_from_library
from ...requests.part_values import bones_of, part_named, part_specs
from ...requests.played_examples import plays_something
from ...requests.presets import SHIPPED, SUBFOLDER, read_preset
from ...requests.request_values import panel_request
from ...state.properties import readable_settings
from ..arguments.setting_options import said
from .directions import curve_of, ground_of, waypoints_of
from .library import asked_library, lacks_character, library_character, with_bone_map
from .opening import (
    Opened,
    action_named,
    actions_named,
    add_examples,
    available,
    open_input,
    some_example,
)

OFF = "off"
EVERY = "*"
UP_AXES = {"y": Y_UP, "z": Z_UP}


def open_and_ask(
    options: argparse.Namespace, path: Path | None, *, alone: bool = True
) -> tuple[Opened, Request, SceneReading]:
    """Open an input and read its data; return them with the request, whose length is then fixed. Raises InputError.

    alone: whether no further examples are added by `ask_together`; otherwise labels are resolved there.
    """
    file = None if options.settings is None else read_settings(options.settings)
    target = options.armature
    if not target and file is not None and file.character is not None and _is_blend(path):
        target = file.character.name
    library = asked_library(options)
    if library is not None and path is None and lacks_character():
        character = library_character(library)
        opened = Opened(Path(library.files[0]).stem, character)
    else:
        opened = open_input(path, target, _rate(options))
    with naming_missing_links():
        request, choices, has_length = _start(options, opened, file, library)
    if options.example_range is not None:
        choices = [_within(choice, options.example_range) for choice in choices]
        request = replace(request, examples=tuple(choice.spec for choice in choices))
    choices = [replace(choice, spec=as_said(choice.spec, options)) for choice in choices]
    request = _overlaid(replace(request, examples=tuple(choice.spec for choice in choices)), options, opened)
    request = with_bone_map(request, options, alone=alone)
    scene, labels, markers = bpy.context.scene, request.labels, request.label_markers
    if not alone:
        request = replace(request, labels="", label_markers=False)
    says_length = bool(options.frames) or options.seconds is not None
    if says_length:
        request = replace(request, frames=_length(options))
    asked = request
    with naming_missing_links():
        request, reading = read_noticing(asked, choices, scene)
    if not (has_length or says_length):
        request, reading = read_noticing(replace(asked, frames=_example_length(reading)), choices, scene)
    return opened, replace(request, labels=labels, label_markers=markers), _with_notes(reading, opened.notes)


def as_said(spec: ExampleSpec, options: argparse.Namespace) -> ExampleSpec:
    """Return the example with tags, mirroring and repetition from the options that match its name."""
    name = "" if spec.action is None else spec.action.name
    tagged = [tags for pattern, tags in options.tags if fnmatchcase(name, pattern)]
    if tagged:
        spec = replace(spec, tags=tuple(dict.fromkeys(tag for tags in tagged for tag in tags)))
    for field, given in (("mirrored", options.mirror), ("repetition", options.repetition)):
        for _, way in (pair for pair in given if fnmatchcase(name, pair[0])):
            spec = replace(spec, **{field: way})
    return spec


def check_names(request: Request, options: argparse.Namespace) -> None:
    """Raise InputError if the options tag, mirror or repeat an action that is not an example."""
    if options.libraries:
        return  # with libraries, the tags choose clips
    names = [spec.action.name for spec in request.examples if spec.action is not None]
    for flag, entries in (("--tags", options.tags), ("--mirror", options.mirror), ("--repetition", options.repetition)):
        for pattern, _ in entries:
            if pattern != EVERY and not any(fnmatchcase(name, pattern) for name in names):
                raise InputError(f'{flag}: no example matches "{pattern}"; available: {available(names)}.')


def _within(choice: ChosenExample, frames: tuple[float, float]) -> ChosenExample:
    return replace(choice, spec=replace(choice.spec, frame_start=frames[0], frame_end=frames[1]))


def ask_together(
    request: Request, reading: SceneReading, others: Iterable[Path], options: argparse.Namespace
) -> tuple[Request, SceneReading]:
    """Return the request with the examples of further files, and the data read for it. Raises InputError."""
    added = [add_examples(other) for other in others]
    if not added:
        return request, reading
    more = tuple(as_said(spec, options) for specs, _ in added for spec in specs)
    request = with_bone_map(replace(request, examples=request.examples + more), options)
    choices = [ChosenExample(spec, notice_rest_start=True) for spec in request.examples]
    request, together = read_noticing(request, choices, bpy.context.scene)
    notes = dict.fromkeys(note for notes in (reading.reading.notes, *(more for _, more in added)) for note in notes)
    return request, _with_notes(together, tuple(notes))


def _with_notes(reading: SceneReading, notes: tuple[str, ...]) -> SceneReading:
    every = tuple(dict.fromkeys(notes + reading.reading.notes))
    return replace(reading, reading=replace(reading.reading, notes=every))


def file_axes(options: argparse.Namespace, opened: Opened) -> Axes:
    """Return the rotation from the world's axes to those of a written BVH, by the options or the input."""
    return opened.file_axes if options.up is None else UP_AXES[options.up]


def _is_blend(path: Path | None) -> bool:
    return path is None or path.suffix.lower() == ".blend"


def _rate(options: argparse.Namespace) -> float | None:
    rate: float | None = options.fps
    if rate is not None and not (math.isfinite(rate) and 0.01 <= rate <= 10_000):
        raise InputError("--fps must lie between 0.01 and 10,000.")
    return rate


def _start(
    options: argparse.Namespace, opened: Opened, file: FileSettings | None, library: LibraryChoice | None
) -> tuple[Request, list[ChosenExample], bool]:
    """Return the request without the options, from the settings file, the panel or the defaults, and its choices.

    The last value is whether the request has a length.
    """
    armature, scene = opened.armature, bpy.context.scene
    if library is not None:
        start = Request(armature, (), frames=1) if file is None else without_examples(file).request(armature)
        return replace(start, examples=(), library=library), [], file is not None and file.recipe.frames > 0
    named = actions_named(opened, [name for name in options.actions if name])
    noticed = [ChosenExample(spec, notice_rest_start=True) for spec in named]
    if file is not None and file.recipe.library is not None and not noticed:
        return without_examples(file).request(armature), [], file.recipe.frames > 0
    if file is not None:
        if not noticed and (opened.examples or not file.recipe.examples):
            noticed = [ChosenExample(some_example(opened), notice_rest_start=True)]
        request = file.request(armature, tuple(choice.spec for choice in noticed))
        choices = noticed or [ChosenExample(spec, notice_rest_start=False) for spec in request.examples]
        return request, choices, file.recipe.frames > 0
    settings = readable_settings(armature, scene)
    set_up = learns_from_library(settings) or len(settings.examples) > 0 or plays_something(armature)
    if not opened.examples and set_up and not options.no_panel:
        request, choices = panel_request(armature, scene)
        if noticed:
            request, choices = replace(request, examples=named), noticed
        return request, choices, True
    choices = noticed or [ChosenExample(some_example(opened), notice_rest_start=True)]
    return Request(armature, tuple(choice.spec for choice in choices), frames=1), choices, False


def _length(options: argparse.Namespace) -> Any:
    if options.frames:
        return options.frames
    if not (math.isfinite(options.seconds) and 0 < options.seconds < 1e6):
        raise InputError("--seconds must be above 0.")
    return max(round(options.seconds * scene_rate(bpy.context.scene)), 1)


def _example_length(reading: SceneReading) -> int:
    """Return the duration of the longest example, in frames of the scene."""
    lasts = max((motion.frames - 1) / motion.frames_per_second for motion in reading.reading.motions)
    return round(lasts * reading.frames_per_second) + 1


def _overlaid(request: Request, options: argparse.Namespace, opened: Opened) -> Request:
    """Return the request with the values of the options."""
    if options.preset:
        request = _with_preset(request, options.preset, opened)
    changes = said(Request, options)
    mode = changes.pop("part_mode", None)
    request = replace(request, settings=replace(request.settings, **said(Settings, options)), **changes)
    if mode is not None:
        request = _in_parts(request, mode, opened)
    if options.pins is not None:
        request = replace(request, pins=None if options.pins == OFF else PinsSpec(action_named(options.pins)))
    request = _with_pose_only(request, options)
    request = _with_ground(_with_waypoints(_with_path(request, options), options), options)
    request = _with_sound(request, options)
    return _with_given_part(request, options, opened)


def _in_parts(request: Request, mode: PartMode, opened: Opened) -> Request:
    """Return the request with another mode of parts; custom parts come from the settings, otherwise the panel."""
    if mode is not PartMode.PAINTED:
        return replace(request, part_mode=mode, parts=())
    parts = request.parts or part_specs(readable_settings(opened.armature, bpy.context.scene))
    return replace(request, part_mode=mode, parts=parts)


def _with_pose_only(request: Request, options: argparse.Namespace) -> Request:
    if not options.pins_pose_only:
        return request
    if request.pins is None:
        raise InputError("No pins are chosen for --pins-pose-only; set an action with --pins.")
    return replace(request, pins=replace(request.pins, places=False))


def _with_path(request: Request, options: argparse.Namespace) -> Request:
    path = request.path
    if options.path == OFF:
        path = None
    elif options.path is not None:
        curve = curve_of(options.path)
        path = PathSpec(curve) if path is None else replace(path, curve=curve)
    changes = said(PathSpec, options)
    if path is not None:
        path = replace(path, **changes)
    elif changes:
        raise InputError("No path is chosen; set a curve with --path.")
    return replace(request, path=path)


def _with_sound(request: Request, options: argparse.Namespace) -> Request:
    """Return the request with a sound that is followed beside other signals."""
    if options.sound is None:
        if options.on_beat:
            raise InputError("No sound is chosen; set a file with --sound.")
        return request
    sound = FollowedSignal("SOUND", options.sound, "", "BEATS" if options.on_beat else "ENERGY")
    return replace(request, follows=FOLLOWS.text([*FOLLOWS.parse(request.follows), sound]))


def _with_waypoints(request: Request, options: argparse.Namespace) -> Request:
    if options.waypoints is None:
        return request
    if options.waypoints == OFF:
        return replace(request, waypoints=())
    return replace(request, waypoints=waypoints_of(options.waypoints))


def _with_ground(request: Request, options: argparse.Namespace) -> Request:
    if options.ground is None:
        return request
    if options.ground == OFF:
        return replace(request, ground=None)
    return replace(request, ground=GroundSpec(ground_of(options.ground, request.armature)))


def _with_given_part(request: Request, options: argparse.Namespace, opened: Opened) -> Request:
    if options.given_part == OFF:
        return replace(request, completion=None)
    completion = request.completion
    settings = readable_settings(opened.armature, bpy.context.scene)
    if options.given_part is not None:
        part = part_named(settings, options.given_part)
        painted = {spec.name: spec.bones for spec in request.parts}
        if part is None and options.given_part not in painted:
            raise InputError(f'"{opened.armature.name}" has no part "{options.given_part}"; choose another.')
        bones = painted[options.given_part] if part is None else bones_of(part)
        given = given_action(settings, opened.armature)
        if given is None and options.given_action is None:
            raise InputError(f'"{opened.armature.name}" has no active action; set one with --given-action.')
        action, slot = given or (action_named(options.given_action), "")
        completion = replace(completion or CompletionSpec(action, bones, slot), bones=bones)
    if options.given_action is not None:
        if completion is None:
            raise InputError("--given-action needs a part; set one with --given-part.")
        completion = replace(completion, action=action_named(options.given_action), slot="", frames_per_second=None)
    return replace(request, completion=completion)


def _with_preset(request: Request, name: str, opened: Opened) -> Request:
    values = read_preset(_preset(name))
    try:
        known = fields_given(Settings, values)
        if "parts" in values:
            request = _in_parts(request, PartMode(values["parts"]), opened)
        return replace(request, settings=replace(request.settings, **known))
    except (TypeError, ValueError, KeyError) as error:
        raise InputError(f"The preset {name!r} has an invalid value; save it again.") from error


def _preset(name: str) -> Path:
    target = name.replace(" ", "_").lower()
    folders = [*bpy.utils.preset_paths(SUBFOLDER), str(Path(SHIPPED) / "presets" / SUBFOLDER)]
    presets = {path.stem: path for folder in folders for path in sorted(Path(folder).glob("*.py"))}
    for stem, path in presets.items():
        if stem.lower() == target:
            return path
    known = ", ".join(f'"{stem.replace("_", " ")}"' for stem in presets)
    raise InputError(f'There is no preset "{name}"; available: {known}.')
