# SPDX-License-Identifier: GPL-3.0-or-later
"""The request for a crowd, complete and checked."""

import math
from dataclasses import dataclass
from enum import Enum

from bpy.types import Object

from ..core import InputError, counted
from ..core.fields import instance, items, number, one_of, optional, settle, whole_number
from ..generation.request import MOST_VARIATIONS

MOST_AGENTS = 100_000
CLIPS = 32
"""Default number of shared motions: more cannot be told apart, and keys for every agent would take gigabytes."""


class CrowdLayout(Enum):
    """The layouts of the agents."""

    GRID = "GRID"
    """In rows behind the character."""
    CURVE = "CURVE"
    SURFACE = "SURFACE"
    OBJECTS = "OBJECTS"


class Face(Enum):
    """The directions in which the agents set out."""

    SAME = "SAME"
    """In the character's direction."""
    ALONG = "ALONG"
    """Along the curve, or as the objects face; in other layouts, in the character's direction."""
    RANDOM = "RANDOM"


@dataclass(frozen=True, eq=False)
class CrowdRequest:
    """A request for a crowd. Raises InputError if a number is not valid.

    targets: the curve, mesh or objects of the layout. spacing: None takes it from the character's size. columns: of the
    grid, None for a square. scatter: distance of agents from the grid, 0 to 1. clips: number of shared motions.
    """

    agents: int
    layout: CrowdLayout = CrowdLayout.GRID
    targets: tuple[Object, ...] = ()
    spacing: float | None = None
    columns: int | None = None
    scatter: float = 0.3
    face: Face = Face.ALONG
    clips: int = CLIPS
    seed: int = 0

    def __post_init__(self) -> None:
        settle(
            self,
            agents=whole_number,
            layout=one_of(CrowdLayout),
            targets=items(instance(Object, "a list of objects"), "a list of objects"),
            spacing=optional(number),
            columns=optional(whole_number),
            scatter=number,
            face=one_of(Face),
            clips=whole_number,
            seed=whole_number,
        )
        if not 1 <= self.agents <= MOST_AGENTS:
            raise InputError(f"Characters must lie between 1 and {MOST_AGENTS:,}.")
        if not 1 <= self.clips <= MOST_VARIATIONS:
            raise InputError(f"Clips must lie between 1 and {MOST_VARIATIONS:,}.")
        if self.spacing is not None and not (math.isfinite(self.spacing) and self.spacing > 0):
            raise InputError("Spacing must be above 0.")
        if self.columns is not None and self.columns < 1:
            raise InputError("Columns must be 1 or more.")
        if not 0 <= self.scatter <= 1:
            raise InputError("Scatter must lie between 0 and 1.")
        if self.seed < 0:
            raise InputError("The seed must be 0 or more.")
        kinds = {CrowdLayout.CURVE: "CURVE", CrowdLayout.SURFACE: "MESH"}
        if self.layout in kinds and [target.type for target in self.targets] != [kinds[self.layout]]:
            named = self.targets[0].name if self.targets else "nothing"
            kind = kinds[self.layout].lower()
            raise InputError(
                f'The crowd needs a {kind} to stand on, but "{named}" is not a {kind}; choose a {kind} object.'
            )
        if self.layout is CrowdLayout.OBJECTS and len(self.targets) < self.agents:
            raise InputError(
                f"{counted(self.agents, 'character')} cannot stand on {counted(len(self.targets), 'object')};"
                " select more objects or use fewer characters."
            )
