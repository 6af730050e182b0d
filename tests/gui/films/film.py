# SPDX-License-Identifier: GPL-3.0-or-later
"""Moving pictures of a real window: a scene with the sample character, photographed moment by moment.

A script in this folder describes its films; `take_pictures.py` runs it and makes animated WebP files of them.
"""

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from mathutils import Euler, Vector
from window import OUTPUT, Crop, Step, ask, context, view

WANTED = "GENMM_FILMS"
"""Environment variable with the names of the films to take, separated by commas; empty means all of a script."""
EDITOR = 190
"""Height of the editor below the viewport, in pixels."""
POLL = 0.03
"""Seconds between two checks whether a photograph has been taken."""
SAMPLE = "GenMM Sample"

Moment = int | Callable[[], object]
"""A frame of the scene, or a function that changes what is shown."""


@dataclass(frozen=True)
class Film:
    """A film: its name, the preparing steps, the moments to show, and the part of the window."""

    name: str
    before: Sequence[Step | Callable[[], object]]
    moments: Callable[[], Iterable[Moment]] | Sequence[Moment]
    crop: Callable[[], Crop] | None = None
    pause: float = 0.0
    """Seconds between a moment's change and its photograph, for windows that have to handle events."""


_below: list[str] = []
_panels: list[str] = []


def take(films: Sequence[Film], below: str = "", panels: Sequence[str] = ()) -> None:
    """Take the requested films, each beginning with an empty scene.

    below: the editor below the viewport, by its `ui_type`; "" means the viewport alone.
    panels: classes of the panels that are open in the sidebar, which is shown only for them.
    """
    _below[:] = [below] if below else []
    _panels[:] = panels
    wanted = [name for name in os.environ.get(WANTED, "").split(",") if name]
    steps: list[Step] = []
    for film in films:
        if not wanted or film.name in wanted:
            steps += [(clear, 0.7), (begin, 0.7)]
            steps += [(window.open_sidebar, 1.2), (window.choose_tab, 1.0)] if panels else []
            steps += [step if isinstance(step, tuple) else (_plain(step), 0.4) for step in film.before]
            steps += [(_photographs(film), 0.2)]
    window.run(steps)


def _plain(step: Callable[[], object]) -> Callable[[], None]:
    def call() -> None:
        step()

    call.__name__ = getattr(step, "__name__", "step")
    return call


def _photographs(film: Film) -> Callable[[], float | None]:
    """Return a step that shows and photographs the moments one after another."""
    rest: list[Moment] | None = None
    number = 0
    shown = False

    def path() -> Path:
        return OUTPUT / f"film-{film.name}-{number:02}.png"

    def go_on() -> float | None:
        nonlocal rest, number, shown
        if rest is None:
            rest = list(film.moments() if callable(film.moments) else film.moments)
        if number and not path().exists():
            return POLL
        if not shown:
            if not rest:
                return None
            moment = rest.pop(0)
            if callable(moment):
                moment()
            else:
                bpy.context.scene.frame_set(moment)
            shown = True
            if film.pause:
                return film.pause
        shown = False
        with context():
            bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
        number += 1
        part = film.crop() if film.crop else whole() if _below else viewport()
        options = ("-crop", f"{part.width:.0f}x{part.height:.0f}+{part.left:.0f}+{part.top:.0f}", "+repage")
        ask("import", "-window", "root", *options, str(path()))
        return POLL

    go_on.__name__ = f"film_{film.name}"
    return go_on


# The scene


_begun: list[bool] = []


def clear() -> None:
    """Replace everything in the file by an empty scene."""
    if not _begun:
        window.register_open(*_panels)
        _begun.append(True)
        make_room()
    if bpy.context.mode != "OBJECT":
        with context():
            bpy.ops.object.mode_set(mode="OBJECT")
    bpy.context.scene.use_preview_range = False
    for kind in (bpy.data.objects, bpy.data.actions, bpy.data.meshes, bpy.data.armatures, bpy.data.curves):
        bpy.data.batch_remove(list(kind))


