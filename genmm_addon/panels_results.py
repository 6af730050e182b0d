# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's list of variations: look at each, keep one, run one again."""

import bpy
from bpy.types import Context, Panel, UILayout

from .panels_generate import SidebarPanel
from .results import Variation, current_variation
from .selection import character_of
from .shown_results import recipe_text, shown_variations


class GENMM_PT_results(SidebarPanel, Panel):
    bl_label = "Results"

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Whether the selected character has results, or is one."""
        return bool(shown_variations(character_of(context), context.scene))

    def draw(self, context: Context) -> None:
        """The variations of one press, and what to do with the selected one."""
        character = character_of(context)
        current = current_variation(character)
        variations = shown_variations(character, context.scene)
        column = self.layout.column(align=True)
        for variation in variations:
            _draw_variation(column, variation, current, alone=len(variations) == 1)
        if current is not None:
            _draw_again(self.layout, current)


def _draw_variation(layout: UILayout, variation: Variation, current: Variation | None, *, alone: bool) -> None:
    row = layout.row(align=True)
    is_current = current is not None and current.number == variation.number
    text = f"{variation.number}: Seed {variation.seed}"
    row.operator("genmm.show_variation", text=text, depress=is_current).number = variation.number
    if not alone:
        row.operator("genmm.keep_variation", text="Keep This One", icon="CHECKMARK").number = variation.number


def _draw_again(layout: UILayout, variation: Variation) -> None:
    recipe = recipe_text(variation)
    if recipe:
        row = layout.row(align=True)
        row.operator("genmm.generate_motion", text="Run Again", icon="FILE_REFRESH").recipe = recipe
        other = row.operator("genmm.generate_motion", text="With New Seed")
        other.recipe, other.other_seed = recipe, True
    layout.operator("genmm.select_source", icon="LOOP_BACK")


CLASSES = (GENMM_PT_results,)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
