# SPDX-License-Identifier: GPL-3.0-or-later
"""Stored directions of a character: its parts, its waypoints, and its names for other characters' bones."""

from bpy.props import (
    BoolProperty,
    CollectionProperty,
    EnumProperty,
    FloatVectorProperty,
    IntProperty,
    PointerProperty,
    StringProperty,
)
from bpy.types import Object, PropertyGroup


class GENMM_PG_part_bone(PropertyGroup):
    """A bone in a part."""

    name: StringProperty(name="Bone", description="The bone that belongs to the part")


class GENMM_PG_part_example(PropertyGroup):
    """An example that a part does not draw from."""

    number: IntProperty(name="Example", description="The row of the list of examples that the part does not draw from")


class GENMM_PG_part(PropertyGroup):
    """A group of bones that is matched on its own; where parts overlap, the result lies half-way between them."""

    name: StringProperty(name="Name", description="The name of the part", default="Part")
    color: FloatVectorProperty(
        name="Color",
        description="The color of the part's bones in the viewport",
        subtype="COLOR",
        size=3,
        default=(0.2, 0.6, 1.0),
        min=0.0,
        max=1.0,
    )
    bones: CollectionProperty(type=GENMM_PG_part_bone)
    use_examples: BoolProperty(
        name="Choose Examples",
        description="Choose the examples that the part draws from; otherwise it draws from all that have its bones",
        default=False,
    )
    excluded: CollectionProperty(type=GENMM_PG_part_example)


CERTAINTIES = [
    ("SET", "Set", "The pair was made by the user, or read from a map"),
    ("SURE", "Sure", "The match is sure"),
    ("DOUBTFUL", "Doubtful", "The match may be wrong"),
]


class GENMM_PG_bone_name(PropertyGroup):
    """A bone of another character and the bone of this one that moves the same, and how sure the match is."""

    name: StringProperty(name="Other Bone", description="The bone's name on the other character")
    target: StringProperty(
        name="Bone",
        description="The bone of this character that moves the same way; empty leaves the other bone out",
    )
    matched: StringProperty(options={"HIDDEN"})
    certainty: EnumProperty(items=CERTAINTIES, default="SET", options={"HIDDEN"})

    @property
    def shown_certainty(self) -> str:
        """Return the certainty, SET where the match was corrected, or NONE for a bone without one."""
        if self.certainty == "SET" or self.target != self.matched:
            return "SET"
        return self.certainty if self.target else "NONE"


def _is_empty(_waypoint: PropertyGroup, candidate: Object) -> bool:
    return candidate.type == "EMPTY"


class GENMM_PG_waypoint(PropertyGroup):
    """An empty that the root passes at a frame."""

    empty: PointerProperty(name="Empty", description="The empty that the character passes", type=Object, poll=_is_empty)
    frame: IntProperty(name="Frame", description="The scene frame at which the character passes it", default=1)
    use_place: BoolProperty(name="Place", description="Pass exactly where the empty is, seen from above", default=True)
    use_facing: BoolProperty(name="Facing", description="Face along the arrow on the ground, the empty's -Y axis")
