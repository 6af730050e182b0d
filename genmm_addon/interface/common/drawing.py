# SPDX-License-Identifier: GPL-3.0-or-later
"""Rows that the sidebar and Adjust Last Operation share."""

from textwrap import wrap
from typing import Any, Literal

import bpy
from bpy.types import Object, Scene, UILayout

from ...animation.row_lists import row_lists_in
from ...animation.scene_time import scene_rate
from ...generation.generation import Generation
from ...generation.request import RECORDS, Request
from ...state.setting_properties import GenerationProperties, rows_of
from .choice_operator import draw_choice
from .screen_units import letters_per_line

MOST_ROWS = 12
"""Most rows drawn of anything that may be long: a list, or a sentence with a file's path."""


def in_columns(layout: UILayout) -> UILayout:
    """Return a layout, set to Blender's usual columns of names and values."""
    layout.use_property_split = True
    layout.use_property_decorate = False
    return layout


def draw_sentence(layout: UILayout, sentence: str, icon: Literal["ERROR", "INFO"]) -> None:
    """Draw a sentence in lines as long as the sidebar is wide; past MOST_ROWS lines it is cut off."""
    column = layout.column(align=True)
    letters = letters_per_line(bpy.context, sentence)
    # A line can have wider letters than the whole sentence has.
    while any(letters_per_line(bpy.context, line) < len(line) for line in wrap(sentence, letters)):
        letters -= 1
    for number, line in enumerate(wrap(sentence, letters, max_lines=MOST_ROWS, placeholder=" ...")):
        column.label(text=line, icon="BLANK1" if number else icon, translate=False)


def draw_file(layout: UILayout, values: Any, name: str, **texts: Any) -> None:
    """Draw the field of a file; above it the file's name, where the field is so short that it would cut that off."""
    path = getattr(values, name)
    # Names, buttons and margins take half of the row.
    if 2 * len(path) > letters_per_line(bpy.context, path):
        layout.label(text=bpy.path.basename(path.rstrip("/\\")), icon="FILE", translate=False)
    layout.prop(values, name, **texts)


def draw_length(layout: UILayout, values: GenerationProperties, scene: Scene) -> None:
    """Draw the length in frames and in seconds."""
    row = layout.row()
    # The panel shows the example's length until one is set.
    name = "length" if hasattr(values, "length") else "frames"
    row.prop(values, name)
    seconds = row.row()
    seconds.alignment = "RIGHT"
    length = getattr(values, name) / scene_rate(scene)
    seconds.label(text=f"{length:.1f} s" if length < 1000 else f"{length:.0f} s", translate=False)


def draw_frames(layout: UILayout, values: Any, choice: str) -> None:
    """Draw the choice of frames, and the first and last frame where the choice is FRAMES.

    choice: the name of the property that chooses.
    """
    layout.prop(values, choice)
    if getattr(values, choice) == "FRAMES":
        frames = layout.column(align=True)
        frames.prop(values, "first_frame")
        frames.prop(values, "last_frame")


def draw_output(layout: UILayout, values: GenerationProperties) -> None:
    """Draw the values for when the motion begins and for its root motion."""
    column = layout.column()
    column.prop(values, "start_at")
    if values.start_at == "FRAME":
        column.prop(values, "start_frame")
    column.prop(values, "extend_playback", text="Extend Playback")
    column.prop(values, "root_motion")
    if values.root_motion:
        column.prop(values, "root_motion_bone", text="Bone")


def draw_method(layout: UILayout, values: GenerationProperties) -> None:
    """Draw all parameters of the synthesis."""
    column = layout.column()
    column.prop(values, "patch_frames")
    column.prop(values, "coarsest_patches")
    row = column.row(heading="Coverage", align=True)
    row.prop(values, "use_completeness", text="")
    strength = row.row(align=True)
    strength.active = values.use_completeness
    strength.prop(values, "coverage", text="")
    for name in rows_of("advanced", *RECORDS):
        column.prop(values, name)


def draw_channels(layout: UILayout, values: GenerationProperties, character: Object) -> None:
    """Draw the treatment of the root, and the channels to learn."""
    column = layout.column()
    column.prop(values, "facing")
    column.prop_search(values, "root_bone", character.data, "bones", icon="BONE_DATA")
    column.prop(values, "channels")


