# SPDX-License-Identifier: GPL-3.0-or-later
"""Films of the playing action, edited in the dope sheet."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import bpy
import numpy as np
from blocking import play_blocking
from film import Film, Moment, choose, context, editor, following, in_editor, learn_from, new_action, play, sample, take
from mathutils import Quaternion
from window import OUTPUT

from bench.motions.sounds import SOUND_RATE, write_wav

FIRST, LAST = 41, 71
SPACING = 20
EDITED = 61


def pose_mode() -> None:
    """Make the dope sheet show all keys, in Pose Mode."""
    choose(sample())
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.select_all(action="SELECT")
    view_all()


def view_all() -> None:
    area, _ = editor()
    area.spaces.active.show_region_channels = False
    with in_editor():
        bpy.ops.action.view_all()


def call(name: str, **values: object) -> Callable[[], None]:
    """Return a step that presses a button of the extension in the dope sheet."""

    def press() -> None:
        with in_editor():
            getattr(bpy.ops.genmm, name)("EXEC_DEFAULT", True, **values)

    return press


def stages(frames: range, *between: Callable[[], object], turn: float = 1.2) -> Callable[[], Iterable[Moment]]:
    """Return moments that play some frames repeatedly, with a change between the repetitions."""

    def moments() -> Iterable[Moment]:
        played = following(frames, lambda: [sample()], distance=5.6, turn=turn, tilt=1.35)
        yield from played()
        for done in between:
            yield done
            yield from played()

    return moments


def shot() -> None:
    own = bpy.data.actions["GenMM Walk"].copy()
    own.name = "Shot"
    play("Shot")
    learn_from("GenMM Walk Tired", "GenMM Walk Proud", "GenMM Dance")
    scene = bpy.context.scene
    scene.use_preview_range, scene.frame_preview_start, scene.frame_preview_end = True, FIRST, LAST
    pose_mode()


def only_each(spacing: int, name: str) -> None:
    """Make the character play only every `spacing`-th pose of the walk, with stepped keys."""
    play_blocking(sample(), spacing, name)


def blocking() -> None:
    only_each(SPACING, "Blocking")
    learn_from("GenMM Walk Tired", "GenMM Walk Proud")
    pose_mode()


def result() -> None:
    learn_from("GenMM Walk", "GenMM Dance")
    new_action(frames=160, seed=5)()
    choose(sample())
    pose_mode()


def lower_arm() -> None:
    """Rotate one arm at one of the coarse keys."""
    bpy.context.scene.frame_set(EDITED)
    bone = sample().pose.bones["UpperArm.R"]
    bone.rotation_mode = "QUATERNION"
    bone.rotation_quaternion = Quaternion((0.0, 0.0, 1.0), 1.2) @ bone.rotation_quaternion
    bone.keyframe_insert("rotation_quaternion", frame=EDITED)


def walk() -> None:
    own = bpy.data.actions["GenMM Walk"].copy()
    own.name = "Shot"
    play("Shot")
    learn_from("GenMM Walk", "GenMM Dance")
    bpy.context.scene.frame_end = 400
    pose_mode()


def last_frame() -> int:
    return int(bpy.data.actions["GenMM Walk"].frame_range[1])


def ribbon() -> Iterable[Moment]:
    return following(range(1, 160, 11), lambda: [sample()], distance=5.8, turn=0.9)()


def ends(after: int) -> Callable[[Callable[[], None]], Callable[[], Iterable[Moment]]]:
    """Return a decorator of a change, for moments that play the walk's end, and then beyond it after the change."""

    def with_done(done: Callable[[], None]) -> Callable[[], Iterable[Moment]]:
        def moments() -> Iterable[Moment]:
            end = last_frame()
            yield from following(range(end - 32, end + 10, 8), lambda: [sample()], distance=5.8, turn=1.2)()
            yield done
            yield view_all
            yield from following(range(end - 16, end + after, 8), lambda: [sample()], distance=5.8, turn=1.2)()

        return moments

    return with_done


SECOND = range(38, 76, 5)
LOUD = (61, 121)
"""Frames between which the followed sound is loud."""


def drum() -> str:
    """Write a drum that is soft, then loud, then soft again, and return its path."""
    times = np.arange(180 * SOUND_RATE // 30) / SOUND_RATE
    level = np.where((times * 30 > LOUD[0]) & (times * 30 < LOUD[1]), 0.8, 0.12)
    strokes = np.exp(-14.0 * (times % 0.4)) * np.sin(2 * np.pi * 110.0 * times) * level
    return str(write_wav(OUTPUT / "drum.wav", strokes))


def followed_sound() -> None:
    learn_from("GenMM Dance")
    bpy.context.scene.frame_end = 180
    choose(sample())
    with context():
        sound = drum()
        for driven in ("ENERGY", "BEATS"):
            bpy.ops.genmm.add_row(rows="follows", signal="SOUND", named=sound, driven=driven)


def follow() -> Iterable[Moment]:
    return following(range(1, 180, 8), lambda: [sample()], distance=5.8, turn=0.6)()


take(
    [
        Film(
            "fill_range",
            [shot],
            stages(
                SECOND,
                call("fill_range", range_choice="FRAMES", first_frame=FIRST, last_frame=LAST),
                call("next_filling", step=1),
            ),
        ),
        Film("blocking_to_spline", [blocking], stages(range(1, 62, 6), call("blocking_to_spline"))),
        Film(
            "that_second_again",
            [result],
            stages(range(40, 96, 7), call("edit_stretch", action="REGENERATE", first=41, last=90)),
        ),
        Film("continue", [walk], ends(70)(call("continue_action", start="LAST_KEY", frames=80))),
        Film("connect", [walk], ends(90)(call("connect_action", action="GenMM Dance", slide=24))),
        Film(
            "coarse_keys",
            [walk],
            stages(range(46, 77, 6), call("coarse_keys"), lower_arm, call("switch_keys", action="FULL"), turn=0.4),
        ),
        Film("simplify_keys", [walk], stages(range(1, 50, 6), call("simplify_keys", degrees=1.0, percent=1.0))),
        Film("ribbon", [result], ribbon),
        Film("follow", [(followed_sound, 0.5), new_action(frames=180, seed=0), (pose_mode, 2.0)], follow),
    ],
    below="DOPESHEET",
)
