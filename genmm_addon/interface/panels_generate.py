# SPDX-License-Identifier: GPL-3.0-or-later
"""The sidebar tab: which character, which examples, how long, and the button."""

import textwrap
from typing import Any

import bpy
from bpy.types import Context, Object, Panel, Scene, UILayout, UIList

from ..animation.actions import armature_slots
from ..generation.generation import Generation, running
from .bone_lists import feet_of
from .drawing import draw_channels, draw_contacts, draw_length, draw_method, draw_output, draw_progress
from .example_remarks import panel_remarks
from .method_presets import GENMM_PT_method_presets
from .operator_help import draw_help
from .panels_bones import draw_bone_list, draw_found_feet
from .played_examples import played_rows
from .properties import GENMM_PG_character, GENMM_PG_example, readable_settings, stored_settings
from .selection import character_or_reason

BUTTON_HEIGHT = 1.8
LETTER_WIDTH = 7
"""Pixels of a letter at the usual size of the interface, on average."""
ICON_LETTERS = 8
"""What an icon and the margins take, in letters."""


class SidebarPanel:
    """Where all panels are, and the help that each has in its header."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "GenMM"
    help_page = ""
    layout: UILayout

    def draw_header_preset(self, _context: Context) -> None:
        """The button that shows the panel's help."""
        draw_help(self.layout, self.help_page)


class CharacterPanel(SidebarPanel):
    """A panel that is there when a character is selected."""

    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: Context) -> bool:
        """Whether there is a character."""
        return character_or_reason(context)[0] is not None

    def shown(self, context: Context) -> tuple[Object, GENMM_PG_character]:
        """The character and its settings, which poll made sure of; the layout is set to Blender's usual columns."""
        self.layout.use_property_split = True
        self.layout.use_property_decorate = False
        character, _ = character_or_reason(context)
        assert character is not None
        return character, readable_settings(character, context.scene)


class GenerateSubPanel(CharacterPanel):
    """A panel below the button."""

    bl_parent_id = "GENMM_PT_generate"


class GENMM_UL_examples(UIList):
    def draw_item(
        self,
        _context: Context,
        layout: UILayout,
        _data: object,
        item: GENMM_PG_example,
        _icon: int,
        _active_data: object,
        _active_property: str,
    ) -> None:
        """One example: whether it is used, its action, its frames."""
        layout.use_property_split = False
        row = layout.row(align=True)
        row.prop(item, "enabled", text="")
        if item.action is None:
            row.label(text="This action was deleted", icon="ERROR")
            return
        name = item.action.name if item.armature is None else f"{item.action.name} ({item.armature.name})"
        row.label(text=name, icon="ACTION" if item.armature is None else "ARMATURE_DATA", translate=False)
        frames = row.row()
        frames.alignment = "RIGHT"
        frames.active = item.enabled
        first, last = (item.frame_start, item.frame_end) if item.use_range else item.action.frame_range
        frames.label(text=_range_text(first, last))


class GENMM_PT_generate(SidebarPanel, Panel):
    bl_label = "Generate"
    help_page = "generate"

    def draw(self, context: Context) -> None:
        """What to select, or all it takes to generate."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        character, reason = character_or_reason(context)
        if character is None:
            _draw_what_to_select(layout, reason, context.region.width)
            return
        layout.label(text=character.name, icon="OUTLINER_OB_ARMATURE", translate=False)
        if stored_settings(character, context.scene) is None:
            # Until then Blender shows a linked character's values, but grayed out.
            layout.operator("genmm.keep_character_settings", icon="LIBRARY_DATA_DIRECT")
        settings = readable_settings(character, context.scene)
        _draw_examples(layout, character, settings)
        _draw_remarks(layout, character, settings, context.scene)
        draw_length(layout, settings, context.scene)
        layout.prop(settings, "loop")
        layout.prop(settings, "variations")
        seed = layout.row(align=True)
        seed.prop(settings, "seed")
        seed.prop(settings, "new_seed", text="", icon="FILE_REFRESH")
        draw_output(layout, settings)
        _draw_button(layout, running())


class GENMM_PT_example(GenerateSubPanel, Panel):
    bl_label = "Example"
    help_page = "example"
    bl_order = 0

    def draw(self, context: Context) -> None:
        """Which part of the selected example is learned, and how fast it was meant."""
        _, settings = self.shown(context)
        if not settings.examples:
            self.layout.label(text="The active action, all of it")
            self.layout.operator("genmm.add_example", text="Choose Frames and Rate").played = True
            return
        item = settings.examples[min(settings.active_example, len(settings.examples) - 1)]
        _draw_example(self.layout, item)


class GENMM_PT_feet(GenerateSubPanel, Panel):
    bl_label = "Feet"
    bl_order = 5
    help_page = "feet"

    def draw(self, context: Context) -> None:
        """What is done about feet, and which they are."""
        _, settings = self.shown(context)
        draw_contacts(self.layout, settings)
        if settings.feet_choice == "CHOSEN":
            draw_bone_list(self.layout, settings, "feet")
            if not feet_of(settings.feet):
                self.layout.label(text="No bone stands on the ground", icon="INFO")
        else:
            draw_found_feet(self.layout, settings)
        self.layout.operator("genmm.find_feet", icon="VIEWZOOM")


class GENMM_PT_method(GenerateSubPanel, Panel):
    bl_label = "Advanced"
    bl_order = 6
    help_page = "advanced"

    def draw_header_preset(self, context: Context) -> None:
        """Blender's own preset menu, and the help."""
        GENMM_PT_method_presets.draw_panel_header(self.layout)
        super().draw_header_preset(context)

    def draw(self, context: Context) -> None:
        """The parameters of the synthesis, what of the rig is learned, and settings files."""
        character, settings = self.shown(context)
        draw_method(self.layout, settings)
        draw_channels(self.layout, settings, character)
        self.layout.label(text="Weights")
        draw_bone_list(self.layout, settings, "joint_weights")
        row = self.layout.row(align=True)
        row.operator("genmm.import_settings", icon="IMPORT")
        row.operator("genmm.export_settings", icon="EXPORT")


