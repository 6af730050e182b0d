# SPDX-License-Identifier: GPL-3.0-or-later
"""The action to repair, read as a motion, and its flaws by scene frames and names of bones."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from bpy.types import Action

from ...animation.reading.example_spec import ExampleSpec, Reading
from ...animation.reading.examples import read_examples
from ...animation.reading.stretch import kept_note, read_stretch
from ...animation.scene_time import scene_rate
from ...animation.stretches.checks import check_read
from ...animation.stretches.key_times import check_examples_together, times_of_motion
from ...character.flesh import flesh_of_character
from ...core import Float64, InputError, Motion, Progress, listed
from ...core.evaluation import BodyModel, Capsules, gravity_of_examples, usual_depths
from ...core.feet import standing_of
from ...core.keys import ON_KEY
from ...core.library import IndexedMotions
from ...core.repair import ALL_KINDS, OF_WEIGHT, Flaw, FlawKind, KeptInFlight, find_flaws
from ...libraries.exploring.stretch import FEWEST_FRAMES
from ...libraries.indexed_examples import ready_examples
from ..edit_task import EditTask


@dataclass(frozen=True)
class RepairRequest:
    """The flaws to repair. frames: first and last, None for all; bones: names, () for all.

    kinds: the kinds of flaws to look for. everything: all frames and bones count as jitter, flagged or not. strength: 0
    repairs nothing, 1 completely. left_out: keys of flaws to leave as they are. kept: what stays in
    flights.
    """

    frames: tuple[float, float] | None = None
    bones: tuple[str, ...] = ()
    kinds: frozenset[FlawKind] = ALL_KINDS
    everything: bool = False
    strength: float = 1.0
    left_out: tuple[str, ...] = ()
    kept: KeptInFlight = KeptInFlight.DURATION


@dataclass(frozen=True)
class FoundFlaw:
    """A flaw of an action. first, last: scene frames. change: how far its repair moves a joint, in rig units.

    amount: see Flaw. ends: those of the bones that carry none of the others.
    """

    kind: FlawKind
    first: float
    last: float
    bones: tuple[str, ...]
    change: float = 0.0
    amount: float = 0.0
    ends: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """Return a key that identifies the flaw."""
        return f"{self.kind.value} {self.first:g}-{self.last:g} {','.join(self.bones)}"

    def amount_text(self, bones: tuple[str, ...]) -> str:
        """Return how wrong a flaw of weight is, in gravities or percent of the size; "" for other kinds.

        It adds that a flaw is left as it is because no repair makes it better. bones: those that it names, if it names
        any.
        """
        text = self.kind.amounts.format(amount=self.amount, bones=listed(bones, ""))
        return f"{text}, left as is" if text and not self.change else text


@dataclass(frozen=True, eq=False)
class FlawedAction:
    """An action to repair: its motion, frames `(T,)`, flaws, and the examples, if any.

    ends: times of its first and last key, which may lie outside the frames. notes: sentences for the user. gravity: of
    the examples, in rig units per second squared; None if they show none. usual: depths `(P,)` of limbs in the body
    that examples have; None without examples. capsules, model: of the character's skin; None unless flaws of weight are
    looked for.
    """

    motion: Motion
    frames: Float64
    ends: tuple[float, float]
    flaws: tuple[Flaw, ...]
    reading: Reading
    examples: IndexedMotions | None
    notes: tuple[str, ...]
    gravity: float | None = None
    usual: Float64 | None = None
    capsules: Capsules | None = None
    model: BodyModel | None = None

    def found(self, flaw: Flaw, change: float = 0.0) -> FoundFlaw:
        """Return a flaw with its scene frames and the names of its bones."""
        skeleton, joints = self.motion.skeleton, list(flaw.joints)
        carrying = {parent for joint in joints for parent in skeleton.chain(joint)[:-1]}
        bones = tuple(skeleton.names[joint] for joint in joints)
        ends = tuple(skeleton.names[joint] for joint in joints if joint not in carrying)
        first, last = float(self.frames[flaw.first]), float(self.frames[flaw.last])
        return FoundFlaw(flaw.kind, first, last, bones, change, flaw.amount, ends)


def read_flawed(task: EditTask, request: RepairRequest, progress: Progress | None = None) -> FlawedAction:
    """Return an action with the flaws that a request asks for.

    Raises InputError where it cannot be read, where keys of it or of an example lie far from all others,
    and for frames and bones that it does not have; and Cancelled.
    """
    character, scene, action, slot = task.character, task.scene, task.action, task.slot
    check_read(action)
    times = times_of_motion(character, action, slot)
    frames = _frames_of(times)
    if len(frames) < FEWEST_FRAMES:
        raise InputError(
            f'Action "{action.name}" has fewer than {FEWEST_FRAMES} frames of motion; choose a longer one.'
        )
    if task.choice is None:
        reading = read_examples(character, [ExampleSpec(action, slot)], scene=scene, visual=False)
        motion = read_stretch(character, reading, action, slot, frames, scene_rate(scene))
        examples, standing, note = None, standing_of(motion), ""
    else:
        check_examples_together(character, task.choice.specs)
        ready = ready_examples(character, scene, task.choice, progress)
        reading, examples, standing = ready.reading, ready.prepared, ready.prepared.standing
        motion = read_stretch(character, reading, action, slot, frames, examples.index.frames_per_second)
        note = kept_note(character, reading, action, slot)
    capsules, model, gravity, usual = None, None, None, None
    if request.kinds & OF_WEIGHT:
        flesh = flesh_of_character(character, motion.skeleton, scene)
        capsules, model = flesh.capsules, flesh.masses
        if examples is not None:
            gravity = gravity_of_examples(examples.motions, standing, model)
        if examples is not None and FlawKind.PENETRATION in request.kinds:
            usual = usual_depths(motion.skeleton, capsules, examples.motions)
    flaws = find_flaws(motion, standing, request.kinds, gravity, usual, capsules=capsules, model=model)
    flaws = _asked_for(flaws, motion, frames, action, request)
    ends, notes = (float(times[0]), float(times[-1])), (note,) if note else ()
    flawed = FlawedAction(motion, frames, ends, flaws, reading, examples, notes, gravity, usual, capsules, model)
    chosen = tuple(flaw for flaw in flaws if flawed.found(flaw).key not in request.left_out)
    return replace(flawed, flaws=chosen)


def _frames_of(times: Float64) -> Float64:
    """Return the frames `(T,)` between the first and the last key.

    They count from the first key where the last is whole frames after it, as in an action moved by a fraction of a
    frame; otherwise they are the whole frames.
    """
    if not len(times):
        return np.zeros(0)
    length = times[-1] - times[0]
    first = times[0] if abs(length - np.round(length)) <= ON_KEY else np.ceil(times[0] - ON_KEY)
    return np.arange(first, times[-1] + ON_KEY)


def _asked_for(
    flaws: Sequence[Flaw], motion: Motion, frames: Float64, action: Action, request: RepairRequest
) -> tuple[Flaw, ...]:
    """Return the flaws, cut to the requested frames and bones."""
    names = motion.skeleton.names
    unknown = [bone for bone in request.bones if bone not in names]
    if unknown:
        raise InputError(f'"{unknown[0]}" is not a bone that action "{action.name}" can move; choose others.')
    joints = [names.index(bone) for bone in request.bones] or list(range(len(names)))
    inside = np.arange(len(frames))
    if request.frames is not None:
        inside = np.flatnonzero((frames >= request.frames[0] - ON_KEY) & (frames <= request.frames[1] + ON_KEY))
    if not len(inside):
        first, last = request.frames or (0.0, 0.0)
        raise InputError(f'Action "{action.name}" has no motion at frames {first:g} to {last:g}; choose others.')
    first, last = int(inside[0]), int(inside[-1])
    clipped = [
        (flaw, Flaw(flaw.kind, max(flaw.first, first), min(flaw.last, last), _among(flaw, joints), flaw.amount))
        for flaw in flaws
        if not (request.everything and flaw.kind is FlawKind.JITTER)
    ]
    # Flaws of weight are repaired as a whole or not at all.
    kept = [
        part
        for flaw, part in clipped
        if part.joints and part.first <= part.last and (part == flaw or flaw.kind not in OF_WEIGHT)
    ]
    if request.everything and FlawKind.JITTER in request.kinds:
        kept.append(Flaw(FlawKind.JITTER, first, last, tuple(joints)))
    return tuple(kept)


def _among(flaw: Flaw, joints: Sequence[int]) -> tuple[int, ...]:
    return tuple(sorted({*flaw.joints} & {*joints}))
