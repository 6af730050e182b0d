# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that say how a range is filled, and an action transformed, the same in the panel and in the operator."""

from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import PropertyGroup

from .registration import registration_of

RANGES = (
    ("AUTOMATIC", "Automatic", "The selected keys, else the preview range, else the poses around the playhead"),
    ("SELECTED", "Selected Keys", "From the first selected key to the last one"),
    ("PREVIEW", "Preview Range", "The preview range of the timeline"),
    ("PLAYHEAD", "Around Playhead", "From the pose before the playhead to the one after it"),
    ("FRAMES", "Frames", "From one frame to another"),
)
TIMINGS = (
    ("RANGE", "As the Range", "As long as the range is"),
    ("AUTOMATIC", "Automatic", "As long as the examples take from one pose to the other"),
    ("FAST", "Fast", "The shortest of the durations that are about as good as the best"),
    ("MEDIUM", "Medium", "The middle one of the durations that are about as good as the best"),
    ("SLOW", "Slow", "The longest of the durations that are about as good as the best"),
    ("DURATION", "Duration", "A number of frames"),
)
EXAMPLES_FROM = (
    ("ACTION", "Action", "Another action of the character"),
    ("LIBRARY", "Library", "The clips of a library that fit the action best"),
)
MOST_ALTERNATIVES = 50
BONE_ATTRIBUTES = (
    ("swing", "Swing", "How far the bone swings about where it is on the mean"),
    ("height", "Height", "The angle of the bone from straight down"),
)


class FillingProperties:
    """The values that change a filling."""

    range_choice: EnumProperty(name="Range", description="The frames to fill", items=RANGES, default="AUTOMATIC")
    first_frame: IntProperty(name="From", description="The frame of the pose that it begins with", default=1)
    last_frame: IntProperty(name="To", description="The frame of the pose that it ends with", default=31)
    timing: EnumProperty(name="Timing", description="How long the new motion takes", items=TIMINGS, default="RANGE")
    duration: IntProperty(
        name="Duration", description="Frames from pose to pose", default=30, min=2, soft_max=300, max=100_000
    )
    moves_following: BoolProperty(
        name="Move What Follows",
        description="Move the keys after the range, in this action alone, where the new motion is longer or shorter",
        default=False,
    )
    alternatives: IntProperty(
        name="Alternatives",
        description="How many alternatives Next and Previous go through, each from another clip or place",
        default=5,
        min=1,
        max=MOST_ALTERNATIVES,
    )


class GENMM_PG_filling(FillingProperties, PropertyGroup):
    """The next range that is filled, as the panel says it."""


class TransformProperties:
    """The examples by which an action is transformed."""

    source: EnumProperty(name="From", description="Where the other motion is", items=EXAMPLES_FROM, default="ACTION")
    other_action: StringProperty(name="Action", description="The other action")
    library: StringProperty(
        name="Library",
        description="The file of a library; empty is the library that the character learns from",
        subtype="FILE_PATH",
    )
    tags: StringProperty(
        name="Tags",
        description="Tags of the clips to choose from: style=old. Those that fit the action best are taken",
    )


class StyleProperties:
    """The way a style is taken over."""

    strength: FloatProperty(
        name="Strength",
        description="How much of the style there is: 0 is the action as it is, 1 the style, more exaggerates it",
        default=1.0,
        min=0.0,
        max=1.5,
    )
    keep_timing: BoolProperty(
        name="Keep Timing",
        description="Steps and gestures happen when they do in the action; without it, at the style's own tempo",
        default=True,
    )
    posture_only: BoolProperty(
        name="Posture Only",
        description="Take the posture of the trunk alone, and without Keep Timing the tempo, from any action",
        default=False,
    )


class BoneAttributeProperties:
    """A bone whose swing or height is among the attributes."""

    bone: StringProperty(name="Bone", description="A bone above the legs whose swing or height is read as well")
    bone_attribute: EnumProperty(
        name="Bone Attribute", description="What is read of the bone", items=BONE_ATTRIBUTES, default="swing"
    )


class GENMM_PG_attribute(PropertyGroup):
    """An attribute of the active action, as it was read, and the change that is asked for."""

    label: StringProperty(name="Label", description="Its name for the user")
    unit: StringProperty(name="Unit", description="The unit of its values")
    value: FloatProperty(name="Value", description="The value that the action has")
    lowest: FloatProperty(name="Lowest", description="The lowest value that the examples have")
    highest: FloatProperty(name="Highest", description="The highest value that the examples have")
    change: FloatProperty(
        name="Change",
        description="0 is the action as it is, 1 the highest value that the examples have, -1 the lowest",
        default=0.0,
        min=-1.0,
        max=1.0,
    )


class GENMM_PG_attributes(BoneAttributeProperties, PropertyGroup):
    """The attributes of an action that were read last; action: its name, examples: how many show the same action."""

    action: StringProperty(name="Action", description="The action that was read")
    examples: IntProperty(name="Examples", description="How many examples show the same action")
    values: CollectionProperty(type=GENMM_PG_attribute)


class GENMM_PG_transform(TransformProperties, StyleProperties, PropertyGroup):
    """The next transformation, as the panel says it."""

    attributes: PointerProperty(type=GENMM_PG_attributes)


register, unregister = registration_of((GENMM_PG_filling, GENMM_PG_attribute, GENMM_PG_attributes, GENMM_PG_transform))
