# SPDX-License-Identifier: GPL-3.0-or-later
"""The values of edits in place, transformations and repairs, in panels and operators."""

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

from ..core.repair import FlawKind
from ..generation.stretches.redone import MOST_ALTERNATIVES

KEYS_OR_PREVIEW = (
    ("SELECTED", "Selected Keys", "From the first selected key to the last one"),
    ("PREVIEW", "Preview Range", "The preview range of the timeline"),
)
GIVEN_FRAMES = ("FRAMES", "Frames", "From one frame to another")
RANGES = (
    ("AUTOMATIC", "Automatic", "The selected keys; without any, the preview range or the poses around the playhead"),
    *KEYS_OR_PREVIEW,
    ("PLAYHEAD", "Around Playhead", "From the pose before the playhead to the one after it"),
    GIVEN_FRAMES,
)
TIMINGS = (
    ("RANGE", "As the Range", "As long as the range is"),
    ("AUTOMATIC", "Automatic", "As long as the examples take from one pose to the other"),
    ("FAST", "Fast", "The shortest of the durations that are about as good as the best"),
    ("MEDIUM", "Medium", "The middle duration of those that are about as good as the best"),
    ("SLOW", "Slow", "The longest of the durations that are about as good as the best"),
    ("DURATION", "Duration", "A given number of frames"),
)
EDITS = (
    ("ACTION", "In Action", "Into the action that the character plays"),
    (
        "LAYER",
        "On Layer",
        "Onto an additive layer in the NLA, with influence and mute, above the action, which stays as it is",
    ),
)
EXAMPLES_FROM = (
    ("ACTION", "Action", "Another action of the character"),
    ("LIBRARY", "Library", "The clips of a library that fit the action best"),
)
BONE_ATTRIBUTES = (
    ("swing", "Swing", "Deviation of the bone from its mean rotation"),
    ("height", "Height", "Angle of the bone from straight down"),
)
REPAIRED = (
    ("FLAWS", "Flaws", "Only the flagged frames and bones"),
    ("EVERYTHING", "Everything", "All frames and bones, each as much as it trembles, and the flagged flaws in them"),
)
FLAW_KINDS = tuple((kind.value, kind.title, kind.text, 1 << number) for number, kind in enumerate(FlawKind))
ALL_FLAW_KINDS = {kind[0] for kind in FLAW_KINDS}
FLAW_TITLES = {kind.value: kind.title for kind in FlawKind}
KEPT_IN_FLIGHTS = (
    ("DURATION", "Duration", "Take-off and landing keep their frames; the body jumps as high as gravity demands"),
    (
        "HEIGHT",
        "Height",
        "The body jumps as high as before, for as long as gravity demands; frames beside it make room",
    ),
)
REPAIRED_FRAMES = (
    ("ALL", "All", "All frames of the action"),
    *KEYS_OR_PREVIEW,
    GIVEN_FRAMES,
)
REPAIRED_BONES = (("ALL", "All", "All bones"), ("SELECTED", "Selected", "The bones that are selected in Pose Mode"))
REPAIR_EXAMPLES = (
    ("NONE", "Filters", "Filters only, without examples"),
    ("ACTION", "Action", "Another action of the character, with good motion"),
    ("LIBRARY", "Library", "The clips of a library"),
)


class FillingProperties:
    """The values that change a filling."""

    range_choice: EnumProperty(name="Range", description="The frames to fill", items=RANGES, default="AUTOMATIC")
    first_frame: IntProperty(name="From", description="The frame of the first pose of the range", default=1)
    last_frame: IntProperty(name="To", description="The frame of the last pose of the range", default=31)
    timing: EnumProperty(name="Timing", description="Duration of the new motion", items=TIMINGS, default="RANGE")
    duration: IntProperty(
        name="Duration", description="Frames from pose to pose", default=30, min=2, soft_max=300, max=100_000
    )
    moves_following: BoolProperty(
        name="Move What Follows",
        description="Move the keys after the range, in this action only, when the new motion is longer or shorter",
        default=False,
    )
    alternatives: IntProperty(
        name="Alternatives",
        description="Number of alternatives that Next and Previous go through, each from a different clip or place",
        default=5,
        min=1,
        max=MOST_ALTERNATIVES,
    )


class GENMM_PG_filling(FillingProperties, PropertyGroup):
    """The panel's values for the next range to fill, and for all edits in place."""

    edits: EnumProperty(name="Edits", description="Where edits in place go", items=EDITS, default="ACTION")


class TransformProperties:
    """The examples by which an action is transformed."""

    source: EnumProperty(
        name="From", description="The source of the other motion", items=EXAMPLES_FROM, default="ACTION"
    )
    other_action: StringProperty(name="Action", description="The other action")
    library: StringProperty(
        name="Library",
        description="The file of a library; empty means the library that the character learns from",
        subtype="FILE_PATH",
    )
    tags: StringProperty(
        name="Tags",
        description="Tags of the clips to choose from, such as style=old; those that fit the action best are used",
    )


