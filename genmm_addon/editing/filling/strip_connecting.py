# SPDX-License-Identifier: GPL-3.0-or-later
"""Connection of two NLA strips by a strip with a transition; the second strip continues from where it leads."""

from contextlib import ExitStack
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import NlaStrip, Object, Scene

from ...animation.actions import armature_slots
from ...animation.reading.stretch import read_stretch
from ...animation.writing import write_action
from ...core import Float64, computing
from ...core.infill import CONTEXT_SECONDS, connect
from ...core.motion import joined
from ...libraries.indexed_examples import ExampleChoice, ready_examples
from .strips import carried_copy, play, replace_strip, strip_on_top, strip_pair


@dataclass(frozen=True)
class ConnectedStrips:
    """Connected strips by name: the one before, the transition and the one after. first, last: the scene frames of the
    transition; source: its example."""

    before: str
    between: str
    after: str
    first: float
    last: float
    source: str


@computing()
def connect_strips(character: Object, scene: Scene, name: str, choice: ExampleChoice, slide: int) -> ConnectedStrips:
    """Connect the strip with a name, "" for the active one, with the one before it in time, by a strip of a new action.

    slide: the most frames left out of each strip, where their poses are nearest. In this strip only, its action is
    replaced by a copy that is turned and moved to continue from where the transition leads, and the strip begins there.
    Raises InputError, with nothing changed.
    """
    pair = strip_pair(character, name)
    strip, before = pair.strip, pair.before
    examples = ready_examples(character, scene, choice)
    reading, rate = examples.reading, examples.prepared.index.frames_per_second
    known = slide + round(CONTEXT_SECONDS * rate)
    ending, beginning = (
        read_stretch(character, reading, read.action, armature_slots(read.action)[0], frames, rate)
        for read, frames in ((before, _frames_of(before)[-known - 1 :]), (strip, _frames_of(strip)))
    )
    connection = connect(examples.prepared, ending, beginning, slide)
    last_pose = ending.frames - connection.before
    first = before.frame_end - connection.before
    last = first + connection.motion.frames + 1
    length = strip.frame_end - strip.frame_start - connection.after
    with ExitStack() as undoing:
        bridging = joined([ending.slice(last_pose - 1, last_pose), connection.motion, connection.following.slice(0, 1)])
        called = f"{before.name} to {strip.name}"
        written = write_action(bridging, reading.keyed, character, name=called, frame_start=first)
        undoing.callback(bpy.data.actions.remove, written.action)
        begin = strip.action_frame_start + connection.after
        moved = carried_copy(character, reading, strip, connection.following.slice(0, 1), begin, rate, undoing)
        slot = armature_slots(strip.action)[0]
        following = strip_on_top(character, pair, undoing)
        tracks = character.animation_data.nla_tracks
        bridge = tracks.new()
        undoing.callback(tracks.remove, bridge)
        bridge.name = called
        between = bridge.strips.new(called, round(first), written.action)
        before.action_frame_end -= connection.before
        following.action_frame_start = begin
        play(following, moved, slot, last, last + length)
        play(between, written.action, written.slot, first, last)
        _meet(before, between, following)
        replace_strip(pair, following)
        undoing.pop_all()
    return ConnectedStrips(before.name, between.name, following.name, first, last, examples.names[connection.clip])


def _frames_of(strip: NlaStrip) -> Float64:
    """Return the frames of a strip's action that it plays."""
    start, end = strip.action_frame_start, strip.action_frame_end
    return np.asarray(start + np.arange(round(end - start) + 1, dtype=np.float64))


def _meet(before: NlaStrip, between: NlaStrip, following: NlaStrip) -> None:
    """Make the strips follow each other without a blend, and keep each from holding its pose while another plays."""
    for strip in (before, between, following):
        strip.use_auto_blend = False
    before.blend_out = between.blend_in = between.blend_out = following.blend_in = 0
    between.blend_type, between.extrapolation = "REPLACE", "NOTHING"
    following.blend_type, following.extrapolation = "REPLACE", "HOLD_FORWARD"
    if before.extrapolation == "HOLD":
        before.extrapolation = "HOLD_FORWARD"
