# SPDX-License-Identifier: GPL-3.0-or-later
"""The GenMM menu in the headers of dope sheet, timeline, NLA editor and 3D viewport: all features, by task.

Blender's search (F3) finds the entries by these texts: each says what it does in the words that an animator would type.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar

from bpy.types import Context, Menu, SpaceDopeSheetEditor, SpaceView3D, UILayout

from ...state.properties import scene_properties
from ..common.blender_bases import MenuBase
from ..common.choice_operator import CHOICE

PLACES = ("DOPESHEET_MT_editor_menus", "TIME_MT_editor_menus", "NLA_MT_editor_menus", "VIEW3D_MT_editor_menus")
"""The headers' menus; the timeline has its own up to Blender 4.5, and shares the dope sheet's since 5.0."""
DOPE_SHEET_MODES = ("DOPESHEET", "ACTION", "TIMELINE")
VIEWPORT_MODES = ("OBJECT", "POSE")


@dataclass(frozen=True)
class Entry:
    """An entry: an operator, its text, and the values that it sets, which include the choice of one with several."""

    operator: str
    text: str
    values: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))


def _help(text: str, page: str) -> Entry:
    """Return the entry of a feature that is a setting: its help says where it is and how it is used."""
    return Entry("genmm.show_help", text, {"page": page})


STRETCH = (
    Entry("genmm.edit_stretch", "Regenerate Stretch", {"action": "REGENERATE"}),
    Entry("genmm.edit_stretch", "Next Alternative of Stretch", {"action": "SWAP", "direction": "NEXT"}),
    Entry("genmm.edit_stretch", "Previous Alternative of Stretch", {"action": "SWAP", "direction": "PREVIOUS"}),
    Entry("genmm.edit_stretch", "Lock or Unlock Stretch", {"action": "LOCK"}),
    Entry("genmm.edit_stretch", "Regenerate Unlocked Stretches", {"action": "REGENERATE_UNLOCKED"}),
)
"""The operators on the stretch chosen on the ribbon of a result."""
PARTS = (
    Entry("genmm.make_parts", "Split Body into Upper and Lower Parts", {"kind": "UPPER_LOWER"}),
    Entry("genmm.make_parts", "Split Body into Spine and Limbs", {"kind": "LIMBS"}),
    Entry("genmm.edit_part", "Mirror Part", {"action": "MIRROR"}),
    Entry("genmm.edit_part", "Grow Part", {"action": "GROW"}),
    Entry("genmm.part_collections", "Parts from Bone Collections", {"action": "IMPORT"}),
    Entry("genmm.part_collections", "Parts to Bone Collections", {"action": "EXPORT"}),
)
"""The entries beside the list of parts."""
NEW_MOTION = (
    Entry("genmm.generate_motion", "Generate New Motion"),
    Entry("genmm.generate_motion", "Generate Looping Cycle", {"loop": "TRAVEL"}),
    Entry("genmm.generate_motion", "Generate Looping Cycle in Place", {"loop": "IN_PLACE"}),
    Entry("genmm.generate_motion", "Generate Four Variations", {"variations": 4}),
    Entry("genmm.generate_motion", "Generate with Independent Arms", {"parts": "LIMBS"}),
    None,
    Entry("genmm.bring_action", "Retarget: Bring Action Here from Armature...", {"origin": "ARMATURE"}),
    Entry("genmm.bring_action", "Retarget: Bring Action Here from Files...", {"origin": "FILES"}),
    Entry("genmm.bring_action", "Retarget: Bring Action Here from Library...", {"origin": "LIBRARY"}),
    None,
    Entry("genmm.add_fitting_examples", "Learn from All Actions That Fit"),
    Entry("genmm.add_other_character", "Retarget: Learn from Another Character"),
    _help("Mirror Examples", "example"),
    Entry("genmm.add_row", "Choose Examples Over Time by Label...", {"rows": "labels"}),
    None,
    Entry("genmm.compare_variations", "Compare Variations in Place", {"action": "IN_PLACE"}),
    Entry("genmm.compare_variations", "Show One Variation Alone", {"action": "ALONE"}),
    Entry("genmm.apply_variation", "Apply Result to My Character"),
    Entry("genmm.frame_results", "Frame Results in View"),
    Entry("genmm.select_source", "Select Source of Result"),
    Entry("genmm.mark_asset", "Mark Action as Asset"),
    None,
    Entry("genmm.import_settings", "Import Settings..."),
    Entry("genmm.export_settings", "Export Settings..."),
)
DIRECT = (
    Entry("genmm.pin_pose", "Pin Pose at This Frame", {"bones": "ALL", "place": False}),
    Entry("genmm.pin_pose", "Pin Pose and Location at This Frame", {"bones": "ALL", "place": True}),
    Entry("genmm.pin_blocking", "Use Keys as Pins"),
    Entry("genmm.pin_from_action", "Pin Poses from Another Action..."),
    Entry("genmm.pin_range", "Pin Range of Frames..."),
    Entry("genmm.edit_pins", "Edit Pins in Dope Sheet"),
    Entry("genmm.clear_rows", "Clear Pins", {"rows": "pins"}),
    None,
    _help("Follow Path/Curve", "path"),
    Entry("genmm.add_row", "Add Waypoint at 3D Cursor", {"rows": "waypoints", "source": "CURSOR"}),
    _help("Walk on Ground, Stairs or Terrain", "ground"),
    Entry("genmm.add_row", "Hold Hand or Foot at Object...", {"rows": "reaches"}),
    Entry("genmm.add_row", "Lock Foot Over Frames...", {"rows": "foot_locks"}),
    Entry("genmm.add_row", "Follow Sound, Music, Curve or Character...", {"rows": "follows"}),
    Entry("genmm.mark_beats", "Find Beats of Music", {"action": "FIND"}),
    Entry("genmm.mark_beats", "Tap Beat at This Frame", {"action": "TAP"}),
    Entry("genmm.mark_beats", "Clear Beats", {"action": "CLEAR"}),
    None,
    *PARTS,
    _help("Keep Part of the Body as It Is", "keep_part"),
)
EDIT = (
    Entry("genmm.fill_range", "Fill Range or Gap with In-Betweens"),
    Entry("genmm.next_filling", "Next Filling", {"step": 1}),
    Entry("genmm.next_filling", "Previous Filling", {"step": -1}),
    Entry("genmm.choose_trajectory", "Choose Trajectory Between Poses"),
    Entry("genmm.blocking_to_spline", "From Blocking to Spline"),
    None,
    Entry("genmm.continue_action", "Continue from Last Key to Extend", {"start": "LAST_KEY"}),
    Entry("genmm.continue_action", "Continue from Playhead", {"start": "PLAYHEAD"}),
    Entry("genmm.continue_action", "Continue from First Key", {"start": "FIRST_KEY"}),
    Entry("genmm.connect_action", "Connect to Action by Transition..."),
    Entry("genmm.blend_strip", "Blend NLA Strip with Previous Strip"),
    Entry("genmm.connect_strips", "Connect NLA Strips by Transition"),
    None,
    *STRETCH,
    None,
    Entry("genmm.coarse_keys", "Coarse Keys"),
    Entry("genmm.switch_keys", "Restore Full Motion", {"action": "FULL"}),
    Entry("genmm.switch_keys", "Back to Coarse Keys", {"action": "COARSE"}),
    Entry("genmm.drag_trail", "Drag Motion Trail of Bones"),
    Entry("genmm.warp_motion", "Motion Warp: Fit to Object for Vault, Sit, Step..."),
    Entry("genmm.make_natural", "Make Natural"),
    Entry("genmm.simplify_keys", "Simplify Keys"),
    None,
    Entry("genmm.remove_layer", "Remove Layer of Edits"),
)
CHANGE = (
    Entry("genmm.restyle", "Restyle in the Style of Another Action"),
    Entry("genmm.blend_action", "Blend with Other Action"),
    Entry("genmm.read_attributes", "Read Attributes: Speed, Steps, Arms, Posture"),
    Entry("genmm.edit_attributes", "Change Attributes: Speed, Steps, Arms, Posture"),
)
CLEAN_UP = (
    Entry("genmm.find_flaws", "Find Flaws: Sliding Feet, Jitter, Spikes"),
    Entry("genmm.repair", "Repair Motion: Sliding Feet, Jitter, Spikes, Jumps, Landings, Braking, Balance"),
    Entry("genmm.find_feet", "Find Feet on the Ground"),
    Entry("genmm.put_feet_on_ground", "Put Feet on Ground"),
    Entry("genmm.reach_in_action", "Move Hands and Feet to Objects in Action"),
    Entry("genmm.root_motion_to_bone", "Root Motion to Bone for Game Engines"),
)
PLAY = (
    Entry("genmm.steer", "Steer Character with Keys or Clicks"),
    Entry("genmm.polish_performance", "Polish Steered Performance"),
    Entry("genmm.live", "Live Preview of New Motion"),
)
LIBRARY = (
    Entry("genmm.build_library", "Build Library of Clips"),
    Entry("genmm.add_library", "Add Library to Learn From..."),
    Entry("genmm.find_similar", "Find Similar Motion in Library"),
    Entry("genmm.show_clusters", "Show Clusters of Similar Clips"),
    Entry("genmm.file_cluster", "File Cluster into Asset Catalog"),
)
SHOW = {
    "show_ribbon": "Show Ribbon of Sources in Timeline",
    "show_durations": "Show Durations of Filling in Timeline",
    "show_ghosts": "Show Ghosts of Pinned Poses",
    "show_waypoints": "Show Path Through Waypoints",
    "show_parts": "Show Colors of Parts",
    "show_weight": "Show Center of Mass, Support and Flights",
}
"""The scene's properties that show or hide drawings, and their texts."""
MANY = (
    Entry("genmm.make_crowd", "Make Crowd of Characters"),
    Entry("genmm.locomotion_set", "Locomotion Set: Loops, Starts, Stops, Turns (Game Engine)"),
)


