# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples that give the range of an action's attributes, and the values that the panel asks for."""

from collections.abc import Sequence

import bpy
from bpy.types import Action, Object, Scene

from ..animation.reading.example_spec import ExampleSpec
from ..core import InputError
from ..core.manner import AttributeKind, attribute_named, with_unit
from ..libraries.indexed_examples import ExampleChoice
from ..state.edit_properties import GENMM_PG_attribute, GENMM_PG_attributes
from .edit_examples import strip_examples

NARROW = 0.05
"""Width of a range, as a share of its largest value, below which a change is lost among the strides: those of the
sample's steady walk differ by 1.5 % in speed, 2 in step length and crouch, and 4 in the height of arms."""


def attribute_examples(character: Object, scene: Scene, action: Action, others: Sequence[ExampleSpec]) -> ExampleChoice:
    """Return the other actions, or without any what the character learns from. Raises InputError for no examples."""
    return ExampleChoice(tuple(others), None, "") if others else strip_examples(character, scene, [action])


def asked_values(attributes: GENMM_PG_attributes, action: Action) -> str:
    """Return the values requested by the sliders, as text such as "speed=1.1x, crouch=0.1".

    Raises InputError where the values were read from another action, and where no slider was moved.
    """
    if attributes.action != action.name:
        raise InputError(f'The values of "{action.name}" have not been read; press Read Values first.')
    moved = [f"{attribute.name}={_asked_text(attribute)}" for attribute in attributes.values if attribute.change]
    if not moved:
        raise InputError("No attribute is changed; move one of the sliders.")
    return ", ".join(moved)


def asked_value(attribute: GENMM_PG_attribute) -> float:
    """Return the value requested by a slider."""
    end = attribute.highest if attribute.change > 0 else attribute.lowest
    return float(attribute.value + abs(attribute.change) * (end - attribute.value))


def _asked_text(attribute: GENMM_PG_attribute) -> str:
    """Return a requested value as text: a length as a factor, since its unit is the body's size, which nobody sees."""
    asked = asked_value(attribute)
    is_length = attribute_named(attribute.name).kind.is_length
    return f"{asked / attribute.value:.9g}x" if is_length and attribute.value else f"{asked:.9g}"


def is_narrow(attribute: GENMM_PG_attribute) -> bool:
    """Return whether the examples differ too little in an attribute for its slider to change anything visible."""
    largest = max(abs(attribute.lowest), abs(attribute.highest))
    return bool(attribute.highest - attribute.lowest <= NARROW * largest)


def value_text(attribute: GENMM_PG_attribute, size: float, scene: Scene) -> str:
    """Return an attribute's present value, requested value and range as text; in place of a narrow range, a reason.

    size: the body's size in the scene, the unit of lengths, which are shown in m, in ft or in units of the scene; 0 if
    it is not known, as in files of earlier versions.
    """
    factor, unit = _shown_unit(attribute_named(attribute.name).kind, size, scene)
    values = (attribute.value, asked_value(attribute), attribute.lowest, attribute.highest)
    now, asked, lowest, highest = (f"{factor * value:.3g}" for value in values)
    among = "examples differ too little" if is_narrow(attribute) else f"{lowest} to {highest}"
    return f"{with_unit(f'{now} to {asked}' if attribute.change else now, unit)} ({among})"


def _shown_unit(kind: AttributeKind, size: float, scene: Scene) -> tuple[float, str]:
    """Return the factor into the unit in which the panel shows values, and that unit."""
    unit = kind.unit
    if unit.startswith("of "):
        return 100.0, f"% {unit}"
    if not kind.is_length or not size:
        return 1.0, unit
    units = scene.unit_settings
    if units.system == "NONE":
        return size, unit.replace("body sizes", "units")
    name = "ft" if units.system == "IMPERIAL" else "m"
    meters = bpy.utils.units.to_value(units.system, "LENGTH", f"1{name}")
    return size * units.scale_length / meters, unit.replace("body sizes", name)
