# SPDX-License-Identifier: GPL-3.0-or-later
"""Films of strips that are edited in the NLA editor."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bpy
from film import Film, Moment, choose, editor, following, in_editor, sample, take


def strips(start: int) -> Callable[[], None]:
    """Return a step that puts a walk and a proud walk on a track, the second one at the given frame."""

    def put() -> None:
        choose(sample())
        animation = sample().animation_data
        animation.action = None
        track = animation.nla_tracks.new()
        first = track.strips.new("Walk", 1, bpy.data.actions["GenMM Walk"])
        first.frame_end = first.action_frame_end = 120
        track.strips.new("Proud", start, bpy.data.actions["GenMM Walk Proud"])
        bpy.context.scene.frame_end = 400
        editor()[0].spaces.active.show_region_channels = False

    return put


def view_all() -> None:
    with in_editor():
        bpy.ops.nla.view_all()


def played_and(name: str, frames: range, **values: object) -> Callable[[], Iterable[Moment]]:
    """Return moments that play over the seam, before and after a button is pressed."""

    def press() -> None:
        with in_editor():
            getattr(bpy.ops.genmm, name)("EXEC_DEFAULT", True, strip="Proud", **values)

    def moments() -> Iterable[Moment]:
        played = following(frames, lambda: [sample()], distance=7.5, turn=1.2)
        yield from played()
        yield press
        yield view_all
        yield from played()

    return moments


take(
    [
        Film("blend_strip", [strips(121), view_all], played_and("blend_strip", range(96, 160, 6), blend_in=14)),
        Film("connect_strips", [strips(130), view_all], played_and("connect_strips", range(90, 180, 7), slide=24)),
    ],
    below="NLA_EDITOR",
)