def draw_entries(layout: UILayout, entries: tuple[Entry | None, ...]) -> None:
    """Draw the entries of a menu, with a line at each None."""
    layout.operator_context = "INVOKE_REGION_WIN"
    for entry in entries:
        if entry is None:
            layout.separator()
            continue
        layout.context_string_set(
            CHOICE, str(next((entry.values[name] for name in ("action", "origin", "rows") if name in entry.values), ""))
        )
        properties = layout.operator(entry.operator, text=entry.text)
        for name, value in entry.values.items():
            setattr(properties, name, value)


class TaskMenu(MenuBase):
    """Mixin for the menu of a task."""

    entries: ClassVar[tuple[Entry | None, ...]] = ()

    def draw(self, _context: Context) -> None:
        """Draw the entries."""
        draw_entries(self.layout, self.entries)


class GENMM_MT_new_motion(TaskMenu, Menu):
    bl_label = "New Motion"
    entries = NEW_MOTION


class GENMM_MT_direct(TaskMenu, Menu):
    bl_label = "Direct"
    entries = DIRECT


class GENMM_MT_edit(TaskMenu, Menu):
    bl_label = "Edit This Action"
    entries = EDIT


class GENMM_MT_change(TaskMenu, Menu):
    bl_label = "Change"
    entries = CHANGE


