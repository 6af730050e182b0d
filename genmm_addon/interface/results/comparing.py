# SPDX-License-Identifier: GPL-3.0-or-later
"""Comparison of a batch's variations: in the original's place, one alone, one after another."""

from collections.abc import Sequence

import bpy
from bpy.types import Context, Object

from ...character.placement import is_overlaid, set_overlaid
from ...character.tags import tagged
from ...generation.request import Output
from ...generation.results import Variation, show_variation
from .shown import current_of

HIDDEN_PROPERTY = "genmm_hidden"
"""Custom property of objects that are hidden because another variation is shown alone."""


def are_overlaid(batch: str) -> bool:
    """Return whether the batch's characters are shown in the original's place."""
    return any(is_overlaid(thing) for thing, _ in tagged(bpy.data.objects, batch))


def overlay(batch: str, *, overlaid: bool) -> int:
    """Show the batch's characters in the original's place, or each in its own; return the number of moved objects."""
    return sum(set_overlaid(thing, overlaid) for thing, _ in tagged(bpy.data.objects, batch))


def is_one_alone(batch: str) -> bool:
    """Return whether some of the batch's characters are hidden because another is shown alone."""
    return any(thing.get(HIDDEN_PROPERTY) for thing, _ in tagged(bpy.data.objects, batch))


def show_alone(context: Context, variation: Variation) -> None:
    """Hide the batch's other characters; objects that the user hid stay hidden when these are shown again."""
    show_together(context, variation.batch)
    layer = context.view_layer
    for thing, tag in tagged(bpy.data.objects, variation.batch):
        if tag.number != variation.number and _is_in(context, thing) and not thing.hide_get(view_layer=layer):
            thing[HIDDEN_PROPERTY] = True
            thing.hide_set(True, view_layer=layer)


def show_together(context: Context, batch: str) -> None:
    """Show the objects that `show_alone` hid."""
    for thing, _ in tagged(bpy.data.objects, batch):
        if thing.get(HIDDEN_PROPERTY):
            del thing[HIDDEN_PROPERTY]
            if _is_in(context, thing):
                thing.hide_set(False, view_layer=context.view_layer)


def step(context: Context, character: Object | None, variations: Sequence[Variation], by: int) -> Variation:
    """Show the next variation (`by` 1) or the previous one (-1), in a circle; alone if one was shown alone before.

    Raises InputError where it cannot be shown.
    """
    current = current_of(variations, character)
    numbers = [variation.number for variation in variations]
    if current is not None:
        chosen = variations[(numbers.index(current.number) + by) % len(variations)]
    else:
        chosen = variations[0 if by > 0 else -1]
    alone = chosen.output is Output.NEW_CHARACTER and is_one_alone(chosen.batch)
    if alone:
        show_together(context, chosen.batch)
    show_variation(context, chosen)
    if alone:
        show_alone(context, chosen)
    return chosen


def _is_in(context: Context, thing: Object) -> bool:
    return thing.name in context.view_layer.objects
