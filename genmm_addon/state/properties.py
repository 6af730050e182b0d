# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties that files store: of a character, for its next motion, and of the scene."""

from typing import Any

import bpy
from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Action, Object, PropertyGroup

from ..animation.reading.example_spec import MIRRORED_CHOICES, REPETITION_CHOICES
from ..core import Settings
from ..core.fields import settings_in
from ..generation.recipe import character_behind
from .bone_lists import GENMM_PG_foot
from .crowd_properties import GENMM_PG_crowd
from .direction_properties import GENMM_PG_bone_name, GENMM_PG_part, GENMM_PG_waypoint
from .edit_properties import GENMM_PG_filling, GENMM_PG_repair, GENMM_PG_transform
from .library_properties import GENMM_PG_library_build, LibraryProperties
from .setting_properties import GenerationProperties
from .settings_versions import FIRST
from .steering_properties import GENMM_PG_steering

HALF = float(settings_in(Settings)["completeness"].properties[0].default)
"""Alpha at a coverage of one half: the default, that of the paper (section 4, Implementation Details)."""
LEAST, LARGEST = 0.0001, 100.0
"""The alphas of full and of no coverage."""
FIRST_FRAMES = (
    ("AUTO", "Automatic", "Leave the first frame out if it is found to be a rest pose"),
    ("KEEP", "Keep", "Learn from the first frame in any case"),
    ("LEAVE_OUT", "Leave Out", "Do not learn from the first frame"),
)
COMPUTED = {"length", "coverage"}
"""Properties of a character's settings that are computed from others."""


def coverage_of(alpha: float) -> float:
    """Return the coverage, from 0 to 1, for an alpha."""
    return HALF / (HALF + alpha)


def alpha_of(coverage: float) -> float:
    """Return the alpha for a coverage from 0 to 1, from LEAST to LARGEST."""
    if coverage <= 0.0:
        return LARGEST
    return min(max(HALF * (1.0 - coverage) / coverage, LEAST), LARGEST)


def coverage_shown(settings: Any) -> float:
    """Return the coverage that the panel shows for the stored completeness."""
    return coverage_of(settings.completeness)


def set_coverage(settings: Any, coverage: float) -> None:
    """Store a coverage set in the panel as completeness."""
    settings.completeness = alpha_of(coverage)


class GENMM_PG_example(PropertyGroup):
    """An action to learn from, and its frames and rate.

    No property here has a Python callback: with one, Blender 4.2 as a module crashes at exit.
    """

    action: PointerProperty(name="Action", description="The action to learn from", type=Action)
    slot: StringProperty(
        name="Slot",
        description="The slot of the action to learn from; empty uses the first that fits",
    )
    enabled: BoolProperty(name="Use", description="Learn from this example", default=True)
    use_range: BoolProperty(
        name="Custom Range", description="Learn from only some of the action's frames", default=False
    )
    frame_start: FloatProperty(
        name="Start", description="The first frame to learn from", default=1.0, step=100, precision=1
    )
    frame_end: FloatProperty(
        name="End", description="The last frame to learn from", default=250.0, step=100, precision=1
    )
    use_rate: BoolProperty(
        name="Source Frame Rate",
        description="Set the frame rate that the action was made for, where it is not the scene's",
        default=False,
    )
    frames_per_second: FloatProperty(
        name="Frames per Second",
        description="The frame rate that the action was made for",
        default=30.0,
        min=1.0,
        soft_max=240.0,
        max=10_000.0,
        step=100,
    )
    first_frame: EnumProperty(
        name="First Frame",
        description="Use of the first frame, which shows a T-pose in many recordings",
        items=FIRST_FRAMES,
        default="AUTO",
    )
    armature: PointerProperty(
        name="Character",
        description="The character that the action belongs to; empty means this one",
        type=Object,
    )
    tags: StringProperty(
        name="Tags",
        description="Tags of this example, such as style=angry, action=walk, by which labels over time choose it",
    )
    mirrored: EnumProperty(
        name="Mirror",
        description="Learn from the example as it was recorded, with left and right exchanged, or both ways, which "
        "gives twice the motion to choose from if left and right do not matter",
        items=[(choice.identifier, choice.label, choice.tooltip) for choice in MIRRORED_CHOICES],
        default="AS_RECORDED",
    )
    repetition: EnumProperty(
        name="Repetition",
        description="Whether the example is a cycle, which repeats without a cut, or a take",
        items=[(choice.identifier, choice.label, choice.tooltip) for choice in REPETITION_CHOICES],
        default="AUTOMATIC",
    )
    has_rest_start: BoolProperty(
        name="Starts With Rest Pose",
        description="The first frame was found to be a rest pose when the action was last read",
        default=False,
    )


