# SPDX-License-Identifier: GPL-3.0-or-later
"""An NLA strip blended into the one before it: they overlap, and its root is carried on from where that one is."""

from contextlib import ExitStack
from dataclasses import dataclass
from types import MappingProxyType

import bpy
import numpy as np
from bpy.types import NlaStrip, NlaTrack, Object, Scene

from ..animation.actions import armature_slots, has_slots
from ..animation.channels import KeyedChannels
from ..animation.reading.example_spec import ExampleSpec, Reading
from ..animation.reading.examples import read_examples
from ..animation.reading.stretch import read_stretch
from ..animation.scene_time import scene_rate
from ..animation.stretches.checks import check_action
from ..animation.stretches.replacing import Stretch, replace_stretch
from ..core import InputError
from ..core.replanning import carried_on

SAME = 1e-3
"""Frames, or a share of a scale, that count as none."""


@dataclass(frozen=True)
class BlendedStrip:
    """A strip that was blended: its name and first frame now, the name of the one before it, and its action's."""

    strip: str
    start: float
    before: str
    action: str


def blend_strip(character: Object, scene: Scene, name: str, frames: int, frames_out: int) -> BlendedStrip:
    """Blend the strip of a name into the one before it in time, over so many frames, and out over `frames_out`.

    It begins so many frames before the other's end, on a track above it. Its action is replaced in this strip alone, by
    a copy that is turned and moved to go on from where the other is. Raises InputError, with nothing changed.
    """
    if min(frames, frames_out) < 0:
        raise InputError("The frames to blend over must be 0 or more.")
    track, strip = _found(character, name)
    below, before = _before(character, strip)
    for one in (strip, before):
        _check(one, frames)
    first = before.frame_end - frames
    with ExitStack() as undoing:
        action, slot = strip.action, armature_slots(strip.action)[0]
        moved = action.copy()
        undoing.callback(_remove, moved)
        moved.name = f"{action.name} Carried On"
        _carry(character, scene, strip, before, first, moved)
        check_action(character, moved)
        length = strip.frame_end - strip.frame_start
        made = _on_top(character, track, strip, below, undoing)
        made.action = moved
        if has_slots(moved):
            made.action_slot = next(one for one in moved.slots if one.identifier == slot)
        made.frame_start_raw, made.frame_end_raw = first, first + length
        undoing.pop_all()
    called = strip.name
    if made != strip:
        track.strips.remove(strip)
        made.name = called
    strip = made
    strip.use_auto_blend = False
    strip.blend_type, strip.extrapolation = "REPLACE", "HOLD_FORWARD"
    if before.extrapolation == "HOLD":
        before.extrapolation = "HOLD_FORWARD"
    strip.blend_in, strip.blend_out = frames, frames_out
    return BlendedStrip(strip.name, strip.frame_start, before.name, moved.name)


def _found(character: Object, name: str) -> tuple[NlaTrack, NlaStrip]:
    data = character.animation_data
    for track in data.nla_tracks if data is not None else ():
        for strip in track.strips:
            if strip.name == name or (not name and strip.active):
                return track, strip
    called = f'"{name}"' if name else "active in the NLA editor"
    raise InputError(f'"{character.name}" has no strip that is {called}; choose one of its strips.')


def _before(character: Object, strip: NlaStrip) -> tuple[int, NlaStrip]:
    """Return the strip that begins before another one, the latest, and the number of its track."""
    found = [
        (other.frame_start, number, other)
        for number, track in enumerate(character.animation_data.nla_tracks)
        for other in track.strips
        if other != strip and not track.mute and not other.mute and other.frame_start < strip.frame_start
    ]
    if not found:
        raise InputError(f'No strip begins before "{strip.name}"; choose one that follows another.')
    _, number, before = max(found, key=lambda one: one[:2])
    return number, before


def _check(strip: NlaStrip, frames: int) -> None:
    if strip.action is None:
        raise InputError(f'The strip "{strip.name}" has no action; choose another.')
    if abs(strip.scale - 1) > SAME or abs(strip.repeat - 1) > SAME or strip.use_reverse:
        raise InputError(f'The strip "{strip.name}" is scaled, repeated or reversed; bake it, or choose another.')
    if strip.frame_end - strip.frame_start <= frames:
        raise InputError(f'The strip "{strip.name}" is no longer than the {frames} frames to blend over; choose fewer.')


def _carry(
    character: Object, scene: Scene, strip: NlaStrip, before: NlaStrip, first: float, moved: bpy.types.Action
) -> None:
    """Move the root in a copy of the strip's action to where the strip before stands at the scene's frame `first`."""
    slot = armature_slots(moved)[0]
    spec = ExampleSpec(moved, slot)
    reading: Reading = read_examples(character, [spec], scene=scene, visual=False)
    start, end = strip.action_frame_start, moved.frame_range[1]
    begin = moved.frame_range[0]
    frames = begin + np.arange(round(end - begin) + 1, dtype=np.float64)
    rate = scene_rate(scene)
    motion = read_stretch(character, reading, moved, slot, frames, rate)
    at = np.array([before.action_frame_start + first - before.frame_start])
    there = read_stretch(character, reading, before.action, armature_slots(before.action)[0], at, rate)
    carried, joints = carried_on(motion, there, int(np.clip(round(start - begin), 0, motion.frames - 1)))
    names = {motion.skeleton.names[joint] for joint in joints}
    keyed = reading.keyed
    own = KeyedChannels(
        MappingProxyType({name: mode for name, mode in keyed.rotations.items() if name in names}),
        tuple(name for name in keyed.locations if name in names),
    )
    replace_stretch(character, moved, slot, Stretch(frames[0], frames[-1], False, False), carried, own)


def _on_top(character: Object, track: NlaTrack, strip: NlaStrip, below: int, undoing: ExitStack) -> NlaStrip:
    """Return the strip on a track above the one before it: itself, or one like it on a new track."""
    tracks = character.animation_data.nla_tracks
    alone = len(track.strips) == 1
    if alone and list(tracks).index(track) > below:
        return strip
    new = tracks.new()
    undoing.callback(tracks.remove, new)
    new.name = strip.name
    made = new.strips.new(strip.name, round(strip.frame_start), strip.action)
    made.action_frame_start, made.action_frame_end = strip.action_frame_start, strip.action_frame_end
    made.influence = strip.influence
    return made


def _remove(action: bpy.types.Action) -> None:
    bpy.data.actions.remove(action)
