# SPDX-License-Identifier: GPL-3.0-or-later
"""From Blocking to Spline: new motion through all poses of the action that a character plays, in place."""

import math
from dataclasses import dataclass

import numpy as np
from bpy.types import Action, Object

from ...animation.keys.simplification import Simplification
from ...animation.stretches.checks import check_action
from ...animation.stretches.editing import edited_in_place
from ...animation.stretches.generated import remember_generated
from ...animation.stretches.key_times import keyed_times, pose_times
from ...animation.stretches.replacing import Stretch, replace_stretch
from ...animation.stretches.simplifying import simplify_stretches
from ...core import Float64, InputError, Motion, computing
from ...core.infill import CONTEXT_SECONDS, fill_gap
from ...core.motion import Gap
from ...libraries.indexed_examples import FillingExamples
from ..edit_task import EditTask
from .ranges import SHORTEST

FEW_KEYS = Simplification(shared=True, angle=math.radians(0.5), share=0.005)
"""Precision of the keys between poses, as of Simplify Keys: half a degree, and half a percent of the size."""


@dataclass(frozen=True)
class Splined:
    """An action that now moves through its poses: the number of poses, and of filled gaps between them."""

    poses: int
    gaps: int


def poses_of(character: Object, action: Action, slot: str) -> Float64:
    """Return the frames of the poses, in order. Raises InputError without two poses that have frames between them.

    Keys marked as generated do not count as poses.
    """
    keyed_times(character, action, slot, "key two poses first")
    times = pose_times(character, action, slot)
    if len(times) < 2 or np.diff(times).max() < SHORTEST:
        raise InputError(
            f'Action "{action.name}" has no poses with frames between them; key two poses or more that are farther '
            "from each other."
        )
    return times


@computing()
def fill_between_poses(task: EditTask, in_betweens: Simplification | None) -> Splined:
    """Fill every gap between two poses of the character's action with motion; the poses stay.

    in_betweens: the precision of the keys between the poses, which are few and have smooth curves between them; None
    is a key on every frame.

    Each gap begins with the speed that the one before ends with. Raises InputError, with nothing changed, also where a
    gap is longer than every example.
    """
    character, action, slot = task.character, task.action, task.slot
    check_action(character, action)
    times = poses_of(character, action, slot)
    examples = task.ready()
    poses = task.read(examples, times)
    pieces, gaps = _through(examples, poses, times)
    channels = {name: np.concatenate([piece.channels()[name] for piece in pieces]) for name in poses.channels()}
    # A pose between two frames stays there, so each gap has its own times.
    ends = zip(times[:-1], times[1:], pieces[1:], strict=True)
    frames = [times[:1], *(np.linspace(first, last, piece.frames + 1)[1:] for first, last, piece in ends)]
    rows = np.cumsum([piece.frames for piece in pieces]) - 1
    stretch = Stretch(float(times[0]), float(times[-1]), times=np.concatenate(frames))
    motion = poses.with_channels(channels)
    with edited_in_place(action, slot):
        replace_stretch(character, action, slot, stretch, motion, examples.reading.keyed, rows.tolist())
        for first, last in gaps:
            remember_generated(action, first, last)
        if in_betweens is not None:
            simplify_stretches(character, action, in_betweens, gaps, slot)
    return Splined(len(times), len(gaps))


def _through(
    examples: FillingExamples, poses: Motion, times: Float64
) -> tuple[list[Motion], list[tuple[float, float]]]:
    """Return the first pose followed by the motion to each next pose, and the gaps that were filled."""
    known = round(CONTEXT_SECONDS * poses.frames_per_second)
    pieces, gaps = [poses.slice(0, 1)], list[tuple[float, float]]()
    for row, (first, last) in enumerate(zip(times[:-1].tolist(), times[1:].tolist(), strict=True), 1):
        frames = round(last - first)
        if frames < SHORTEST:
            pieces.append(poses.slice(row, row + 1))
            continue
        before = pieces[-1]
        gap = Gap(before.slice(max(before.frames - known, 0), before.frames), poses.slice(row, row + 1))
        try:
            filling = fill_gap(examples.prepared, gap, frames)[0]
        except InputError as error:
            raise InputError(f"Between the poses at frames {first:g} and {last:g}: {error}") from error
        pieces.append(filling.motion.slice(1, frames + 1))
        gaps.append((first, last))
    return pieces, gaps
