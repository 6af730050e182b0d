# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes of the action that a character plays: read, and brought to values that are asked for."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bpy.types import Action, Object, Scene

from ..core import counted
from ..core.attributes import (
    BODY_ATTRIBUTES,
    Attribute,
    Examples,
    Range,
    Target,
    edit,
    find_examples,
    outcome_text,
    parse_targets,
)
from ..core.memory import memory_errors_told
from ..filling.examples import ExampleChoice
from .content import Content, read_content
from .record import ATTRIBUTES, Recipe
from .restyling import Transformed
from .writing import write_transformed


@dataclass(frozen=True)
class AttributeValue:
    """An attribute of an action, its value, and the range that examples have."""

    attribute: Attribute
    value: float
    range: Range


@dataclass(frozen=True)
class ReadAttributes:
    """The attributes of an action, and how many examples show the same action."""

    values: tuple[AttributeValue, ...]
    examples: int


@memory_errors_told()
def read_attributes(
    character: Object,
    scene: Scene,
    action: Action,
    slot: str,
    choice: ExampleChoice,
    further: Sequence[Attribute] = (),
) -> ReadAttributes:
    """Return the attributes that an action has, further ones of bones included.

    Raises InputError where the action or the examples cannot be read, and for a bone without the attribute.
    """
    content = read_content(character, scene, action, slot, choice, fitting=False)
    return _read(find_examples(content.motion, content.examples), content, action, further)


@memory_errors_told()
def edit_attributes(
    character: Object, scene: Scene, action: Action, slot: str, choice: ExampleChoice, asked: str
) -> tuple[Transformed, ReadAttributes]:
    """Return a new action that the character plays, an action with attributes of other values, and all that it has.

    asked: such as "speed=1.2x, crouch=0.1". Raises InputError, with nothing changed, for a text that cannot be read, an
    attribute that the action does not have, and a value beyond those of the examples.
    """
    targets = parse_targets(asked)
    content = read_content(character, scene, action, slot, choice, fitting=False)
    examples = find_examples(content.motion, content.examples)
    made = edit(examples, targets)
    recipe = Recipe(
        ATTRIBUTES,
        action.name,
        library=choice.library.files[0] if choice.library else "",
        tags=choice.library.tags if choice.library else "",
        attributes=_asked_text(targets),
        clips=tuple(content.names[number] for number in examples.numbers),
    )
    new = write_transformed(character, action, slot, content, made.motion, recipe, f"{action.name} Edited")
    outcomes = "; ".join(outcome_text(outcome) for outcome in made.outcomes)
    among = f"within {counted(len(examples.motions), 'example')} of this action"
    further = [target.attribute for target in targets if target.attribute.bone]
    read = _read(replace(examples, content=made.motion), content, action, further)
    return Transformed(new, f'"{new.name}": {outcomes}, {among}.', content.notes), read


def _read(examples: Examples, content: Content, action: Action, further: Sequence[Attribute]) -> ReadAttributes:
    """Return the attributes of the content of examples, and how many of them are not the action itself."""
    found = {one.name: one for one in (*BODY_ATTRIBUTES, *further)}
    values = [
        AttributeValue(found[name], examples.own_value(found[name]), among)
        for name, among in examples.ranges(found.values()).items()
    ]
    others = sum(content.names[number] != action.name for number in examples.numbers)
    return ReadAttributes(tuple(values), others)


def _asked_text(targets: Sequence[Target]) -> str:
    return ", ".join(f"{target.attribute.name}={target.value:g}{'x' if target.is_factor else ''}" for target in targets)
