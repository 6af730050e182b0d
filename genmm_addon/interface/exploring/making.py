# SPDX-License-Identifier: GPL-3.0-or-later
"""An action made of a place of a library, which the character then plays; the action that it played is kept."""

from contextlib import ExitStack

import bpy
from bpy.types import Object

from ...generation.outputs import assign_new, check_output
from ...generation.request import Output
from ...libraries.exploring.finding import LaidPlace, action_of
from ...state.pins_editing import leave_editing


def make_action(character: Object, laid: LaidPlace) -> str:
    """Have the character play a new action of a place. Returns sentences on what was done. Raises InputError."""
    check_output(character, Output.NEW_ACTION)
    leave_editing(character)
    with ExitStack() as undoing:
        written = action_of(laid, character)
        undoing.callback(bpy.data.actions.remove, written.action)
        written.action.use_fake_user = True
        remarks = assign_new(character, written, undoing)
        undoing.pop_all()
    return " ".join((f'Action "{written.action.name}" begins at frame {laid.first}.', *remarks))
