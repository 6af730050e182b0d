# SPDX-License-Identifier: GPL-3.0-or-later
"""Places that a search found, and the clusters that are listed: kept by the window, in no file."""

import bpy
from bpy.props import BoolProperty, CollectionProperty, FloatProperty, IntProperty, PointerProperty, StringProperty
from bpy.types import Context, PropertyGroup

from .registration import registration_of


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
    """The last search: on which character, for which frames, and what it found."""

    character: StringProperty(name="Character", options={"SKIP_SAVE"})
    first: IntProperty(name="First Frame", options={"SKIP_SAVE"})
    last: IntProperty(name="Last Frame", options={"SKIP_SAVE"})
    chosen_by: StringProperty(name="Chosen By", options={"SKIP_SAVE"})
    places: CollectionProperty(type=GENMM_PG_found_place)
    active_place: IntProperty(
        name="Place", description="The place that is shown in the viewport", options={"SKIP_SAVE"}
    )
    show_place: BoolProperty(
        name="Show in Viewport",
        description="Draw the selected place over the character: its pose at the current frame, and some of the others",
        default=True,
        options={"SKIP_SAVE"},
    )


def exploring(context: Context) -> GENMM_PG_exploring:
    """Return what the window keeps of the last search."""
    properties: GENMM_PG_exploring = context.window_manager.genmm_exploring  # type: ignore[attr-defined]  # see below
    return properties


CLASSES = (GENMM_PG_found_place, GENMM_PG_exploring)
_register_classes, _unregister_classes = registration_of(CLASSES)


def register() -> None:
    """Register the classes, and give the window its place for them."""
    _register_classes()
    properties = PointerProperty(type=GENMM_PG_exploring, name="GenMM")  # type: ignore[func-returns-value]  # as stubs say
    bpy.types.WindowManager.genmm_exploring = properties  # type: ignore[attr-defined]


def unregister() -> None:
    """Take all out again."""
    del bpy.types.WindowManager.genmm_exploring  # type: ignore[attr-defined]
    _unregister_classes()
