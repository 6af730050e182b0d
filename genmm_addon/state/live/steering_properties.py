# SPDX-License-Identifier: GPL-3.0-or-later
"""The values that say how a character is steered, the same in the panel and in the operator."""

from bpy.props import BoolProperty, FloatProperty, IntProperty, StringProperty
from bpy.types import PropertyGroup

from ..registration import registration_of


class SteeringProperties:
    """The values that a session begins with."""

    responsiveness: FloatProperty(
        name="Responsiveness",
        description="0 is smooth, the examples' own motion before what is wished for; 1 obeys at once",
        default=0.5,
        min=0.0,
        max=1.0,
    )
    target: StringProperty(
        name="Follow",
        description="The name of an object that the character follows while no key is pressed; empty is none",
    )
    count_in: IntProperty(
        name="Count-In",
        description="Seconds that are counted before it begins",
        default=0,
        min=0,
        max=30,
        subtype="TIME",
    )
    plays_scene: BoolProperty(
        name="Play Timeline",
        description="Play the scene from the current frame on meanwhile, so that animated objects can be followed",
        default=False,
    )


class GENMM_PG_steering(SteeringProperties, PropertyGroup):
    """The next session, as the panel says it."""


register, unregister = registration_of((GENMM_PG_steering,))
