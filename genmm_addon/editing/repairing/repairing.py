# SPDX-License-Identifier: GPL-3.0-or-later
"""Repair of an action's flaws in place, and the list of flaws with the change that their repair would make."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from bpy.types import Object

from ...animation.channels import KeyedChannels
from ...animation.curves import collect_curves
from ...animation.stretches.checks import check_action
from ...animation.stretches.editing import edited_in_place
from ...animation.stretches.replacing import Stretch, check_stretch, replace_stretch
from ...core import Int64, Mask, Motion, Progress, computing, report_progress
from ...core.feet import standing_of
from ...core.keys import ON_KEY
from ...core.motion import spans
from ...core.repair import OF_WEIGHT, marked_frames, repair
from ..edit_task import EditTask
from ..transforming.work import Work
from .reading import FlawedAction, FoundFlaw, RepairRequest, read_flawed
from .record import keep_repair


@dataclass(frozen=True)
class Repaired:
    """Flaws that were repaired or would be. notes: sentences for the user."""

    flaws: tuple[FoundFlaw, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class _Repair:
    """A repaired motion, and its flaws with the change of each."""

    motion: Motion
    changes: tuple[FoundFlaw, ...]


@computing()
def flaws_work(task: EditTask, request: RepairRequest, progress: Progress | None = None) -> Work[_Repair, Repaired]:
    """Return the work of listing an action's flaws and how far their repair would move joints; it writes nothing.

    progress: of the reading. Raises InputError, and Cancelled.
    """
    flawed = read_flawed(task, request, progress)
    return Work(_computing(flawed, request), lambda repaired: Repaired(repaired.changes, flawed.notes))


@computing()
def repair_work(task: EditTask, request: RepairRequest, progress: Progress | None = None) -> Work[_Repair, Repaired]:
    """Return the work of repairing the flaws of an action in place; frames and bones without a flaw stay as they are.

    progress: of the reading. Raises InputError, with nothing changed, and Cancelled.
    """
    check_action(task.character, task.action)
    flawed = read_flawed(task, request, progress)

    def write(repaired: _Repair) -> Repaired:
        if flawed.flaws and request.strength > 0:
            with edited_in_place(task.action, task.slot):
                _write(task, flawed, repaired.motion)
                keep_repair(task.action, repaired.changes, task.choice, request)
        return Repaired(repaired.changes, flawed.notes)

    return Work(_computing(flawed, request), write)


def _computing(flawed: FlawedAction, request: RepairRequest) -> Callable[[Progress | None], _Repair]:
    """Return the function that repairs a motion that was read, using arrays only."""

    @computing()
    def compute(progress: Progress | None) -> _Repair:
        standing = standing_of(flawed.motion) if flawed.examples is None else flawed.examples.standing
        report_progress(progress, 0.0)
        motion = repair(
            flawed.motion,
            flawed.flaws,
            standing,
            request.strength,
            flawed.examples,
            progress=progress,
            kept=request.kept,
            gravity=flawed.gravity,
            usual=flawed.usual,
            capsules=flawed.capsules,
            model=flawed.model,
        )
        return _Repair(motion, _changes(flawed, motion))

    return compute


def _changes(flawed: FlawedAction, repaired: Motion) -> tuple[FoundFlaw, ...]:
    """Return the flaws with the farthest that their repair moves a joint within their frames."""
    away = np.linalg.norm(repaired.pose()[1].astype(np.float64) - flawed.motion.pose()[1], axis=2).max(axis=1)
    return tuple(flawed.found(flaw, float(away[flaw.first : flaw.last + 1].max())) for flaw in flawed.flaws)


def _write(task: EditTask, flawed: FlawedAction, repaired: Motion) -> None:
    """Write the frames and bones of the flaws. Raises InputError before anything is written."""
    character, action, slot = task.character, task.action, task.slot
    names = repaired.skeleton.names
    marked = _changed(flawed, repaired)
    touched = {names[joint] for joint in np.flatnonzero(marked.any(axis=0)).tolist()}
    transforms = collect_curves(character, action, slot).transforms
    touched_curves = [transforms[name][joint] for name in transforms for joint in transforms[name] if joint in touched]
    frames = np.flatnonzero(marked.any(axis=1)).tolist()
    if frames:
        whole, _ = _between_kept_keys(flawed, frames[0], frames[-1] + 1)
        check_stretch(character, [curve for curves in touched_curves for curve in curves.values()], whole)
    for (first, end), joints in _stretches(marked).items():
        where, rows = _between_kept_keys(flawed, first, end)
        keyed = _of_joints(character, flawed, repaired, joints)
        replace_stretch(character, action, slot, where, repaired.take(rows), keyed)


def _changed(flawed: FlawedAction, repaired: Motion) -> Mask:
    """Return a mask `(T, J)` of the frames of flaws, without the joints that a repair of weight leaves as they are."""
    others = tuple(flaw for flaw in flawed.flaws if flaw.kind not in OF_WEIGHT)
    marked = marked_frames(flawed.motion, others)
    for flaw in (flaw for flaw in flawed.flaws if flaw.kind in OF_WEIGHT):
        before, after = (motion.slice(flaw.first, flaw.last + 1) for motion in (flawed.motion, repaired))
        changed = (before.rotations != after.rotations).any(axis=(0, 2))
        changed[before.translated] |= (before.translations != after.translations).any(axis=(0, 2))
        changed[before.scaled] |= (before.scales != after.scales).any(axis=(0, 2))
        marked[flaw.first : flaw.last + 1] |= changed
    return marked


def _between_kept_keys(flawed: FlawedAction, first: int, end: int) -> tuple[Stretch, Int64]:
    """Return the stretch for writing the frames from `first` to before `end`, and the motion's rows `(T,)` for it.

    The stretch extends to the nearest kept frame on each side, or to a key between frames before the first or after
    the last one. At the ends of the action nothing has to be kept.
    """
    last = len(flawed.frames) - 1
    rows = np.arange(max(first - 1, 0), min(end, last) + 1)
    times, keeps_first, keeps_last = flawed.frames[rows], first > 0, end <= last
    if not keeps_first and flawed.ends[0] < times[0] - ON_KEY:
        rows, times, keeps_first = np.append(0, rows), np.append(flawed.ends[0], times), True
    if not keeps_last and flawed.ends[1] > times[-1] + ON_KEY:
        rows, times, keeps_last = np.append(rows, last), np.append(times, flawed.ends[1]), True
    return Stretch(float(times[0]), float(times[-1]), keeps_first, keeps_last, times), rows


def _stretches(marked: Mask) -> dict[tuple[int, int], list[int]]:
    """Return the marked joints `(T, J)` by the first frame of each run and the frame after its last."""
    segments: dict[tuple[int, int], list[int]] = {}
    for joint in np.flatnonzero(marked.any(axis=0)).tolist():
        for first, end in spans(marked[:, joint]):
            segments.setdefault((first, end), []).append(joint)
    return segments


def _of_joints(character: Object, flawed: FlawedAction, repaired: Motion, joints: list[int]) -> KeyedChannels:
    """Return the channels of some joints that the repair changes."""
    names = repaired.skeleton.names
    repaired_bones = {names[joint] for joint in joints}
    moved = {
        names[int(joint)]
        for slot, joint in enumerate(repaired.translated)
        if not np.array_equal(repaired.translations[:, slot], flawed.motion.translations[:, slot])
    }
    return flawed.reading.keyed.of(repaired_bones, repaired_bones & moved, character)
