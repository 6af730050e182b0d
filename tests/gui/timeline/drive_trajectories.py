# SPDX-License-Identifier: GPL-3.0-or-later
"""Choose Trajectory with a real mouse: canceled by Esc, ghosts along the lines under it, one clicked, undone, keys."""

import sys
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(1, str(Path(__file__).resolve().parents[3]))

import bpy
import numpy as np
import window
from mathutils import Euler
from window import DONE, Crop, Step, context, facts, picture, undo, until, view

from genmm_addon.animation import actions
from genmm_addon.animation.stretches.generated import generated_ranges
from genmm_addon.core.infill import TrajectoryName
from genmm_addon.interface.trajectories.operators import OfferedTrajectories, on_screen

FIRST, LAST = 41, 131
BOWS = (0.7, -0.5, 0.25, 0.0)
"""Sideways bends of the examples between their ends, in meters; the last example is the one that is edited."""

offered = window.latest(OfferedTrajectories)
drawn: list[tuple[int, int]] = []
"""The trajectories and frames at which ghosts were drawn."""

draw_lines = OfferedTrajectories.draw_lines


def remember_and_draw(self: OfferedTrajectories, context: bpy.types.Context) -> None:
    drawn.append((self.chosen, self.frame))
    draw_lines(self, context)


OfferedTrajectories.draw_lines = remember_and_draw  # type: ignore[method-assign]


def hero() -> bpy.types.Object:
    return bpy.data.objects["GenMM Sample"]


def winding(bow: float) -> bpy.types.Action:
    """Return a walk through waypoints, made by Generate."""
    settings = hero().genmm
    settings.waypoints.clear()
    for frame, aside, along in ((1, 0.0, 0.0), (41, 0.0, 1.1), (86, bow, 2.2), (131, 0.0, 3.3), (171, 0.0, 4.4)):
        row = settings.waypoints.add()
        row.empty, row.frame = bpy.data.objects.new("Bow", None), frame
        row.empty.location = (aside, -along, 0.0)
        row.use_facing = frame in (FIRST, LAST)
        bpy.context.scene.collection.objects.link(row.empty)
    bpy.context.view_layer.update()
    with context():
        bpy.ops.genmm.generate_motion(output="NEW_ACTION", frames=171, seed=3)
    for row in settings.waypoints:
        bpy.data.objects.remove(row.empty)
    settings.waypoints.clear()
    return hero().animation_data.action


def set_up() -> None:
    window.register_open()
    window.only_sample()
    bpy.context.scene.render.fps = 30
    *made, shot = [winding(bow) for bow in BOWS]
    shot.name = "Shot"
    with context():
        for action in made:
            bpy.ops.genmm.add_example(action=action.name)
        hero().genmm.examples.remove(0)
        bpy.ops.ed.undo_push(message="Start")
    space = view()[0].spaces.active
    space.show_region_ui = False
    space.region_3d.view_rotation = Euler((0.6, 0.0, 1.2)).to_quaternion()
    space.region_3d.view_location, space.region_3d.view_distance = (0.0, -2.2, 0.3), 5.0
    bpy.context.scene.frame_set(FIRST)


def offer() -> None:
    drawn.clear()
    with context():
        bpy.ops.genmm.choose_trajectory(
            "INVOKE_DEFAULT", range_choice="FRAMES", first_frame=FIRST, last_frame=LAST, moves_following=False
        )
    facts["ways"] = [[one.trajectory.said, one.source, one.trajectory.width] for one in offered[0].trajectories]


def is_offered() -> bool:
    return bool(drawn)


def widest() -> int:
    return next(at for at, one in enumerate(offered[0].trajectories) if TrajectoryName.WIDEST in one.trajectory.names)


def other() -> int:
    return next(at for at in range(len(offered[0].trajectories)) if at != widest())


def to_line(which: Callable[[], int]) -> Callable[[], None]:
    def to_middle() -> None:
        area, _ = view()
        region = window.content(area)
        points = on_screen(offered[0].trajectories, region, area.spaces.active.region_3d)[which()]
        x, y = points[len(points) // 2]
        window.move_mouse(*window.point_in_window(region, x, y))

    return to_middle


def is_shown(which: Callable[[], int]) -> Step:
    """Return a step that waits until the ghost of a trajectory has moved through half of its motion."""

    def has_moved() -> bool:
        half = offered[0].trajectories[which()].motion.frames // 2
        frames = [frame for chosen, frame in drawn if chosen == which()]
        return len(set(frames)) > 2 and any(frame >= half for frame in frames)

    return until(has_moved), 0.0


def note_ghosts() -> None:
    facts["ghosts"] = sorted({chosen for chosen, _ in drawn}), sorted((widest(), other()))


def click() -> None:
    facts["chosen"] = offered[0].chosen == widest()
    window.ask("xdotool", "click", "1")


def note(name: str) -> Callable[[], None]:
    def note_it() -> None:
        action = hero().animation_data.action
        curves = actions.fcurves_of(action)
        facts[name] = {
            "ranges": [list(one) for one in generated_ranges(action)],
            "inside": float(np.round([curve.evaluate(71) for curve in curves], 4).sum()),
            "handlers": len(offered[0]._handlers) if offered else 0,
            "drawn": len(drawn),
        }

    return note_it


def redraw() -> None:
    view()[0].tag_redraw()


def viewport() -> Crop:
    whole = Crop.of(view()[0])
    return Crop(whole.left + 280, whole.top + 60, 860, 600)


window.run(
    [
        (set_up, 0.0),
        (note("start"), 0.0),
        (offer, 0.0),
        (until(is_offered), 0.0),
        (lambda: window.key("Escape"), DONE),
        (note("left"), 0.0),
        (redraw, 0.0),
        (note("later"), 0.0),
        (offer, 0.0),
        (until(is_offered), 0.0),
        (to_line(other), 0.0),
        is_shown(other),
        (to_line(widest), 0.0),
        is_shown(widest),
        (picture("trajectories", viewport), 0.0),
        (note_ghosts, 0.0),
        (click, DONE),
        (note("clicked"), 0.0),
        (undo, 0.0),
        (note("undone"), 0.0),
        (offer, 0.0),
        (until(is_offered), 0.0),
        (lambda: window.key("1"), 0.0),
        (lambda: window.key("Return"), DONE),
        (note("typed"), 0.0),
    ]
)
