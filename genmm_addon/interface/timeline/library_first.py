# SPDX-License-Identifier: GPL-3.0-or-later
"""Base of operators that take motion from a library, which is prepared first, in a thread."""

from typing import Any

from bpy.props import StringProperty
from bpy.types import Context

from ...libraries.choosing import LibraryChoice
from ...libraries.indexed_examples import keep_examples, library_to_prepare
from ...requests.edit_examples import library_examples
from ...state.selection import character_of
from ..common.preparing_first import Preparation, PreparingFirst


def other_library() -> Any:
    """Return the property of an operator's `library`."""
    return StringProperty(
        name="Library",
        description="The file of a library to learn from; empty means what the character learns from",
        options={"SKIP_SAVE"},
    )


class LibraryFirst(PreparingFirst):
    """Mixin placed before `bpy.types.Operator`, and before bases with an `invoke` of their own."""

    def library_asked_for(self, context: Context) -> str:
        """Return the file of a library to use instead of the character's; "" for the character's."""
        return str(getattr(self, "library", ""))

    def library_choice(self, context: Context) -> LibraryChoice | None:
        """Return the choice of the library to use instead; None for what the character learns from."""
        file = self.library_asked_for(context)
        return LibraryChoice((file,)) if file else None

    def to_prepare(self, context: Context) -> Preparation | None:
        """Return the preparation of the library's clips for this character; None where done. Raises InputError."""
        character = character_of(context)
        if character is None:
            return None
        choice = library_examples(character, context.scene, self.library_choice(context))
        waiting = None if choice is None else library_to_prepare(character, context.scene, choice)
        return None if waiting is None else Preparation(waiting.clips.frames, waiting.prepared, keep_examples)
