# SPDX-License-Identifier: GPL-3.0-or-later
"""Values that are asked for, as text: speed=1.2x, crouch=0.1."""

import math
import re
from dataclasses import dataclass

from ..errors import InputError
from . import kinds
from .kinds import Attribute, attribute_named

ORDER = (
    kinds.STEP_LENGTH,
    kinds.SPEED,
    kinds.TURN_RATE,
    kinds.CROUCH,
    kinds.ENERGY,
    kinds.ARM_SWING,
    kinds.ARM_HEIGHT,
)
"""In the order in which they are edited: what an edit changes beside its own attribute comes after it."""
_TARGET = re.compile(r"\s*([^=]+?)\s*=\s*([-+]?\d*\.?\d+)\s*([xX]?)\s*")


@dataclass(frozen=True)
class Target:
    """A value that is asked for. value: in the attribute's unit, or is_factor, of the value that the motion has.

    >>> Target(attribute_named("speed"), 1.5, is_factor=True).of(0.4)
    0.6000000000000001
    """

    attribute: Attribute
    value: float
    is_factor: bool = False

    def of(self, now: float) -> float:
        """Return the value for a motion that has `now`."""
        return self.value * now if self.is_factor else self.value


def parse_targets(text: str) -> tuple[Target, ...]:
    """Return what a text such as "speed=1.2x, swing:Head=10" asks for, in the order in which it is edited.

    Raises InputError for a text that cannot be read, an attribute that there is not, and one that is there twice.

    >>> [target.value for target in parse_targets("crouch=0.1, speed=1.2x")]
    [1.2, 0.1]
    """
    found: dict[str, Target] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = _TARGET.fullmatch(part)
        if match is None or not math.isfinite(float(match[2])):
            raise InputError(f'"{part}" is no attribute with a value; write it as speed=1.2x, or crouch=0.1.')
        target = Target(attribute_named(match[1]), float(match[2]), bool(match[3]))
        if target.attribute.name in found:
            raise InputError(f'"{target.attribute.name}" is there twice; leave one out.')
        found[target.attribute.name] = target
    if not found:
        raise InputError("No attribute is to be changed; give one with its value: speed=1.2x.")
    return tuple(sorted(found.values(), key=lambda target: _order(target.attribute)))


def _order(attribute: Attribute) -> int:
    return len(ORDER) if attribute.bone else ORDER.index(attribute.kind)
