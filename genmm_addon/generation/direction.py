# SPDX-License-Identifier: GPL-3.0-or-later
"""How a motion is directed: parts, pins, the given part, the path; as a request holds it."""

from dataclasses import dataclass
from enum import Enum

from bpy.types import Action, Object

from ..core.values import flag, instance, items, number, one_of, optional, settle, text, whole_number

_BONES = items(text, "a list of bone names")


class PathSpeed(Enum):
    """How fast the character goes along its path."""

    EXAMPLES = "EXAMPLES"
    """As fast as the examples walk."""
    CURVE = "CURVE"
    """As the curve's own animation says: its evaluation time, from 0 to its path duration."""
    ARRIVE = "ARRIVE"
    """The whole way with the last frame."""


@dataclass(frozen=True)
class PartSpec:
    """A painted part: its bones by name, and the numbers of the examples it draws from (None: all that have them)."""

    name: str
    bones: tuple[str, ...]
    examples: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        settle(self, name=text, bones=_BONES, examples=optional(items(whole_number, "a list of example numbers")))


@dataclass(frozen=True)
class PinsSpec:
    """The action whose keys are the pins: what has a key in a column is held there. slot: "" the armature's."""

    action: Action
    slot: str = ""

    def __post_init__(self) -> None:
        settle(self, action=instance(Action, "an action"), slot=text)


@dataclass(frozen=True)
class CompletionSpec:
    """Bones that play an action as it is, over the whole length, which is the action's then.

    slot: "" the armature's. frame_start, frame_end: None is the action's own range. frames_per_second: how fast these
    frames are meant, None the scene's rate.
    """

    action: Action
    bones: tuple[str, ...]
    slot: str = ""
    frame_start: float | None = None
    frame_end: float | None = None
    frames_per_second: float | None = None

    def __post_init__(self) -> None:
        settle(
            self,
            action=instance(Action, "an action"),
            bones=_BONES,
            slot=text,
            frame_start=optional(number),
            frame_end=optional(number),
            frames_per_second=optional(number),
        )


@dataclass(frozen=True)
class PathSpec:
    """The curve that the character follows; along: it faces along it; climbs: its height follows the curve's."""

    curve: Object
    speed: PathSpeed = PathSpeed.EXAMPLES
    along: bool = True
    climbs: bool = False

    def __post_init__(self) -> None:
        settle(self, curve=instance(Object, "a curve object"), speed=one_of(PathSpeed), along=flag, climbs=flag)
