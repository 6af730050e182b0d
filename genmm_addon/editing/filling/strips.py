# SPDX-License-Identifier: GPL-3.0-or-later
"""NLA strips blended with the strip before them, or connected with it by a transition."""

from contextlib import ExitStack
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Action, NlaStrip, NlaTrack, Object, Scene

from ...animation.actions import armature_slots, has_slots
from ...animation.curves import NOTICED
from ...animation.reading.example_spec import ExampleSpec, Reading
from ...animation.reading.examples import read_examples
from ...animation.reading.stretch import read_stretch
from ...animation.scene_time import scene_rate
from ...animation.stretches.checks import check_action
from ...animation.stretches.replacing import Stretch, replace_stretch
from ...animation.writing import write_action
from ...core import Float64, InputError, Motion, computing, counted
from ...core.infill import CONTEXT_SECONDS, carried_on, connect
from ...core.motion import joined
from ...libraries.indexed_examples import ExampleChoice, ready_examples
from .continuing import notes_on_suddenness

PLAYED = (
    "action", "name", "action_frame_start", "action_frame_end", "frame_start_raw", "frame_end_raw", "use_auto_blend",
    "blend_in", "blend_out", "blend_type", "extrapolation",
)  # fmt: skip
"""Properties of a strip that are changed, in an order in which they can be set."""


def found_strip(character: Object, name: str) -> tuple[NlaTrack, NlaStrip]:
    """Return the strip with a name, "" for the active one, and its track. Raises InputError where there is none."""
    data = character.animation_data
    for track in data.nla_tracks if data is not None else ():
        for strip in track.strips:
            if strip.name == name or (not name and strip.active):
                return track, strip
    called = f'"{name}"' if name else "active in the NLA editor"
    raise InputError(f'"{character.name}" has no strip that is {called}; choose one of its strips.')


@dataclass(frozen=True, eq=False)
class StripPair:
    """A strip on its track, and the latest one that begins before it. below: the number of that one's track."""

    track: NlaTrack
    strip: NlaStrip
    before: NlaStrip
    below: int


def strip_pair(character: Object, name: str, frames: int = 0) -> StripPair:
    """Return the strip with a name, "" for the active one, and the one before it.

    Raises InputError where there are none, and where one is no longer than `frames` frames or changes its timing.
    """
    track, strip = found_strip(character, name)
    earlier = [
        (other.frame_start, number, other)
        for number, track in enumerate(character.animation_data.nla_tracks)
        for other in track.strips
        if other != strip and not track.mute and not other.mute and other.frame_start < strip.frame_start
    ]
    if not earlier:
        raise InputError(f'No strip begins before "{strip.name}"; choose one that follows another.')
    _, below, before = max(earlier, key=lambda entry: entry[:2])
    for checked in (before, strip):
        _check(checked, frames)
    return StripPair(track, strip, before, below)


def _check(strip: NlaStrip, frames: int) -> None:
    """Raise InputError for a strip that plays no action, changes its timing, or is not longer than `frames` frames."""
    if strip.action is None:
        raise InputError(f'The strip "{strip.name}" has no action; choose another.')
    if abs(strip.scale - 1) > NOTICED or abs(strip.repeat - 1) > NOTICED or strip.use_reverse:
        raise InputError(f'The strip "{strip.name}" is scaled, repeated or reversed; bake it, or choose another.')
    if strip.frame_end - strip.frame_start <= frames:
        over = counted(frames, "frame")
        raise InputError(f'The strip "{strip.name}" is no longer than the {over} to blend over; choose fewer.')


def carried_copy(
    character: Object, reading: Reading, strip: NlaStrip, last_pose: Motion, at: float, rate: float, undoing: ExitStack
) -> Action:
    """Return a copy of a strip's action whose root stands at its frame `at` as in the last pose of `there`.

    Raises InputError where the action cannot be changed in place.
    """
    moved, slot = strip.action.copy(), armature_slots(strip.action)[0]
    undoing.callback(bpy.data.actions.remove, moved)
    moved.name = f"{strip.action.name} Carried On"
    begin, end = float(moved.frame_range[0]), float(moved.frame_range[1])
    frames = begin + np.arange(round(end - begin) + 1, dtype=np.float64)
    motion = read_stretch(character, reading, moved, slot, frames, rate)
    carried, joints = carried_on(motion, last_pose, int(np.clip(round(at - begin), 0, motion.frames - 1)))
    names = {motion.skeleton.names[joint] for joint in joints}
    channels = reading.keyed.of(names, names, character)
    replace_stretch(character, moved, slot, Stretch(frames[0], frames[-1], False, False), carried, channels)
    check_action(character, moved)
    return moved


def play(strip: NlaStrip, action: Action, slot: str, first: float, last: float) -> None:
    """Have a strip play an action from one scene frame to another."""
    strip.action = action
    if has_slots(action):
        strip.action_slot = next(candidate for candidate in action.slots if candidate.identifier == slot)
    strip.frame_start_raw, strip.frame_end_raw = first, last


def strip_on_top(character: Object, pair: StripPair, undoing: ExitStack) -> NlaStrip:
    """Return the strip on a track above the one before it: itself, or a copy of it on a new track.

    Both are restored on failure.
    """
    for changed in (pair.before, pair.strip):
        _restore_on_failure(changed, undoing)
    tracks, strip = character.animation_data.nla_tracks, pair.strip
    if len(pair.track.strips) == 1 and list(tracks).index(pair.track) > pair.below:
        return strip
    new = tracks.new()
    undoing.callback(tracks.remove, new)
    new.name = strip.name
    copy = new.strips.new(strip.name, round(strip.frame_start), strip.action)
    copy.action_frame_start, copy.action_frame_end = strip.action_frame_start, strip.action_frame_end
    copy.influence = strip.influence
    return copy


def _restore_on_failure(strip: NlaStrip, undoing: ExitStack) -> None:
    """Have a stack restore what a strip plays, and when, as it is now."""
    before = [(name, getattr(strip, name)) for name in PLAYED]
    slot = strip.action_slot if has_slots(strip.action) else None

    def restore() -> None:
        strip.action = before[0][1]
        if slot is not None:
            strip.action_slot = slot
        for name, value in before:
            setattr(strip, name, value)

    undoing.callback(restore)


def replace_strip(pair: StripPair, replacement: NlaStrip) -> None:
    """Remove a strip, and give its name to the one in its place; nothing may fail after this."""
    if replacement != pair.strip:
        called = pair.strip.name
        pair.strip.name = f"{called} before"
        replacement.name = called
        pair.track.strips.remove(pair.strip)


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


@dataclass(frozen=True)
class ConnectedStrips:
    """Connected strips by name: the one before, the transition and the one after. first, last: the scene frames of the
    transition; source: its example. notes: sentences for the user."""

    before: str
    between: str
    after: str
    first: float
    last: float
    source: str
    notes: tuple[str, ...]


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
    source, notes = examples.names[connection.clip], notes_on_suddenness(connection.acceleration)
    return ConnectedStrips(before.name, between.name, following.name, first, last, source, notes)


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