def make_room() -> None:
    """Leave only the viewport in the window, and the editor below it, if there is one."""
    shown = bpy.context.window_manager.windows[0]
    if not _below:
        with context():
            bpy.ops.screen.screen_full_area(use_hide_panels=True)
        return
    for kind in ("OUTLINER", "PROPERTIES"):
        area = next(one for one in shown.screen.areas if one.type == kind)
        with bpy.context.temp_override(window=shown, area=area):
            bpy.ops.screen.area_close()
    editor = next(one for one in shown.screen.areas if one.type == "DOPESHEET_EDITOR")
    with bpy.context.temp_override(window=shown):
        bpy.ops.screen.area_move(x=100, y=editor.y + editor.height + 1, delta=EDITOR - editor.height)
    editor.ui_type = _below[0]
    if hasattr(editor.spaces.active, "show_region_hud"):
        editor.spaces.active.show_region_hud = False


def editor() -> tuple[bpy.types.Area, bpy.types.Region]:
    """Return the editor below the viewport, and its region with keys or strips."""
    areas = bpy.context.window_manager.windows[0].screen.areas
    area = next(one for one in areas if one.ui_type == _below[0])
    return area, next(region for region in area.regions if region.type == "WINDOW")


def in_editor() -> Any:
    """Return a context in which operators run as in the editor below the viewport."""
    area, region = editor()
    return bpy.context.temp_override(window=bpy.context.window_manager.windows[0], area=area, region=region)


def whole() -> Crop:
    """Return the rectangle of the window: the viewport, and the editor below it."""
    size = bpy.context.window_manager.windows[0]
    return Crop(0, 0, size.width, size.height)


def begin() -> None:
    """Add the sample character with its walk, and make the viewport plain; for a small film, nothing else is shown."""
    with context():
        bpy.ops.genmm.add_sample_character()
    scene = bpy.context.scene
    scene.render.fps, scene.frame_start, scene.frame_end = 30, 1, 250
    settings = sample().genmm
    settings.seed, settings.new_seed = 3, False
    play("GenMM Walk")
    space = view()[0].spaces.active
    space.show_region_ui = space.show_region_toolbar = space.show_region_tool_header = False
    space.show_region_header = space.show_region_hud = False
    space.lens = 80.0
    space.show_gizmo = space.overlay.show_text = space.overlay.show_cursor = space.overlay.show_object_origins = False
    space.overlay.show_bones = space.overlay.show_relationship_lines = space.overlay.show_outline_selected = False
    space.overlay.show_axis_x = space.overlay.show_axis_y = False
    space.shading.color_type = "MATERIAL"


def sample() -> bpy.types.Object:
    return bpy.data.objects[SAMPLE]


def play(action: str, rig: bpy.types.Object | None = None) -> None:
    """Make a character, by default the sample, play an action."""
    from genmm_addon.animation import actions

    found = bpy.data.actions[action]
    actions.assign(rig or sample(), found, actions.armature_slots(found)[0] if hasattr(found, "slots") else None)


def learn_from(*names: str) -> None:
    """Make the sample character learn only from these actions."""
    with context():
        for name in names:
            bpy.ops.genmm.add_example(action=name)
    examples = sample().genmm.examples
    for index in reversed(range(len(examples))):
        if examples[index].action.name not in names:
            examples.remove(index)


def choose(rig: bpy.types.Object) -> None:
    """Select only this object and make it active."""
    with context():
        bpy.ops.object.select_all(action="DESELECT")
        rig.select_set(True)
        bpy.context.view_layer.objects.active = rig


def generate(**values: object) -> Callable[[], None]:
    """Return a step that presses Generate for the sample character with these values."""

    def press() -> None:
        choose(sample())
        with context():
            bpy.ops.genmm.generate_motion("EXEC_DEFAULT", True, **values)

    return press