class GENMM_PG_character(GenerationProperties, LibraryProperties, PropertyGroup):
    """A character's examples, and how its next motion is made."""

    version: IntProperty(name="Version", default=FIRST, options={"HIDDEN"})
    coverage: FloatProperty(
        name="Coverage",
        description=(
            "Share of the examples that the result shows: more brings in more of their parts (stored as the paper's "
            "alpha, which is 0.01 at 50 % and shrinks as coverage grows)"
        ),
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        get=coverage_shown,
        set=set_coverage,
        options={"SKIP_SAVE"},
    )
    examples: CollectionProperty(type=GENMM_PG_example)
    blend_share: FloatProperty(
        name="Blend Amount",
        description="Amount of the other action in a blend; keys in the blended action change it over time",
        default=0.5,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        options={"ANIMATABLE"},
    )
    active_example: IntProperty(name="Active Example", description="The example whose details are shown")
    active_foot: IntProperty(name="Active Foot", description="The foot that is selected in the list")
    active_weight: IntProperty(name="Active Weight", description="The weight that is selected in the list")
    feet_were_sought: BoolProperty(
        name="Feet Were Sought", description="The feet of the examples are known", options={"HIDDEN"}
    )
    found_feet: CollectionProperty(type=GENMM_PG_foot)
    new_seed: BoolProperty(
        name="New Seed Each Time",
        description="Use a new seed at every press of Generate, and show the seed that was used",
        default=True,
    )
    part_list: CollectionProperty(type=GENMM_PG_part)
    active_part: IntProperty(name="Active Part", description="The part that is painted and edited")
    pins_action: PointerProperty(name="Pins", description="The action whose keys the result goes through", type=Action)
    edited_pins: PointerProperty(
        name="Edited Pins",
        description="The pins that the character plays while they are edited in the Dope Sheet",
        type=Action,
        options={"HIDDEN"},
    )
    own_action: PointerProperty(
        name="Own Action",
        description="The action that the character plays when its pins are not edited",
        type=Action,
        options={"HIDDEN"},
    )
    own_slot: StringProperty(name="Own Slot", description="The slot of the character's own action", options={"HIDDEN"})
    path_curve: PointerProperty(name="Path", description="The curve that the character follows", type=Object)
    waypoints: CollectionProperty(type=GENMM_PG_waypoint)
    ground_object: PointerProperty(
        name="Ground",
        description="The object that the feet stand on, together with its children",
        type=Object,
    )
    completion_action: PointerProperty(
        name="Action",
        description="The action that the kept bones play unchanged; empty means the action that the character plays",
        type=Action,
    )
    completion_part: StringProperty(name="Part", description="The part of the list whose bones play the action")
    bone_names: CollectionProperty(type=GENMM_PG_bone_name)
    active_bone_name: IntProperty(name="Active Bone Name", description="The pair of names that is selected in the list")
    last_batch: StringProperty(
        name="Last Batch", description="The identity of the results generated last", options={"HIDDEN"}
    )


class GENMM_PG_linked_character(PropertyGroup):
    """The settings of a character that comes from another file and cannot keep them itself."""

    character: PointerProperty(name="Character", type=Object)
    settings: PointerProperty(type=GENMM_PG_character)


