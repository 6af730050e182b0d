# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversions between the values of a request and the properties that show them in a panel."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...core.fields import Choice, ShownProperty, fields_meant, values_shown

LARGEST_SEED = 2**31 - 1
STARTS = (
    Choice("SCENE_START", "Scene Start", "The new motion begins with the scene's frame range"),
    Choice("PLAYHEAD", "Playhead", "The new motion begins at the current frame"),
    Choice("FRAME", "Frame", "The new motion begins at a frame of its own"),
)


@dataclass(frozen=True)
class Seeds:
    """The first seed, and the number of seeds."""

    def shown(self, properties: Sequence[ShownProperty], value: Any) -> dict[str, Any]:
        """Return the first seed and the count."""
        first, count = properties
        return {first.name: value[0], count.name: len(value)}

    def meant(self, properties: Sequence[ShownProperty], values: Any, before: Any) -> Any:
        """Return one seed for each variation."""
        first, count = properties
        return seeds_of(getattr(values, first.name), getattr(values, count.name))


def seeds_of(first: int, variations: int) -> tuple[int, ...]:
    """Return one seed for each variation: the first and its successors, starting over at 0 after the largest."""
    return tuple((first + number) % (LARGEST_SEED + 1) for number in range(variations))


@dataclass(frozen=True)
class Start:
    """The first frame: at the scene's start (None), at the playhead, or at a given frame."""

    def shown(self, properties: Sequence[ShownProperty], value: Any) -> dict[str, Any]:
        """Return the place, and the frame if it is given."""
        frame, place = properties
        return {place.name: "SCENE_START"} if value is None else {place.name: "FRAME", frame.name: round(value)}

    def meant(self, properties: Sequence[ShownProperty], values: Any, before: Any) -> Any:
        """Return the frame or None; a fractional frame is kept while the shown whole frame is unchanged."""
        frame, place = properties
        at, number = getattr(values, place.name), getattr(values, frame.name)
        if at == "SCENE_START":
            return None
        shown = None if before is None else round(before)
        return before if at == "PLAYHEAD" or shown == number else number


@dataclass(frozen=True)
class Kept:
    """A switch for a record that is set elsewhere; None without one."""

    def shown(self, properties: Sequence[ShownProperty], value: Any) -> dict[str, Any]:
        """Return the switch, and the record's settings where it is on."""
        return {properties[0].name: value is not None} | ({} if value is None else values_shown(value))

    def meant(self, properties: Sequence[ShownProperty], values: Any, before: Any) -> Any:
        """Return the record with its settings, or None."""
        if before is None or not getattr(values, properties[0].name):
            return None
        return replace(before, **fields_meant(before, values))


@dataclass(frozen=True)
class KeptList:
    """A switch for a list that is set elsewhere; empty without one."""

    def shown(self, properties: Sequence[ShownProperty], value: Any) -> dict[str, Any]:
        """Return the switch if the list is not empty."""
        return {properties[0].name: True} if value else {}

    def meant(self, properties: Sequence[ShownProperty], values: Any, before: Any) -> Any:
        """Return the list, or an empty one."""
        return before if getattr(values, properties[0].name) else ()


@dataclass(frozen=True)
class KeptRecord(KeptList):
    """A switch for a record that is set elsewhere; None, for none, leaves the switch as it is."""

    def meant(self, properties: Sequence[ShownProperty], values: Any, before: Any) -> Any:
        """Return the record, or None."""
        return before if getattr(values, properties[0].name) else None


@dataclass(frozen=True)
class Nested:
    """Settings of a record inside the record."""

    def shown(self, properties: Sequence[ShownProperty], value: Any) -> dict[str, Any]:
        """Return the properties of the inner settings."""
        return values_shown(value)

    def meant(self, properties: Sequence[ShownProperty], values: Any, before: Any) -> Any:
        """Return the inner record with its settings."""
        return replace(before, **fields_meant(before, values))


@dataclass(frozen=True)
class KeptWhile:
    """A tuple that applies while a property of another field is not empty."""

    name: str
    entry: str

    def shown(self, properties: Sequence[ShownProperty], value: Any) -> dict[str, Any]:
        """Return nothing: the other field is shown."""
        return {}

    def meant(self, properties: Sequence[ShownProperty], values: Any, before: Any) -> Any:
        """Return the tuple, or an empty one."""
        return before if getattr(values, self.name) == self.entry else ()


@dataclass(frozen=True)
class Unshown:
    """A value without a property, which stays as it is."""

    def shown(self, properties: Sequence[ShownProperty], value: Any) -> dict[str, Any]:
        """Return nothing."""
        return {}

    def meant(self, properties: Sequence[ShownProperty], values: Any, before: Any) -> Any:
        """Return the value."""
        return before


@dataclass(frozen=True)
class AsTyped:
    """A number with all digits of single precision; zero: what 0 stands for."""

    zero: Any = 0.0

    def shown(self, properties: Sequence[ShownProperty], value: Any) -> dict[str, Any]:
        """Return the number."""
        return {properties[0].name: 0.0 if value is None else value}

    def meant(self, properties: Sequence[ShownProperty], values: Any, before: Any) -> Any:
        """Return the number, or what 0 stands for."""
        return getattr(values, properties[0].name) or self.zero
