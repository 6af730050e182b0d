# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar's panel that builds libraries."""

from bpy.types import Context, Panel, UILayout

from ...libraries.build_process import LibraryBuild, current_build
from ...state.properties import scene_properties
from ..common.drawing import MOST_ROWS, draw_closing, draw_file, draw_sentence, in_columns
from ..common.sidebar import SidebarPanel


class GENMM_PT_build_library(SidebarPanel, Panel):
    bl_label = "Build Library"
    bl_parent_id = "GENMM_PT_library"
    bl_order = 1
    bl_options = {"DEFAULT_CLOSED"}
    help_page = "build_library"

    def draw(self, context: Context) -> None:
        """Draw the source, the file, and the progress of a build."""
        layout = in_columns(self.layout)
        build, asked = current_build(), scene_properties(context.scene).library_build
        column = layout.column()
        column.enabled = build is None or build.done
        column.prop(asked, "source")
        if asked.source == "FOLDER":
            draw_file(column, asked, "folder")
        elif asked.source == "ASSETS":
            preferences = context.preferences.filepaths
            column.prop_search(asked, "asset_library", preferences, "asset_libraries", icon="ASSET_MANAGER")
        draw_file(column, asked, "file")
        for name in ("pattern", "mirrored", "prune"):
            column.prop(asked, name)
        if build is not None and not build.done:
            row = layout.row(align=True)
            row.progress(factor=build.share, text=build.now or "Starting")
            row.operator("genmm.stop_library_build", text="", icon="X")
            return
        layout.operator("genmm.build_library", icon="ASSET_MANAGER")
        if build is not None:
            _draw_end(layout, build)


def _draw_end(layout: UILayout, build: LibraryBuild) -> None:
    """Draw the outcome of the last build."""
    box = layout.box()
    head = box.row()
    if build.clips is not None:
        head.label(text=f"Clips in the library: {build.clips:,}", icon="CHECKMARK", translate=False)
    else:
        head.label(text="Stopped" if build.stopped else "No library was built", icon="INFO")
    draw_closing(head, "library_build")
    column = box.column(align=True)
    for problem in build.problems[:MOST_ROWS]:
        draw_sentence(column, problem, "ERROR")
    if build.problems[MOST_ROWS:]:
        column.label(text=f"and {len(build.problems) - MOST_ROWS} more", translate=False)
    for note in build.notes:
        draw_sentence(column, note, "INFO")
    if build.clips is not None:
        box.operator("genmm.add_library", text="Learn From It", icon="FORWARD").filepath = build.file
