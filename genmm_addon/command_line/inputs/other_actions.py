# SPDX-License-Identifier: GPL-3.0-or-later
"""Other actions named in a command: actions of the open file, or motion files."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import bpy
from bpy.types import ID, Action

from ...animation.reading.example_spec import ExampleSpec
from ...core import InputError
from ...files.import_file import ENDINGS, is_file
from ..errors import WrongOption, wrong_for_any_input
from .opening import add_examples


@contextmanager
def other_actions(names: Sequence[str]) -> Iterator[tuple[ExampleSpec, ...]]:
    """Yield the actions of these names; for a motion file, its longest action, which exists during the block.

    Raises InputError for an unknown name, and for a file that cannot be read or has several characters.
    """
    brought: set[ID] = set()
    try:
        yield tuple(_other(name, brought) for name in names)
    finally:
        bpy.data.batch_remove(brought & set(bpy.data.user_map()))


def _other(name: str, brought: set[ID]) -> ExampleSpec:
    action: Action | None = bpy.data.actions.get(name)
    if action is not None:
        return ExampleSpec(action)
    path = Path(name)
    if path.suffix.lower() not in ENDINGS:
        raise InputError(f'There is no action "{name}"; choose one of this file, or a motion file.')
    if not is_file(path):
        raise WrongOption(f'"{name}" is neither an action nor a file; check the name and its folder.')
    before = set(bpy.data.user_map())
    with wrong_for_any_input():
        specs, _ = add_examples(path)
    brought |= set(bpy.data.user_map()) - before
    if len(specs) > 1:
        raise WrongOption(f'"{path.name}" has several characters; use a file with one.')
    return specs[0]
