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
from .transform_examples import transform_examples


def attribute_examples(
    character: Object,
    scene: Scene,
    action: Action,
    others: Sequence[ExampleSpec],
    library: str,
    tags: str,
    *,
    from_library: bool,
) -> ExampleChoice:
    """Return the clips of a library that have some tags, or the other actions, or else what the character learns from.

    Raises InputError where there are no examples, and for tags that cannot be read.
    """
    if from_library:
        return transform_examples(character, scene, action, None, library, tags, from_library=True)
    if not others:
        return strip_examples(character, scene, [action])
    return ExampleChoice(tuple(others), None, "")


def asked_values(attributes: GENMM_PG_attributes, action: Action) -> str:
    """Return the values that the sliders ask for, as text such as "speed=0.7, crouch=0.1".

    Raises InputError where the values were read from another action, and where no slider was moved.
    """
    if attributes.action != action.name:
        raise InputError(f'The values of "{action.name}" have not been read yet; press Read Values first.')
    moved = [f"{one.name}={asked_value(one):.9g}" for one in attributes.values if one.change]
    if not moved:
        raise InputError("No attribute is to be changed; move one of the sliders.")
    return ", ".join(moved)


def asked_value(one: GENMM_PG_attribute) -> float:
    """Return the value that a slider asks for."""
    end = one.highest if one.change > 0 else one.lowest
    return float(one.value + abs(one.change) * (end - one.value))


def value_text(one: GENMM_PG_attribute) -> str:
    """Return an attribute's present value, the value asked for, and its range, in words."""
    to = f" to {asked_value(one):.3g}" if one.change else ""
    return f"{with_unit(f'{one.value:.3g}{to}', one.unit)} ({one.lowest:.3g} to {one.highest:.3g})"
