# SPDX-License-Identifier: GPL-3.0-or-later
"""Examples as requested, and as read."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np
from bpy.types import Action, Object, Scene

from ...core import Float64, InputError, Motion
from ...core.examples import Repetition
from ...core.fields import Choice, flag, instance, items, number, one_of, optional, setting, settle, text
from ..channels import KeyedChannels
from ..curves import SlotCurves, collect_curves
from ..rig import check_armature
from ..sampling import SAME_FRAME
from ..scene_time import scene_rate
from ..stray_keys import stray_keys
from .evaluation import LAST_FRAME


class Mirrored(Enum):
    """The ways in which an example is mirrored."""

    AS_RECORDED = "AS_RECORDED"
    MIRRORED = "MIRRORED"
    """Left and right exchanged."""
    BOTH = "BOTH"
    """As recorded and mirrored: two examples."""


MIRRORED_CHOICES = (
    Choice("AS_RECORDED", "As Recorded", "Learn from the example as it is", Mirrored.AS_RECORDED, "recorded"),
    Choice(
        "MIRRORED", "Mirrored", "Learn from the example with left and right exchanged", Mirrored.MIRRORED, "mirrored"
    ),
    Choice(
        "BOTH",
        "Both",
        "Learn from the example twice, as it is and with left and right exchanged: twice the motion to choose from",
        Mirrored.BOTH,
        "both",
    ),
)


REPETITION_CHOICES = (
    Choice(
        "AUTOMATIC",
        "Automatic",
        "Repeat the example if its end leads to its beginning, as in a walk cycle of a game, and learn from it take by "
        "take where it jumps",
        Repetition.AUTOMATIC,
        "automatic",
    ),
    Choice("CYCLE", "Cycle", "Repeat the example: its last frame leads to its first", Repetition.CYCLE, "cycle"),
    Choice(
        "TAKE",
        "Take",
        "Do not repeat the example, and keep its jumps: it was recorded from beginning to end",
        Repetition.TAKE,
        "take",
    ),
)


@dataclass(frozen=True)
class ExampleSpec:
    """An action to learn from, and its range of frames.

    action: None means the character's present animation (NLA, constraints), read as Visual.
    slot: the slot's identifier; "" is the armature's. frame_start, frame_end: None is the action's own range (without
    an action: the scene's). frames_per_second: rate of these frames; None is the scene's. skip_first_frame: whether to
    leave out a T-pose that was recorded first.
    armature: the character of the action, if it is not the one that learns from it. tags: `key=value`, by which labels
    over time choose examples. mirrored: whether left and right are exchanged. repetition: whether it is a cycle. clip:
    the name of a library's clip, which then replaces the action.
    """

    action: Action | None
    slot: str = ""
    frame_start: float | None = None
    frame_end: float | None = None
    frames_per_second: float | None = None
    skip_first_frame: bool = False
    armature: Object | None = None
    tags: tuple[str, ...] = setting((), properties=(), sparse=True)
    mirrored: Mirrored = setting(Mirrored.AS_RECORDED, properties=(), sparse=True)
    repetition: Repetition = setting(Repetition.AUTOMATIC, properties=(), sparse=True)
    clip: str = setting("", properties=(), sparse=True)

    def __post_init__(self) -> None:
        settle(
            self,
            action=optional(instance(Action, "an action")),
            slot=text,
            frame_start=optional(number),
            frame_end=optional(number),
            frames_per_second=optional(number),
            skip_first_frame=flag,
            armature=optional(instance(Object, "an armature object")),
            tags=items(text, "a list of tags"),
            mirrored=one_of(Mirrored),
            repetition=one_of(Repetition),
            clip=text,
        )

    @property
    def name(self) -> str:
        """Return a name of the example for a sentence."""
        if self.clip:
            return f'Clip "{self.clip}"'
        return f'Action "{self.action.name}"' if self.action else "The character's motion"


def repetition_of(spec: ExampleSpec) -> Repetition:
    """Return how an example repeats; an action that is marked as cyclic and used whole is a cycle."""
    action = spec.action
    if spec.repetition is Repetition.AUTOMATIC and action is not None and spec.frame_start is spec.frame_end is None:
        return Repetition.CYCLE if action.use_frame_range and action.use_cyclic else Repetition.AUTOMATIC
    return spec.repetition


@dataclass(frozen=True)
class UsedExample:
    """A motion to learn from: an example or its mirror image. number: the example's, from 0."""

    number: int
    spec: ExampleSpec
    is_mirrored: bool

    @property
    def name(self) -> str:
        """Return a name of the motion for a sentence."""
        return f"{self.spec.name}, mirrored," if self.is_mirrored else self.spec.name


