# SPDX-License-Identifier: GPL-3.0-or-later
"""What one press of Generate asks for, complete and checked."""

import math
from dataclasses import dataclass
from enum import Enum

from bpy.types import Action, Object

from ..animation.reading import ExampleSpec
from ..character.tags import Output as Output  # part of what a request is
from ..core import InputError, Loop, Settings
from ..core.values import flag, instance, items, number, one_of, optional, pairs, settle, text, whole_number
from .direction import CompletionSpec, PartSpec, PathSpec, PinsSpec

LONGEST = 1_048_574
"""Blender's last frame: no motion can be longer."""
MOST_VARIATIONS = 1_000
LARGEST_SEED = 2**31 - 1
DEFAULT_SETTINGS = Settings()


class PartMode(Enum):
    """What is matched as one piece."""

    WHOLE_BODY = "WHOLE_BODY"
    LIMBS = "LIMBS"
    """Overlapping parts, one for each limb, found automatically."""
    PAINTED = "PAINTED"
    """The parts of the request."""


@dataclass(frozen=True, eq=False)
class Request:
    """One press of Generate; raises InputError where a value cannot be used.

    Takes what a script would write: NumPy numbers, 30.0, "NEW_ACTION", lists, one seed, actions as examples.

    frames: the length of each result in scene frames. seeds: one result for each, in this order.
    visual: read the evaluated pose (None: where the bones have no keys of their own).
    tolerance: how far thinned keys may stray from the motion (0 keeps a key on every frame).
    frame_start: the scene frame the result begins at (None: the scene's first).
    parts: with PAINTED, the parts; bones in none of them make a remainder. pins, completion, path: None is without.
    bone_names: for examples of other characters, pairs of a bone's name there and its name here, beside what is found.
    """

    armature: Object
    examples: tuple[ExampleSpec, ...]
    frames: int
    seeds: tuple[int, ...] = (0,)
    settings: Settings = DEFAULT_SETTINGS
    part_mode: PartMode = PartMode.WHOLE_BODY
    visual: bool | None = None
    output: Output = Output.NEW_CHARACTER
    tolerance: float = 0.0
    extend_playback: bool = False
    frame_start: float | None = None
    loop: Loop = Loop.OFF
    parts: tuple[PartSpec, ...] = ()
    pins: PinsSpec | None = None
    completion: CompletionSpec | None = None
    path: PathSpec | None = None
    bone_names: tuple[tuple[str, str], ...] = ()

    def __post_init__(self) -> None:
        settle(
            self,
            armature=instance(Object, "an armature object"),
            examples=items(_example, "a list of examples"),
            frames=whole_number,
            seeds=items(whole_number, "a list of seeds"),
            settings=instance(Settings, "Settings"),
            part_mode=one_of(PartMode),
            visual=optional(flag),
            output=one_of(Output),
            tolerance=number,
            extend_playback=flag,
            frame_start=optional(number),
            loop=one_of(Loop),
            parts=items(instance(PartSpec, "a list of PartSpec"), "a list of PartSpec"),
            pins=optional(instance(PinsSpec, "a PinsSpec")),
            completion=optional(instance(CompletionSpec, "a CompletionSpec")),
            path=optional(instance(PathSpec, "a PathSpec")),
            bone_names=pairs(text, text, "pairs of bone names"),
        )
        if not 1 <= self.frames <= LONGEST:
            raise InputError(f"Length must lie between 1 and {LONGEST:,} frames.")
        if not 1 <= len(self.seeds) <= MOST_VARIATIONS:
            raise InputError(f"Variations must lie between 1 and {MOST_VARIATIONS:,}.")
        if not all(0 <= seed <= LARGEST_SEED for seed in self.seeds):
            raise InputError(f"A seed must lie between 0 and {LARGEST_SEED:,}.")
        if not (math.isfinite(self.tolerance) and self.tolerance >= 0):
            raise InputError("Tolerance must be 0 or more.")
        if self.frame_start is not None and not abs(self.frame_start) <= LONGEST:
            raise InputError(f"The first frame must lie within {LONGEST:,} frames of 0.")


def _example(value: object, name: str) -> ExampleSpec:
    if isinstance(value, Action):
        return ExampleSpec(value)
    spec: ExampleSpec = instance(ExampleSpec, "an ExampleSpec or an action")(value, name)
    return spec