class GENMM_MT_clean_up(TaskMenu, Menu):
    bl_label = "Clean Up"
    entries = CLEAN_UP


class GENMM_MT_play(TaskMenu, Menu):
    bl_label = "Play"
    entries = PLAY


class GENMM_MT_library(TaskMenu, Menu):
    bl_label = "Library"
    entries = LIBRARY


class GENMM_MT_show(TaskMenu, Menu):
    bl_label = "Show"

    def draw(self, context: Context) -> None:
        """Draw a checkbox for each drawing."""
        for name, text in SHOW.items():
            self.layout.prop(scene_properties(context.scene), name, text=text)


class GENMM_MT_timeline(Menu):
    bl_idname = "GENMM_MT_timeline"
    bl_label = "GenMM"
    bl_description = "New motion, and edits of the action that the character plays"

    def draw(self, _context: Context) -> None:
        """Draw a menu for each task."""
        for menu in TASKS:
            self.layout.menu(menu.__name__)
        draw_entries(self.layout, MANY)


TASKS: tuple[type[Menu], ...] = (
    GENMM_MT_new_motion,
    GENMM_MT_direct,
    GENMM_MT_edit,
    GENMM_MT_change,
    GENMM_MT_clean_up,
    GENMM_MT_play,
    GENMM_MT_library,
    GENMM_MT_show,
)


def _draw_in_header(menu: Menu, context: Context) -> None:
    space = context.space_data
    if isinstance(space, SpaceDopeSheetEditor) and space.mode not in DOPE_SHEET_MODES:
        return
    if isinstance(space, SpaceView3D) and context.mode not in VIEWPORT_MODES:
        return
    menu.layout.menu(GENMM_MT_timeline.bl_idname)


ENTRIES = dict.fromkeys(PLACES, _draw_in_header)
