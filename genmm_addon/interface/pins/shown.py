# SPDX-License-Identifier: GPL-3.0-or-later
"""The pins of a character for display in panel, timeline and viewport."""

from dataclasses import dataclass

import bpy
from bpy.types import Action, Object, Scene

from ...animation.actions import slot_for
from ...animation.curves import session_hash
from ...animation.pins.action import columns_of
from ...core import InputError, listed
from ...state.properties import GENMM_PG_character
from ..examples.learned import is_learned_quickly, learned_from


@dataclass(frozen=True)
class ShownPin:
    """A pinned frame: the number of pinned joints, and whether the root's location is pinned."""

    frame: int
    bones: int
    place: bool


@dataclass(frozen=True)
class SeenPins:
    """The pins by frame, and a mark that changes with any of their keys."""

    pins: tuple[ShownPin, ...] = ()
    mark: object = None


NO_PINS = SeenPins()

_known: dict[str, SeenPins] = {}


def shown_pins(character: Object, settings: GENMM_PG_character, scene: Scene) -> tuple[ShownPin, ...]:
    """Return the character's pins by frame; none where its action cannot be read."""
    return seen_pins(character, settings, scene).pins


def seen_pins(character: Object, settings: GENMM_PG_character, scene: Scene) -> SeenPins:
    """Return the pins and their mark; fast while no key changes, and faster still during playback."""
    pins = settings.pins_action
    if pins is None:
        return NO_PINS
    known = _known.get(character.name_full)
    if known is not None and bpy.context.screen is not None and bpy.context.screen.is_animation_playing:
        return known
    try:
        root = learned_from(character, settings, scene).root if is_learned_quickly(settings) else None
    except InputError:
        # Without an example, the joint that carries the travel is unknown.
        root = None
    try:
        mark = root, pins.name_full, session_hash(pins, slot_for(character, pins)), len(character.pose.bones)
        if known is not None and known.mark == mark:
            return known
        seen = SeenPins(_shown(character, pins, root), mark)
    except InputError:
        return NO_PINS
    _known[character.name_full] = seen
    return seen


def warnings_on(pins: tuple[ShownPin, ...], settings: GENMM_PG_character, first_frame: int) -> list[str]:
    """Return short sentences on problems that the pins would cause in Generate."""
    if not pins or not settings.use_pins:
        return []
    # A kept part determines the length of the result.
    is_given = settings.use_completion and settings.completion_action is not None
    warnings = [] if is_given else [pins_outside(pins, first_frame, settings.frames)]
    placed = sum(pin.place for pin in pins)
    if settings.channels == "VISUAL":
        warnings.append("Pins need keyed channels")
    if placed and settings.use_path and settings.path_curve is not None:
        warnings.append("The path sets the location: free this pin's")
    if placed > 1 and settings.loop != "OFF":
        warnings.append("A loop can hold only one location")
    return [sentence for sentence in warnings if sentence]


def pins_outside(pins: tuple[ShownPin, ...], first_frame: int, frames: int) -> str:
    """Return a sentence where pins lie outside a result of `frames` frames from `first_frame` on; else ""."""
    last = first_frame + frames - 1
    outside = [pin.frame for pin in pins if not first_frame <= pin.frame <= last]
    if not outside:
        return ""
    if len(outside) == len(pins):
        return f"No pin lies in frames {first_frame} to {last}"
    return f"Outside frames {first_frame} to {last}: {listed(outside, '')}"


def _shown(character: Object, pins: Action, root: str | None) -> tuple[ShownPin, ...]:
    columns = columns_of(character, pins)
    return tuple(
        ShownPin(
            int(frame),
            sum(bool(keyed[number]) for keyed in columns.keyed.values()),
            root in columns.placed and bool(columns.placed[root][number]),
        )
        for number, frame in enumerate(columns.frames)
    )
