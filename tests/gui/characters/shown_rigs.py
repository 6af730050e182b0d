# SPDX-License-Identifier: GPL-3.0-or-later
"""A Mixamo-like character and Rigify's human in a window, and steps that their tests share."""

from collections.abc import Callable, Sequence
from typing import Any, Literal

import addon_utils
import bpy
import window
from mathutils import Euler, Vector
from other_rigs import make_mixamo_like, walking_rigify
from window import DONE, Crop, Step, choose_entry, context, facts, take_entry, view

from genmm_addon.interface.timeline.menus import TASKS

FIRST, LAST = 41, 101
AT = 75
"""The frame at which the hand reaches the box; it leaves ten frames later."""
BONES = {
    "Mixamo": ("mixamorig:Hips", "mixamorig:RightHand", "mixamorig:RightHand"),
    "Rigify": ("torso", "hand_fk.R", "DEF-hand.R"),
}
"""By character: the bone that travels, the one brought to the handle, and the one that deforms the skin there."""
FEET = {"Mixamo": ("Foot", "ToeBase"), "Rigify": ("DEF-foot", "DEF-toe")}


def hero(name: str) -> Any:
    return bpy.data.objects[name]


def select(thing: Any) -> None:
    for other in bpy.context.view_layer.objects:
        other.select_set(other == thing)
    bpy.context.view_layer.objects.active = thing


def head(rig: Any, bone: str, frame: int) -> Vector:
    return heads(rig, (bone,), frame)[0]


def heads(rig: Any, bones: Sequence[str], frame: int) -> list[Vector]:
    """Return the positions of bones' heads at a frame, which is evaluated once for all of them."""
    bpy.context.scene.frame_set(frame)
    posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return [posed.matrix_world @ posed.pose.bones[bone].head for bone in bones]


def set_up() -> None:
    """Set up the Mixamo-like character alone; Rigify's human is added later, and hides the other."""
    window.register_open("GENMM_PT_direct", "GENMM_PT_reach")
    window.only_sample()
    scene = bpy.context.scene
    scene.render.fps, scene.frame_end = 30, 150
    addon_utils.enable("rigify", default_set=True)
    sample = bpy.context.object
    with context():
        rigify = walking_rigify(sample, 250)
    rigify.name = "Rigify"
    make_mixamo_like(sample)
    sample.name = "Mixamo"
    for name in ("GenMM Walk Proud", "GenMM Walk Tired"):
        select(sample)
        with context():
            bpy.ops.genmm.add_example(action=name)
    for collection in rigify.data.collections_all:
        collection.is_visible = collection.name in (
            "Torso",
            "Arm.L (FK)",
            "Arm.R (FK)",
            "Leg.L (FK)",
            "Leg.R (FK)",
            "DEF",
        )
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, FIRST, LAST
    view()[0].spaces.active.show_region_ui = False


def begin(name: str) -> Callable[[], None]:
    def begin_it() -> None:
        for other in BONES:
            hero(other).hide_set(other != name)
            for child in hero(other).children_recursive:
                child.hide_set(other != name)
        select(hero(name))
        look((0.6, -2.9, 0.6), 6.0, (0.85, 0.0, 0.9))
        bpy.context.scene.frame_set(FIRST)
        with context():
            bpy.ops.ed.undo_push(message="Begin")

    return begin_it


def look(place: Sequence[float] | Vector, distance: float, turn: tuple[float, float, float]) -> None:
    data = view()[0].spaces.active.region_3d
    data.view_rotation, data.view_location, data.view_distance = Euler(turn).to_quaternion(), place, distance


def menu(name: str) -> None:
    """Open the menu of a task in the viewport under the mouse."""
    crop = Crop.of(view()[0])
    window.move_mouse(crop.left + crop.width // 2, crop.top + crop.height // 2)
    with context():
        bpy.ops.wm.call_menu(name=name)


def entry(name: str, wait: float = DONE) -> list[Step]:
    """Return the steps that choose an entry of our menu by the beginning of its text.

    wait: after it; 0 for an entry that waits for the user.
    """
    task = next(task for task in TASKS for one in task.entries if one is not None and one.text.startswith(name))
    return [(lambda: menu(task.__name__), 1.0), (choose_entry(name), 1.0), (take_entry, wait)]


def note(name: str, what: str, found: Callable[[], Any]) -> Callable[[], None]:
    def note_it() -> None:
        facts.setdefault(name, {})[what] = found()

    note_it.__name__ = f"note_{what}"
    return note_it


def generate() -> None:
    with context():
        bpy.ops.genmm.generate_motion()


def generate_as_step() -> None:
    generate()
    with context():
        bpy.ops.ed.undo_push(message="New Motion")


def made_by(name: str) -> Any:
    (made,) = (one for one in bpy.context.scene.objects if one.type == "ARMATURE" and one.name not in BONES)
    return made


def place_handle(name: str) -> Callable[[], None]:
    def place() -> None:
        hand = head(hero(name), BONES[name][2], AT)
        with context():
            bpy.ops.mesh.primitive_cube_add(size=0.1, location=hand + Vector((-0.1, -0.1, 0.15)))
        handle = bpy.context.object
        handle.name = f"{name} Handle"
        # The handle moves while the hand is there.
        handle.keyframe_insert("location", frame=AT)
        handle.location.z += 0.1
        handle.keyframe_insert("location", frame=AT + 10)
        select(hero(name))
        handle.select_set(True)
        hero(name).genmm.waypoints.clear()
        hero(name).genmm.reaches = f'"{BONES[name][1]}" at "{handle.name}" {AT}-{AT + 10}'
        bpy.context.scene.frame_set(AT + 5)
        look(hand, 3.0, (1.25, 0.0, 0.4))
        with context():
            bpy.ops.ed.undo_push(message="Handle")

    return place


def from_handle(name: str, made: bool = False) -> Callable[[], float]:
    """Return a function for the largest distance of the hand from the handle in meters; made: of the new character."""

    def away() -> float:
        found = []
        for frame in range(AT, AT + 11, 5):
            hand = head(made_by(name) if made else hero(name), BONES[name][2], frame)
            graph = bpy.context.evaluated_depsgraph_get()
            place = bpy.data.objects[f"{name} Handle"].evaluated_get(graph).matrix_world.translation
            found.append((hand - place).length)
        bpy.context.scene.frame_set(AT + 5)
        return max(found)

    return away


def feet_names(name: str) -> list[str]:
    sides = (("Left", ""), ("Right", "")) if name == "Mixamo" else (("", ".L"), ("", ".R"))
    mixamo = "mixamorig:" if name == "Mixamo" else ""
    return [f"{mixamo}{before}{foot}{after}" for before, after in sides for foot in FEET[name]]


def lowest(name: str, frames: Sequence[int]) -> list[float]:
    """Return the lowest height in meters of each joint of the feet in frames."""
    heights = [[one.z for one in heads(hero(name), feet_names(name), frame)] for frame in frames]
    return [min(of_joint) for of_joint in zip(*heights, strict=True)]


def part() -> Crop:
    whole = Crop.of(view()[0])
    return Crop(whole.left + 120, whole.top + 60, whole.width - 140, whole.height - 90)


def mode(name: Literal["OBJECT", "POSE"]) -> None:
    with context():
        bpy.ops.object.mode_set(mode=name)
