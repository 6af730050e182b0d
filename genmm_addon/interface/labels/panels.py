# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel of labels, which say which examples to show at which frames."""

from bpy.types import Context, Panel, UILayout

from ..common.drawing import draw_row, draw_row_list, draw_sentence
from ..common.sidebar import DirectSubPanel
from .shown import ShownLabels, shown_labels


class GENMM_PT_labels(DirectSubPanel, Panel):
    bl_label = "Labels"
    bl_order = 4
    help_page = "labels"

    def draw(self, context: Context) -> None:
        """Draw the stretches of the list and of markers, and a sentence on what is wrong with them."""
        character, settings = self.shown(context)
        layout, shown = self.layout, shown_labels(character, settings, context.scene)
        draw_row_list(layout, settings, "labels", "" if shown.marked else "Any example at any frame")
        layout.prop(settings, "label_markers")
        _draw_marked(layout, shown)
        if shown.problem:
            draw_sentence(layout, shown.problem, "ERROR")


def _draw_marked(layout: UILayout, shown: ShownLabels) -> None:
    if not shown.marked:
        return
    column = layout.box().column(align=True)
    for stretch in shown.marked:
        draw_row(column, stretch)
