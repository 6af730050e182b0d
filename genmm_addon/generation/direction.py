# SPDX-License-Identifier: GPL-3.0-or-later
"""Directions in a request: parts, pins, the kept part, the path, waypoints, ground and bones at places."""

from dataclasses import dataclass, field
from enum import Enum

from bpy.types import Action, Object

from ..core.fields import (
    Choice,
    Option,
    flag,
    instance,
    items,
    number,
    optional,
    setting,
    settle,
    settle_settings,
    text,
    whole_number,
)
from .records.by_name import BLOCK, CURVE, EMPTY, GROUND
from .records.conversions import Unshown

_BONES = items(text, "a list of bone names")


class PathSpeed(Enum):
    """The speed of the character along its path."""

    EXAMPLES = "EXAMPLES"
    """As fast as the examples walk."""
    CURVE = "CURVE"
    """As the curve's own animation says: its evaluation time, from 0 to its path duration."""
    ARRIVE = "ARRIVE"
    """At the end of the curve at the last frame."""


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
    """The action whose keys are the pins: each channel is held at the frames where it has a key.

    slot: "" for the armature's. places: the root also has the pins' places and headings, where these are keyed.
    """

    action: Action
    slot: str = ""
    places: bool = setting(True, properties=(), conversion=Unshown(), take=flag, sparse=True)

    def __post_init__(self) -> None:
        settle(self, action=instance(Action, "an action"), slot=text)
        settle_settings(self)


@dataclass(frozen=True)
class CompletionSpec:
    """Bones that play an action unchanged; the result is as long as the action.

    slot: "" for the armature's. frame_start, frame_end: None for the action's own range. frames_per_second: the rate
    that the action was made for, None for the scene's.
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


PATH_SPEEDS = (
    Choice(
        "EXAMPLES", "As the Examples", "The character goes as fast as the examples walk", PathSpeed.EXAMPLES, "examples"
    ),
    Choice(
        "CURVE",
        "As the Curve",
        "The character is where the curve's animated evaluation time puts it",
        PathSpeed.CURVE,
        "curve",
    ),
    Choice(
        "ARRIVE",
        "In the Given Time",
        "The character reaches the end of the curve at the last frame",
        PathSpeed.ARRIVE,
        "arrive",
    ),
)


@dataclass(frozen=True)
class PathSpec:
    """The curve that the character follows; along: it faces along the curve; climbs: it follows the curve's height."""

    curve: Object = field(metadata={BLOCK: CURVE})
    speed: PathSpeed = setting(
        PathSpeed.EXAMPLES,
        "Speed",
        "Speed of the character along the curve",
        name="path_speed",
        choices=PATH_SPEEDS,
        option=Option("--path-speed", "speed along the path: examples, curve or arrive", "HOW", "path"),
    )
    along: bool = setting(
        True,
        "Follow Curve",
        "Turn the character as the curve turns; otherwise it faces as in the examples",
        name="path_along",
        option=Option(
            "--path-facing",
            "facing on the path: along or free",
            "HOW",
            "path",
            words=(("along", True), ("free", False)),
        ),
    )
    climbs: bool = setting(
        False,
        "Height from Curve",
        "Go up and down with the curve; otherwise the character stays on the ground",
        name="path_climbs",
        option=Option(
            "--path-height",
            "height on the path: curve or examples",
            "OF",
            "path",
            words=(("curve", True), ("examples", False)),
        ),
    )

    def __post_init__(self) -> None:
        settle(self, curve=instance(Object, "a curve object"))
        settle_settings(self)


@dataclass(frozen=True)
class WaypointSpec:
    """An empty that the root passes at a frame of the scene.

    place: the root is where the empty is. facing: it faces along the empty's -Y, as an unrotated character does.
    """

    empty: Object = field(metadata={BLOCK: EMPTY})
    frame: int = 1
    place: bool = True
    facing: bool = False

    def __post_init__(self) -> None:
        settle(self, empty=instance(Object, "an empty"), frame=whole_number, place=flag, facing=flag)


@dataclass(frozen=True)
class GroundSpec:
    """The object that the feet of a result stand on, together with its children."""

    ground: Object = field(metadata={BLOCK: GROUND})

    def __post_init__(self) -> None:
        settle(self, ground=instance(Object, "an object"))
