# SPDX-License-Identifier: GPL-3.0-or-later
"""Films of interactive motion: Live, Steer, Polish, and trajectories to choose from."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bpy
from film import (
    SAMPLE,
    Film,
    Moment,
    choose,
    context,
    following,
    label,
    learn_from,
    look,
    new_action,
    play,
    rigs,
    sample,
    take,
    twin,
    view,
)
from window import ask

from genmm_addon.animation import actions
from genmm_addon.interface.live import running

FIRST, LAST = 41, 131
BOWS = (0.7, -0.5, 0.25, 0.0)
"""Sideways bends of the examples between their ends, in meters; the last example is the one that is edited."""


def over_view() -> None:
    ask("xdotool", "mousemove", "320", "240")


def invoke(name: str, **values: object) -> Callable[[], None]:
    """Return a step that starts a modal operator in the window."""

    def begin() -> None:
        choose(sample())
        with context():
            getattr(bpy.ops.genmm, name)("INVOKE_DEFAULT", **values)

    return begin


def key(*command: str) -> Callable[[], None]:
    return lambda: ask("xdotool", *command)


def nothing() -> None:
    """Let time pass."""


# Live


def way() -> None:
    """Add a path, and an example that follows it."""
    learn_from("GenMM Walk", "GenMM Walk Tired")
    settings = sample().genmm
    settings.frames, settings.output = 120, "NEW_ACTION"
    curve = bpy.data.objects.new("Way", bpy.data.curves.new("Way", "CURVE"))
    curve.data.dimensions = "3D"
    spline = curve.data.splines.new("BEZIER")
    spline.bezier_points.add(2)
    for number, point in enumerate(spline.bezier_points):
        point.co = (0.0, -1.6 * number, 0.0)
        point.handle_left_type = point.handle_right_type = "AUTO"
    bpy.context.scene.collection.objects.link(curve)
    settings.path_curve = curve
    bpy.context.scene.frame_set(60)
    look((0.2, -1.5, 0.5), 8.0, 0.5, 1.0)


def dragged(aside: float) -> Callable[[], None]:
    def drag() -> None:
        point = bpy.data.objects["Way"].data.splines[0].bezier_points[1]
        point.co.x = aside
        bpy.data.objects["Way"].data.update_tag()

    return drag


def seeds() -> Iterable[Moment]:
    """Yield the moments: the end of the path is dragged aside and back, and then the seed."""
    yield from (dragged(0.25 * number) for number in range(7))
    for seed in range(4, 8):
        yield lambda seed=seed: setattr(sample().genmm, "seed", seed)  # type: ignore[misc]
    yield from (75, 90, 105)


def leave_live() -> None:
    running.end()


# Steer


def steered() -> None:
    learn_from("GenMM Walk", "GenMM Walk Tired")
    look((0.0, 0.0, 0.7), 6.5, 0.4, 1.1)
    view()[0].spaces.active.overlay.show_bones = True


KEYS = {
    0: ("keydown", "d"), 6: ("keyup", "d", "keydown", "w"), 11: ("keyup", "w", "keydown", "a"), 17: ("keyup", "a")
}  # fmt: skip


def performance() -> Iterable[Moment]:
    def show(number: int) -> None:
        if number in KEYS:
            ask("xdotool", *KEYS[number])
        proxy = bpy.data.objects[f"{SAMPLE} Live"]
        place = proxy.matrix_world @ proxy.pose.bones["Hips"].head
        look((place.x, place.y, 0.7), 6.5, 0.4, 1.1)

    for number in range(18):
        yield lambda number=number: show(number)  # type: ignore[misc]
    yield key("key", "Return")


def polish() -> None:
    """Show the performed motion beside the character, which plays it polished."""
    found = actions.assigned(sample())
    assert found is not None
    copy = twin("Performed", -1.3)
    play(found[0].name, copy)
    label("steered", copy)
    choose(sample())
    with context():
        bpy.ops.genmm.polish_performance("EXEC_DEFAULT", True)
    label("polished", sample())


def performed() -> Iterable[Moment]:
    found = actions.assigned(sample())
    assert found is not None
    first, last = (int(value) for value in found[0].frame_range)
    return following(range(first, last, max((last - first) // 18, 1)), rigs, distance=5.5, turn=0.5)()


# Trajectories


def winding(bow: float) -> bpy.types.Action:
    """Return a walk through waypoints, made by Generate."""
    settings = sample().genmm
    settings.waypoints.clear()
    for frame, aside, along in ((1, 0.0, 0.0), (41, 0.0, 1.1), (86, bow, 2.2), (131, 0.0, 3.3), (171, 0.0, 4.4)):
        row = settings.waypoints.add()
        row.empty, row.frame = bpy.data.objects.new("Bow", None), frame
        row.empty.location = (aside, -along, 0.0)
        row.use_facing = frame in (FIRST, LAST)
        bpy.context.scene.collection.objects.link(row.empty)
    bpy.context.view_layer.update()
    new_action(frames=171, seed=3)()
    for row in settings.waypoints:
        bpy.data.objects.remove(row.empty)
    settings.waypoints.clear()
    return sample().animation_data.action


def ways() -> None:
    *made, shot = [winding(bow) for bow in BOWS]
    shot.name = "Shot"
    learn_from(*(action.name for action in made))
    look((0.0, -2.4, 0.5), 6.5, 1.2, 0.85)
    bpy.context.scene.frame_set(FIRST)


def offered() -> Iterable[Moment]:
    yield nothing
    for name in ("1", "2", "3"):
        yield key("key", name)
        yield nothing
    yield key("key", "Return")
    yield from range(FIRST, LAST, 9)


take(
    [
        Film("live_sliders", [way, (invoke("live"), 1.0), (over_view, 0.3)], seeds, pause=0.9),
        Film("steer", [leave_live, steered, (invoke("steer"), 1.5), (over_view, 0.5)], performance, pause=0.12),
        Film(
            "polish",
            [
                steered,
                (invoke("steer"), 1.5),
                (over_view, 0.5),
                (key("keydown", "s"), 2.5),
                (key("keyup", "s", "keydown", "d"), 1.5),
                (key("keyup", "d"), 0.2),
                (key("key", "Return"), 1.5),
                polish,
            ],
            performed,
        ),
        Film(
            "trajectories",
            [
                (ways, 1.0),
                (over_view, 0.3),
                (
                    invoke(
                        "choose_trajectory",
                        range_choice="FRAMES",
                        first_frame=FIRST,
                        last_frame=LAST,
                        moves_following=False,
                    ),
                    1.0,
                ),
            ],
            offered,
            pause=0.3,
        ),
    ]
)
