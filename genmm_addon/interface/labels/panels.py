# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel of labels, which say which examples to show at which frames."""

from bpy.types import Context, Panel, UILayout

from ...state.registration import registration_of
from ..common.choice_operator import draw_choice
from ..common.drawing import LETTERS_BELOW, draw_sentence
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
        _draw_listed(layout, shown)
        draw_choice(layout, "genmm.add_row", "labels", text="Add Label...", icon="ADD")
        if shown.listed or settings.labels:
            layout.prop(settings, "labels", text="As Text")
        layout.prop(settings, "label_markers")
        _draw_marked(layout, shown)
        if shown.problem:
            draw_sentence(layout, shown.problem, "ERROR", LETTERS_BELOW)


def _draw_listed(layout: UILayout, shown: ShownLabels) -> None:
    if not shown.listed and not shown.marked:
        layout.label(text="Any example at any frame", icon="INFO")
        return
    box = layout.box().column(align=True) if shown.listed else None
    for number, stretch in enumerate(shown.listed):
        row = box.row(align=True)
        row.label(text=stretch.tag, translate=False)
        frames = row.row()
        frames.alignment = "RIGHT"
        frames.label(text=_frames(stretch.first, stretch.last), translate=False)
        draw_choice(row, "genmm.remove_row", "labels", text="", icon="X").number = number


def _draw_marked(layout: UILayout, shown: ShownLabels) -> None:
    if not shown.marked:
        return
    column = layout.box().column(align=True)
    for stretch in shown.marked:
        row = column.row(align=True)
        row.label(text=stretch.tag, icon="MARKER_HLT", translate=False)
        frames = row.row()
        frames.alignment = "RIGHT"
        frames.label(text=_frames(stretch.first, stretch.last), translate=False)


def _frames(first: int, last: int | None) -> str:
    return f"{first}\N{EN DASH}{'end' if last is None else last}"


CLASSES = (GENMM_PT_labels,)
register, unregister = registration_of(CLASSES)
