# SPDX-License-Identifier: GPL-3.0-or-later
"""Requested values of attributes as text, such as speed=1.2x or crouch=0.1."""

import math
import re
from dataclasses import dataclass

from ...errors import InputError
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
"""Order in which attributes are edited: an attribute that an edit also changes is edited after it."""
_TARGET = re.compile(r"\s*([^=]+?)\s*=\s*([-+]?\d*\.?\d+)\s*([xX]?)\s*")
"""Pattern of one target: name, value, and an x if the value is a factor."""


@dataclass(frozen=True)
class Target:
    """A requested value of an attribute, in its unit, or, if `is_factor`, in multiples of the motion's value.

    >>> Target(attribute_named("speed"), 1.5, is_factor=True).of(0.4)
    0.6000000000000001
    """

    attribute: Attribute
    value: float
    is_factor: bool = False

    def of(self, now: float) -> float:
        """Return the requested value for a motion with the value `now`."""
        return self.value * now if self.is_factor else self.value


def parse_targets(text: str) -> tuple[Target, ...]:
    """Return the targets in a text such as "speed=1.2x, swing:Head=10", in the order in which they are edited.

    Raises InputError for a text that cannot be read, an unknown attribute, and an attribute that is given twice.

    >>> [target.value for target in parse_targets("crouch=0.1, speed=1.2x")]
    [1.2, 0.1]
    """
    targets: dict[str, Target] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        match = _TARGET.fullmatch(part)
        if match is None or not math.isfinite(float(match[2])):
            raise InputError(f'"{part}" is not an attribute with a value; write it as speed=1.2x, or crouch=0.1.')
        target = Target(attribute_named(match[1]), float(match[2]), bool(match[3]))
        if target.attribute.name in targets:
            raise InputError(f'"{target.attribute.name}" is there twice; leave one out.')
        targets[target.attribute.name] = target
    if not targets:
        raise InputError("No attribute is to be changed; give one with its value: speed=1.2x.")
    return tuple(sorted(targets.values(), key=lambda target: _order(target.attribute)))


def _order(attribute: Attribute) -> int:
    return len(ORDER) if attribute.bone else ORDER.index(attribute.kind)
