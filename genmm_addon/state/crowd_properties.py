# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that make a crowd, the same in the panel and in the operator."""

from bpy.props import EnumProperty, FloatProperty, IntProperty, PointerProperty
from bpy.types import Object, PropertyGroup

from ..crowd.request import CLIPS, MOST_AGENTS
from ..generation.request import MOST_VARIATIONS

LAYOUTS = (
    ("GRID", "Rows", "In rows behind the character"),
    ("CURVE", "Along a Curve", "Evenly along a curve object"),
    ("SURFACE", "On a Surface", "Spread over a mesh object"),
    ("OBJECTS", "On Selected Objects", "One at each selected object that is not a character itself"),
)
FACES = (
    ("ALONG", "Along", "Along the curve, or as the selected objects face; in other layouts as the character faces"),
    ("SAME", "Same", "All set out in the character's direction"),
    ("RANDOM", "Random", "Each character in a random direction"),
)
UNKEPT = {"SKIP_SAVE"}


class CrowdProperties:
    """The values that change a crowd, apart from those of its motion."""

    agents: IntProperty(
        name="Characters",
        description="Number of characters in the crowd",
        default=50,
        min=1,
        soft_max=1000,
        max=MOST_AGENTS,
        options=UNKEPT,
    )
    layout_kind: EnumProperty(
        name="Layout", description="Arrangement of the characters", items=LAYOUTS, default="GRID", options=UNKEPT
    )
    spacing: FloatProperty(
        name="Spacing",
        description="The distance between neighbors; 0 takes it from the character's size and from how far its motions "
        "travel, so that nobody walks through another",
        default=0.0,
        min=0.0,
        soft_max=20.0,
        subtype="DISTANCE",
        options=UNKEPT,
    )
    columns: IntProperty(
        name="Columns",
        description="Number of characters side by side; 0 makes a square",
        default=0,
        min=0,
        soft_max=100,
        max=MOST_AGENTS,
        options=UNKEPT,
    )
    scatter: FloatProperty(
        name="Scatter",
        description="Largest distance of characters from their places in the rows, as a share of half the spacing",
        default=0.3,
        min=0.0,
        max=1.0,
        subtype="FACTOR",
        options=UNKEPT,
    )
    face: EnumProperty(
        name="Facing",
        description="Direction in which the characters go",
        items=FACES,
        default="ALONG",
        options=UNKEPT,
    )
    clips: IntProperty(
        name="Unique Motions",
        description=(
            "Number of different motions that the characters share, each starting at a different moment: a separate "
            "motion for every agent would make the file very large"
        ),
        default=CLIPS,
        min=1,
        soft_max=100,
        max=MOST_VARIATIONS,
        options=UNKEPT,
    )


class GENMM_PG_crowd(CrowdProperties, PropertyGroup):
    """The next crowd in this scene."""

    curve: PointerProperty(name="Curve", description="The curve along which the characters stand", type=Object)
    surface: PointerProperty(name="Surface", description="The mesh on which the characters stand", type=Object)
