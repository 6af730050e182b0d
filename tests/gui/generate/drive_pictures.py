# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of the README, from a real window: the panel, adjusting, variations, the ribbon."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from mathutils import Euler
from window import DONE, Crop, click, context, dope_sheet, picture, view

import genmm_addon

FRAME = 40
MIDDLE = (700, 300)


def empty_scene() -> None:
    genmm_addon.register()
    window.only_sample()
    with context():
        bpy.ops.ed.undo_push(message="Sample")
    settings = bpy.context.object.genmm
    settings.frames, settings.variations, settings.seed, settings.new_seed = 250, 4, 3, False
    space = view()[0].spaces.active
    space.overlay.show_bones = space.overlay.show_relationship_lines = False
    space.overlay.show_cursor = space.overlay.show_object_origins = False
    space.overlay.show_outline_selected = space.show_gizmo = space.overlay.show_text = False
    space.overlay.show_axis_x = space.overlay.show_axis_y = False
    space.shading.show_cavity = True


def generate(**values: object) -> Callable[[], None]:
    def press() -> None:
        with context():
            bpy.ops.genmm.generate_motion("EXEC_DEFAULT", True, **values)

    return press


def show_frame(frame: int) -> Callable[[], None]:
    return lambda: bpy.context.scene.frame_set(frame)


def look_at_all(turn: float, tilt: float) -> Callable[[], None]:
    """Return a step that rotates the view, in radians, and shows all characters."""

    def set_view() -> None:
        region = view()[0].spaces.active.region_3d
        region.view_rotation = Euler((tilt, 0.0, turn)).to_quaternion()
        chosen = bpy.context.view_layer.objects.active
        for thing in bpy.context.view_layer.objects:
            thing.select_set(True)
        with context():
            bpy.ops.view3d.view_selected("EXEC_DEFAULT", False)
        for thing in bpy.context.view_layer.objects:
            thing.select_set(thing == chosen)

    return set_view


def go_nearer(factor: float) -> Callable[[], None]:
    def change() -> None:
        view()[0].spaces.active.region_3d.view_distance *= factor

    return change


def results() -> list[bpy.types.Object]:
    return sorted((thing for thing in bpy.data.objects if thing.get("genmm_recipe")), key=lambda thing: thing.name)


def select_result(number: int) -> Callable[[], None]:
    def select() -> None:
        with context():
            bpy.ops.object.select_all(action="DESELECT")
        results()[number].select_set(True)
        bpy.context.view_layer.objects.active = results()[number]

    return select


def use_panels(shown: bool) -> Callable[[], None]:
    def switch() -> None:
        space = view()[0].spaces.active
        space.show_region_ui = space.show_region_toolbar = space.show_region_tool_header = shown

    return switch


def to_dope_sheet() -> None:
    """Show a result of 500 frames from both examples, in the Animation workspace."""
    sample = bpy.data.objects["GenMM Sample"]
    bpy.context.view_layer.objects.active = sample
    for name in ("GenMM Walk", "GenMM Dance"):
        bpy.ops.genmm.add_example(action=name)
    generate(frames=500, variations=1, parts="LIMBS")()
    select_result(-1)()
    with context():
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.pose.select_all(action="SELECT")
    bpy.context.scene.frame_end = 500
    bpy.context.scene.frame_set(180)
    window.animation_workspace()


def show_all_keys() -> None:
    area, region = dope_sheet()
    area.spaces.active.show_region_ui = False
    with window.within(area, region):
        bpy.ops.action.view_all()


def sidebar() -> Crop:
    """Return the rectangle of the sidebar down to the end of the panels."""
    crop = Crop.of(view()[1])
    return Crop(crop.left, crop.top, crop.width, min(crop.height, 800))


def left_of_sidebar() -> Crop:
    """Return the rectangle of the viewport's lower left, with Adjust Last Operation."""
    whole, side = Crop.of(view()[0]), Crop.of(view()[1])
    return Crop(whole.left + 50, whole.top + 320, side.left - whole.left - 50, whole.height - 320)


def viewport() -> Crop:
    whole = Crop.of(window.content(view()[0]))
    return Crop(whole.left + 180, whole.top + 310, whole.width - 360, whole.height - 600)


window.run(
    [
        (empty_scene, 0.3),
        (window.open_sidebar, 1.2),
        (window.choose_tab, 1.0),
        (generate(), DONE),
        (show_frame(FRAME), 0.5),
        (use_panels(False), 0.0),
        (look_at_all(-0.2, 1.3), 1.5),
        (go_nearer(0.75), 1.0),
        (picture("variations", viewport), 0.0),
        (use_panels(True), 0.0),
        (look_at_all(-0.2, 1.2), 1.5),
        (lambda: click(*window.adjust_point()), 1.0),
        (lambda: window.move_mouse(*MIDDLE), 0.7),
        (picture("adjust", left_of_sidebar), 0.0),
        (select_result(1), 3.0),
        (picture("panel", sidebar), 0.0),
        (to_dope_sheet, 2.0),
        (show_all_keys, 1.0),
        (picture("ribbon", lambda: Crop.of(dope_sheet()[0])), 0.0),
    ]
)