def _draw_what_to_select(layout: UILayout, reason: str, width: int) -> None:
    letters = max(int(width / (LETTER_WIDTH * bpy.context.preferences.system.ui_scale)) - ICON_LETTERS, 12)
    column = layout.column(align=True)
    for number, line in enumerate(textwrap.wrap(reason, letters)):
        column.label(text=line, icon="INFO" if number == 0 else "BLANK1", translate=False)
    layout.separator()
    layout.label(text="No character at hand?")
    layout.operator("genmm.add_sample_character", text="Add Sample Character", icon="OUTLINER_OB_ARMATURE")


def _draw_examples(layout: UILayout, character: Object, settings: GENMM_PG_character) -> None:
    layout.label(text="Learn From")
    row = layout.row()
    if settings.examples:
        row.template_list("GENMM_UL_examples", "", settings, "examples", settings, "active_example", rows=3)
    else:
        _draw_played(row.box(), character)
    buttons = row.column(align=True)
    buttons.operator("genmm.add_example", text="", icon="ADD")
    if settings.examples:
        buttons.operator("genmm.remove_example", text="", icon="REMOVE")
    buttons.menu("GENMM_MT_examples", text="", icon="DOWNARROW_HLT")


def _draw_remarks(layout: UILayout, character: Object, settings: GENMM_PG_character, scene: Scene) -> None:
    """Keys far from all others, with what leaves them out, and too little motion."""
    strays, short = panel_remarks(character, settings, scene)
    if strays:
        column = layout.column(align=True)
        said = strays[0].where
        column.label(text=said[0].upper() + said[1:], icon="ERROR", translate=False)
        column.operator("genmm.leave_out_stray_keys", text=f"Learn From {strays[0].range}", translate=False)
    elif short:
        layout.label(text=short, icon="INFO", translate=False)


def _draw_played(layout: UILayout, character: Object) -> None:
    """The examples that stand for an empty list."""
    for text, frames, icon in played_rows(character):
        row = layout.row()
        row.label(text=text, icon=icon, translate=False)
        if frames is not None:
            right = row.row()
            right.alignment = "RIGHT"
            right.label(text=_range_text(*frames))


def _draw_example(layout: UILayout, item: GENMM_PG_example) -> None:
    if item.action is not None and len(armature_slots(item.action)) > 1:
        layout.prop_search(item, "slot", item.action, "slots")
    layout.prop(item, "use_range")
    if item.use_range:
        frames = layout.column(align=True)
        frames.prop(item, "frame_start")
        frames.prop(item, "frame_end")
    layout.prop(item, "use_rate")
    if item.use_rate:
        layout.prop(item, "frames_per_second", text="Rate")
    layout.prop(item, "first_frame")
    if item.has_rest_start and item.first_frame == "AUTO":
        layout.label(text="Starts in a rest pose: left out", icon="INFO")


def _draw_button(layout: UILayout, generation: "Generation[Any] | None") -> None:
    if generation is not None:
        row = layout.row()
        row.scale_y = BUTTON_HEIGHT
        draw_progress(row, generation)
        return
    column = layout.column()
    column.scale_y = BUTTON_HEIGHT
    column.operator("genmm.generate_motion", icon="PLAY")


def _range_text(first: float, last: float) -> str:
    return f"{first:,.9g}\N{EN DASH}{last:,.9g}"


class GENMM_MT_examples(bpy.types.Menu):
    bl_label = "Examples"

    def draw(self, _context: Context) -> None:
        """What is done to the list more rarely."""
        layout = self.layout
        layout.operator("genmm.add_fitting_examples", icon="ADD")
        layout.operator("genmm.add_other_character", icon="ARMATURE_DATA")
        layout.separator()
        layout.operator("genmm.move_example", text="Move Up", icon="TRIA_UP").direction = "UP"
        layout.operator("genmm.move_example", text="Move Down", icon="TRIA_DOWN").direction = "DOWN"


CLASSES = (
    GENMM_UL_examples,
    GENMM_MT_examples,
    GENMM_PT_generate,
    GENMM_PT_example,
    GENMM_PT_feet,
    GENMM_PT_method,
)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
