# SPDX-License-Identifier: GPL-3.0-or-later
"""The values for a repair, shared by panel and operator, and the list of flaws."""

from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import PropertyGroup

from ..core.repair import FlawKind

WHAT = (
    ("FLAWS", "Flaws", "Only the flagged frames and bones"),
    ("EVERYTHING", "Everything", "All frames and bones, each as much as it trembles, and the flagged flaws in them"),
)
KINDS = tuple((kind.value, kind.title, kind.text, 1 << number) for number, kind in enumerate(FlawKind))
ALL_KINDS = {kind[0] for kind in KINDS}
TITLES = {kind.value: kind.title for kind in FlawKind}
KEPT_IN_FLIGHTS = (
    ("DURATION", "Duration", "Take-off and landing keep their frames; the body jumps as high as gravity demands"),
    (
        "HEIGHT",
        "Height",
        "The body jumps as high as before, for as long as gravity demands; frames beside it make room",
    ),
)
FRAMES = (
    ("ALL", "All", "All frames of the action"),
    ("SELECTED", "Selected Keys", "From the first selected key to the last one"),
    ("PREVIEW", "Preview Range", "The preview range of the timeline"),
    ("FRAMES", "Frames", "From one frame to another"),
)
BONES = (("ALL", "All", "All bones"), ("SELECTED", "Selected", "The bones that are selected in Pose Mode"))
SOURCES = (
    ("NONE", "Filters", "Filters only, without examples"),
    ("ACTION", "Action", "Another action of the character, with good motion"),
    ("LIBRARY", "Library", "The clips of a library"),
)


class RepairProperties:
    """The values that change a repair."""

    what: EnumProperty(
        name="Repair", description="The flaws that are repaired, or the whole motion", items=WHAT, default="FLAWS"
    )
    kinds: EnumProperty(
        name="Kinds",
        description="The kinds of flaws to look for",
        items=KINDS,
        options={"ENUM_FLAG"},
        default=ALL_KINDS,
    )
    kept_in_flights: EnumProperty(
        name="Flights Keep",
        description="The quantity of a flight that stays; gravity decides the other",
        items=KEPT_IN_FLIGHTS,
        default="DURATION",
    )
    frames_choice: EnumProperty(name="Range", description="The frames to look at", items=FRAMES, default="ALL")
    first_frame: IntProperty(name="From", description="The first frame to look at", default=1)
    last_frame: IntProperty(name="To", description="The last frame to look at", default=100)
    bones_choice: EnumProperty(name="Bones", description="The bones to look at", items=BONES, default="ALL")
    source: EnumProperty(
        name="Using", description="The source of good motion of this kind, or filters", items=SOURCES, default="NONE"
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
