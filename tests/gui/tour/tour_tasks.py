# SPDX-License-Identifier: GPL-3.0-or-later
"""The ten tasks of the tour, with a real mouse, and the presses that each of them takes.

Each task begins in a new file, with all panels as at first, but with Adjust Last Operation unfolded, since Blender
leaves it so from its first use. Keys only type a number.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import bpy
import window
from blocking import play_blocking
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Vector
from shown_ghosts import drawn
from sidebar import point_at, press_button
from window import DONE, Step, ask, click, content, context, facts, picture, point_in_window, until

from genmm_addon.animation import actions
from genmm_addon.editing.filling.record import record_of
from genmm_addon.editing.repairing.record import repair_text
from genmm_addon.generation.recipe import recipe_of

HELP = 0.785
"""Place of the help button in a panel's header, as a share of the sidebar's width."""
ROW_END = 0.84
"""Place of the button at the end of a row of Results, and of the right one of two buttons."""
SEED_UP = (94, 0.95)
"""The right end of the seed in Adjust Last Operation: pixels from its top, and the share of its width."""
FIRST_SEED = 7
PINNED_AT = 60
SPACING = 20
ENTRY = 21
"""Height of a menu's entry in pixels."""
SPIKES = {
    "GenMM Sample": ('pose.bones["Shin.L"].rotation_quaternion', 1),
    "Mixamo": ('pose.bones["mixamorig:LeftLeg"].rotation_quaternion', 1),
    "Rigify": ('pose.bones["hand_ik.L"].location', 2),
}
"""The curve into which a spike is put, by the name of the character."""


def body() -> Any:
    """Return the character of the open file."""
    return next(thing for thing in bpy.data.objects if thing.name in SPIKES)


def played() -> Any:
    return body().animation_data.action


def results() -> list[Any]:
    found = [thing for thing in bpy.data.objects if thing.type == "ARMATURE" and thing != body()]
    return sorted(found, key=lambda thing: thing.name)


def new_file() -> None:
    bpy.ops.wm.read_homefile(use_empty=False, use_factory_startup=True)


def only_sample() -> None:
    window.only_sample()
    bpy.context.scene.render.fps = 30


def begin_seeds() -> None:
    window.draw_quickly()
    body().genmm.new_seed, body().genmm.seed = False, FIRST_SEED
    window.open_sidebar()


# What tasks begin with, besides the sample


def draw_curve() -> None:
    data = bpy.data.curves.new("Way", "CURVE")
    spline = data.splines.new("POLY")
    spline.points.add(3)
    for number, point in enumerate(spline.points):
        point.co = (1.5, -1.5 + number, 0.0, 1.0)
    bpy.context.scene.collection.objects.link(bpy.data.objects.new("Way", data))


def set_range() -> None:
    """Have the character play a copy of its walk, with a range to fill, and learn from its other walks."""
    actions.assign(body(), bpy.data.actions["GenMM Walk"].copy())
    learn_from_walks()
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, 41, 71


def learn_from_walks() -> None:
    with context():
        for name in ("GenMM Walk Tired", "GenMM Walk Proud"):
            bpy.ops.genmm.add_example(action=name)
    body().genmm.examples.remove(0)


def block() -> None:
    """Have the character play stepped poses of its walk, and learn from its other walks."""
    learn_from_walks()
    play_blocking(body(), SPACING)


def spoil() -> None:
    """Put a spike into the walk."""
    curves = actions.fcurves_of(played(), actions.armature_slots(played())[0])
    curve = next(curve for curve in curves if (curve.data_path, curve.array_index) == SPIKES[body().name])
    for frame in (40, 41):
        curve.keyframe_points.insert(frame, curve.evaluate(frame) + 0.4).interpolation = "LINEAR"
    curve.update()


# Presses


def open_panel(page: str) -> list[Step]:
    """Return the steps that open a panel by a press on its header, left of the button for its page of help.

    The wait is for the panel to unfold: a button that is found before moves away from the mouse.
    """
    find = point_at(f'show_help(page="{page}")', right=HELP)
    return [(find, 0.0), (window.in_turns(lambda: [("mousemove_relative", "--", "-80", "0"), ("click", "1")]), 1.0)]


def generate() -> Step:
    return press_button("generate_motion()"), DONE


def type_four() -> None:
    ask("xdotool", "sleep", "0.3", "key", "ctrl+a", "type", "4")


def enter() -> None:
    ask("xdotool", "key", "Return")


def look_at(row: int) -> list[Step]:
    """Return the steps that rest the mouse on a row until its ghost plays over the original; they press nothing."""

    def plays() -> bool:
        name = results()[row - 1].animation_data.action.name
        return any(ghost is not None and ghost.laid.name == name for ghost in drawn)

    return [(point_at(f"show_variation(number={row})"), 0.0), (until(plays), 0.0)]


def next_seed() -> None:
    click(*window.adjust_point(*SEED_UP))


def click_frame() -> None:
    """Click a frame in the timeline."""
    areas = bpy.context.window_manager.windows[0].screen.areas
    region = content(next(area for area in areas if area.type == "DOPESHEET_EDITOR"))
    x, _ = region.view2d.view_to_region(PINNED_AT, 0, clip=False)
    click(*point_in_window(region, x, region.height - 12))


def click_curve() -> None:
    """Click the curve in the viewport with Shift."""
    area, _ = window.view()
    region, data = content(area), area.spaces.active.region_3d
    place = location_3d_to_region_2d(region, data, Vector((1.5, -0.5, 0.0)))
    assert place is not None
    x, y = point_in_window(region, place.x, place.y)
    window.move_mouse(x, y)
    window.ask_later("xdotool", "keydown", "shift", "click", "1", "keyup", "shift")


