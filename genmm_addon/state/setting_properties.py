# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender properties of the settings that the records of a request declare."""

from typing import TYPE_CHECKING, Any

from bpy.props import BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, StringProperty

from ..core.fields import Property, settings_in
from ..generation.request import RECORDS
from .bone_lists import GENMM_PG_foot, GENMM_PG_joint_weight

# An operator does not remember its last values: every press starts from the panel's.
UNKEPT = {"SKIP_SAVE"}
ROWS = {"feet": GENMM_PG_foot, "joint_weights": GENMM_PG_joint_weight}
PLAIN: dict[type, Any] = {bool: BoolProperty, int: IntProperty, float: FloatProperty, str: StringProperty}
RANGE = {
    "min": "minimum",
    "max": "maximum",
    "soft_min": "soft_minimum",
    "soft_max": "soft_maximum",
    "precision": "precision",
    "step": "step",
    "subtype": "subtype",
}


def properties_of(*kinds: type) -> dict[str, Any]:
    """Return the properties of some records' settings by name, in the form of a class's annotations."""
    settings = (setting for kind in kinds for setting in settings_in(kind).values())
    return {item.name: blender_property(item) for setting in settings for item in setting.properties}


def rows_of(panel: str, *kinds: type) -> list[str]:
    """Return the properties that a panel lists by itself, rather than by hand-written layout, in field order."""
    settings = (setting for kind in kinds for setting in settings_in(kind).values())
    return [item.name for setting in settings if setting.panel == panel for item in setting.properties]


def blender_property(item: Property) -> Any:
    """Return Blender's definition of one property."""
    texts: dict[str, Any] = {"name": item.label, "description": item.tooltip, "options": UNKEPT}
    if item.rows:
        return CollectionProperty(type=ROWS[item.rows], **texts)
    texts["default"] = item.default
    if item.choices:
        entries = [(choice.identifier, choice.label, choice.tooltip) for choice in item.choices]
        return EnumProperty(items=entries, **texts)
    given = {name: getattr(item, member) for name, member in RANGE.items() if getattr(item, member) is not None}
    return PLAIN[type(item.default)](**texts, **given)


class GenerationProperties:
    """All values but the examples that change the result, declared by the records of a request."""

    __annotations__ = properties_of(*RECORDS)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

        def __setattr__(self, name: str, value: Any) -> None: ...


def generation_names() -> tuple[str, ...]:
    """Return the names of all GenerationProperties."""
    return tuple(GenerationProperties.__annotations__)