def draw_keys(layout: UILayout, values: GenerationProperties) -> None:
    """Draw the keys of the result."""
    column = layout.column()
    column.prop(values, "key_spacing")
    if values.key_spacing in ("SHARED", "PER_BONE"):
        errors = column.column(align=True)
        errors.prop(values, "key_error_degrees")
        errors.prop(values, "key_error_percent")
    elif values.key_spacing == "EVERY_FRAME" and values.thin_keys:
        # Set in a file of an earlier version; it keeps its effect until it is switched off.
        row = column.row(heading="Straight Lines", align=True)
        row.prop(values, "thin_keys", text="")
        row.prop(values, "tolerance", text="")


def draw_contacts(layout: UILayout, values: GenerationProperties) -> None:
    """Draw the treatment of feet, and the bones that are feet."""
    column = layout.column()
    column.prop(values, "foot_locking")
    column.prop(values, "feet_choice")


def draw_row_list(layout: UILayout, settings: Any, name: str, none: str = "", add: str = "") -> None:
    """Draw a list of rows over frames, the buttons that add and remove, its text, and what is wrong with the text.

    name: of the property that stores it. none: a sentence in place of the rows where there are none. add: the text of
    the button that adds a row, if not the row's name.
    """
    rows, text = row_lists_in(Request)[name], getattr(settings, name)
    listed = rows.readable(text)
    if none and not listed:
        layout.label(text=none, icon="INFO")
    column = layout.column(align=True)
    box = column.box().column(align=True) if listed else column
    for number, row in enumerate(listed):
        line = draw_row(box, row)
        draw_choice(line, "genmm.remove_row", name, text="", icon="X").number = number
    column.operator_context = "INVOKE_DEFAULT"
    draw_choice(column, "genmm.add_row", name, text=add or f"Add {rows.name.title()}...", icon="ADD")
    if text:
        layout.prop(settings, name, text="As Text")
    draw_sentence(layout, rows.why_unreadable(text), "ERROR")


def draw_closing(layout: UILayout, rows: str) -> None:
    """Draw the cross that closes a list."""
    draw_choice(layout, "genmm.close_list", rows, text="", icon="X", emboss=False)


def draw_list_buttons(layout: UILayout, rows: str) -> UILayout:
    """Draw the buttons that add and remove a row beside a list, and return their column."""
    buttons = layout.column(align=True)
    draw_choice(buttons, "genmm.add_row", rows, text="", icon="ADD")
    draw_choice(buttons, "genmm.remove_row", rows, text="", icon="REMOVE")
    return buttons


def draw_row(layout: UILayout, row: Any) -> UILayout:
    """Draw a row over frames, and return its layout."""
    line = layout.row(align=True)
    line.label(text=row.shown, icon=row.icon, translate=False)
    if hasattr(row, "first"):
        frames = line.row()
        frames.alignment = "RIGHT"
        frames.label(text=f"{row.first}\N{EN DASH}{'end' if row.last is None else row.last}", translate=False)
    return line


def draw_bone(layout: UILayout, row: Any, character: Object | None) -> None:
    """Draw the choice of a row's bone among the character's bones."""
    if character is not None:
        layout.prop_search(row, "name", character.data, "bones", text="", icon="BONE_DATA")


def draw_switch(layout: UILayout, values: GenerationProperties, name: str, *, usable: bool) -> None:
    """Draw a checkbox in a panel's header; it is grayed out until there is something to switch."""
    layout.use_property_split = False
    row = layout.row()
    row.enabled = usable
    if usable:
        row.prop(values, name, text="")
    else:
        row.label(text="", icon="CHECKBOX_DEHLT")


def draw_progress(layout: UILayout, generation: Generation[Any]) -> None:
    """Draw the progress of a generation, and a button that stops it."""
    row = layout.row(align=True)
    written = generation.written
    text = f"{generation.fraction:.0%}" if written is None else f"Writing: {written:.0%}"
    row.progress(factor=generation.fraction if written is None else written, text=text)
    row.operator("genmm.stop_generation", text="", icon="X")


def draw_end(layout: UILayout, last: int, scene: Scene) -> None:
    """Draw that the motion ends after the scene, and a button that extends playback."""
    column = layout.column(align=True)
    column.label(text=f"Ends at {last}, the scene at {scene.frame_end}", icon="INFO")
    column.operator("genmm.extend_playback", icon="TIME")


def length_text(value: float, scene: Scene) -> str:
    """Return a length of the scene in the scene's units, such as "1.2 m"; without units, the number alone."""
    units = scene.unit_settings
    if units.system == "NONE":
        return f"{value:.2f}"
    return bpy.utils.units.to_string(units.system, "LENGTH", value * units.scale_length, precision=2)