def rigs() -> list[bpy.types.Object]:
    """Return the characters: the sample first, then the others by name."""
    found = [thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE"]
    return sorted(found, key=lambda thing: (thing.name != SAMPLE, thing.name))


def made() -> bpy.types.Object:
    """Return the last character that was made."""
    return rigs()[-1]


def twin(name: str, aside: float) -> bpy.types.Object:
    """Return a copy of the sample character with its meshes, a number of meters to its side."""
    copy = sample().copy()
    copy.name = name
    bpy.context.scene.collection.objects.link(copy)
    for child in sample().children_recursive:
        shown = child.copy()
        shown.parent = copy
        for modifier in shown.modifiers:
            if modifier.type == "ARMATURE":
                modifier.object = copy
        bpy.context.scene.collection.objects.link(shown)
    copy.location.x += aside
    return copy


def label(text: str, rig: bpy.types.Object, height: float = 2.0) -> None:
    """Write a word above a character, which moves with it."""
    curve = bpy.data.curves.new(text, "FONT")
    curve.body, curve.size, curve.offset, curve.align_x = text, 0.2, 0.006, "CENTER"
    written = bpy.data.objects.new(text, curve)
    written.color = (0.0, 0.0, 0.0, 1.0)
    written["genmm_of"] = rig.name
    written.location.z = height
    bpy.context.scene.collection.objects.link(written)


def show(rig: bpy.types.Object, shown: bool) -> None:
    """Show or hide a character with its meshes."""
    for thing in (rig, *rig.children_recursive):
        thing.hide_set(not shown)


def new_action(**values: object) -> Callable[[], None]:
    """Return a step that makes the sample character play a new motion."""
    return generate(output="NEW_ACTION", **values)


# The view


def look(at: Sequence[float], distance: float, turn: float = 0.0, tilt: float = 1.35) -> None:
    """Look at a point from a distance in meters; turn: about the vertical, tilt: up from straight down, in radians."""
    region = view()[0].spaces.active.region_3d
    region.view_perspective = "PERSP"
    region.view_rotation = Euler((tilt, 0.0, turn)).to_quaternion()
    region.view_location, region.view_distance = Vector(at), distance
    _turn_labels()


def _turn_labels() -> None:
    region = view()[0].spaces.active.region_3d
    for thing in bpy.context.scene.objects:
        rig: bpy.types.Object | None = bpy.data.objects.get(str(thing.get("genmm_of", "")))
        if rig is not None:
            hips = rig.matrix_world @ rig.pose.bones["Hips"].head
            thing.location.xy = hips.xy
            thing.rotation_mode = "QUATERNION"
            thing.rotation_quaternion = region.view_rotation


def hips_of(characters: Sequence[bpy.types.Object]) -> Vector:
    """Return the center of the characters' hips in world space."""
    places = [rig.matrix_world @ rig.pose.bones["Hips"].head for rig in characters]
    return sum(places, Vector()) / len(places)


def following(
    frames: Sequence[int],
    characters: Callable[[], Sequence[bpy.types.Object]] = rigs,
    distance: float = 5.0,
    turn: float = 0.5,
    tilt: float = 1.3,
    height: float = 0.95,
    aside: float = 0.0,
) -> Callable[[], Iterable[Moment]]:
    """Return moments at frames; the view follows the characters evenly from the first frame to the last."""

    def moments() -> Iterable[Moment]:
        scene = bpy.context.scene
        places: list[Vector] = []

        def show(frame: int, share: float) -> Callable[[], None]:
            def shown() -> None:
                if not places:  # not earlier, since another moment may change the motion
                    for end in (frames[0], frames[-1]):
                        scene.frame_set(end)
                        places.append(hips_of(list(characters())))
                scene.frame_set(frame)
                place = places[0].lerp(places[1], share)
                look((place.x + aside, place.y, height), distance, turn, tilt)

            return shown

        return [show(frame, number / max(len(frames) - 1, 1)) for number, frame in enumerate(frames)]

    return moments


def still(
    place: Sequence[float], distance: float, turn: float, tilt: float, frames: Iterable[Moment]
) -> Callable[[], Iterable[Moment]]:
    """Return moments with a fixed view."""

    def moments() -> Iterable[Moment]:
        look(place, distance, turn, tilt)
        return frames

    return moments


def viewport() -> Crop:
    """Return the rectangle of the viewport without its header."""
    return Crop.of(next(region for region in view()[0].regions if region.type == "WINDOW"))
