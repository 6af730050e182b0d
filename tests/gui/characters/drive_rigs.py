# SPDX-License-Identifier: GPL-3.0-or-later
"""Places, ways and hands by mouse on a Mixamo-like character and on Rigify's human, left, taken, undone; pictures."""

import math
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Literal

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))
sys.path.insert(2, str(Path(__file__).resolve().parents[2] / "addon"))

import addon_utils
import bpy
import window
from mathutils import Euler, Vector
from other_rigs import make_mixamo_like, walking_rigify
from window import Crop, Step, ask, choose_entry, context, facts, key, picture, take_entry, undo, until, view

from genmm_addon.animation import actions
from genmm_addon.interface.trajectories.drawing import OfferedWays, on_screen

FIRST, LAST = 41, 101
PLACES = ((1, 0.0, 0.0), (60, 0.4, -2.0), (120, 1.6, -3.2))
"""Waypoints: their frames, and where they are."""
BONES = {
    "Mixamo": ("mixamorig:Hips", "mixamorig:RightHand", "mixamorig:RightHand"),
    "Rigify": ("torso", "hand_fk.R", "DEF-hand.R"),
}
"""The bone that travels, the one that is brought to the handle, and the one that the skin follows there."""
PICTURES = {
    "Mixamo": ("rigs_mixamo_trajectories", "rigs_mixamo_reach", "rigs_mixamo_waypoints", "rigs_mixamo_stairs"),
    "Rigify": ("rigs_rigify_trajectories", "rigs_rigify_reach", "rigs_rigify_waypoints", "rigs_rigify_stairs"),
}
AT = 75

offered: list[OfferedWays] = []


def hero(name: str) -> Any:
    return bpy.data.objects[name]


def select(thing: Any) -> None:
    for other in bpy.context.view_layer.objects:
        other.select_set(other == thing)
    bpy.context.view_layer.objects.active = thing


def head(rig: Any, bone: str, frame: int) -> Vector:
    bpy.context.scene.frame_set(frame)
    posed = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    place: Vector = posed.matrix_world @ posed.pose.bones[bone].head
    return place


def remember_ways() -> None:
    begin = OfferedWays.__init__

    def remember(self: OfferedWays, *values: object) -> None:
        offered[:] = [self]
        begin(self, *values)  # type: ignore[arg-type]

    OfferedWays.__init__ = remember  # type: ignore[method-assign, assignment]


def set_up() -> None:
    """The Mixamo-like character alone; Rigify's human comes later, as it hides the other."""
    window.register_open("GENMM_PT_direct", "GENMM_PT_reach")
    window.only_sample()
    remember_ways()
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


