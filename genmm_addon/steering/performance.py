# SPDX-License-Identifier: GPL-3.0-or-later
"""The action that a session leaves on the character, with its recipe."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from bpy.types import Action, Object

from ..animation.actions import assign, assigned
from ..animation.stretches.editing import edited_in_place
from ..animation.stretches.generated import remember_generated
from ..animation.writing import write_action
from ..core import InputError
from ..core.motion import joined
from ..core.storage import stored
from .session import PACES, Session, names_of_styles

PROPERTY = "genmm_performed"
"""Property of an action: its recipe as JSON. Files hold it: its name and fields stay."""
VERSION = 1
LONGEST_TEXT = 2**22

Value = TypeVar("Value")


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
