# SPDX-License-Identifier: GPL-3.0-or-later
"""Close: the buttons that clear what was found or built from its panel."""

from typing import Any

from bpy.types import Context, Operator

from ...libraries.build_process import forget_build
from ...state.exploring_properties import listed_clusters
from ..common.blender_bases import Outcome
from ..common.choice_operator import ChoiceOperator, Operation, one_of
from ..exploring import found, pictures


def _close_clusters(_operator: Any, context: Context, *_rest: Any) -> None:
    listed_clusters(context).rows.clear()
    pictures.forget_pictures()


CLOSED = {
    "clusters": Operation("Close Clusters", "Clear the list of clusters", _close_clusters),
    "places": Operation(
        "Close Places",
        "Clear the places found from the list and the viewport",
        lambda _, context, *_rest: found.forget(context),
    ),
    "library_build": Operation(
        "Close Build", "Clear the report on the last build from the panel", lambda *_: forget_build()
    ),
}


class GENMM_OT_close_list(ChoiceOperator, Operator):
    bl_idname = "genmm.close_list"
    bl_label = "Close"
    bl_description = "Clear what was found or built from its panel"
    bl_options = {"INTERNAL"}
    choices = CLOSED

    rows: one_of(CLOSED, "List", "The list to clear")

    @classmethod
    def poll(cls, _context: Context) -> bool:
        """Return True, as no character is needed."""
        return True

    def execute(self, context: Context) -> Outcome:
        """Clear the list."""
        act: Any = CLOSED[self.rows].act
        act(self, context)
        return {"FINISHED"}