def used_examples(specs: Sequence[ExampleSpec]) -> tuple[UsedExample, ...]:
    """Return the motions for all examples: one of each in their order, then the additional mirror images."""

    first = [UsedExample(index, spec, spec.mirrored is Mirrored.MIRRORED) for index, spec in enumerate(specs)]
    beside = [
        UsedExample(example.number, example.spec, True) for example in first if example.spec.mirrored is Mirrored.BOTH
    ]
    return (*first, *beside)


def numbers_used(numbers: Sequence[int], specs: Sequence[ExampleSpec]) -> tuple[int, ...]:
    """Return the numbers in `used_examples` for these numbers of examples; unknown numbers are returned unchanged."""
    used = used_examples(specs)
    known = tuple(index for index, example in enumerate(used) if example.number in numbers)
    return (*known, *(index + len(used) for index in numbers if not 0 <= index < len(specs)))


@dataclass(frozen=True, eq=False)
class Reading:
    """Examples on one skeleton with one layout of channels.

    motions: of `used_examples`. keyed: the channels that any of them animates. visual: whether evaluated poses were
    read. notes: sentences for the user on what was left out or is inexact. known: for each motion of another character
    the bones that it moves; None for motions of the character itself.
    """

    motions: tuple[Motion, ...]
    keyed: KeyedChannels
    visual: bool
    notes: tuple[str, ...] = ()
    known: tuple[frozenset[str] | None, ...] = ()


def fixed_frame(armature: Object, specs: Sequence[ExampleSpec], scene: Scene) -> float:
    """Return the frame at which channels without keys are read: the first of the character's own examples or, where
    these have none, of the scene.
    """
    spec = next((spec for spec in specs if spec.armature in (None, armature)), ExampleSpec(None))
    frame = spec.frame_start
    if frame is None and spec.action is not None:
        frame = float(spec.action.frame_range[0])
    return frame if frame is not None and math.isfinite(frame) else float(scene.frame_start)


def example_range(armature: Object, spec: ExampleSpec, scene: Scene) -> tuple[float, float]:
    """Return the first and last frame of `spec`: its own, or the action's.

    An action's range is the one set by hand, or that of the keys that play on the armature.
    Raises InputError if there is no such key, or if the range ends before it starts.
    """
    return example_ranges(armature, [spec], scene)[0]


def example_ranges(armature: Object, specs: Sequence[ExampleSpec], scene: Scene) -> list[tuple[float, float]]:
    """Return the first and last frames of examples as `example_range` does."""
    for spec in specs:
        check_armature(spec.armature or armature)
    return [range_of(spec, curves, scene) for spec, curves in zip(specs, curves_of_each(armature, specs), strict=True)]


def curves_of_each(armature: Object, specs: Sequence[ExampleSpec]) -> list[SlotCurves]:
    """Return the curves of examples; takes of one action share them, so that its keys are looked through once."""
    found: dict[tuple[Object, Action | None, str], SlotCurves] = {}
    curves = []
    for spec in specs:
        key = spec.armature or armature, spec.action, spec.slot
        if key not in found:
            found[key] = collect_curves(*key) if spec.action else SlotCurves()
        curves.append(found[key])
    return curves


def check_example(armature: Object, example: UsedExample, motion: Motion, scene: Scene) -> None:
    """Raise InputError, with the scene's frame, if the motion read of an example is not finite."""
    if not motion.is_finite:
        spec = example.spec
        # Only computed on an error, since the range needs all curves.
        first = example_range(armature, spec, scene)[0] if spec.action else 0.0
        motion.check_values(example.name if spec.action or spec.clip else "The evaluated pose", first)


