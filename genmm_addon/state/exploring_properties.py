# SPDX-License-Identifier: GPL-3.0-or-later
"""Places found by a search, and the listed clusters: kept by the window manager, not saved in files."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import bpy
from bpy.props import BoolProperty, CollectionProperty, FloatProperty, IntProperty, PointerProperty, StringProperty
from bpy.types import Context, PropertyGroup


@dataclass(frozen=True)
class Selection:
    """The row of a list that was selected last, or pointed at.

    rows: places, clusters or variations; "" for none yet. number: that of the variation, from 1. count: the number of
    selections so far.
    """

    rows: str = ""
    number: int = 0
    count: int = 0


_selections = [Selection()]


def last_selection() -> Selection:
    """Return the row that was selected last."""
    return _selections[0]


def select_row(rows: str, number: int = 0) -> None:
    """Have a row play once over the character from now on."""
    _selections[:] = [Selection(rows, number, _selections[0].count + 1)]


def _selected_in(rows: str) -> Callable[[PropertyGroup, Context], None]:
    def remember(_group: PropertyGroup, _context: Context) -> None:
        select_row(rows)

    return remember


class GENMM_PG_found_place(PropertyGroup):
    """A place of a library. Its `name` is the clip's."""

    file: StringProperty(name="Library", options={"SKIP_SAVE"})
    fingerprint: StringProperty(name="Fingerprint", options={"SKIP_SAVE"})
    clip: IntProperty(name="Clip", options={"SKIP_SAVE"})
    first: IntProperty(name="First Frame", options={"SKIP_SAVE"})
    frames: IntProperty(name="Frames", options={"SKIP_SAVE"})
    distance: FloatProperty(name="Distance", options={"SKIP_SAVE"})
    tags: StringProperty(name="Tags", options={"SKIP_SAVE"})


class GENMM_PG_exploring(PropertyGroup):
    """The last search: its character, its frames, and the places found."""

    character: StringProperty(name="Character", options={"SKIP_SAVE"})
    action: StringProperty(name="Action", options={"SKIP_SAVE"})
    slot: StringProperty(name="Slot", options={"SKIP_SAVE"})
    keys: StringProperty(name="Keys", options={"SKIP_SAVE"})
    first: IntProperty(name="First Frame", options={"SKIP_SAVE"})
    last: IntProperty(name="Last Frame", options={"SKIP_SAVE"})
    chosen_by: StringProperty(name="Chosen By", options={"SKIP_SAVE"})
    places: CollectionProperty(type=GENMM_PG_found_place)
    active_place: IntProperty(
        name="Place",
        description="The place that is shown in the viewport",
        options={"SKIP_SAVE"},
        update=_selected_in("places"),
    )
    show_place: BoolProperty(
        name="Show in Viewport",
        description="Draw the selected place over the character: played once, and then its pose at the current frame",
        default=True,
        options={"SKIP_SAVE"},
    )


def exploring(context: Context) -> GENMM_PG_exploring:
    """Return what the window keeps of the last search."""
    properties: GENMM_PG_exploring = context.window_manager.genmm_exploring  # type: ignore[attr-defined]  # see below
    return properties


class GENMM_PG_cluster(PropertyGroup):
    """A cluster of a library; its number is its position in the tree, such as 1.3."""

    number: StringProperty(name="Number", options={"SKIP_SAVE"})
    depth: IntProperty(name="Depth", options={"SKIP_SAVE"})
    clips: IntProperty(name="Clips", options={"SKIP_SAVE"})
    minutes: FloatProperty(name="Minutes", options={"SKIP_SAVE"})
    typical: IntProperty(name="Typical Clip", options={"SKIP_SAVE"})
    typical_name: StringProperty(name="Typical Clip", options={"SKIP_SAVE"})
    choice: StringProperty(name="Tags", description="Tags by which its clips are chosen", options={"SKIP_SAVE"})
    has_inside: BoolProperty(name="Has Clusters Inside", options={"SKIP_SAVE"})
    expanded: BoolProperty(name="Expand", description="Show the clusters inside", options={"SKIP_SAVE"})


class GENMM_PG_clusters(PropertyGroup):
    """The clusters of the library that was opened last."""

    file: StringProperty(name="Library", options={"SKIP_SAVE"})
    fingerprint: StringProperty(name="Fingerprint", options={"SKIP_SAVE"})
    rows: CollectionProperty(type=GENMM_PG_cluster)
    active: IntProperty(
        name="Cluster",
        description="The cluster whose poses are shown",
        options={"SKIP_SAVE"},
        update=_selected_in("clusters"),
    )


def listed_clusters(context: Context) -> GENMM_PG_clusters:
    """Return what the window keeps of a library's clusters."""
    properties: GENMM_PG_clusters = context.window_manager.genmm_clusters  # type: ignore[attr-defined]  # see below
    return properties


def active_cluster(context: Context) -> GENMM_PG_cluster | None:
    """Return the cluster that is selected in the list; None without one."""
    kept = listed_clusters(context)
    row: GENMM_PG_cluster | None = kept.rows[kept.active] if 0 <= kept.active < len(kept.rows) else None
    return row


def register() -> None:
    """Store both groups on the window manager."""
    # Blender's stubs do not know registered properties, and type PointerProperty as returning None.
    window: Any = bpy.types.WindowManager
    window.genmm_exploring = PointerProperty(type=GENMM_PG_exploring, name="GenMM")  # type: ignore[func-returns-value]
    window.genmm_clusters = PointerProperty(type=GENMM_PG_clusters, name="GenMM")  # type: ignore[func-returns-value]


def unregister() -> None:
    """Remove both groups."""
    del bpy.types.WindowManager.genmm_clusters  # type: ignore[attr-defined]
    del bpy.types.WindowManager.genmm_exploring  # type: ignore[attr-defined]
