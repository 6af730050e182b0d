# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes of the action that a character plays, measured, and changed to requested values in a new action."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ...core import Progress, computing, counted, parts_of_progress
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
from ..edit_task import EditTask
from .content import Content, read_content
from .record import ATTRIBUTES, recipe_for
from .work import Work
from .writing import Transformed, write_transformed


@dataclass(frozen=True)
class AttributeValue:
    """An attribute of an action, its value, and the range of values in the examples."""

    attribute: Attribute
    value: float
    range: Range


@dataclass(frozen=True)
class ReadAttributes:
    """The attributes of an action, the number of examples that show the same, and the size of the armature's body."""

    values: tuple[AttributeValue, ...]
    examples: int
    size: float


@computing()
def reading_work(
    task: EditTask, further: Sequence[Attribute] = (), progress: Progress | None = None
) -> Work[ReadAttributes, ReadAttributes]:
    """Return the work of reading the attributes of an action, including further ones of bones; it writes nothing.

    Raises InputError where the action or the examples cannot be read, and for a bone without the attribute.
    """
    content, name = read_content(task, progress), task.action.name

    @computing()
    def compute(progress: Progress | None) -> ReadAttributes:
        finding, measuring = parts_of_progress(progress, 2)
        examples = find_examples(content.motion, content.examples, finding)
        return _read(examples, content, name, further, measuring)

    return Work(compute, lambda attributes: attributes)


@dataclass(frozen=True, eq=False)
class _Edited:
    """An edited motion, the examples that limited it, and all its attributes."""

    motion: EditedMotion
    examples: ActionExamples
    attributes: ReadAttributes


@computing()
def attributes_work(
    task: EditTask, asked: str, progress: Progress | None = None
) -> Work[_Edited, tuple[Transformed, ReadAttributes]]:
    """Return the work of giving an action the requested attributes, with everything read; progress: of the reading.

    Its result is the new action, and all its attributes. asked: such as "speed=1.2x, crouch=0.1". Raises InputError for
    a text that cannot be read, an attribute that the action does not have, and a value beyond those of the examples;
    and Cancelled.
    """
    targets = parse_targets(asked)
    content, name = read_content(task, progress), task.action.name
    further = [target.attribute for target in targets if target.attribute.bone]

    @computing()
    def compute(progress: Progress | None) -> _Edited:
        finding, editing, measuring = parts_of_progress(progress, 3)
        examples = find_examples(content.motion, content.examples, finding)
        edited = edit(examples, targets, editing)
        changed = replace(examples, content=edited.motion)
        return _Edited(edited, examples, _read(changed, content, name, further, measuring))

    return Work(compute, lambda edited: (_written(task, content, edited, targets), edited.attributes))


def _written(task: EditTask, content: Content, edited: _Edited, targets: Sequence[Target]) -> Transformed:
    motion, examples = edited.motion, edited.examples
    clips = tuple(content.names[number] for number in examples.numbers)
    recipe = replace(recipe_for(task, ATTRIBUTES, clips), attributes=_asked_text(targets))
    new, notes = write_transformed(task, content, motion.motion, motion.positions, recipe, "Edited")
    outcomes = "; ".join(outcome_text(outcome) for outcome in motion.outcomes)
    among = f"within {counted(len(examples.motions), 'example')} of this action"
    return Transformed(new, f'"{new.name}": {outcomes}, {among}.', notes)


def _read(
    examples: ActionExamples, content: Content, name: str, further: Sequence[Attribute], progress: Progress | None
) -> ReadAttributes:
    """Return the attributes of the content, and the number of examples that are not the action with that name."""
    by_name = {attribute.name: attribute for attribute in (*BODY_ATTRIBUTES, *further)}
    values = [
        AttributeValue(by_name[attribute], examples.own_value(by_name[attribute]), among)
        for attribute, among in examples.ranges(by_name.values(), progress).items()
    ]
    others = sum(content.names[number] != name for number in examples.numbers)
    return ReadAttributes(tuple(values), others, content.motion.skeleton.size)


def _asked_text(targets: Sequence[Target]) -> str:
    return ", ".join(f"{target.attribute.name}={target.value:g}{'x' if target.is_factor else ''}" for target in targets)
