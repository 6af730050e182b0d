# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples chosen in a character's panel: those of its list, or without any what the character plays."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Action, Object, Scene

from ..animation.labels import parse_tags
from ..animation.reading.example_spec import Mirrored
from ..animation.reading.example_takes import InTakes, in_takes, notes_on_takes
from ..animation.reading.examples import ExampleSpec, example_range, has_rest_start, read_examples
from ..character.tags import LABELS_PROPERTY
from ..core import InputError
from ..core.examples import Repetition, check_lengths
from ..generation.direction import PartSpec
from ..generation.generate import SceneReading, read
from ..generation.request import Request
from ..state.pins_editing import own_assignment
from ..state.properties import GENMM_PG_character, GENMM_PG_example
from .played_examples import played_examples, played_result_action


@dataclass(frozen=True)
class ChosenExample:
    """An example, and whether its first frame is left out if it is found to be a rest pose."""

    spec: ExampleSpec
    notice_rest_start: bool


def chosen_examples(character: Object, items: Sequence[GENMM_PG_example]) -> list[ChosenExample]:
    """Return the list's examples in use, or what the character plays where the list is empty. Raises InputError."""
    if not items:
        noticed = played_result_action(character) is None
        return [ChosenExample(spec, notice_rest_start=noticed) for spec in played_examples(character)]
    choices = [choice_of(item) for item in items if item.enabled and item.action is not None]
    if not choices:
        raise InputError("No example in the list is used; choose an action and enable it.")
    return choices


def choice_of(item: GENMM_PG_example) -> ChosenExample:
    """Return the choice that a row of the list stands for."""
    spec = ExampleSpec(
        action=item.action,
        slot=item.slot,
        frame_start=item.frame_start if item.use_range else None,
        frame_end=item.frame_end if item.use_range else None,
        frames_per_second=item.frames_per_second if item.use_rate else None,
        skip_first_frame=item.first_frame == "LEAVE_OUT",
        armature=item.armature,
        tags=parse_tags(item.tags),
        mirrored=Mirrored(item.mirrored),
        repetition=Repetition(item.repetition),
    )
    return ChosenExample(spec, notice_rest_start=item.first_frame == "AUTO")


def read_noticing(request: Request, choices: Sequence[ChosenExample], scene: Scene) -> tuple[Request, SceneReading]:
    """Read the request's examples without the rest poses and the hard cuts that are found in them.

    Return the request that says so too: each example that jumps is replaced by its takes.
    """
    request, reading, _ = read_in_takes(request, choices, scene)
    return request, reading


def read_in_takes(
    request: Request, choices: Sequence[ChosenExample], scene: Scene
) -> tuple[Request, SceneReading, InTakes]:
    """Read as `read_noticing` does, and also return what takes the place of each choice."""
    if request.library is not None:
        return request, read(request, scene), ()
    plain = tuple(choice.spec for choice in choices)
    reading = read(replace(request, examples=plain), scene)
    motions = reading.reading.motions
    specs = tuple(
        replace(choice.spec, skip_first_frame=True)
        if choice.notice_rest_start and has_rest_start(motion)
        else choice.spec
        # The mirror images of examples come after all the examples.
        for choice, motion in zip(choices, motions[: len(choices)], strict=True)
    )
    if specs != plain:
        reading = read(replace(request, examples=specs), scene)
    taken = in_takes(request.armature, specs, reading.reading, scene)
    if notes := notes_on_takes(specs, taken):
        reading = read(with_takes(request, taken), scene)
        reading = replace(reading, reading=replace(reading.reading, notes=(*reading.reading.notes, *notes)))
    return with_takes(request, taken), reading, taken


def with_takes(request: Request, taken: InTakes) -> Request:
    """Return a request whose examples are replaced by their takes, from which its parts draw as well."""
    examples = tuple(spec for takes in taken for spec in takes)
    ends = np.cumsum([len(takes) for takes in taken]).tolist()
    numbers = {
        number: range(end - len(takes), end) for number, (takes, end) in enumerate(zip(taken, ends, strict=True))
    }

    def drawn(part: PartSpec) -> PartSpec:
        if part.examples is None:
            return part
        # Numbers without an example stay so, for the message about them.
        added = len(examples) - len(taken)
        return replace(part, examples=tuple(n for e in part.examples for n in numbers.get(e, [e + added * (e > 0)])))

    return replace(request, examples=examples, parts=tuple(drawn(part) for part in request.parts))


