# SPDX-License-Identifier: GPL-3.0-or-later
"""Descriptions of settings: the single place for all that the panel, files and the command line show of a field."""

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass
from functools import cache
from types import SimpleNamespace
from typing import Any, get_type_hints

from ..errors import InputError
from .conversions import SAME, Chosen, Conversion, Rounded
from .values import Take, settle, take_of

_KEY = "setting"
UNSAID: Any = object()
"""Placeholder for a default that follows from the field's own."""


@dataclass(frozen=True)
class Choice:
    """An entry of an enumeration: its name in files, its texts, the field's value, and its word on the command line.

    >>> Choice("FREE", "Free", "The character may turn", value=Facing.FREE).word
    ''
    """

    identifier: str
    label: str
    tooltip: str
    value: Any = None
    word: str = ""


@dataclass(frozen=True)
class Property:
    """A value in the panel, as plain data.

    name: "" is the field's name. default: if not given, it follows from the field's. minimum, maximum: of typed values.
    soft_minimum, soft_maximum: of the slider. unit: of the numbers, for sentences. precision: number of digits shown.
    step: of the arrows, in hundredths. subtype: Blender's, such as "DISTANCE". choices: the entries of an enumeration.
    rows: the kind of rows of a list, "feet" or "joint_weights".

    >>> try:
    ...     Property("Noise", "Amount of noise", minimum=0.0).check(-1.0)
    ... except InputError as error:
    ...     print(error)
    Noise must be 0 or more.
    """

    label: str
    tooltip: str
    name: str = ""
    default: Any = UNSAID
    minimum: float | None = None
    maximum: float | None = None
    above: bool = False
    """True if values must be above the minimum."""
    soft_minimum: float | None = None
    soft_maximum: float | None = None
    unit: str = ""
    precision: int | None = None
    step: float | None = None
    subtype: str | None = None
    choices: tuple[Choice, ...] = ()
    rows: str = ""

    def taken(self, value: Any) -> Any:
        """Return a value from a file as the property has it. Raises InputError for another type or range.

        >>> Property("Noise", "Amount of noise", default=0.0, minimum=0.0).taken(1)
        1.0
        """
        if self.choices:
            identifiers = [choice.identifier for choice in self.choices]
            if value not in identifiers:
                raise InputError(f"{self.label} must be one of {', '.join(identifiers)}.")
            return value
        value = take_of(type(self.default))(value, self.label)
        if isinstance(value, int | float) and not isinstance(value, bool):
            self.check(value)
        return value

    def check(self, value: Any) -> None:
        """Raise InputError for a number outside the range."""
        low, high = self.minimum, self.maximum
        is_low = low is not None and not (value > low if self.above else value >= low)
        if is_low or (high is not None and not value <= high) or not abs(value) < math.inf:
            raise InputError(f"{self.label} must {self._range()}.")

    def _range(self) -> str:
        low, high, unit = self.minimum, self.maximum, f" {self.unit}" if self.unit else ""
        if low is None and high is None:
            return "be a finite number"
        if low is None or high is None:
            return f"be above {low:,g}" if self.above else f"be {low:,g}{unit} or more"
        if low == -high:
            return f"lie within {_said(high)}{unit}s of 0"
        return f"lie between {_said(low)} and {_said(high)}{unit}{'s' if unit else ''}"


@dataclass(frozen=True)
class Option:
    """An option of the command line.

    flag: such as "--noise"; for a True or False field it selects the value that is not the default. group: the heading
    in the help: "method", "direction", "path" or "length". kind: the type of the argument, if it is not the field's.
    words: the allowed words with their values; by default those of the choices. several: "each" takes several words,
    "again" the option several times. read: function from the argument and the flag to the value; raises InputError.

    >>> Option("--patch-frames").destination
    'patch_frames'
    """

    flag: str
    help: str | None = None
    metavar: str | None = None
    group: str = "method"
    kind: type | None = None
    words: tuple[tuple[str, Any], ...] = ()
    several: str = ""
    read: Callable[[Any, str], Any] | None = None

    @property
    def destination(self) -> str:
        """Return the name under which the parser stores the argument."""
        return self.flag.lstrip("-").replace("-", "_")


@dataclass(frozen=True)
class Setting:
    """The full description of one field.

    properties: the value itself first, then its switch. preset: presets of the method include it. panel: the panel
    that lists it; "" if it is laid out by hand. since: the version of recipes that introduced it. before: its value in
    older versions, if that is not the default. sparse: texts leave it out at its default, so that texts of earlier
    versions do not change. constraint: the class of constraint that the value becomes, by which memory is estimated.

    >>> noise = settings_in(Settings)["noise"]
    >>> isinstance(noise, Setting), noise.shown(0.5)
    (True, {'noise': 0.5})
    """

    properties: tuple[Property, ...] = ()
    conversion: Conversion = SAME
    option: Option | None = None
    preset: bool = False
    panel: str = ""
    take: Take | None = None
    since: int = 1
    before: Any = UNSAID
    sparse: bool = False
    constraint: Any = None

    def shown(self, value: Any) -> dict[str, Any]:
        """Return the values of properties for the field's value; those that are switched off are left out."""
        return self.conversion.shown(self.properties, value)

    def meant(self, values: Any, before: Any) -> Any:
        """Return the field's value for a panel's values; before: the previous value."""
        return self.conversion.meant(self.properties, values, before)


