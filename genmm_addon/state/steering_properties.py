# SPDX-License-Identifier: GPL-3.0-or-later
"""The values for steering a character, shared by panel and operator."""

from bpy.props import BoolProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import PropertyGroup


class SteeringProperties:
    """The values that a session begins with."""

    responsiveness: FloatProperty(
        name="Responsiveness",
        description="0 is smooth and keeps closest to the examples' motion, 1 obeys at once",
        default=0.5,
        min=0.0,
        max=1.0,
    )
    target: StringProperty(
        name="Follow",
        description="The object that the character follows while no key is pressed; empty means none",
    )
    count_in: IntProperty(
        name="Count-In",
        description="Seconds of countdown before steering begins",
        default=0,
        min=0,
        max=30,
        subtype="TIME",
    )
    plays_scene: BoolProperty(
        name="Play Timeline",
        description="Play the scene from the current frame while steering, so that animated objects can be followed",
        default=False,
    )


class GENMM_PG_steering(SteeringProperties, PropertyGroup):
    """The panel's values for the next session."""
