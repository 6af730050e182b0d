# SPDX-License-Identifier: GPL-3.0-or-later
"""Operators on the clusters of a library: list, rename, learn from, and make an action of a typical clip."""

from functools import partial
from pathlib import Path

import bpy
from bpy.props import IntProperty, StringProperty
from bpy.types import Context, Event, Object, Operator

from ...core import InputError, computing
from ...libraries.choosing import library_in
from ...libraries.exploring.clusters import named_clusters, path_of, renamed
from ...libraries.exploring.indexes import keep_indexes, make_indexes, without_index
from ...libraries.replacing import replace_library
from ...requests.library_values import library_files, why_not_search
from ...state.exploring_properties import active_cluster, listed_clusters
from ...state.properties import GENMM_PG_character, ensure_settings, readable_settings
from ...state.selection import character_or_reason
from ..common.blender_bases import Outcome, reports_refusal
from ..common.character_operator import CharacterOperator
from ..common.preparing_first import Preparation, PreparingFirst
from ..common.progress_display import busy
from . import pictures
from .making import make_action
from .typical_clips import lay_typical, listed_library

SELECT_ONE = "List the clusters of a library, and select one"


class GENMM_OT_show_clusters(PreparingFirst, CharacterOperator, Operator):
    bl_idname = "genmm.show_clusters"
    bl_label = "Show Clusters"
    bl_description = "List the clips of a library in groups of similar ones"
    bl_options = {"REGISTER"}

    number: IntProperty(name="Number", description="The library in the character's list, from 0", options={"SKIP_SAVE"})

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the character has no library; "" where it has one."""
        return why_not_search(readable_settings(character, context.scene))

    def to_prepare(self, context: Context) -> Preparation | None:
        """Return the preparation of a library without an index; None for one with. Raises InputError."""
        character, _ = character_or_reason(context)
        if character is None:
            return None
        waiting = without_index([library_in(self._file(readable_settings(character, context.scene)))])
        return Preparation(waiting[0].frames, partial(make_indexes, waiting), keep_indexes) if waiting else None

    def _file(self, settings: GENMM_PG_character) -> str:
        files = library_files(settings)
        return str(files[min(max(self.number, 0), len(files) - 1)])

    def act(self, context: Context, character: Object) -> None:
        """List the clusters."""
        with busy(context), computing():
            _show(context, self._file(readable_settings(character, context.scene)))


class ClusterOperator(CharacterOperator):
    """Base of operators on the cluster selected in the list."""

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where no cluster is selected; "" where one is."""
        return SELECT_ONE if active_cluster(context) is None else ""


class GENMM_OT_rename_cluster(ClusterOperator, Operator):
    bl_idname = "genmm.rename_cluster"
    bl_label = "Rename Cluster"
    bl_description = (
        "Name the cluster: the name is stored in the library's file as a tag of its clips, cluster=NAME, which undo "
        "does not change"
    )
    bl_options = {"REGISTER"}

    new_name: StringProperty(name="Name", description="The new name; empty removes the name", options={"SKIP_SAVE"})

    def invoke(self, context: Context, _event: Event) -> Outcome:
        """Ask for the name."""
        row = active_cluster(context)
        if row is not None and not self.properties.is_property_set("new_name"):
            self.new_name = row.name
        return context.window_manager.invoke_props_dialog(self)

    def draw(self, _context: Context) -> None:
        """Draw the name, selected for typing over it."""
        self.layout.activate_init = True
        self.layout.prop(self, "new_name")

    @reports_refusal
    def execute(self, context: Context) -> Outcome:
        """Rewrite the library's file, whole or not at all."""
        kept, row = listed_clusters(context), active_cluster(context)
        if row is None:
            return {"CANCELLED"}
        library = listed_library(context)
        changed = renamed(library, path_of(row.number), self.new_name)
        replace_library(Path(bpy.path.abspath(kept.file)), changed)
        _show(context, kept.file)
        return {"FINISHED"}


class GENMM_OT_choose_cluster(ClusterOperator, Operator):
    bl_idname = "genmm.choose_cluster"
    bl_label = "Learn From Cluster"
    bl_description = "Choose the cluster's clips by its tag, for Learn From and Find Similar"

    @classmethod
    def why_not(cls, context: Context, character: Object) -> str:
        """Return a sentence where the cluster has no name; "" where it has one."""
        row = active_cluster(context)
        if row is None:
            return SELECT_ONE
        return "" if row.choice else "Rename the cluster first: its name is the tag by which its clips are chosen"

    def act(self, context: Context, character: Object) -> Outcome:
        """Set the tags."""
        row = active_cluster(context)
        if row is None:
            return {"CANCELLED"}
        settings = ensure_settings(character, context.scene)
        settings.learn_from, settings.library_tags = "LIBRARY", row.choice
        return {"FINISHED"}


class GENMM_OT_use_typical_clip(ClusterOperator, Operator):
    bl_idname = "genmm.use_typical_clip"
    bl_label = "Use Typical Clip"
    bl_description = (
        "Give the character a new action with the cluster's most typical clip, which begins where the character "
        "stands; its present action stays in the file"
    )

    def act(self, context: Context, character: Object) -> Outcome:
        """Make the action, and have the character play it."""
        row = active_cluster(context)
        if row is None:
            return {"CANCELLED"}
        self.report({"INFO"}, make_action(character, lay_typical(context, character, row)))
        return {"FINISHED"}


def _show(context: Context, file: str) -> None:
    """List the clusters of a library, expanded and selected as before. Raises InputError."""
    kept = listed_clusters(context)
    library = library_in(file)
    clusters = named_clusters(library)
    if not clusters:
        raise InputError(
            f"The library has too few clips for clusters ({len(library.clips)}); build it from more clips."
        )
    same = kept.file == file and len(kept.rows) == len(clusters)
    expanded = {row.number for row in kept.rows if row.expanded} if same else set()
    kept.file, kept.fingerprint = file, library.fingerprint
    kept.rows.clear()
    pictures.forget_pictures()
    for named in clusters:
        row = kept.rows.add()
        row.name, row.number, row.depth = named.name, named.number, len(named.path) - 1
        row.clips, row.typical = len(named.cluster.clips), named.cluster.typical
        row.minutes = (
            sum(library.clips[number].frames for number in named.cluster.clips) / library.frames_per_second / 60
        )
        row.typical_name = library.clips[named.cluster.typical].name
        row.choice = named.choice if named.is_named else ""
        row.has_inside, row.expanded = bool(named.cluster.children), named.number in expanded
        pictures.draw_small(library, named.cluster.typical)
    if not same:
        kept.active = 0
