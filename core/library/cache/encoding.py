# SPDX-License-Identifier: GPL-3.0-or-later
"""Encoding of preparations as plain values and arrays, and decoding; no code is ever read from a file.

Each object is encoded once. Arrays keep their order in memory, so that computations round as before they were written.
"""

from collections.abc import Iterable, Sequence
from dataclasses import fields
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...examples.coupling import Coupling
from ...examples.coverage import Coverage
from ...examples.cycles import Repetition
from ...examples.edges import Edges, Nearness
from ...examples.example_data import ExampleFeet, Examples
from ...examples.part_plans import PartPlan, PlanningData, Stage
from ...examples.preparing import Prepared
from ...examples.speeds import Speeds
from ...examples.transition_costs import Bounds
from ...examples.transition_graph import Predecessors, SampledBodies, TransitionGraph
from ...examples.transition_windows import TransitionWindows
from ...features.body_parts import Part
from ...features.cells import Cells
from ...features.features import FeatureKind, FeatureRows, Scale
from ...feet.calm_knees import Knees
from ...feet.contact_detection import Foot
from ...feet.footing import Footing
from ...feet.planting import Standing
from ...library.indexed_motions import IndexedMotions
from ...motion.channels import Channels
from ...motion.motion import Motion
from ...motion.root_motion import RootPlan, RootTrack
from ...motion.skeleton import Skeleton
from ...settings import Facing, Settings
from ...storage import ArrayInFile
from ..pose_index import PoseIndex, PoseSpace

CLASSES: tuple[type, ...] = (
    Bounds, Cells, Channels, Coupling, Coverage, Edges, ExampleFeet, Examples, FeatureRows, IndexedMotions, Foot,
    Footing, Knees, Motion, Nearness, Part, PartPlan, PlanningData, PoseIndex, PoseSpace, Predecessors,
    Prepared, RootPlan, RootTrack, SampledBodies, Scale, Settings, Skeleton, TransitionGraph, Speeds, Stage, Standing,
    TransitionWindows,
)  # fmt: skip
"""Classes of the objects that are kept."""
COMPUTED = ("cells", "coarse_rows")
"""Cached properties that are kept too, because computing them takes long."""
IN_FILE = ("rows", "coarse_rows", "squares", "ground", "turns")
"""Fields whose arrays may stay in their file: those of frames. All others are read."""
CHOICES: tuple[type[Enum], ...] = (Facing, FeatureKind, Repetition)

Array = NDArray[Any]


class Unknown(TypeError):
    """Raised for a value that no file can hold."""


class Encoder:
    """Encoder of objects: their values as JSON, and their arrays in a list."""

    def __init__(self, given: Iterable[Any] = ()) -> None:
        """Begin; given: objects that the reader already has, in the same order as for the `Decoder`."""
        self.arrays: list[Array] = []
        self._given, self._met = tuple(given), list[object]()
        self._numbers: dict[int, list[Any]] = {id(value): ["given", place] for place, value in enumerate(self._given)}

    def encoded(self, value: Any) -> Any:
        """Return a value as JSON. Raises Unknown for an object of a class that is not kept."""
        if value is None or type(value) in (bool, int, float, str):
            return value
        if id(value) in self._numbers:
            return self._numbers[id(value)]
        if isinstance(value, Enum):
            return ["choice", _place(CHOICES, value), value.value]
        if isinstance(value, np.generic):
            return ["scalar", self._array(np.array(value))]
        if isinstance(value, slice):
            return ["slice", value.start, value.stop, value.step]
        if isinstance(value, tuple | list):
            return ["tuple" if isinstance(value, tuple) else "list", [self.encoded(item) for item in value]]
        if isinstance(value, dict):
            return ["dict", [[self.encoded(key), self.encoded(item)] for key, item in value.items()]]
        if isinstance(value, np.ndarray):
            encoded = ["array", self._array(value)]
        else:
            place, values = _place(CLASSES, value), vars(value)
            names = [field.name for field in fields(value) if field.init] + [
                name for name in COMPUTED if name in values
            ]
            encoded = ["object", place, {name: self.encoded(values[name]) for name in names}]
        # Kept alive, so that no other object gets its address.
        self._numbers[id(value)] = ["again", len(self._met)]
        self._met.append(value)
        return encoded

    def _array(self, array: Array) -> int:
        if array.dtype.hasobject:
            raise Unknown("an array of objects")
        self.arrays.append(array)
        return len(self.arrays) - 1


class Decoder:
    """Decoder of the output of an Encoder."""

    def __init__(self, arrays: Sequence[Array], given: Sequence[Any]) -> None:
        """Begin; arrays: as they were encoded, given: see Encoder."""
        self.arrays, self.given = arrays, given
        self._met: list[Any] = []

    def value(self, encoded: Any) -> Any:
        """Return the encoded value. Raises ValueError, KeyError, IndexError or TypeError for any other input."""
        if not isinstance(encoded, list):
            return encoded
        kind, *content = encoded
        if kind == "given":
            return self.given[content[0]]
        if kind == "again":
            return self._met[content[0]]
        if kind == "choice":
            return CHOICES[content[0]](content[1])
        if kind == "scalar":
            return self.arrays[content[0]][()]
        if kind == "slice":
            return slice(*content)
        if kind == "array":
            self._met.append(self.arrays[content[0]])
            return self._met[-1]
        if kind in ("tuple", "list"):
            values = [self.value(item) for item in content[0]]
            return tuple(values) if kind == "tuple" else values
        if kind == "dict":
            return {self.value(key): self.value(item) for key, item in content[0]}
        members = {name: self._member(name, item) for name, item in content[1].items()}
        computed = {name: members.pop(name) for name in COMPUTED if name in members}
        instance = CLASSES[content[0]](**members)
        vars(instance).update(computed)
        self._met.append(instance)
        return instance

    def _member(self, name: str, encoded: Any) -> Any:
        member = self.value(encoded)
        return np.asarray(member) if isinstance(member, ArrayInFile) and name not in IN_FILE else member


def _place(kinds: Sequence[type], value: object) -> int:
    if type(value) not in kinds:
        raise Unknown(type(value).__name__)
    return kinds.index(type(value))
