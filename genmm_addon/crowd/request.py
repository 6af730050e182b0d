# SPDX-License-Identifier: GPL-3.0-or-later
"""The request for a crowd, complete and checked."""

from dataclasses import dataclass
from enum import Enum

from bpy.types import Object

from ..core import InputError, counted
from ..core.fields import Choice, Option, instance, items, setting, settle, settle_settings, whole_number
from ..generation.records.conversions import AsTyped
from ..generation.request import MOST_VARIATIONS

MOST_AGENTS = 100_000


class CrowdLayout(Enum):
    """The layouts of the agents."""

    GRID = "GRID"
    CURVE = "CURVE"
    SURFACE = "SURFACE"
    OBJECTS = "OBJECTS"


class Face(Enum):
    """The directions in which the agents set out."""

    SAME = "SAME"
    ALONG = "ALONG"
    RANDOM = "RANDOM"


LAYOUTS = (
    Choice("GRID", "Rows", "In rows behind the character", CrowdLayout.GRID),
    Choice("CURVE", "Along a Curve", "Evenly along a curve object", CrowdLayout.CURVE),
    Choice("SURFACE", "On a Surface", "Spread over a mesh object", CrowdLayout.SURFACE),
    Choice(
        "OBJECTS",
        "On Selected Objects",
        "One at each selected object that is not a character itself",
        CrowdLayout.OBJECTS,
    ),
)
FACES = (
    Choice(
        "ALONG",
        "Along",
        "Along the curve, or as the selected objects face; in other layouts as the character faces",
        Face.ALONG,
        "along",
    ),
    Choice("SAME", "Same", "All set out in the character's direction", Face.SAME, "same"),
    Choice("RANDOM", "Random", "Each character in a random direction", Face.RANDOM, "random"),
)


@dataclass(frozen=True, eq=False)
class CrowdRequest:
    """A request for a crowd. Raises InputError if a number is not valid.

    targets: the curve, mesh or objects of the layout. spacing: None takes it from the character's size. columns: of the
    grid, None for a square. scatter: distance of agents from the grid, 0 to 1. clips: number of shared motions;
    more than the default cannot be told apart, and keys for every agent would take gigabytes.
    """

    agents: int = setting(
        label="Characters",
        tooltip="Number of characters in the crowd",
        shown_default=50,
        minimum=1,
        soft_maximum=1000,
        maximum=MOST_AGENTS,
        option=Option("--agents", "number of agents (default: 100, or one for each of --objects)", "N"),
    )
    layout: CrowdLayout = setting(
        CrowdLayout.GRID, "Layout", "Arrangement of the characters", name="layout_kind", choices=LAYOUTS
    )
    targets: tuple[Object, ...] = ()
    spacing: float | None = setting(
        None,
        "Spacing",
        "The distance between neighbors; 0 takes it from the character's size and from how far its motions travel, so "
        "that nobody walks through another",
        shown_default=0.0,
        minimum=0.0,
        above=True,
        soft_maximum=20.0,
        subtype="DISTANCE",
        conversion=AsTyped(None),
        option=Option(
            "--spacing", "distance between neighbors (default: large enough that agents do not collide)", "D"
        ),
    )
    columns: int | None = setting(
        None,
        "Columns",
        "Number of characters side by side; 0 makes a square",
        shown_default=0,
        minimum=0,
        above=True,
        soft_maximum=100,
        maximum=MOST_AGENTS,
        conversion=AsTyped(None),
        option=Option("--columns", "columns of the grid (default: a square)", "N"),
    )
    scatter: float = setting(
        0.3,
        "Scatter",
        "Largest distance of characters from their places in the rows, as a share of half the spacing",
        minimum=0.0,
        maximum=1.0,
        subtype="FACTOR",
        conversion=AsTyped(),
        option=Option("--scatter", "maximum offset of agents from the grid, 0 to 1", "SHARE"),
    )
    face: Face = setting(
        Face.ALONG,
        "Facing",
        "Direction in which the characters go",
        choices=FACES,
        option=Option(
            "--face",
            "direction in which agents face: same, along (the curve or the objects) or random (default: along)",
            "HOW",
        ),
    )
    clips: int = setting(
        32,
        "Unique Motions",
        "Number of different motions that the characters share, each starting at a different moment: a separate motion "
        "for every agent would make the file very large",
        minimum=1,
        soft_maximum=100,
        maximum=MOST_VARIATIONS,
        option=Option("--clips", "number of motions shared by the agents of a .blend (default: 32)", "N"),
    )
    seed: int = 0

    def __post_init__(self) -> None:
        settle(self, targets=items(instance(Object, "a list of objects"), "a list of objects"), seed=whole_number)
        settle_settings(self)
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
