# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches of a motion replanned from examples, between what stays before and after them, and alternatives to them."""

from .blending import blended
from .carrying import carried_on
from .connecting import Connection, connect
from .difference import relative_difference
from .nearby import nearby_motions
from .replan import Replanned, context_frames, replan
from .surroundings import Surroundings

__all__ = [
    "Connection",
    "Replanned",
    "Surroundings",
    "blended",
    "carried_on",
    "connect",
    "context_frames",
    "nearby_motions",
    "relative_difference",
    "replan",
]
