# SPDX-License-Identifier: GPL-3.0-or-later
"""Ranges of an action: the ways in which they are chosen, and the gaps that they leave."""

from enum import Enum

import numpy as np
from bpy.types import Action, Object, Scene

from ...animation.stretches.key_times import key_times, keyed_times, keys_around, selected_times, set_times
from ...core import InputError
from ...core.infill import CONTEXT_SECONDS
from ...core.keys import ON_KEY
from ...core.motion import Gap
from ...libraries.indexed_examples import FillingExamples
from ..edit_task import EditTask

SHORTEST = 2
"""Shortest gap in frames from pose to pose, with one frame in between."""
Range = tuple[float, float]


def check_range(first: float, last: float) -> None:
    """Raise InputError unless there is a frame to fill between two others."""
    if not (np.isfinite(first) and np.isfinite(last)):
        raise InputError("The range's frames are not finite numbers; choose frames of the timeline.")
    if round(last - first) < SHORTEST:
        raise InputError(
            f"Between frames {first:g} and {last:g} there is no frame to fill; choose keys farther from each other."
        )


def read_gap(task: EditTask, examples: FillingExamples, first: float, last: float) -> Gap:
    """Return the gap from `first` to `last` of an action; a side beyond its keys, where it stands still, is one pose.

    Raises InputError where the action cannot be read.
    """
    known = np.arange(round(CONTEXT_SECONDS * examples.prepared.index.frames_per_second) + 1.0)
    frames = np.concatenate((first - known[::-1], last + known))
    motion, times = task.read(examples, frames), key_times(task.character, task.action, task.slot)
    before = 0 if times[0] < first - ON_KEY else len(known) - 1
    after = len(frames) if times[-1] > last + ON_KEY else len(known) + 1
    return Gap(motion.slice(before, len(known)), motion.slice(len(known), after))


class RangeChoice(Enum):
    """The ways in which a range is chosen."""

    AUTOMATIC = "AUTOMATIC"
    """The selected keys; without any, the preview range, or else the keys around the playhead."""
    SELECTED = "SELECTED"
    PREVIEW = "PREVIEW"
    PLAYHEAD = "PLAYHEAD"
    FRAMES = "FRAMES"
    """Two given frames."""


def chosen_range(
    character: Object, action: Action, slot: str, scene: Scene, choice: RangeChoice, frames: Range
) -> Range:
    """Return the first and last frame of a choice; frames: the two given ones.

    Raises InputError where there is no such range.
    """
    if choice is RangeChoice.FRAMES:
        return frames
    finders = {
        RangeChoice.SELECTED: _selected,
        RangeChoice.PREVIEW: _preview,
        RangeChoice.PLAYHEAD: _around_playhead,
    }
    if choice is not RangeChoice.AUTOMATIC:
        chosen = finders[choice](character, action, slot, scene)
        if chosen is None:
            raise InputError(_REASONS[choice])
        return chosen
    keyed_times(character, action, slot, "key two poses first")
    ranges = (find(character, action, slot, scene) for find in finders.values())
    first = next((range_ for range_ in ranges if range_ is not None), None)
    if first is None:
        raise InputError(_REASONS[RangeChoice.PLAYHEAD])
    return first


def preview_range(character: Object, action: Action, slot: str, scene: Scene) -> Range:
    """Return the frames of the preview range between the first and the last key; raise InputError without any."""
    chosen = _preview(character, action, slot, scene)
    if chosen is None:
        raise InputError(_REASONS[RangeChoice.PREVIEW])
    times = keyed_times(character, action, slot, "key two poses first")
    if max(chosen[0], times[0]) >= min(chosen[1], times[-1]):
        raise InputError(
            f'Action "{action.name}" has no keys in the preview range; set another with P in the timeline.'
        )
    return max(chosen[0], float(times[0])), min(chosen[1], float(times[-1]))


_REASONS = {
    RangeChoice.SELECTED: "No two keys are selected; select the first and the last key of the range.",
    RangeChoice.PREVIEW: "There is no preview range; set one with P in the timeline.",
    RangeChoice.PLAYHEAD: "The playhead is not between two keys; move it there, or select the keys.",
}


def _selected(character: Object, action: Action, slot: str, _scene: Scene) -> Range | None:
    times = selected_times(character, action, slot)
    every = key_times(character, action, slot)
    if len(times) < 2 or (times[0] <= every[0] + ON_KEY and times[-1] >= every[-1] - ON_KEY and len(every) > 2):
        # All keys are selected after an import, which is not a choice.
        return None
    return float(times[0]), float(times[-1])


def _preview(_character: Object, _action: Action, _slot: str, scene: Scene) -> Range | None:
    if not scene.use_preview_range:
        return None
    return float(scene.frame_preview_start), float(scene.frame_preview_end)


def _around_playhead(character: Object, action: Action, slot: str, scene: Scene) -> Range | None:
    """Return the poses around the playhead that an animator has set, or else any keys around it."""
    frame = float(scene.frame_current_final)
    for times in (set_times(character, action, slot), key_times(character, action, slot)):
        around = keys_around(np.asarray(times), frame)
        if around is not None:
            return around
    return None
