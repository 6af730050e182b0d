# SPDX-License-Identifier: GPL-3.0-or-later
"""Directions in a request: parts, pins, the kept part, the path, waypoints, ground and bones at places."""

from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from bpy.types import Action, Object

from ..animation.foot_locks import checked_foot_locks
from ..animation.reaching.text import checked_places
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
from ..core.motion import ROOT_NAME
from .records.by_name import BLOCK
from .records.conversions import KeptList, KeptRecord
from .records.data_blocks import CURVE, EMPTY, GROUND

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

    slot: "" for the armature's.
    """

    action: Action
    slot: str = ""

    def __post_init__(self) -> None:
        settle(self, action=instance(Action, "an action"), slot=text)


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
        option=Option("--path-speed", "examples, curve or arrive", "HOW", "path"),
    )
    along: bool = setting(
        True,
        "Follow Curve",
        "Turn the character as the curve turns; otherwise it faces as in the examples",
        name="path_along",
        option=Option("--path-facing", "along or free", "HOW", "path", words=(("along", True), ("free", False))),
    )
    climbs: bool = setting(
        False,
        "Height from Curve",
        "Go up and down with the curve; otherwise the character stays on the ground",
        name="path_climbs",
        option=Option("--path-height", "curve or examples", "OF", "path", words=(("curve", True), ("examples", False))),
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


def ground_setting() -> Any:
    """Return the field of a request that holds its ground."""
    return setting(
        None,
        "Use Ground",
        "Put the feet of the new motion on the chosen object, such as stairs, slopes or terrain",
        name="use_ground",
        shown_default=True,
        conversion=KeptRecord(),
        take=optional(instance(GroundSpec, "a GroundSpec")),
        sparse=True,
    )


def reaches_setting() -> Any:
    """Return the field of a request that holds its bones at places, as text."""
    return setting(
        "",
        "Bone Places",
        "Bones to keep at objects over scene frames, such as hand.R at Handle 40-70, foot.L at Step 10-30 turned",
        option=Option("--reach", 'bones at objects over frames: "hand.R at Handle 40-70"', "LIST", "direction"),
        take=checked_places,
        sparse=True,
    )


def root_motion_setting() -> Any:
    """Return the field of a request that says whether a root bone carries the travel."""
    return setting(
        False,
        "Root Motion",
        "Move the travel over the ground to a bone at the top of the skeleton, as game engines expect it; a missing "
        "bone is added, and all other bones stay where they are in the world",
        option=Option("--root-motion", "move the travel to a root bone, as game engines expect it", group="length"),
        sparse=True,
    )


def root_motion_bone_setting() -> Any:
    """Return the field of a request that holds the name of the root bone."""
    return setting(
        ROOT_NAME,
        "Root Bone",
        "The name of the bone that carries the travel; if no bone has it, the bone at the top above the hips is used",
        option=Option("--root-motion-bone", "the name of that bone (default: root)", "NAME", "length"),
        take=text,
        sparse=True,
    )


def foot_locks_setting() -> Any:
    """Return the field of a request that holds the feet that are always or never locked, as text."""
    return setting(
        "",
        "Foot Locks",
        "Feet that are always or never locked over scene frames, such as foot.L always 40-70, foot.R never 90-110",
        option=Option("--foot-lock", 'feet locked over frames: "foot.L always 40-70"', "LIST", "direction"),
        take=checked_foot_locks,
        sparse=True,
    )


def keep_contacts_setting() -> Any:
    """Return the field of a request that says whether to keep self contacts of other characters' motions."""
    return setting(
        True,
        "Keep Contacts",
        "In motions of other characters and libraries, hands that touch each other or the body do so on this "
        "character too, whatever its proportions",
        option=Option("--no-keep-contacts", "let other proportions move hands off the body"),
        since=4,
        before=False,
        sparse=True,
    )


def waypoints_setting() -> Any:
    """Return the field of a request that holds its waypoints."""
    return setting(
        (),
        "Use Waypoints",
        "Pass the empties of the list, each at its frame",
        name="use_waypoints",
        shown_default=True,
        conversion=KeptList(),
        take=items(instance(WaypointSpec, "a list of WaypointSpec"), "a list of WaypointSpec"),
        sparse=True,
    )
