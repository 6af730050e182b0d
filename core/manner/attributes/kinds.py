# SPDX-License-Identifier: GPL-3.0-or-later
"""Attributes of a motion that can be measured and edited: names and units."""

from dataclasses import dataclass

from ...errors import InputError


@dataclass(frozen=True)
class AttributeKind:
    """A kind of attribute; name: in commands and recipes, label: for the user, unit: of its values.

    >>> isinstance(attribute_named("crouch").kind, AttributeKind)
    True
    """

    name: str
    label: str
    unit: str

    @property
    def is_length(self) -> bool:
        """Return whether its unit is the size of the body, or that in a second."""
        return self.unit.startswith("body sizes")


SPEED = AttributeKind("speed", "Speed", "body sizes/s")
STEP_LENGTH = AttributeKind("step_length", "Step Length", "body sizes")
"""Distance from one touchdown to the next."""
TURN_RATE = AttributeKind("turning", "Turning", "°/s")
"""Turning speed of the path; above zero is to the left."""
ARM_SWING = AttributeKind("arm_swing", "Arm Swing", "°")
"""Deviation of shoulders and elbows from their mean rotation."""
ARM_HEIGHT = AttributeKind("arm_height", "Arm Height", "°")
"""Angle of the upper arms from straight down."""
CROUCH = AttributeKind("crouch", "Crouch", "of the leg")
"""Distance of the hips below their height on straight legs."""
ENERGY = AttributeKind("energy", "Energy", "°/s")
"""Turning speed of the joints above the legs."""
KINDS = (SPEED, STEP_LENGTH, TURN_RATE, ARM_SWING, ARM_HEIGHT, CROUCH, ENERGY)
"""Kinds of attributes of the whole body, in the order in which they are listed."""

SWING, HEIGHT = "swing", "height"
"""Names of the kinds of attributes that single bones have."""


@dataclass(frozen=True)
class Attribute:
    """An attribute of the whole body, or of one bone; bone: "" except for the swing and the height of a bone.

    >>> Attribute(KINDS[0]).name, bone_attribute("swing", "Head").name
    ('speed', 'swing:Head')
    """

    kind: AttributeKind
    bone: str = ""

    @property
    def name(self) -> str:
        """Return the name in commands and recipes."""
        return f"{self.kind.name}:{self.bone}" if self.bone else self.kind.name

    @property
    def label(self) -> str:
        """Return the name for the user."""
        return f"{self.kind.label} of {self.bone}" if self.bone else self.kind.label


_OF_BONES = {
    SWING: AttributeKind(SWING, "Swing", "°"),
    HEIGHT: AttributeKind(HEIGHT, "Height", "°"),
}
_OF_BODIES = {kind.name: kind for kind in KINDS}


def with_unit(text: str, unit: str) -> str:
    """Return numbers followed by their unit.

    >>> with_unit("10 to 20", "°/s"), with_unit("0.4", "body sizes/s")
    ('10 to 20°/s', '0.4 body sizes/s')
    """
    return text + unit if unit.startswith("°") else f"{text} {unit}"


def bone_attribute(kind: str, bone: str) -> Attribute:
    """Return the attribute for the swing or the height of a bone.

    >>> bone_attribute("height", "Head").label
    'Height of Head'
    """
    return Attribute(_OF_BONES[kind], bone)


def attribute_named(name: str) -> Attribute:
    """Return the attribute with a name such as "speed" or "swing:Head". Raises InputError if there is none.

    >>> attribute_named("arm_swing").label
    'Arm Swing'
    """
    first, colon, bone = name.strip().partition(":")
    first = first.strip().lower().replace(" ", "_").replace("-", "_")
    if colon and bone.strip() and first in _OF_BONES:
        return bone_attribute(first, bone.strip())
    if not colon and first in _OF_BODIES:
        return Attribute(_OF_BODIES[first])
    known = ", ".join((*_OF_BODIES, "swing:BONE", "height:BONE"))
    raise InputError(f'There is no attribute "{name.strip()}"; choose one of {known}.')
