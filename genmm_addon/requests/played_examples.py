# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples taken from what a character plays: its action or NLA, or the examples that a played result was made of."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from bpy.types import Action, NlaTrack, Object

from ..animation.actions import MOVING, playing_tracks, plays_more
from ..animation.reading.examples import ExampleSpec
from ..character.redirect import drivers_of
from ..character.tags import tag_of
from ..core import InputError
from ..generation.recipe import recipe_of, request_from_recipe
from ..generation.results import result_tracks
from ..state.pins_editing import is_editing, own_assignment

PlayedRow = tuple[str, tuple[float, float] | None, Any]
"""A text, the frames of an action, and an icon."""


def played_examples(character: Object) -> list[ExampleSpec]:
    """Return what the character plays; for a result, the examples of its recipe.

    That is the active action, or the motion of NLA, constraints and drivers where these move more than the action does.

    Raises InputError where nothing moves the character, and where a result's examples are no longer known.
    """
    result = played_result_action(character)
    if result is not None:
        return _examples_of_result(character, result)
    active = own_assignment(character)
    mixed = active is not None and not is_editing(character) and plays_more(character, _own_tracks(character))
    if active is not None and not mixed:
        return [ExampleSpec(action=active[0], slot=active[1])]
    if not _moved_by_user(character):
        raise InputError(f"{character.name} has no active action; add one to its examples.")
    if is_editing(character):
        raise InputError(f"{character.name} shows its pins instead of its NLA; leave Edit Pins first.")
    plays_action = active is not None and not any(track.is_solo for track in _own_tracks(character))
    first, last = active[0].frame_range[:] if plays_action else (None, None)
    return [ExampleSpec(action=None, frame_start=first, frame_end=last)]


def plays_something(character: Object) -> bool:
    """Return whether the character has an action, NLA strips, constraints or drivers that move it."""
    if own_assignment(character) is not None or played_result_action(character) is not None:
        return True
    return _moved_by_user(character)


def played_result_action(character: Object) -> Action | None:
    """Return the generated action that the character plays as its action or on the NLA tracks of results.

    None where its action is the user's, or where the user's own strips or constraints move it as well.
    """
    active = own_assignment(character)
    if active is not None:
        return active[0] if tag_of(active[0]) is not None else None
    if _moved_by_user(character):
        return None
    tracks = sorted(result_tracks(character), key=lambda track: track.mute)
    return tracks[0].strips[0].action if tracks else None


def learned_instead(character: Object, specs: Sequence[ExampleSpec]) -> str:
    """Return a sentence that names the examples of the result that the character plays; "" where it plays none."""
    result = played_result_action(character)
    if result is None:
        return ""
    names = dict.fromkeys(
        f'"{spec.action.name}"' if spec.action else "the NLA, constraints and drivers" for spec in specs
    )
    return f'Learned from {", ".join(names)}, from which "{result.name}" was made.'


def played_rows(character: Object) -> list[PlayedRow]:
    """Return the panel's rows for an empty list: the text, frames and icon of each example that the character plays."""
    try:
        specs = played_examples(character)
    except InputError:
        # The panel says below what is missing.
        return [("No action yet", None, "INFO")]
    result = played_result_action(character)
    rows: list[PlayedRow] = []
    for spec in specs:
        if spec.action is None:
            rows.append(("NLA, constraints and drivers", None, "NLA"))
            continue
        full_range = spec.action.frame_range
        first = full_range[0] if spec.frame_start is None else spec.frame_start
        rows.append((spec.action.name, (first, full_range[1] if spec.frame_end is None else spec.frame_end), "ACTION"))
    return rows if result is None else [*rows, ("Generated motion is not used", None, "INFO")]


def _moved_by_user(character: Object) -> bool:
    """Return whether constraints, drivers, or NLA strips that are not results, move the character."""
    if _own_tracks(character) or any(_moves(driver.data_path) for driver in drivers_of(character)):
        return True
    return character.pose is not None and any(bone.constraints for bone in character.pose.bones)


def _own_tracks(character: Object) -> list[NlaTrack]:
    """Return the NLA tracks that play and are not results."""
    results = result_tracks(character)
    return [track for track in playing_tracks(character) if track not in results]


def _moves(path: str) -> bool:
    """Return whether a driver of this path moves bones or the object, itself or by a property that others read."""
    return path.startswith(("pose.bones[", "[")) or path in MOVING


def _examples_of_result(character: Object, result: Action) -> list[ExampleSpec]:
    recipe = recipe_of(result)
    if recipe is None:
        raise InputError(f'"{result.name}" does not record its examples any more; add an action to the examples.')
    request = request_from_recipe(recipe)
    if not request.examples:
        raise InputError(
            f'"{result.name}" was made from a library; learn from that library, or add an action to the examples.'
        )
    source = request.armature
    # An example without an action is what the source played, and is read from the source.
    return [
        replace(spec, armature=source)
        if spec.action is None and spec.armature is None and source != character
        else spec
        for spec in request.examples
    ]
