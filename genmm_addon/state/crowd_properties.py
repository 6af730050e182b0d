# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that make a crowd, the same in the panel and in the operator."""

from typing import TYPE_CHECKING, Any

from bpy.props import PointerProperty
from bpy.types import Object, PropertyGroup

from ..crowd.request import CrowdRequest
from .setting_properties import properties_of


class CrowdProperties:
    """The values that change a crowd, apart from those of its motion, declared by its request."""

    __annotations__ = properties_of(CrowdRequest)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...


class GENMM_PG_crowd(CrowdProperties, PropertyGroup):
    """The next crowd in this scene."""

    curve: PointerProperty(name="Curve", description="The curve along which the characters stand", type=Object)
    surface: PointerProperty(name="Surface", description="The mesh on which the characters stand", type=Object)
