# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's list of variations, with the buttons that show, keep and regenerate them."""

from bpy.types import Context, Panel, Scene, UILayout

from ...generation.measures import measures_of
from ...generation.results import Variation
from ...generation.sources import PlayedResult, played_result
from ...state.selection import character_of
from ..common.choice_operator import draw_choice
from ..common.drawing import MOST_ROWS, draw_end
from ..common.sidebar import SidebarPanel
from ..library.drawing import draw_clips
from .compare_operators import are_overlaid
from .shown import (
    beyond_playback,
    current_of,
    is_of_library,
    is_separate,
    made_with,
    measured_lines,
    measured_words,
    recipe_text,
    shown_variations,
)
from .transitions import draw_flaws, draw_transitions


class GENMM_PT_results(SidebarPanel, Panel):
    bl_label = "Results"
    bl_order = 1
    help_page = "results"

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Return whether the selected character has results or is one."""
        return bool(shown_variations(character_of(context), context.scene))

    def draw(self, context: Context) -> None:
        """Draw the variations of one batch, and the operators on the selected one."""
        character = character_of(context)
        variations = shown_variations(character, context.scene)
        current = current_of(variations, character)
        column = self.layout.column(align=True)
        for variation in variations:
            _draw_variation(column, variation, current)
        if current is not None and len(variations) > 1:
            keep = self.layout.operator("genmm.keep_variation", text="Keep Only This", icon="CHECKMARK")
            keep.number = current.number
        _draw_compare(self.layout, variations)
        _draw_end(self.layout, variations, context.scene)
        if current is not None:
            _draw_lines(self.layout, "Made With", made_with(recipe_text(current)))
            _draw_lines(self.layout, "Measured", measured_lines(measures_of(current.action)))
        played = played_result(character)
        if played is not None:
            draw_transitions(self.layout, played, context.scene)
            draw_flaws(self.layout, played, context.scene)
        if current is not None:
            _draw_again(self.layout, current)
        if played is not None:
            _draw_sources(self.layout, played, context.scene)


def _draw_variation(layout: UILayout, variation: Variation, current: Variation | None) -> None:
    is_current = current is not None and current.number == variation.number
    text = ", ".join((f"{variation.number}: Seed {variation.seed}", *measured_words(measures_of(variation.action))))
    row = layout.row(align=True)
    row.operator("genmm.show_variation", text=text, depress=is_current).number = variation.number
    if is_separate(variation):
        row.operator("genmm.apply_variation", text="", icon="ARMATURE_DATA").number = variation.number


def _draw_compare(layout: UILayout, variations: list[Variation]) -> None:
    """Draw the buttons for viewing the variations."""
    column = layout.column(align=True)
    if is_separate(variations[0]):
        row = column.row(align=True)
        overlaid = are_overlaid(variations[0].batch)
        draw_choice(row, "genmm.compare_variations", "IN_PLACE", by="action", text="Compare in Place", depress=overlaid)


def _draw_end(layout: UILayout, variations: list[Variation], scene: Scene) -> None:
    """Draw a button that extends playback, where the motion ends after the scene."""
    last = beyond_playback(variations, scene)
    if last:
        draw_end(layout, last, scene)


def _draw_lines(layout: UILayout, title: str, lines: list[tuple[str, str]]) -> None:
    if not lines:
        return
    column = layout.box().column(align=True)
    column.label(text=title)
    for name, value in lines:
        row = column.split(factor=0.4)
        row.label(text=name)
        row.label(text=value, translate=False)


def _draw_sources(layout: UILayout, played: PlayedResult, scene: Scene) -> None:
    """Draw the example and frame that the current frame came from, with buttons that go there."""
    sources = played.sources
    if is_of_library(played.action):
        draw_clips(layout, sources)
    column = layout.column(align=True)
    for number, part in enumerate(sources.parts[:MOST_ROWS], 1):
        at = sources.of_frame(scene.frame_current - played.offset, number - 1)
        text = "Go to Source Frame" if at is None else f"{at[1]:.0f} in {sources.examples[at[0]].title}"
        if len(sources.parts) > 1:
            text = f"{part.name}: {text}"
        row = column.row()
        row.enabled = at is not None
        row.operator("genmm.go_to_source", text=text, icon="TRACKING_BACKWARDS_SINGLE").part = number


def _draw_again(layout: UILayout, variation: Variation) -> None:
    recipe = recipe_text(variation)
    if recipe:
        column = layout.column(align=True)
        column.operator("genmm.generate_motion", text="Regenerate", icon="FILE_REFRESH").recipe = recipe
        other = column.operator("genmm.generate_motion", text="Regenerate with New Seed")
        other.recipe, other.other_seed = recipe, True
