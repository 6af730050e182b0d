# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples that a part draws from, below the list of parts."""

from bpy.types import UILayout

from ...requests.library_values import learns_from_library
from ...state.properties import GENMM_PG_character
from .operators import active_part


def draw_part_examples(layout: UILayout, settings: GENMM_PG_character) -> None:
    """Draw a switch for each example, where there is more than one to choose from."""
    part = active_part(settings)
    if part is None or len(settings.examples) < 2 or learns_from_library(settings):
        return
    layout.prop(part, "use_examples")
    if not part.use_examples:
        return
    column = layout.column(align=True)
    excluded = {row.number for row in part.excluded}
    for number, item in enumerate(settings.examples):
        if item.action is None or not item.enabled:
            continue
        name = item.action.name if item.armature is None else f"{item.action.name} ({item.armature.name})"
        toggle = column.operator(
            "genmm.toggle_part_example",
            text=name,
            icon="CHECKBOX_DEHLT" if number in excluded else "CHECKBOX_HLT",
            translate=False,
        )
        toggle.number = number
