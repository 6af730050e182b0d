# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that the sidebar and Adjust Last Operation have in common."""

from textwrap import wrap
from typing import Any, Literal

from bpy.types import Object, Scene, UILayout

from ...animation.scene_time import scene_rate
from ...generation.generation import Generation
from ...generation.recipe import Recipe
from ...generation.request import RECORDS
from ...state.generation_properties import GenerationProperties
from ...state.setting_properties import rows_of

LETTERS, LETTERS_BELOW = 44, 36
"""Letters of a line of a sentence in the sidebar at its usual width, and in a panel below another one."""
MOST_LINES = 6
"""Lines of a sentence that may be very long, as one with the path of a file."""


def draw_sentence(
    layout: UILayout, sentence: str, icon: Literal["ERROR", "INFO"], letters: int = LETTERS, lines: int | None = None
) -> None:
    """Draw a sentence in lines of so many letters; lines: no more than so many, the rest is left out."""
    column = layout.column(align=True)
    for number, line in enumerate(wrap(sentence, letters, max_lines=lines, placeholder=" ...")):
        column.label(text=line, icon="BLANK1" if number else icon, translate=False)


def draw_length(layout: UILayout, values: GenerationProperties, scene: Scene) -> None:
    """Draw the length in frames, and how many seconds that is."""
    row = layout.row()
    # The panel's own starts with the example's length.
    name = "length" if hasattr(values, "length") else "frames"
    row.prop(values, name)
    seconds = row.row()
    seconds.alignment = "RIGHT"
    length = getattr(values, name) / scene_rate(scene)
    seconds.label(text=f"{length:.1f} s" if length < 1000 else f"{length:.0f} s", translate=False)


def draw_frames(layout: UILayout, values: Any, choice: str) -> None:
    """Draw which frames are meant, and the first and the last where these are told; choice: the property for that."""
    layout.prop(values, choice)
    if getattr(values, choice) == "FRAMES":
        frames = layout.column(align=True)
        frames.prop(values, "first_frame")
        frames.prop(values, "last_frame")


def draw_direction(layout: UILayout, values: GenerationProperties, recipe: Recipe) -> None:
    """Draw what directs the motion, as far as the recipe has it."""
    column = layout.column()
    column.prop(values, "loop")
    column.prop(values, "parts")
    if recipe.pins is not None:
        column.prop(values, "use_pins", text="Pins")
    if recipe.completion is not None:
        column.prop(values, "use_completion", text="Keep Part")
    if recipe.path is not None:
        column.prop(values, "use_path", text="Path")
        if values.use_path:
            draw_path(column, values)
    if recipe.ground is not None:
        column.prop(values, "use_ground", text="Ground")
    if recipe.waypoints:
        column.prop(values, "use_waypoints", text="Waypoints")
    if recipe.labels:
        column.prop(values, "labels")
    if recipe.reaches:
        column.prop(values, "reaches")
    if recipe.foot_locks:
        column.prop(values, "foot_locks")


def draw_path(layout: UILayout, values: GenerationProperties) -> None:
    """Draw how the curve is followed."""
    layout.prop(values, "path_speed")
    layout.prop(values, "path_along")
    layout.prop(values, "path_climbs")


def draw_output(layout: UILayout, values: GenerationProperties) -> None:
    """Draw where the motion goes."""
    column = layout.column()
    column.prop(values, "output")
    column.prop(values, "start_at")
    if values.start_at == "FRAME":
        column.prop(values, "start_frame")
    column.prop(values, "extend_playback", text="Extend Playback")
    column.prop(values, "root_motion")
    if values.root_motion:
        column.prop(values, "root_motion_bone", text="Bone")


def draw_adjusted_method(layout: UILayout, values: GenerationProperties) -> None:
    """Draw the parameters of the synthesis that Adjust Last Operation offers."""
    column = layout.column()
    column.prop(values, "patch_frames")
    column.prop(values, "coarsest_patches")


def draw_method(layout: UILayout, values: GenerationProperties) -> None:
    """Draw all parameters of the synthesis."""
    column = layout.column()
    column.prop(values, "patch_frames")
    column.prop(values, "coarsest_patches")
    column.prop(values, "noise")
    row = column.row(heading="Coverage", align=True)
    row.prop(values, "use_completeness", text="")
    strength = row.row(align=True)
    strength.active = values.use_completeness
    strength.prop(values, "coverage", text="")
    for name in rows_of("advanced", *RECORDS):
        column.prop(values, name)


def draw_channels(layout: UILayout, values: GenerationProperties, character: Object) -> None:
    """Draw what of the rig is learned, and how the result is keyed."""
    column = layout.column()
    column.prop(values, "facing")
    column.prop_search(values, "root_bone", character.data, "bones", icon="BONE_DATA")
    column.prop(values, "channels")
    column.prop(values, "key_spacing")
    if values.key_spacing in ("SHARED", "PER_BONE"):
        errors = column.column(align=True)
        errors.prop(values, "key_error_degrees")
        errors.prop(values, "key_error_percent")
    elif values.key_spacing == "EVERY_FRAME" and values.thin_keys:
        # Out of a file of an earlier version: it goes on as it did until it is switched off.
        row = column.row(heading="Straight Lines", align=True)
        row.prop(values, "thin_keys", text="")
        row.prop(values, "tolerance", text="")


def draw_contacts(layout: UILayout, values: GenerationProperties) -> None:
    """Draw how feet are treated, and which they are."""
    column = layout.column()
    column.prop(values, "foot_locking")
    column.prop(values, "feet_choice")


def draw_bone(layout: UILayout, row: Any, character: Object | None) -> None:
    """Draw a row's bone, chosen among the character's."""
    if character is None:
        layout.prop(row, "name", text="")
    else:
        layout.prop_search(row, "name", character.data, "bones", text="", icon="BONE_DATA")


def draw_switch(layout: UILayout, values: GenerationProperties, name: str, *, there: bool) -> None:
    """Draw a checkbox in a panel's header; it looks off, and is, until there is something to switch."""
    layout.use_property_split = False
    row = layout.row()
    row.enabled = there
    if there:
        row.prop(values, name, text="")
    else:
        row.label(text="", icon="CHECKBOX_DEHLT")


def draw_progress(layout: UILayout, generation: Generation[Any]) -> None:
    """Draw the progress of a run, and a button that stops it."""
    row = layout.row(align=True)
    written = generation.written
    text = f"{generation.fraction:.0%}" if written is None else f"Writing: {written:.0%}"
    row.progress(factor=generation.fraction if written is None else written, text=text)
    row.operator("genmm.stop_generation", text="", icon="X")