def menu() -> None:
    """Open our menu in the viewport, the mouse over it."""
    crop = Crop.of(view()[0])
    ask("xdotool", "mousemove", str(crop.left + crop.width // 2), str(crop.top + crop.height // 2))
    with context():
        bpy.ops.wm.call_menu(name="GENMM_MT_timeline")


def entry(name: str) -> list[Step]:
    """Steps that choose an entry of our menu."""
    return [(menu, 1.0), (choose_entry(name), 1.3), (take_entry, 1.5)]


def to_way() -> None:
    area, _ = view()
    region = next(one for one in area.regions if one.type == "WINDOW")
    points = on_screen(offered[0].ways, region, area.spaces.active.region_3d)[-1]
    x, y = points[len(points) // 2]
    height = bpy.context.window_manager.windows[0].height
    ask("xdotool", "mousemove", str(round(region.x + x)), str(round(height - region.y - y)))


def note(name: str, what: str, found: Callable[[], Any]) -> Callable[[], None]:
    def note_it() -> None:
        facts.setdefault(name, {})[what] = found()

    note_it.__name__ = f"note_{what}"
    return note_it


def played(name: str) -> Callable[[], list[Any]]:
    """A number that tells apart what the character plays, with the action's name and its number of keys."""

    def told() -> list[Any]:
        action = hero(name).animation_data.action
        curves = actions.fcurves_of(action)
        inside = sum(curve.evaluate(frame) for curve in curves for frame in (50, 60, 70, 80, 90))
        return [action.name, sum(len(curve.keyframe_points) for curve in curves), round(float(inside), 3)]

    return told


def add_waypoints(name: str) -> Callable[[], None]:
    def add() -> None:
        settings = hero(name).genmm
        settings.frames, settings.seed, settings.new_seed = 120, 3, False
        for frame, x, y in PLACES:
            bpy.context.scene.frame_set(frame)
            bpy.context.scene.cursor.location = (x, y, 0.0)
            with context():
                bpy.ops.genmm.add_waypoints(source="CURSOR")
        look((0.8, -1.8, 0.6), 6.5, (0.85, 0.0, 0.9))
        # From now on the empty alone is selected, as it is for whoever moves it.
        select(settings.waypoints[1].empty)
        crop = Crop.of(view()[0])
        ask("xdotool", "mousemove", str(crop.left + crop.width // 2), str(crop.top + crop.height // 2))

    return add


def drag(*keys: str) -> Callable[[], None]:
    return lambda: ask("xdotool", "key", "--delay", "150", "g", "x", *keys)


def generate() -> None:
    with context():
        bpy.ops.genmm.generate_motion()


def generate_as_step() -> None:
    generate()
    with context():
        bpy.ops.ed.undo_push(message="New Motion")


def missed(name: str) -> float:
    """The largest distance of the new character from a waypoint, along the ground, in meters."""
    made = made_by(name)
    rows = hero(name).genmm.waypoints
    return float(
        max((head(made, BONES[name][0], row.frame).xy - row.empty.matrix_world.translation.xy).length for row in rows)
    )


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
        # It moves while the hand is there.
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


def from_handle(name: str) -> Callable[[], float]:
    def away() -> float:
        found = []
        for frame in range(AT, AT + 11, 5):
            hand = head(hero(name), BONES[name][2], frame)
            graph = bpy.context.evaluated_depsgraph_get()
            place = bpy.data.objects[f"{name} Handle"].evaluated_get(graph).matrix_world.translation
            found.append((hand - place).length)
        bpy.context.scene.frame_set(AT + 5)
        return max(found)

    return away


STAIR = 0.15, 0.3
"""Meters of the stairs' height and depth; the walk goes along -Y."""
CLIMBING = 125
"""The frame of the picture on the stairs."""
FEET = {"Mixamo": ("Foot", "ToeBase"), "Rigify": ("DEF-foot", "DEF-toe")}


def place_stairs(name: str) -> Callable[[], None]:
    def place() -> None:
        start = head(hero(name), BONES[name][0], FIRST).y - 0.5
        height, depth = STAIR
        corners, faces = [(-9.0, 9.0, 0.0), (9.0, 9.0, 0.0), (-9.0, start, 0.0), (9.0, start, 0.0)], [(1, 0, 2, 3)]
        for number in range(40):
            first, y = len(corners), start - number * depth
            for back, z in ((0.0, number), (0.0, number + 1), (depth, number + 1)):
                corners += [(-9.0, y - back, z * height), (9.0, y - back, z * height)]
            faces += [(first, first + 1, first + 3, first + 2), (first + 3, first + 2, first + 4, first + 5)]
        mesh = bpy.data.meshes.new("Stairs")
        mesh.from_pydata(corners, [], faces)
        stairs = bpy.data.objects.new(f"{name} Stairs", mesh)
        bpy.context.scene.collection.objects.link(stairs)
        hero(name).genmm.ground_object = stairs
        select(hero(name))
        hips = head(hero(name), BONES[name][0], CLIMBING)
        look(hips + Vector((0.0, 0.0, 0.4)), 5.0, (1.35, 0.0, 1.2))
        with context():
            bpy.ops.ed.undo_push(message="Stairs")

    return place


def leave_stairs(name: str) -> Callable[[], None]:
    def leave() -> None:
        hero(name).genmm.ground_object = None
        bpy.data.objects[f"{name} Stairs"].hide_set(True)
        select(hero(name))

    return leave


def feet_names(name: str) -> list[str]:
    sides = (("Left", ""), ("Right", "")) if name == "Mixamo" else (("", ".L"), ("", ".R"))
    mixamo = "mixamorig:" if name == "Mixamo" else ""
    return [f"{mixamo}{before}{foot}{after}" for before, after in sides for foot in FEET[name]]


def ask_for_new(name: str) -> Callable[[], None]:
    def ask_for() -> None:
        settings = hero(name).genmm
        settings.use_ground, settings.frames, settings.seed, settings.new_seed = True, 120, 3, False
        select(hero(name))

    return ask_for


def in_stairs(name: str, shown: str = "", frames: range = range(1, 150, 2)) -> Callable[[], list[float]]:
    """The largest depth of each joint of the feet below the treads, in meters; shown: a result of that character."""

    def told() -> list[float]:
        stairs = hero(name).genmm.ground_object
        start, (height, depth) = stairs.data.vertices[2].co.y, STAIR
        found = []
        for foot in feet_names(name):
            places = [head(hero(shown or name), foot, frame) for frame in frames]
            treads = [height * max(0, math.floor((start - one.y) / depth) + 1) for one in places]
            found.append(max(tread - one.z for tread, one in zip(treads, places, strict=True)))
        bpy.context.scene.frame_set(CLIMBING)
        return found

    return told


def lows(name: str) -> Callable[[], list[float]]:
    return lambda: [min(head(hero(name), foot, frame).z for frame in range(1, 150, 2)) for foot in feet_names(name)]


def rooted(name: str) -> Callable[[], list[float]]:
    """The places of the root bone and of the body over it, near the end of the walk; none without such a bone."""

    def told() -> list[float]:
        rig = hero(name)
        if "root" not in rig.data.bones:
            return []
        root, hips = (head(rig, bone, 140) for bone in ("root", BONES[name][0]))
        return [root.x, root.y, root.z, hips.x, hips.y, hips.z]

    return told


def is_asset(name: str) -> Callable[[], bool]:
    def told() -> bool:
        action = hero(name).animation_data.action
        return action.asset_data is not None and action.preview is not None and any(action.preview.image_size)

    return told


def part() -> Crop:
    whole = Crop.of(view()[0])
    return Crop(whole.left + 120, whole.top + 60, whole.width - 140, whole.height - 90)


def tried(name: str) -> list[Step]:
    ways, reach, waypoints, stairs = PICTURES[name]
    return [
        (begin(name), 1.0),
        (note(name, "start", played(name)), 0.1),
        # Trajectories: left by Esc, then a line clicked, and undone.
        (offered.clear, 0.1),
        *entry("Choose Traj"),
        (until(lambda: bool(offered)), 0.5),
        (lambda: key("Escape"), 1.0),
        (note(name, "left", played(name)), 0.1),
        (offered.clear, 0.1),
        *entry("Choose Traj"),
        (until(lambda: bool(offered)), 0.5),
        (to_way, 1.0),
        (picture(ways, part), 0.7),
        (lambda: ask("xdotool", "click", "1"), 2.0),
        (note(name, "clicked", played(name)), 0.1),
        (undo, 1.0),
        (note(name, "undone", played(name)), 0.1),
        # Coarse keys and back, in Pose Mode.
        (lambda: mode("POSE"), 0.5),
        *entry("Coarse Keys"),
        (note(name, "coarse", played(name)), 0.1),
        *entry("Restore Full"),
        (note(name, "full", played(name)), 0.1),
        (undo, 0.7),
        (undo, 0.7),
        (lambda: mode("OBJECT"), 0.5),
        (note(name, "uncoarse", played(name)), 0.1),
        *entry("Make Natural"),
        (note(name, "natural", played(name)), 0.1),
        (undo, 1.0),
        # Root motion, undone, and the action as an asset.
        *entry("Root Motion"),
        (note(name, "rooted", rooted(name)), 0.1),
        (undo, 1.0),
        (note(name, "unrooted", rooted(name)), 0.1),
        *entry("Mark Action"),
        (lambda: key("Return"), 2.0),
        (note(name, "asset", is_asset(name)), 0.1),
        # Feet on stairs, and undone.
        (note(name, "lows", lows(name)), 0.1),
        (place_stairs(name), 0.7),
        (note(name, "through", in_stairs(name)), 0.1),
        *entry("Put Feet"),
        (note(name, "in_stairs", in_stairs(name)), 0.3),
        (picture(stairs, part), 0.7),
        (undo, 1.5),
        (note(name, "back", in_stairs(name)), 0.1),
        (ask_for_new(name), 0.1),
        (generate_as_step, 1.0),
        (note(name, "new", lambda: in_stairs(name, made_by(name).name, range(1, 121, 2))()), 0.3),
        (undo, 1.5),
        (note(name, "unmade", lambda: len([one for one in bpy.data.objects if one.type == "ARMATURE"])), 0.1),
        (leave_stairs(name), 0.5),
        # A hand at a handle that moves.
        (place_handle(name), 0.7),
        (note(name, "before", from_handle(name)), 0.1),
        *entry("Bring Bones"),
        (note(name, "reached", from_handle(name)), 0.3),
        (picture(reach, part), 0.7),
        (undo, 1.0),
        (note(name, "let_go", from_handle(name)), 0.1),
        # Waypoints: a drag left by Esc, another one taken, and the walk through them.
        (add_waypoints(name), 0.7),
        (drag("1", "Escape"), 1.5),
        (drag("0", "period", "5", "Return"), 1.5),
        (note(name, "dragged", lambda: hero(name).genmm.waypoints[1].empty.location.x), 0.1),
        (lambda: setattr(hero(name).genmm, "reaches", ""), 0.1),
        (generate, 1.0),
        (note(name, "missed", lambda: missed(name)), 0.5),
        (picture(waypoints, part), 0.7),
        (undo, 1.0),
    ]


def mode(name: Literal["OBJECT", "POSE"]) -> None:
    with context():
        bpy.ops.object.mode_set(mode=name)


window.run([(set_up, 1.0), *tried("Mixamo"), *tried("Rigify")])
