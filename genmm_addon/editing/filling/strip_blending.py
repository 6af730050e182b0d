# SPDX-License-Identifier: GPL-3.0-or-later
"""Blending of an NLA strip into the one before it: they overlap, and its root continues from the earlier strip's."""

from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np
from bpy.types import Object, Scene

from ...animation.actions import armature_slots
from ...animation.reading.example_spec import ExampleSpec
from ...animation.reading.examples import read_examples
from ...animation.reading.stretch import read_stretch
from ...animation.scene_time import scene_rate
from ...core import InputError
from .strips import carried_copy, play, replace_strip, strip_on_top, strip_pair


@dataclass(frozen=True)
class BlendedStrip:
    """A blended strip: its name, its new first frame, the name of the strip before it, and the name of its action."""

    strip: str
    start: float
    before: str
    action: str


def blend_strip(character: Object, scene: Scene, name: str, frames: int, frames_out: int) -> BlendedStrip:
    """Blend the strip with a name into the one before it in time, over `frames` frames, and out over `frames_out`.

    It begins `frames` frames before the other's end, on a track above it. In this strip only, its action is replaced by
    a copy that is turned and moved to continue from where the other is. Raises InputError, with nothing changed.
    """
    if min(frames, frames_out) < 0:
        raise InputError("The frames to blend over must be 0 or more.")
    pair = strip_pair(character, name, frames)
    strip, before = pair.strip, pair.before
    first = before.frame_end - frames
    with ExitStack() as undoing:
        slot, rate = armature_slots(strip.action)[0], scene_rate(scene)
        reading = read_examples(character, [ExampleSpec(strip.action, slot)], scene=scene, visual=False)
        at = np.array([before.action_frame_start + first - before.frame_start])
        last_pose = read_stretch(character, reading, before.action, armature_slots(before.action)[0], at, rate)
        moved = carried_copy(character, reading, strip, last_pose, strip.action_frame_start, rate, undoing)
        length = strip.frame_end - strip.frame_start
        blended = strip_on_top(character, pair, undoing)
        play(blended, moved, slot, first, first + length)
        blended.use_auto_blend = False
        blended.blend_type, blended.extrapolation = "REPLACE", "HOLD_FORWARD"
        if before.extrapolation == "HOLD":
            before.extrapolation = "HOLD_FORWARD"
        blended.blend_in, blended.blend_out = frames, frames_out
        replace_strip(pair, blended)
        undoing.pop_all()
    return BlendedStrip(blended.name, blended.frame_start, before.name, moved.name)