def setting(
    default: Any = MISSING,
    label: str = "",
    tooltip: str = "",
    *,
    conversion: Conversion | None = None,
    option: Option | None = None,
    preset: bool = False,
    panel: str = "",
    beside: tuple[Property, ...] = (),
    properties: tuple[Property, ...] | None = None,
    take: Take | None = None,
    since: int = 1,
    before: Any = UNSAID,
    sparse: bool = False,
    constraint: Any = None,
    shown_default: Any = UNSAID,
    **shown: Any,
) -> Any:
    """Return a dataclass field that is a setting, shown by one property and those `beside` it.

    shown: the other members of Property. properties: all properties, instead. Other arguments are members of Setting.

    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Blur:
    ...     radius: float = setting(0.5, "Radius", "Reach of the blur, in pixels", minimum=0.0, maximum=1.0)
    >>> Blur().radius, settings_in(Blur)["radius"].properties[0].label
    (0.5, 'Radius')
    """
    if properties is None:
        properties = (Property(label, tooltip, default=shown_default, **shown), *beside)
    if conversion is None:
        several = Chosen() if properties and properties[0].choices else SAME
        conversion = Rounded() if isinstance(default, float) else several
    described = Setting(properties, conversion, option, preset, panel, take, since, before, sparse, constraint)
    return dataclasses.field(default=default, metadata={_KEY: described})


def is_left_out(field: "dataclasses.Field[Any]", value: Any) -> bool:
    """Return whether texts leave out a field with this value.

    >>> import dataclasses
    >>> is_left_out(dataclasses.fields(Settings)[0], dataclasses.fields(Settings)[0].default)
    False
    """
    described = field.metadata.get(_KEY)
    return described is not None and described.sparse and bool(value == field.default)


def settings_in(kind: type) -> dict[str, Setting]:
    """Return the settings of a record's class by field, with the names and defaults of their properties filled in.

    >>> "noise" in settings_in(Settings)
    True
    """
    return _settings_in(kind)


@cache
def _settings_in(kind: type) -> dict[str, Setting]:
    settings = {}
    for field in dataclasses.fields(kind):
        described = field.metadata.get(_KEY)
        if described is not None:
            settings[field.name] = _completed(described, field)
    return settings


def _completed(described: Setting, field: Any) -> Setting:
    named = tuple(dataclasses.replace(item, name=item.name or field.name) for item in described.properties)
    described = dataclasses.replace(described, properties=named)
    if all(item.default is not UNSAID or item.rows for item in named):
        return described
    shown = described.shown(field.default)
    filled = tuple(
        dataclasses.replace(item, default=shown[item.name]) if item.default is UNSAID and not item.rows else item
        for item in named
    )
    return dataclasses.replace(described, properties=filled)


def settle_settings(record: Any) -> None:
    """Convert a frozen record's settings to their types and check their ranges. Raises InputError naming the setting.

    >>> Settings(patch_frames=9.0).patch_frames
    9
    >>> settle_settings(Settings())
    """
    kind: type = type(record)
    settle(record, **_takes(kind))
    check_ranges(record)


def check_ranges(record: Any) -> None:
    """Raise InputError for the first number of a record's settings that is outside its range.

    >>> check_ranges(Settings())
    """
    for name, described in settings_in(type(record)).items():
        value = getattr(record, name)
        for item in value if isinstance(value, tuple) else (value,):
            if isinstance(item, int | float) and not isinstance(item, bool):
                described.properties[0].check(item)


def values_shown(record: Any) -> dict[str, Any]:
    """Return the values of properties for a record; those that are switched off are left out.

    >>> values_shown(Settings(noise=0.5))["noise"]
    0.5
    """
    shown: dict[str, Any] = {}
    for name, described in settings_in(type(record)).items():
        shown |= described.shown(getattr(record, name))
    return shown


def fields_meant(record: Any, values: Any) -> dict[str, Any]:
    """Return a record's settings by field, from a panel's values.

    >>> from types import SimpleNamespace
    >>> panel = SimpleNamespace(**values_shown(Settings(noise=0.5)) | {"feet": (), "joint_weights": ()})
    >>> panel.patch_seconds = getattr(panel, "patch_seconds", 0.3)
    >>> fields_meant(Settings(), panel)["noise"]
    0.5
    """
    settings = settings_in(type(record))
    return {name: described.meant(values, getattr(record, name)) for name, described in settings.items()}


def fields_given(kind: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a record's class, by field, for which at least one property is given by name.

    >>> fields_given(Settings, {"noise": 0.5})
    {'noise': 0.5}
    """
    given = {}
    for name, described in settings_in(kind).items():
        if any(item.name in values for item in described.properties):
            defaults = {item.name: item.default for item in described.properties}
            given[name] = described.meant(SimpleNamespace(**defaults | dict(values)), None)
    return given


def preset_properties(*kinds: type) -> dict[str, Property]:
    """Return the properties that presets of the method include, by name.

    >>> preset_properties(Settings)["noise"].taken(0.5)
    0.5
    """
    held = (described for kind in kinds for described in settings_in(kind).values() if described.preset)
    return {item.name: item for described in held for item in described.properties}


@cache
def _takes(kind: type) -> dict[str, Take]:
    hints = get_type_hints(kind)
    return {name: described.take or take_of(hints[name]) for name, described in settings_in(kind).items()}


def _said(number: float) -> str:
    return f"{number:,}" if float(number).is_integer() and isinstance(number, int) else f"{number:,g}"
