# SPDX-License-Identifier: GPL-3.0-or-later
"""The choices of a request: the result's output, the channels to learn, parts and loops."""

from enum import Enum

from ...character.tags import Output
from ...core import Loop
from ...core.fields import Choice


class PartMode(Enum):
    """The division of the body into parts that are matched on their own."""

    WHOLE_BODY = "WHOLE_BODY"
    LIMBS = "LIMBS"
    """Overlapping parts, one for each limb, found automatically."""
    PAINTED = "PAINTED"
    """The parts of the request."""


OUTPUTS = (
    Choice(
        "NEW_CHARACTER",
        "New Character",
        "Put a copy of the character beside it, playing the new motion",
        Output.NEW_CHARACTER,
    ),
    Choice(
        "NEW_ACTION",
        "New Action",
        "Give the new motion to the selected character; its own action is kept in the file",
        Output.NEW_ACTION,
    ),
    Choice(
        "NLA_STRIP",
        "NLA Strip",
        "Put the new motion on a new NLA track of the selected character",
        Output.NLA_STRIP,
    ),
)
CHANNELS = (
    Choice("AUTO", "Automatic", "The keyed channels where bones have keys, otherwise the visual pose", None, "auto"),
    Choice(
        "CHANNELS",
        "Keyed",
        "Learn from the keyed channels as they are, so that a control rig stays a control rig",
        False,
        "keyed",
    ),
    Choice(
        "VISUAL",
        "Visual Pose",
        "Learn from the final pose, after constraints, drivers and the NLA",
        True,
        "visual",
    ),
)
PARTS = (
    Choice(
        "WHOLE_BODY",
        "Whole Body",
        "Take all bones of a pose from the same moment of an example",
        PartMode.WHOLE_BODY,
        "whole",
    ),
    Choice(
        "LIMBS",
        "Arms",
        "Let arms, tails and wings come from other moments than the body: more variety, less coordination",
        PartMode.LIMBS,
        "limbs",
    ),
    Choice(
        "PAINTED",
        "Custom",
        "The parts in the list; bones in no part form one more part",
        PartMode.PAINTED,
        "painted",
    ),
)
LOOPS = (
    Choice("OFF", "Off", "The motion has a beginning and an end", Loop.OFF, "off"),
    Choice(
        "TRAVEL",
        "Cycle",
        "The last frame leads into the first; each round starts where the one before ended",
        Loop.TRAVEL,
        "travel",
    ),
    Choice(
        "IN_PLACE",
        "Cycle in Place",
        "The last frame leads into the first, and the character stays in place, as on a treadmill",
        Loop.IN_PLACE,
        "in-place",
    ),
)