class GENMM_PG_scene(PropertyGroup):
    """The stored properties of a scene: what is shown, and the settings of linked and overridden characters."""

    version: IntProperty(name="Version", default=FIRST, options={"HIDDEN"})
    show_ribbon: BoolProperty(
        name="Show Ribbon",
        description="Color the timeline and the dope sheet by where in the examples the result comes from",
        default=True,
    )
    show_durations: BoolProperty(
        name="Show Durations",
        description="Show in the timeline and the dope sheet how good each duration of the filled range would be",
        default=True,
    )
    show_parts: BoolProperty(
        name="Show Parts",
        description="Color the bones in the viewport by their parts, whichever tool is active",
        default=False,
    )
    show_ghosts: BoolProperty(
        name="Show Ghosts",
        description="Draw the pinned poses of the character in the viewport",
        default=True,
    )
    show_weight: BoolProperty(
        name="Show Weight",
        description="Draw in the viewport the path of the character's center of mass, its support and its flights",
        default=False,
    )
    show_waypoints: BoolProperty(
        name="Show Waypoints",
        description="Draw the way through the character's waypoints in the viewport",
        default=True,
    )
    stretch_first: IntProperty(
        name="First Frame",
        description="First frame of the stretch chosen on the ribbon of a result",
    )
    stretch_last: IntProperty(
        name="Last Frame",
        description="Last frame of the stretch chosen on the ribbon of a result",
        default=-1,
    )
    brush_radius: IntProperty(
        name="Radius",
        description="Distance from the cursor up to which bones are painted, in pixels",
        default=30,
        min=1,
        soft_max=300,
        max=2000,
        subtype="PIXEL",
    )
    characters: CollectionProperty(type=GENMM_PG_linked_character)
    crowd: PointerProperty(type=GENMM_PG_crowd)
    library_build: PointerProperty(type=GENMM_PG_library_build)
    filling: PointerProperty(type=GENMM_PG_filling)
    transform: PointerProperty(type=GENMM_PG_transform)
    repair: PointerProperty(type=GENMM_PG_repair)
    steering: PointerProperty(type=GENMM_PG_steering)


def keeps_own_settings(character: Object) -> bool:
    """Return whether settings stored on the character are saved, which linked and overridden characters do not do."""
    return character.library is None and character.override_library is None


def own_settings(character: Object) -> GENMM_PG_character:
    """Return what is stored on the character itself."""
    settings: GENMM_PG_character = character.genmm  # type: ignore[attr-defined]  # registered below
    return settings


def scene_properties(scene: bpy.types.Scene) -> GENMM_PG_scene:
    """Return what is stored on the scene."""
    properties: GENMM_PG_scene = scene.genmm  # type: ignore[attr-defined]  # registered below
    return properties


def stored_settings(character: Object, scene: bpy.types.Scene) -> GENMM_PG_character | None:
    """Return the character's settings, or None where the scene has none yet for a linked or overridden one.

    A generated character shows those of the character that it was made from.
    """
    character = character_behind(character)
    if keeps_own_settings(character):
        return own_settings(character)
    settings: GENMM_PG_character | None = None
    for entry in scene_properties(scene).characters:
        if entry.character == character:
            settings = entry.settings
            break
    return settings


def readable_settings(character: Object, scene: bpy.types.Scene) -> GENMM_PG_character:
    """Return the settings to use: for a linked character the scene's, or those of its file until the scene has any."""
    settings = stored_settings(character, scene)
    return own_settings(character_behind(character)) if settings is None else settings


def ensure_settings(character: Object, scene: bpy.types.Scene) -> GENMM_PG_character:
    """Return the character's settings for writing, copied from those of its file where the scene has none yet."""
    settings = stored_settings(character, scene)
    if settings is None:
        entry = scene_properties(scene).characters.add()
        entry.character = character_behind(character)
        settings = entry.settings
        _copy(own_settings(entry.character), settings)
    return settings


def _copy(source: PropertyGroup, target: PropertyGroup) -> None:
    for item in source.bl_rna.properties:
        if item.type == "COLLECTION":
            for element in getattr(source, item.identifier):
                _copy(element, getattr(target, item.identifier).add())
        elif not item.is_readonly and source.is_property_set(item.identifier) and item.identifier not in COMPUTED:
            # Unset values stay unset: the length follows the example until it is set.
            setattr(target, item.identifier, getattr(source, item.identifier))


def register() -> None:
    """Give every object and scene its settings."""
    # Blender's stubs do not know registered properties, and type PointerProperty as returning None.
    Object.genmm = PointerProperty(type=GENMM_PG_character, name="GenMM")  # type: ignore[attr-defined, func-returns-value]
    bpy.types.Scene.genmm = PointerProperty(type=GENMM_PG_scene, name="GenMM")  # type: ignore[attr-defined, func-returns-value]


def unregister() -> None:
    """Remove the settings from objects and scenes."""
    del bpy.types.Scene.genmm  # type: ignore[attr-defined]
    del Object.genmm  # type: ignore[attr-defined]