class StyleProperties:
    """The values for transferring a style."""

    strength: FloatProperty(
        name="Strength",
        description="Amount of the style: 0 keeps the action as it is, 1 gives the style, more exaggerates it",
        default=1.0,
        min=0.0,
        max=1.5,
    )
    keep_timing: BoolProperty(
        name="Keep Timing",
        description="Keep steps and gestures at the action's times; otherwise they follow the style's own tempo",
        default=True,
    )
    posture_only: BoolProperty(
        name="Posture Only",
        description="Take only the posture of the trunk from any action, and without Keep Timing also its tempo",
        default=False,
    )


class BoneAttributeProperties:
    """A bone whose swing or height is read as an attribute."""

    bone: StringProperty(name="Bone", description="A bone above the legs whose swing or height is also read")
    bone_attribute: EnumProperty(
        name="Bone Attribute", description="The attribute to read of the bone", items=BONE_ATTRIBUTES, default="swing"
    )


class GENMM_PG_attribute(PropertyGroup):
    """An attribute read from the active action, and the change asked for."""

    label: StringProperty(name="Label", description="The attribute's name in the panel")
    value: FloatProperty(name="Value", description="The value that the action has")
    lowest: FloatProperty(name="Lowest", description="The lowest value that the examples have")
    highest: FloatProperty(name="Highest", description="The highest value that the examples have")
    change: FloatProperty(
        name="Change",
        description="0 keeps the action's value, 1 is the highest value in the examples, -1 the lowest",
        default=0.0,
        min=-1.0,
        max=1.0,
    )


class GENMM_PG_attributes(BoneAttributeProperties, PropertyGroup):
    """The attributes read last: of the action named `action`, with `examples` examples that show the same action."""

    action: StringProperty(name="Action", description="The action that was read")
    examples: IntProperty(name="Examples", description="Number of examples that show the same action")
    size: FloatProperty(
        name="Size", description="The size of the body that was read, in the scene's units; 0 if not known"
    )
    values: CollectionProperty(type=GENMM_PG_attribute)


class GENMM_PG_transform(TransformProperties, StyleProperties, PropertyGroup):
    """The panel's values for the next transformation."""

    attributes: PointerProperty(type=GENMM_PG_attributes)


class RepairProperties:
    """The values that change a repair."""

    what: EnumProperty(
        name="Repair", description="The flaws that are repaired, or the whole motion", items=REPAIRED, default="FLAWS"
    )
    kinds: EnumProperty(
        name="Kinds",
        description="The kinds of flaws to look for",
        items=FLAW_KINDS,
        options={"ENUM_FLAG"},
        default=ALL_FLAW_KINDS,
    )
    kept_in_flights: EnumProperty(
        name="Flights Keep",
        description="The quantity of a flight that stays; gravity decides the other",
        items=KEPT_IN_FLIGHTS,
        default="DURATION",
    )
    frames_choice: EnumProperty(name="Range", description="The frames to look at", items=REPAIRED_FRAMES, default="ALL")
    first_frame: IntProperty(name="From", description="The first frame to look at", default=1)
    last_frame: IntProperty(name="To", description="The last frame to look at", default=100)
    bones_choice: EnumProperty(name="Bones", description="The bones to look at", items=REPAIRED_BONES, default="ALL")
    source: EnumProperty(
        name="Using",
        description="The source of good motion of this kind, or filters",
        items=REPAIR_EXAMPLES,
        default="NONE",
    )
    other_action: StringProperty(name="Action", description="The action with good motion")
    library: StringProperty(
        name="Library",
        description="The file of a library; empty means the library that the character learns from",
        subtype="FILE_PATH",
    )
    tags: StringProperty(
        name="Tags", description="Tags of the clips to learn from, such as action=walk; empty means all clips"
    )
    strength: FloatProperty(
        name="Strength",
        description="Amount of the repair: 0 changes nothing, 1 repairs completely",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )


class GENMM_PG_flaw(PropertyGroup):
    """A flaw that was found; its `name` identifies it."""

    repaired: BoolProperty(name="Repair", description="Repair this flaw", default=True)
    kind: StringProperty(name="Kind")
    first: FloatProperty(name="First Frame")
    last: FloatProperty(name="Last Frame")
    bones: StringProperty(name="Bones")
    amount: StringProperty(name="Amount")
    change: FloatProperty(name="Change", subtype="DISTANCE")


class GENMM_PG_repair(RepairProperties, PropertyGroup):
    """The panel's values for the next repair, and the flaws found last in the action named `action`."""

    action: StringProperty(name="Action")
    keys: StringProperty(name="Keys", description="The fingerprint of that action's keys when its flaws were found")
    flaws: CollectionProperty(type=GENMM_PG_flaw)
    active_flaw: IntProperty(name="Flaw", description="The flaw that is selected in the list")
