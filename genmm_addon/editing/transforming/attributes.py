# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes of the action that a character plays, measured, and changed to requested values in a new action."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bpy.types import Action, Object, Scene

from ...core import Progress, counted, part_of_progress
from ...core.examples import memory_errors_told
from ...core.manner import (
    BODY_ATTRIBUTES,
    ActionExamples,
    Attribute,
    EditedMotion,
    Range,
    Target,
    edit,
    find_examples,
    outcome_text,
    parse_targets,
)
from ...libraries.indexed_examples import ExampleChoice
from .content import Content, read_content
from .record import ATTRIBUTES, EditRecipe
from .restyling import READING, Transformed
from .work import Work
from .writing import NewActionPlace, write_transformed

FINDING = 0.6
"""Share of the computing time in which the examples of the same action are found."""
MEASURED = 0.9
"""Share of the computing time after which an edited action is measured."""


@dataclass(frozen=True)
class AttributeValue:
    """An attribute of an action, its value, and the range of values in the examples."""

    attribute: Attribute
    value: float
    range: Range


@dataclass(frozen=True)
class ReadAttributes:
    """The attributes of an action, and the number of examples that show the same action."""

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
    """Return the attributes of an action, including further ones of bones.

    Raises InputError where the action or the examples cannot be read, and for a bone without the attribute.
    """
    return reading_work(character, scene, action, slot, choice, further).done()


@memory_errors_told()
def reading_work(
    character: Object,
    scene: Scene,
    action: Action,
    slot: str,
    choice: ExampleChoice,
    further: Sequence[Attribute] = (),
) -> Work[ReadAttributes, ReadAttributes]:
    """Return the work of `read_attributes`, with nothing to write. Raises as it does."""
    content, name = read_content(character, scene, action, slot, choice), action.name

    @memory_errors_told()
    def compute(progress: Progress | None) -> ReadAttributes:
        examples = find_examples(content.motion, content.examples, part_of_progress(progress, 0.0, FINDING))
        return _read(examples, content, name, further, part_of_progress(progress, FINDING, 1.0))

    return Work(compute, lambda read: read)


@memory_errors_told()
def edit_attributes(
    character: Object,
    scene: Scene,
    action: Action,
    slot: str,
    choice: ExampleChoice,
    asked: str,
    progress: Progress | None = None,
) -> tuple[Transformed, ReadAttributes]:
    """Have the character play a new action with the requested attributes; return it, and all its attributes.

    asked: such as "speed=1.2x, crouch=0.1". Raises InputError, with nothing changed, for a text that cannot be read, an
    attribute that the action does not have, and a value beyond those of the examples; and Cancelled.
    """
    reading, computing = (part_of_progress(progress, *share) for share in ((0.0, READING), (READING, 1.0)))
    return attributes_work(character, scene, action, slot, choice, asked, reading).done(computing)


@dataclass(frozen=True, eq=False)
class _Made:
    """An edited motion, the examples that limited it, and all its attributes."""

    examples: ActionExamples
    edited: EditedMotion
    read: ReadAttributes


@memory_errors_told()
def attributes_work(
    character: Object,
    scene: Scene,
    action: Action,
    slot: str,
    choice: ExampleChoice,
    asked: str,
    progress: Progress | None = None,
) -> Work[_Made, tuple[Transformed, ReadAttributes]]:
    """Return the work of `edit_attributes`, with everything read; progress: of the reading. Raises as it does."""
    targets = parse_targets(asked)
    content, name = read_content(character, scene, action, slot, choice, progress), action.name
    further = [target.attribute for target in targets if target.attribute.bone]

    @memory_errors_told()
    def compute(progress: Progress | None) -> _Made:
        examples = find_examples(content.motion, content.examples, part_of_progress(progress, 0.0, FINDING))
        made = edit(examples, targets, part_of_progress(progress, FINDING, MEASURED))
        measuring = part_of_progress(progress, MEASURED, 1.0)
        return _Made(examples, made, _read(replace(examples, content=made.motion), content, name, further, measuring))

    def write(made: _Made) -> tuple[Transformed, ReadAttributes]:
        place = NewActionPlace(character, scene, action, slot)
        return _written(place, choice, content, made, _asked_text(targets)), made.read

    return Work(compute, write)


def _written(place: NewActionPlace, choice: ExampleChoice, content: Content, made: _Made, asked: str) -> Transformed:
    action, examples, edited = place.action, made.examples, made.edited
    recipe = EditRecipe(
        ATTRIBUTES,
        action.name,
        library=choice.library.files[0] if choice.library else "",
        tags=choice.library.tags if choice.library else "",
        attributes=asked,
        clips=tuple(content.names[number] for number in examples.numbers),
    )
    new, notes = write_transformed(place, content, edited.motion, edited.positions, recipe, f"{action.name} Edited")
    outcomes = "; ".join(outcome_text(outcome) for outcome in edited.outcomes)
    among = f"within {counted(len(examples.motions), 'example')} of this action"
    return Transformed(new, f'"{new.name}": {outcomes}, {among}.', (*content.notes, *notes))


def _read(
    examples: ActionExamples, content: Content, name: str, further: Sequence[Attribute], progress: Progress | None
) -> ReadAttributes:
    """Return the attributes of the content, and the number of examples that are not the action with that name."""
    found = {one.name: one for one in (*BODY_ATTRIBUTES, *further)}
    values = [
        AttributeValue(found[attribute], examples.own_value(found[attribute]), among)
        for attribute, among in examples.ranges(found.values(), progress).items()
    ]
    others = sum(content.names[number] != name for number in examples.numbers)
    return ReadAttributes(tuple(values), others)


def _asked_text(targets: Sequence[Target]) -> str:
    return ", ".join(f"{target.attribute.name}={target.value:g}{'x' if target.is_factor else ''}" for target in targets)