def range_of(spec: ExampleSpec, curves: SlotCurves, scene: Scene, *, beyond_keys: bool = False) -> tuple[float, float]:
    """Return the range as `example_range` does, of curves that were already collected.

    beyond_keys: whether the frames outside the action's own range are included, since something else moves there.
    """
    start, end = asked = _asked_range(spec, curves, scene)
    if not (math.isfinite(start) and math.isfinite(end)):
        raise InputError(f"{spec.name} has keys at frames that are not finite numbers; set its frame range.")
    if end < start:
        raise InputError(f"{spec.name} ends at frame {end:g}, before it starts at {start:g}; set its frame range.")
    if end - start >= LAST_FRAME:
        stray = stray_keys(curves, start, end)
        advice = "set a shorter frame range" if stray is None else f"it has {stray.where}: learn from {stray.range}"
        raise InputError(f"{spec.name} spans more than {LAST_FRAME:,} frames; {advice}.")
    played = None if beyond_keys else _moving_range(spec, curves)
    if played is not None:
        start, end = max(start, played[0]), min(end, played[1])
        if end < start or (end == start and asked[0] < asked[1]):
            raise InputError(
                f"{spec.name} plays frames {_listed(*played)} and does not move at {_listed(*asked)}; "
                "set a range within its own."
            )
    return start, end


def range_note(spec: ExampleSpec, curves: SlotCurves, scene: Scene) -> tuple[str, ...]:
    """Return a sentence on the frames that were asked for and lie outside the action's own range; () without any."""
    asked, used = _asked_range(spec, curves, scene), range_of(spec, curves, scene)
    if asked == used:
        return ()
    return (f"{spec.name} plays frames {_listed(*used)} of {_listed(*asked)}; the others are left out.",)


def _listed(start: float, end: float) -> str:
    return f"{start:g} to {end:g}"


def _asked_range(spec: ExampleSpec, curves: SlotCurves, scene: Scene) -> tuple[float, float]:
    start, end = spec.frame_start, spec.frame_end
    if start is None or end is None:
        own_start, own_end = _own_range(spec, curves, scene)
        start = own_start if start is None else start
        end = own_end if end is None else end
    return start, end


def frames_of(spec: ExampleSpec, curves: SlotCurves, scene: Scene, *, beyond_keys: bool = False) -> Float64:
    """Return the frames `(T,)` to sample; beyond_keys: see range_of. Raises InputError if there are none."""
    start, end = range_of(spec, curves, scene, beyond_keys=beyond_keys)
    frames = start + np.arange(count_of(start, end), dtype=np.float64)
    if spec.skip_first_frame:
        frames = frames[1:]
    if not len(frames):
        raise InputError(f"{spec.name} has no frame after its first; keep its first frame or set a longer range.")
    return frames


def count_of(start: float, end: float) -> int:
    """Return the number of frames sampled from `start` to `end`."""
    return math.floor(end - start + SAME_FRAME) + 1


def rate_of(spec: ExampleSpec, scene: Scene) -> float:
    """Return the example's frames per second. Raises InputError unless they are above zero."""
    rate = scene_rate(scene) if spec.frames_per_second is None else spec.frames_per_second
    if not (math.isfinite(rate) and rate > 0):
        raise InputError(f"{spec.name} has a frame rate of {rate:g}; set one above zero.")
    return rate


def _own_range(spec: ExampleSpec, curves: SlotCurves, scene: Scene) -> tuple[float, float]:
    scene_range = float(scene.frame_start), float(scene.frame_end)
    if spec.action is None:
        return scene_range
    if spec.action.use_frame_range:
        return float(spec.action.frame_start), float(spec.action.frame_end)
    keys = curves.key_range()
    if curves.go_on and (keys is None or keys[0] == keys[1]):
        return scene_range
    if keys is None:
        raise InputError(curves.why_empty(spec.name))
    return _on_frame(keys[0]), _on_frame(keys[1])


def _moving_range(spec: ExampleSpec, curves: SlotCurves) -> tuple[float, float] | None:
    """Return the frames outside which an action stands still; None if there are none, or if they are not known.

    A manual frame range that ends after the last key holds the last pose on purpose.
    """
    keys = curves.key_range()
    if spec.action is None or keys is None or curves.go_on or not all(map(math.isfinite, keys)):
        return None
    start, end = _on_frame(keys[0]), _on_frame(keys[1])
    manual = (
        (float(spec.action.frame_start), float(spec.action.frame_end)) if spec.action.use_frame_range else (start, end)
    )
    if manual[1] <= start or manual[0] >= end:
        return start, end
    return min(start, manual[0]), max(end, manual[1])


def _on_frame(frame: float) -> float:
    """Return a frame rounded to a whole number if it differs only by an importer's rounding."""
    return float(round(frame)) if math.isfinite(frame) and abs(frame - round(frame)) < SAME_FRAME else float(frame)
