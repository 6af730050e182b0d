# SPDX-License-Identifier: GPL-3.0-or-later
"""Performances: steered motion as an action, with its record, and made again at full quality."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np
from bpy.types import Action, Object, Scene

from ..animation.actions import assign, assigned
from ..animation.reading.evaluation import LAST_FRAME
from ..animation.reading.stretch import read_stretch
from ..animation.stretches.editing import edited_in_place
from ..animation.stretches.generated import remember_generated
from ..animation.writing import write_action
from ..core import Float64, InputError, LabelStretch, Motion, Synthesis, computing
from ..core.live import KEPT_WITHIN, farthest, polish
from ..core.motion import RootPlan, joined
from ..core.storage import Malformed, read_record, stored
from ..libraries.indexed_examples import ExampleChoice, ready_examples
from .session import EVERY, PACES, Session, names_of_styles, styles_of

PROPERTY = "genmm_performed"
"""Property of an action: its recipe as JSON. Files hold it: its name and fields stay."""
VERSION = 1
LONGEST_TEXT = 2**22

Value = TypeVar("Value")
MISSED = 2.0 * KEPT_WITHIN
"""Distance from the performed path above which a note is shown, in sizes of the body."""
SEEN_SECONDS = 0.5
"""Minimum visible duration of a style, in seconds; a shorter one is a transition between others."""


@dataclass(frozen=True)
class Performed:
    """A performed action, and the name of the action that it replaces on the character, "" for none."""

    action: Action
    frames: int
    before: str


def write_performance(character: Object, session: Session, first: float) -> Performed:
    """Write a session's motion as a new action that starts at a frame, and have the character play it.

    The former action is kept. Raises InputError, with nothing changed, where nothing was played and where the action
    cannot be assigned.
    """
    if len(session.frames) < 2:
        raise InputError("No performance was recorded; steer the character first.")
    motion = joined(session.frames)
    keyed = session.steering.examples.reading.keyed
    written = write_action(motion, keyed, character, name=f"{character.name} Live", frame_start=first)
    before = assigned(character)
    written.action[PROPERTY] = recipe_text(session, first)
    with edited_in_place(written.action, written.slot):
        remember_generated(written.action, first, first + motion.frames - 1)
    if before is not None and before[0].library is None:
        before[0].use_fake_user = True
    assign(character, written.action, written.slot)
    return Performed(written.action, motion.frames, "" if before is None else str(before[0].name))


def recipe_text(session: Session, first: float) -> str:
    """Return the recipe of a performance: its examples, and the style and pace at each frame."""
    steering = session.steering
    choice, names, styles = steering.choice, steering.examples.names, steering.styles
    of_motions = names_of_styles(styles, len(names))
    wishes = [(styles[style].name, PACES[pace]) for style, pace in session.wishes]
    return json.dumps(
        {
            "version": VERSION,
            "first": first,
            "frames": len(session.frames),
            "responsiveness": steering.controller.responsiveness,
            "libraries": list(choice.library.files) if choice.library else [],
            "tags": choice.library.tags if choice.library else "",
            "actions": [spec.action.name for spec in choice.specs if spec.action is not None],
            "sources": [names[number] for number in sorted(set(session.shown))],
            "wishes": [(frame, *said) for frame, said in _changes(wishes)],
            "shown": _changes([of_motions[number] for number in session.shown]),
        }
    )


def _changes(values: Sequence[Value]) -> list[tuple[int, Value]]:
    """Return each value that differs from the one before, with its index.

    >>> _changes("aab")
    [(0, 'a'), (2, 'b')]
    """
    return [(number, value) for number, value in enumerate(values) if not number or value != values[number - 1]]


def performed_actions(action: Action | None) -> tuple[str, ...]:
    """Return the names of the actions that a performed action was made from; none for any other action."""
    names = (stored(action, PROPERTY, dict[str, Any], LONGEST_TEXT) or {}).get("actions")
    return tuple(name for name in names if isinstance(name, str)) if isinstance(names, list) else ()


@dataclass(frozen=True)
class Record:
    """The part of a performance's recipe that polishing needs.

    sources: names of the motions that it showed. wishes: the first frame, from 0, and the names of each stretch's style
    and pace. shown: the first frame and the style of each stretch that it showed; earlier versions stored none.
    """

    first: float
    frames: int
    sources: tuple[str, ...]
    wishes: tuple[tuple[int, str, str], ...]
    shown: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class Polished:
    """A polished action. missed: notes where it deviates from the performed path or styles, or ""."""

    action: Action
    missed: str


def record_of(action: Action | None) -> Record | None:
    """Return the record stored on a performed action; None for any other, and where it cannot be read."""
    values = stored(action, PROPERTY, dict[str, Any], LONGEST_TEXT) or {}
    try:
        record = read_record(
            Record,
            {
                field.name: values[field.name]
                for field in fields(Record)
                if field.name in values or field.name != "shown"
            },
            "performance",
        )
    except (KeyError, Malformed):
        return None
    in_order = all(
        begins == sorted(begins) and min(begins, default=0) >= 0
        for begins in ([stretch[0] for stretch in record.wishes], [stretch[0] for stretch in record.shown])
    )
    return record if in_order and 1 <= record.frames <= LAST_FRAME else None


@computing()
def polish_action(
    character: Object, scene: Scene, action: Action, slot: str, choice: ExampleChoice, seed: int = 0
) -> Polished:
    """Regenerate a performed action as a new one that the character plays; the performed one is kept.

    It uses the motions that the performance shows. Raises InputError, with nothing changed, where the action
    was not performed, and where its examples are no longer the same.
    """
    record = record_of(action)
    if record is None:
        raise InputError(f'Action "{action.name}" was not performed; steer the character first.')
    examples = ready_examples(character, scene, choice)
    chosen = [number for number, name in enumerate(examples.names) if name in record.sources]
    if not chosen:
        raise InputError(
            f'The examples that "{action.name}" shows are not among those of the character; choose them again.'
        )
    prepared = examples.prepared
    names = names_of_styles(styles_of(choice, examples.names), len(examples.names))
    frames = record.first + np.arange(record.frames, dtype=np.float64)
    performed = read_stretch(character, examples.reading, action, slot, frames, prepared.index.frames_per_second)
    root = performed.skeleton.names[prepared.index.space.plan.joint]
    tags = [names[number] for number in chosen]
    motions = [prepared.motions[number] for number in chosen]
    stretches = _stretches(record, tags, performed.frames_per_second)
    synthesis = polish(motions, performed, tags, stretches, seed=seed, root=root)
    made = synthesis.motion
    called = f"{action.name} Polished"
    written = write_action(made, examples.reading.keyed, character, name=called, frame_start=record.first)
    written.action[PROPERTY] = action[PROPERTY]
    with edited_in_place(written.action, written.slot):
        remember_generated(written.action, record.first, record.first + record.frames - 1)
    action.use_fake_user = True
    assign(character, written.action, written.slot)
    missed = _missed(made, performed, prepared.index.space.plan, frames)
    unkept = _unkept(stretches, synthesis, tags, record.first)
    return Polished(written.action, " ".join(filter(None, (missed, unkept))))


def _missed(made: Motion, performed: Motion, root: RootPlan, frames: Float64) -> str:
    """Return a sentence where a motion is farther than MISSED from the performed way, else ""."""
    frame, gap = farthest(made, performed, root)
    if gap <= MISSED:
        return ""
    return (
        f"At frame {frames[frame]:.0f}, it is {gap:.2f} body sizes off the performed path, which its clips cannot "
        "follow."
    )


def _stretches(record: Record, tags: list[str], rate: float) -> list[LabelStretch]:
    """Return the stretches of the styles that were shown, or else chosen, without very short ones."""
    wishes = tuple((frame, style) for frame, style, _ in record.wishes if style != EVERY.name)
    begins = record.shown or wishes
    edges = [frame for frame, _ in record.shown or [(frame, "") for frame, _, _ in record.wishes]]
    ends = {frame: after - 1 for frame, after in zip(edges, [*edges[1:], record.frames], strict=True)}
    least = SEEN_SECONDS * rate if record.shown else 1.0
    return [
        LabelStretch(style, first, ends[first])
        for first, style in begins
        if style in tags and style and ends[first] - first + 1 >= least
    ]


def _unkept(stretches: list[LabelStretch], made: Synthesis, tags: list[str], first: float) -> str:
    """Return a sentence on the styles that a motion shows for less than half of their time, else ""."""
    shown = [tags[number] for number in made.source_examples[:, 0].tolist()]
    lost = [
        f"{stretch.tag} at {first + stretch.first:.0f}-{first + stretch.last:.0f}"
        for stretch in stretches
        if 2 * shown[stretch.first : stretch.last + 1].count(stretch.tag) < stretch.last - stretch.first + 1
    ]
    return f"Styles that could not be kept, with their frames: {', '.join(lost)}." if lost else ""
