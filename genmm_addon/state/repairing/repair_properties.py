# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that say what is repaired, the same in the panel and in the operator, and the list of flaws."""

from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import PropertyGroup

from ..registration import registration_of

WHAT = (
    ("FLAWS", "Flaws", "The frames and bones that are flagged by themselves"),
    ("EVERYTHING", "Everything", "All of the frames and bones: as much as they tremble, and what is flagged in them"),
)
KINDS = (
    ("SPIKE", "Spikes", "A few frames far off the motion before and after", 1),
    ("JITTER", "Jitter", "Trembling from frame to frame", 2),
    ("LOST", "Lost Markers", "Values that stay exactly the same, and jump then", 4),
    ("SLIDE", "Slides", "Feet that slide while they stand", 8),
)
ALL_KINDS = {kind[0] for kind in KINDS}
FRAMES = (
    ("ALL", "All", "All frames of the action"),
    ("SELECTED", "Selected Keys", "From the first selected key to the last one"),
    ("PREVIEW", "Preview Range", "The preview range of the timeline"),
    ("FRAMES", "Frames", "From one frame to another"),
)
BONES = (("ALL", "All", "All bones"), ("SELECTED", "Selected", "The bones that are selected in Pose Mode"))
SOURCES = (
    ("NONE", "Filters", "No examples: filters alone"),
    ("ACTION", "Action", "Another action of the character, whose motion is good"),
    ("LIBRARY", "Library", "The clips of a library"),
)


class RepairProperties:
    """The values that change a repair."""

    what: EnumProperty(name="Repair", description="What is repaired", items=WHAT, default="FLAWS")
    kinds: EnumProperty(
        name="Kinds",
        description="The kinds of flaws that are looked for",
        items=KINDS,
        options={"ENUM_FLAG"},
        default=ALL_KINDS,
    )
    frames_choice: EnumProperty(name="Range", description="The frames to look at", items=FRAMES, default="ALL")
    first_frame: IntProperty(name="From", description="The first frame to look at", default=1)
    last_frame: IntProperty(name="To", description="The last frame to look at", default=100)
    bones_choice: EnumProperty(name="Bones", description="The bones to look at", items=BONES, default="ALL")
    source: EnumProperty(
        name="Learn From", description="Where good motion of the kind is", items=SOURCES, default="NONE"
    )
    other_action: StringProperty(name="Action", description="The action whose motion is good")
    library: StringProperty(
        name="Library",
        description="The file of a library; empty is the library that the character learns from",
        subtype="FILE_PATH",
    )
    tags: StringProperty(name="Tags", description="Tags of the clips to learn from: action=walk. Empty is all of them")
    strength: FloatProperty(
        name="Strength",
        description="How much is repaired: 0 leaves all as it is, 1 is all of it",
        default=1.0,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
    )


class GENMM_PG_flaw(PropertyGroup):
    """A flaw that was found. Its `name` is its key."""

    repaired: BoolProperty(name="Repair", description="Repair this one", default=True)
    kind: StringProperty(name="Kind")
    first: FloatProperty(name="First Frame")
    last: FloatProperty(name="Last Frame")
    bones: StringProperty(name="Bones")
    change: FloatProperty(name="Change", subtype="DISTANCE")


class GENMM_PG_repair(RepairProperties, PropertyGroup):
    """The next repair as the panel says it, and the flaws that were found last, in an action of this name."""

    action: StringProperty(name="Action")
    flaws: CollectionProperty(type=GENMM_PG_flaw)
    active_flaw: IntProperty(name="Flaw", description="The flaw that is selected in the list")


register, unregister = registration_of((GENMM_PG_flaw, GENMM_PG_repair))
