# SPDX-License-Identifier: GPL-3.0-or-later
"""Skeletal parts: overlapping groups of joints that are matched on their own (paper 3.3)."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Part:
    """A group of joints, by index into the skeleton; parts may overlap.

    The joint that carries the travel brings the whole root motion with it.
    """

    name: str
    joints: tuple[int, ...]