def starts_at_rest(character: Object, item: GENMM_PG_example, scene: Scene) -> bool:
    """Return whether the row's action starts with a rest pose; False for an action that cannot be read."""
    spec = replace(choice_of(item).spec, skip_first_frame=False, armature=None, mirrored=Mirrored.AS_RECORDED)
    try:
        return has_rest_start(read_examples(character, [spec], scene=scene).motions[0])
    except InputError:
        return False


def why_no_example(character: Object, action: Action, scene: Scene) -> str:
    """Return the reason why an action cannot be an example, such as its length; "" if it can."""
    spec = ExampleSpec(action)
    try:
        motions = read_examples(character, [spec], scene=scene).motions
        motions[0].check_values(spec.name)
        check_lengths(motions, [spec.name])
    except InputError as error:
        return str(error)
    return ""


def add_example(character: Object, settings: GENMM_PG_character, action: Action, scene: Scene) -> GENMM_PG_example:
    """Append a row for `action`. An empty list first gets what was learned from so far, unless that is not usable.

    Raises InputError where the action has no keys for the character.
    """
    active = own_assignment(character)
    is_other = active is not None and active[0] not in (action, settings.pins_action)
    if not settings.examples and is_other and not why_no_example(character, active[0], scene):
        keep_examples(character, settings, played_examples(character), scene)
        examples: Sequence[GENMM_PG_example] = settings.examples
        for number, item in enumerate(examples):
            if item.action == action and item.armature is None:
                settings.active_example = number
                return item
    slot = active[1] if active is not None and active[0] == action else ""
    return _append(character, settings, action, slot, scene)


def add_played_example(character: Object, settings: GENMM_PG_character, scene: Scene) -> None:
    """Put what the character plays into an empty list, unless it plays its pins.

    Raises InputError where the action has no keys for the character.
    """
    active = own_assignment(character)
    if active is not None and active[0] != settings.pins_action:
        keep_examples(character, settings, played_examples(character), scene)


def add_example_of(
    other: Object, settings: GENMM_PG_character, active: tuple[Action, str], scene: Scene
) -> GENMM_PG_example:
    """Append a row for an action and slot of another character. Raises InputError where that one has no keys in it."""
    item = _append(other, settings, active[0], active[1], scene)
    item.armature = other
    return item


def keep_examples(character: Object, settings: GENMM_PG_character, specs: Sequence[ExampleSpec], scene: Scene) -> None:
    """Put the examples that were used into an empty list, since the character plays a result from now on."""
    if not settings.examples:
        for spec in specs:
            if spec.action is not None:
                item = _append(spec.armature or character, settings, spec.action, spec.slot, scene)
                item.armature = spec.armature
                _keep_range(item, spec)


def _keep_range(item: GENMM_PG_example, spec: ExampleSpec) -> None:
    """Set the row to the frames and the rate with which the example was used."""
    if spec.frame_start is not None or spec.frame_end is not None:
        item.use_range = True
        item.frame_start = item.frame_start if spec.frame_start is None else spec.frame_start
        item.frame_end = item.frame_end if spec.frame_end is None else spec.frame_end
    if spec.frames_per_second is not None:
        item.use_rate, item.frames_per_second = True, spec.frames_per_second
    item.mirrored, item.repetition = spec.mirrored.value, spec.repetition.value
    if spec.tags:
        item.tags = ", ".join(spec.tags)


def _append(
    character: Object, settings: GENMM_PG_character, action: Action, slot: str, scene: Scene
) -> GENMM_PG_example:
    first, last = example_range(character, ExampleSpec(action, slot), scene)
    item: GENMM_PG_example = settings.examples.add()
    item.action, item.slot = action, slot
    item.frame_start, item.frame_end = first, last
    item.tags = str(action.get(LABELS_PROPERTY, ""))
    item.has_rest_start = starts_at_rest(character, item, scene)
    settings.active_example = len(settings.examples) - 1
    return item
