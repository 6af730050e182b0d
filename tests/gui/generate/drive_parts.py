# SPDX-License-Identifier: GPL-3.0-or-later
"""Painting of parts in a real window: the tool, strokes over bones and over the mesh, removed, undone, canceled."""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import window
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Euler, Vector
from window import DONE, Crop, click, context, facts, key, picture, view

import genmm_addon
from genmm_addon.interface.parts import overlay, paint_tool
from genmm_addon.requests.part_values import add_part
from genmm_addon.state import registration

Place = tuple[float, float]

# From the viewport's top left, in pixels: the tool is the last one in the toolbar.
TOOL = (31, 463)


def set_up() -> None:
    genmm_addon.register()
    window.only_sample()
    space = view()[0].spaces.active
    space.region_3d.view_rotation = Euler((1.45, 0.0, 0.35)).to_quaternion()
    space.region_3d.view_perspective = "PERSP"
    space.region_3d.view_location, space.region_3d.view_distance = (0.0, 0.0, 0.85), 3.0
    bpy.context.scene.genmm.brush_radius = 12
    with context():
        bpy.ops.ed.undo_push(message="Sample")


def sample() -> bpy.types.Object:
    return bpy.data.objects["GenMM Sample"]


def in_window(point: Vector) -> Place:
    """Return the position of a world point in the window, from its top left."""
    area, _ = view()
    region = window.content(area)
    place = location_3d_to_region_2d(region, area.spaces.active.region_3d, point)
    return window.point_in_window(region, place.x, place.y)


def on_bone(name: str, share: float = 0.5) -> Place:
    """Return the position of a bone in the window, at a share of its length from head to tail."""
    bone = sample().pose.bones[name]
    return in_window(sample().matrix_world @ bone.head.lerp(bone.tail, share))


RELEASE = (("mouseup", "1"),)
Commands = Sequence[Sequence[str]]


def to(x: float, y: float) -> tuple[str, ...]:
    return ("mousemove", str(round(x)), str(round(y)))


def drag(places: Callable[[], Sequence[Place]], end: Commands = RELEASE) -> Callable[[], float | None]:
    """Return a step that presses the mouse button at the first place, moves through all, and releases it."""

    def commands() -> Commands:
        first, *others = (to(*place) for place in places())
        return [first, ("mousedown", "1"), *others, *end]

    return window.in_turns(commands)


def stroke(*bones: str, end: Commands = RELEASE) -> Callable[[], float | None]:
    return drag(lambda: [on_bone(name) for name in bones], end)


def note(name: str) -> Callable[[], None]:
    def look() -> None:
        settings = sample().genmm
        facts[name] = {
            "parts": [[row.name for row in part.bones] for part in settings.part_list],
            "names": [part.name for part in settings.part_list],
            "mode": settings.parts,
            "radius": bpy.context.scene.genmm.brush_radius,
            "frame": bpy.context.scene.frame_current,
        }

    return look


def pick_tool() -> None:
    area = view()[0]
    crop = Crop.of(area)
    click(crop.left + TOOL[0], crop.top + TOOL[1])


def note_tool(name: str) -> Callable[[], None]:
    def look() -> None:
        with context():
            facts[name] = {
                "painting": paint_tool.is_painting(bpy.context),
                "handlers": len(registration.added.get(overlay.draw_parts, [])),
            }

    return look


def start_another_part() -> None:
    """Call the operator of the list's button."""
    add_part(sample().genmm, "Legs", ())
    with context():
        bpy.ops.ed.undo_push(message="Part")


def use_small_brush() -> None:
    bpy.context.scene.genmm.brush_radius = 2


def on_mesh() -> list[Place]:
    """Return places on the outside of the left thigh's middle, where the small brush reaches the mesh and no bone."""
    x, y = on_bone("Thigh.L", 0.35)
    return [(x + 12, y), (x + 12, y + 2)]


def resize(end: str) -> Callable[[], float | None]:
    """Return a step that presses F, moves 40 pixels to the right, and presses a key."""

    def commands() -> Commands:
        x, y = on_bone("Chest")
        return [to(x, y), ("key", "f"), to(round(x) + 40, y), ("key", end)]

    return window.in_turns(commands)


def use_pose_mode() -> None:
    with context():
        bpy.ops.object.mode_set(mode="POSE")


def show_parts(shown: bool) -> Callable[[], None]:
    def switch() -> None:
        bpy.context.scene.genmm.show_parts = shown
        view()[0].tag_redraw()

    return switch


def show_overlays(shown: bool) -> Callable[[], None]:
    def switch() -> None:
        view()[0].spaces.active.overlay.show_overlays = shown

    return switch


def back_to_object_mode() -> None:
    bpy.context.scene.genmm.show_parts = False
    with context():
        bpy.ops.object.mode_set(mode="OBJECT")


def disable() -> None:
    """Disable the extension while the tool is in use."""
    genmm_addon.unregister()
    keyconfigs = bpy.context.window_manager.keyconfigs
    keymaps = [keymap.name for keyconfig in (keyconfigs.addon, keyconfigs.default) for keymap in keyconfig.keymaps]
    with context():
        tool = bpy.context.workspace.tools.from_space_view3d_mode("OBJECT").idname
    facts["disabled"] = {
        "tool": tool,
        "handlers": len(registration.added.get(overlay.draw_parts, [])),
        "keymaps": [name for name in keymaps if "Paint Parts" in name],
    }


def body() -> Crop:
    """Return the rectangle of the viewport around the character."""
    whole = Crop.of(view()[0])
    return Crop(whole.left + 500, whole.top + 130, 320, 620)


PAINTING = [
    (set_up, 0.0),
    (pick_tool, 1.0),
    (note_tool("picked"), 0.0),
    (picture("parts_uncovered"), 0.0),
    (stroke("UpperArm.L", "Forearm.L", "Hand.L"), DONE),
    (note("arm"), 0.0),
    (lambda: window.ask("xdotool", "keydown", "ctrl"), 0.0),
    (stroke("Forearm.L", "Hand.L"), DONE),
    (lambda: window.ask("xdotool", "keyup", "ctrl"), 0.0),
    (note("taken"), 0.0),
    (lambda: key("ctrl+z"), DONE),
    (note("undone"), 0.0),
    (stroke("Chest", "Spine", end=(("key", "Escape"), ("mouseup", "1"))), DONE),
    (note("escaped"), 0.0),
    (start_another_part, 0.5),
    (use_small_brush, 0.0),
    (drag(on_mesh), DONE),
    (note("mesh"), 0.0),
]
BRUSH = [
    (resize("Return"), DONE),
    (note("larger"), 0.0),
    (resize("Escape"), DONE),
    (note("as_before"), 0.0),
    (lambda: key("bracketleft"), 1.0),
    (note("smaller"), 0.0),
]
SHOWING = [
    (picture("parts_painted"), 0.0),
    (picture("parts_tool", body), 0.0),
    (use_pose_mode, 1.0),
    (note_tool("other_mode"), 0.0),
    (picture("parts_off", body), 0.0),
    (show_parts(True), 1.0),
    (picture("parts_on", body), 0.0),
    (show_overlays(False), 1.0),
    (picture("parts_no_overlays", body), 0.0),
    (show_overlays(True), 0.5),
    (back_to_object_mode, 1.0),
    (picture("parts_in_hand", body), 0.0),
    (disable, 1.0),
    (picture("parts_disabled", body), 0.0),
]

window.run([*PAINTING, *BRUSH, *SHOWING])
