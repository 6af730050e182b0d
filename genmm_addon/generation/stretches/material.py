# SPDX-License-Identifier: GPL-3.0-or-later
"""The material that stretches are planned from: examples, prepared as far as a stretch needs them."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...core import Constraints, Int64, Motion, Part, Prepared, Settings, prepare, resample
from ...core.constraints import NOTHING
from ...core.infill import Replanned, Surroundings, context_frames, nearby_motions, replan
from ...core.library import LEAST_FRAMES, PoseIndex, build_pose_index
from ...core.synthesis import stepped_as_sources
from ..directing import ResolvedConstraints

FEW_FRAMES = LEAST_FRAMES
"""Most frames of examples that are all prepared, as fast as those not worth keeping; of more, only those similar to the
stretch."""


@dataclass(frozen=True, eq=False)
class Material:
    """Examples for stretches. names: the examples' names, for sentences. constraints: of the whole motion."""

    motions: tuple[Motion, ...]
    names: tuple[str, ...]
    rate: float
    settings: Settings
    parts: tuple[Part, ...] | None = None
    constraints: Constraints = NOTHING
    _ready: dict[tuple[int, ...], Prepared] = field(default_factory=dict)
    _index: list[PoseIndex] = field(default_factory=list)

    def near(self, around: Surroundings) -> tuple[Prepared, Int64]:
        """Return the prepared examples that a stretch is planned from, and their numbers. Raises InputError."""
        chosen = np.arange(len(self.motions))
        of_some = any(part.examples is not None for part in self.parts or ())
        if not of_some and sum(motion.frames for motion in self.motions) > FEW_FRAMES:
            chosen = nearby_motions(self._pose_index(), around)
        key = tuple(chosen.tolist())
        if key not in self._ready:
            self._ready.clear()
            self._ready[key] = prepare(
                [self.motions[number] for number in key],
                names=[self.names[number] for number in key],
                frames_per_second=self.rate,
                parts=self.parts,
                settings=self.settings,
            )
        return self._ready[key], chosen

    def keep(self, prepared: Prepared) -> None:
        """Store the preparation of all examples, for stretches that are planned from all of them."""
        self._ready[tuple(range(len(self.motions)))] = prepared

    def _pose_index(self) -> PoseIndex:
        if not self._index:
            self._index.append(build_pose_index([resample(motion, self.rate)[0] for motion in self.motions]))
        return self._index[0]


def material_of(prepared: Prepared, resolved: ResolvedConstraints) -> Material:
    """Return the examples of a result as material for its stretches."""
    material = Material(
        prepared.motions,
        tuple(f"Example {number}" for number in range(1, len(prepared.motions) + 1)),
        prepared.frames_per_second,
        prepared.settings,
        resolved.parts,
        resolved.constraints,
    )
    material.keep(prepared)
    return material


@dataclass(frozen=True, eq=False)
class StretchPlace:
    """A stretch's place: the motion around it that stays, and its first frame in the whole motion, from 0."""

    around: Surroundings
    first: int
    frames: int


def next_alternative(
    material: Material, place: StretchPlace, original: Motion | None, before: Sequence[Replanned]
) -> Replanned:
    """Return the next alternative, different from those `before` and from the original motion. Raises InputError.

    The same arguments give the same motion.
    """
    prepared, numbers = material.near(place.around)
    avoided = [] if original is None else [original]
    avoided += [alternative.motion for alternative in before]
    head, tail = context_frames(prepared, place.around)
    selected = (constraint.among(numbers) for constraint in material.constraints)
    inside = (constraint.over(place.first - head, head + place.frames + tail) for constraint in selected)
    others = [constraint for constraint in inside if constraint is not None]
    replanned = replan(prepared, place.around, place.frames, seed=len(before), unlike=avoided, others=others)
    examples, frames = numbers[replanned.source_examples], replanned.source_frames
    motion = stepped_as_sources(replanned.motion, examples, frames, material.motions, np.zeros(place.frames, bool))
    return replace(replanned, motion=motion, source_examples=examples)
