# SPDX-License-Identifier: GPL-3.0-or-later
"""Conversions between a setting's value and the properties that show it in a panel."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

DIGITS = 6
"""Number of significant digits that the single precision of Blender's properties keeps."""


class ShownProperty(Protocol):
    """The members of a property that conversions use.

    >>> isinstance(settings_in(Settings)["noise"].properties[0].name, str)  # a Property is ShownProperty
    True
    """

    @property
    def name(self) -> str:
        """Return the name in the panel."""

    @property
    def choices(self) -> tuple[Any, ...]:
        """Return the entries of an enumeration."""


class Conversion(Protocol):
    """A conversion between the value of a field and the values of its properties."""

    def shown(self, properties: Sequence[ShownProperty], value: Any) -> dict[str, Any]:
        """Return the values of the properties; those that are switched off are left out."""

    def meant(self, properties: Sequence[ShownProperty], values: Any, before: Any) -> Any:
        """Return the field's value; values: an object with the properties as attributes; before: the previous value."""


@dataclass(frozen=True)
class Same:
    """One property with the field's own value."""

    def shown(self, properties: Sequence[ShownProperty], value: Any) -> dict[str, Any]:
        """Return the value."""
        return {properties[0].name: value}

    def meant(self, properties: Sequence[ShownProperty], values: Any, before: Any) -> Any:
        """Return the value."""
        return getattr(values, properties[0].name)


SAME = Same()


@dataclass(frozen=True)
class Rounded(Same):
    """A number without the spurious digits of single precision, in which 0.95 is 0.949999988079071."""

    def meant(self, properties: Sequence[ShownProperty], values: Any, before: Any) -> Any:
        """Return the number as it was typed."""
        return rounded(getattr(values, properties[0].name))


@dataclass(frozen=True)
class OrNone(Same):
    """A text, which is empty for None."""

    def shown(self, properties: Sequence[ShownProperty], value: Any) -> dict[str, Any]:
        """Return the text."""
        return {properties[0].name: value or ""}

    def meant(self, properties: Sequence[ShownProperty], values: Any, before: Any) -> Any:
        """Return the text, or None."""
        return getattr(values, properties[0].name) or None


@dataclass(frozen=True)
class Chosen:
    """An enumeration, each entry with its value."""

    def shown(self, properties: Sequence[ShownProperty], value: Any) -> dict[str, Any]:
        """Return the identifier of the value's entry."""
        choices = properties[0].choices
        return {properties[0].name: next(choice.identifier for choice in choices if choice.value is value)}

    def meant(self, properties: Sequence[ShownProperty], values: Any, before: Any) -> Any:
        """Return the value of the entry. Raises KeyError for an unknown identifier."""
        return {choice.identifier: choice.value for choice in properties[0].choices}[
            getattr(values, properties[0].name)
        ]


@dataclass(frozen=True)
class Switched:
    """A number and a switch for it; off: the value while it is switched off.

    >>> number = Property("Angle", "", name="angle"), Property("Use", "", name="use_angle")
    >>> Switched().shown(number, None), Switched().shown(number, 2.0)
    ({'use_angle': False}, {'use_angle': True, 'angle': 2.0})
    """

    off: Any = None
    digits_made_up: bool = False
    """True if the number keeps all digits of single precision, as in results of earlier versions."""

    def shown(self, properties: Sequence[ShownProperty], value: Any) -> dict[str, Any]:
        """Return the switch, and the number if it is on."""
        number, switch = properties
        is_on = value != self.off
        return {switch.name: is_on} | ({number.name: value} if is_on else {})

    def meant(self, properties: Sequence[ShownProperty], values: Any, before: Any) -> Any:
        """Return the number if it is switched on, else the value for off."""
        number, switch = properties
        if not getattr(values, switch.name):
            return self.off
        value = getattr(values, number.name)
        return value if self.digits_made_up else rounded(value)


@dataclass(frozen=True)
class ChosenBones:
    """A list of bones, used while its choice is CHOSEN; None is AUTO."""

    def shown(self, properties: Sequence[ShownProperty], value: Any) -> dict[str, Any]:
        """Return the rows and the choice."""
        rows, choice = properties
        return {choice.name: "AUTO" if value is None else "CHOSEN", rows.name: foot_rows(value or ())}

    def meant(self, properties: Sequence[ShownProperty], values: Any, before: Any) -> Any:
        """Return the bones, or None."""
        rows, choice = properties
        return feet_of(getattr(values, rows.name)) if getattr(values, choice.name) == "CHOSEN" else None


@dataclass(frozen=True)
class BoneWeights:
    """A list of bones, each with a factor."""

    def shown(self, properties: Sequence[ShownProperty], value: Any) -> dict[str, Any]:
        """Return the rows."""
        return {properties[0].name: weight_rows(value)}

    def meant(self, properties: Sequence[ShownProperty], values: Any, before: Any) -> Any:
        """Return pairs of a bone and its factor."""
        return weights_of(getattr(values, properties[0].name))


def rounded(value: float) -> float:
    """Return a number of single precision with only its significant digits."""
    return float(f"{value:.{DIGITS}g}")


def feet_of(rows: Iterable[Any]) -> tuple[str, ...]:
    """Return the named bones, each once; empty rows are ignored.

    >>> from types import SimpleNamespace
    >>> feet_of([SimpleNamespace(name="foot.L"), SimpleNamespace(name="")])
    ('foot.L',)
    """
    return tuple(dict.fromkeys(row.name for row in rows if row.name))


def weights_of(rows: Iterable[Any]) -> tuple[tuple[str, float], ...]:
    """Return the bones and their factors; of several rows for one bone, the last counts.

    >>> from types import SimpleNamespace
    >>> weights_of([SimpleNamespace(name="head", factor=0.949999988079071)])
    (('head', 0.95),)
    """
    return tuple({row.name: rounded(row.factor) for row in rows if row.name}.items())


def foot_rows(names: Iterable[str]) -> list[dict[str, Any]]:
    """Return the rows of the list of feet for these bones.

    >>> foot_rows(["foot.L"])
    [{'name': 'foot.L'}]
    """
    return [{"name": name} for name in names]


def weight_rows(weights: Iterable[tuple[str, float]]) -> list[dict[str, Any]]:
    """Return the rows of the list of weights for these bones.

    >>> weight_rows([("head", 2.0)])
    [{'name': 'head', 'factor': 2.0}]
    """
    return [{"name": name, "factor": factor} for name, factor in weights]
