# SPDX-License-Identifier: GPL-3.0-or-later
"""NLA strips of a character: a strip by its name, the one before it, and a copy of its action moved to continue it."""

from contextlib import ExitStack
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Action, NlaStrip, NlaTrack, Object

from ...animation.actions import armature_slots, has_slots
from ...animation.curves import NOTICED
from ...animation.reading.example_spec import Reading
from ...animation.reading.stretch import read_stretch
from ...animation.stretches.checks import check_action
from ...animation.stretches.replacing import Stretch, replace_stretch
from ...core import InputError, Motion, counted
from ...core.infill import carried_on

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
