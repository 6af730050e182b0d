# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of bones by name, as the panel and the operator show them: the feet, and the bones that count differently."""

from collections.abc import Iterable, Sequence
from typing import Any

import bpy
from bpy.props import FloatProperty, StringProperty
from bpy.types import PropertyGroup

LARGEST_WEIGHT = 1000.0


class GENMM_PG_foot(PropertyGroup):
    """A bone that stands on the ground."""

    name: StringProperty(
        name="Foot",
        description="The bone that stands on the ground: mostly the toes, or the tip of a leg",
        options=set(),
    )


class GENMM_PG_joint_weight(PropertyGroup):
    """A bone that counts more or less than it would by itself."""

    name: StringProperty(
        name="Bone", description="The bone that counts more or less when poses are compared", options=set()
    )
    factor: FloatProperty(
        name="Factor",
        description="How many times its own weight the bone counts; 0 leaves it out of the comparison",
        default=2.0,
        min=0.0,
        soft_max=10.0,
        max=LARGEST_WEIGHT,
        options=set(),
    )


def feet_of(rows: Iterable[GENMM_PG_foot]) -> tuple[str, ...]:
    """The bones named, each once; rows that are not filled in yet do not count."""
    return tuple(dict.fromkeys(row.name for row in rows if row.name))


def weights_of(rows: Iterable[GENMM_PG_joint_weight]) -> tuple[tuple[str, float], ...]:
    """The bones and their factors; the last of several rows for one bone counts."""
    # Blender keeps single precision: 0.1 would be 0.10000000149011612.
    return tuple({row.name: float(f"{row.factor:.6g}") for row in rows if row.name}.items())


def foot_rows(names: Iterable[str]) -> list[dict[str, Any]]:
    """What the list of feet holds for these bones."""
    return [{"name": name} for name in names]


def weight_rows(weights: Iterable[tuple[str, float]]) -> list[dict[str, Any]]:
    """What the list of weights holds for these bones."""
    return [{"name": name, "factor": factor} for name, factor in weights]


def set_rows(collection: Any, rows: Sequence[dict[str, Any]]) -> None:
    """Make these the only rows of a list."""
    collection.clear()
    for values in rows:
        row = collection.add()
        for name, value in values.items():
            setattr(row, name, value)


CLASSES = (GENMM_PG_foot, GENMM_PG_joint_weight)
register, unregister = bpy.utils.register_classes_factory(CLASSES)
