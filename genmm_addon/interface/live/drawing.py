# SPDX-License-Identifier: GPL-3.0-or-later
"""The switch of Live Preview, and the sentence of its session."""

from bpy.types import Context, Panel, UILayout

from ...state.selection import settings_character
from ..common.drawing import draw_sentence
from . import running
from .operators import GENMM_OT_live


def draw_live(layout: UILayout, context: Context) -> None:
    """Draw the switch, and the session's sentence where it has one."""
    character, live = settings_character(context), running.session()
    is_own = live is not None and (character is None or live.character == character.name_full)
    column = layout.column(align=True)
    column.operator(
        GENMM_OT_live.bl_idname,
        text=f"Live Preview: {live.character}" if live is not None and character is None else "Live Preview",
        translate=False,
        icon="RADIOBUT_ON" if is_own else "RADIOBUT_OFF",
        depress=is_own,
    )
    sentence = running.ended_because() if live is None else live.problem or live.waits_for or live.note
    if sentence:
        draw_sentence(column, sentence, "INFO")


def _draw_running(panel: Panel, context: Context) -> None:
    """Draw the switch below Generate while Live Preview is on."""
    if running.session() is not None:
        draw_live(panel.layout, context)


ENTRIES = {"GENMM_PT_generate": _draw_running}