def choose(name: str) -> Step:
    """Return the step that clicks an action in the menu of others, which opens with its first one under the mouse."""

    def press() -> None:
        others = [action.name for action in bpy.data.actions if action != played()]
        ask("xdotool", "mousemove_relative", "0", str(ENTRY * others.index(name)))
        window.ask_later("xdotool", "click", "1")

    return press, DONE


UNFOLDING: list[Step] = [
    (window.push_start, 0.0),
    generate(),
    (lambda: click(*window.adjust_point()), 1.0),
    (window.undo, 0.5),
]
"""The first use of Adjust Last Operation, which Blender then leaves unfolded."""


# Outcomes


def made(count: int) -> Callable[[], bool]:
    return lambda: len(results()) == count


def adjusted() -> bool:
    return [rig["genmm_result"]["seed"] for rig in results()] == [FIRST_SEED + 1]


def applied() -> bool:
    recipe = recipe_of(played())
    return not results() and recipe is not None and body().genmm.variations == 4


def learned_from_all() -> bool:
    (result,) = results()
    recipe = recipe_of(result)
    return recipe is not None and len(recipe.examples) > 3


def pinned() -> bool:
    (result,) = results()
    recipe, pins = recipe_of(result), body().genmm.pins_action
    frames = {point.co[0] for curve in actions.fcurves_of(pins) for point in curve.keyframe_points}
    return recipe is not None and recipe.pins is not None and len(frames) == 2


def followed() -> bool:
    (result,) = results()
    recipe = recipe_of(result)
    return recipe is not None and recipe.path is not None and recipe.path.curve.name == "Way"


def second_filling() -> bool:
    record = record_of(played())
    return record is not None and (record.first, record.number) == (41, 2)


def moves_between_poses() -> bool:
    curves = list(actions.fcurves_of(played()))
    return any(abs(curve.evaluate(8) - curve.evaluate(14)) > 0.01 for curve in curves)


def restyled() -> bool:
    return bool(played().name == "GenMM Walk Restyled")


def repaired() -> bool:
    return bool(repair_text(played()))


TASKS: dict[str, tuple[list[Step], list[Step], Callable[[], bool]]] = {
    "a first motion": ([], [generate()], made(1)),
    "another seed, in Adjust Last Operation": (UNFOLDING, [generate(), (next_seed, DONE)], adjusted),
    "four variations, each looked at in the original's place, and one applied": (
        [],
        [
            (press_button("genmm.variations"), 0.0),
            (type_four, 0.0),
            (enter, 0.5),
            generate(),
            (drawn.clear, 0.0),
            *(step for row in (1, 2, 3, 4) for step in look_at(row)),
            (press_button("apply_variation(number=3)", right=ROW_END), DONE),
        ],
        applied,
    ),
    "learn from all actions that fit, and generate": (
        [],
        [(press_button("add_fitting_examples()"), DONE), generate()],
        learned_from_all,
    ),
    "pin two poses, and generate": (
        [],
        [
            *open_panel("direct"),
            (press_button("pin_pose("), DONE),
            (click_frame, 0.5),
            (press_button("pin_pose("), DONE),
            generate(),
        ],
        pinned,
    ),
    "walk along a curve": ([(draw_curve, 0.5)], [(click_curve, 0.5), generate()], followed),
    "fill the preview range, and try the next alternative": (
        [(set_range, 0.5)],
        [
            *open_panel("edit"),
            (press_button("fill_range("), DONE),
            (press_button("next_filling(", right=ROW_END), DONE),
        ],
        second_filling,
    ),
    "from blocking to spline": (
        [(block, 0.5)],
        [*open_panel("edit"), (press_button("blocking_to_spline("), DONE)],
        moves_between_poses,
    ),
    "restyle in the style of another action": (
        [],
        [
            *open_panel("transform"),
            (press_button("restyle("), 0.7),
            choose("GenMM Walk Tired"),
        ],
        restyled,
    ),
    "find the flaws of an action, and repair them": (
        [(spoil, 0.5)],
        [
            *open_panel("repair"),
            (press_button("find_flaws("), DONE),
            (press_button("genmm.repair("), DONE),
        ],
        repaired,
    ),
}
"""Tasks: the steps that prepare each one, its own steps, and a function that returns whether it was done."""


def presses(requests: list[tuple[str, ...]]) -> int:
    """Return how often the requests press the left button; the wheel scrolls by other buttons."""
    return sum(pair == ("click", "1") for command in requests for pair in pairwise(command))


def steps_of(task: str, character: list[Step]) -> list[Step]:
    """Return the steps of a task, which note its presses and its outcome. character: those that open its file."""
    prepare, steps, is_done = TASKS[task]
    began: list[int] = []
    noted: list[str] = []

    def begin() -> None:
        with context():
            bpy.ops.ed.undo_push(message="Start")
        began.append(len(window._requests))
        noted.append(body().name)

    def end() -> None:
        facts.setdefault(noted[0], {})[task] = [presses(window._requests[began[0] :]), is_done()]

    def shot() -> None:
        picture(f"tour_{list(TASKS).index(task) + 1}_{noted[0].split()[-1].lower()}")()

    return [
        *character,
        (begin_seeds, 1.0),
        (window.choose_tab, 0.0),
        *prepare,
        (begin, 0.5),
        *steps,
        (shot, 0.0),
        (end, 0.0),
    ]
