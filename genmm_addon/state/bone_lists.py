# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of bones by name, as panel and operator show them: the feet, and the bones with weights of their own."""

from collections.abc import Sequence
from typing import Any

from bpy.props import FloatProperty, StringProperty
from bpy.types import PropertyGroup

from ..core import LARGEST_WEIGHT
from ..core.fields import feet_of as feet_of
from ..core.fields import foot_rows as foot_rows
from ..core.fields import weight_rows as weight_rows
from ..core.fields import weights_of as weights_of


class GENMM_PG_foot(PropertyGroup):
    """A bone that stands on the ground."""

    name: StringProperty(
        name="Foot",
        description="The bone that stands on the ground: mostly the toes, or the tip of a leg",
    )


class GENMM_PG_joint_weight(PropertyGroup):
    """A bone with a weight of its own."""

    name: StringProperty(name="Bone", description="The bone that counts more or less when poses are compared")
    factor: FloatProperty(
        name="Factor",
        description="Factor on the bone's usual weight; 0 leaves the bone out of the comparison",
        default=2.0,
        min=0.0,
        soft_max=10.0,
        max=LARGEST_WEIGHT,
    )


def set_rows(collection: Any, rows: Sequence[dict[str, Any]]) -> None:
    """Replace all rows of a list."""
    collection.clear()
    for values in rows:
        row = collection.add()
        for name, value in values.items():
            setattr(row, name, value)
