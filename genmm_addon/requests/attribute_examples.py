# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples that give the range of an action's attributes, and the values that the panel asks for."""

from collections.abc import Sequence

from bpy.types import Action, Object, Scene

from ..animation.reading.example_spec import ExampleSpec
from ..core import InputError
from ..core.manner import with_unit
from ..libraries.indexed_examples import ExampleChoice
from ..state.filling_properties import GENMM_PG_attribute, GENMM_PG_attributes
from .stretch_examples import strip_examples


def attribute_examples(character: Object, scene: Scene, action: Action, others: Sequence[ExampleSpec]) -> ExampleChoice:
    """Return the other actions, or without any what the character learns from. Raises InputError for no examples."""
    return ExampleChoice(tuple(others), None, "") if others else strip_examples(character, scene, [action])


def asked_values(attributes: GENMM_PG_attributes, action: Action) -> str:
    """Return the values requested by the sliders, as text such as "speed=0.7, crouch=0.1".

    Raises InputError where the values were read from another action, and where no slider was moved.
    """
    if attributes.action != action.name:
        raise InputError(f'The values of "{action.name}" have not been read; press Read Values first.')
    moved = [f"{attribute.name}={asked_value(attribute):.9g}" for attribute in attributes.values if attribute.change]
    if not moved:
        raise InputError("No attribute is changed; move one of the sliders.")
    return ", ".join(moved)


def asked_value(attribute: GENMM_PG_attribute) -> float:
    """Return the value requested by a slider."""
    end = attribute.highest if attribute.change > 0 else attribute.lowest
    return float(attribute.value + abs(attribute.change) * (end - attribute.value))


def value_text(attribute: GENMM_PG_attribute) -> str:
    """Return the present value, requested value and range of an attribute as text."""
    to = f" to {asked_value(attribute):.3g}" if attribute.change else ""
    return (
        f"{with_unit(f'{attribute.value:.3g}{to}', attribute.unit)} ({attribute.lowest:.3g} to {attribute.highest:.3g})"
    )
